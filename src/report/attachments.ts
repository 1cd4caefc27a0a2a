/** What lies beside a report: the files of the run's directory, and what a bundle adds to them. */
import type { ReportInput } from './input.ts';
import { counted } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

/** Name and meaning of each, for a table. */
export function attachmentsOf({ journal, analysis }: ReportInput): readonly (readonly [name: string, what: string])[] {
  const { run, prepared } = journal;
  const files = journal.trials.reduce((sum, { raw }) => sum + raw.length, 0);
  const disassemblies = (prepared?.attribution ?? []).reduce((sum, code) => sum + code.disassemblies.length, 0);
  const made = run.experiment.arms.some(({ source }) => source.kind === 'git' || source.kind === 'npm');
  const sides = analysis.sides.length + analysis.controls.length > 0;
  const armFiles = [
    ...(made ? ['lock files, patches and logs of builds'] : []),
    ...(disassemblies > 0 ? [`${counted(disassemblies, 'disassembly').replace(/ys$/, 'ies')} side by side`] : []),
  ];
  return [
    ['results.json', 'all results, for programs'],
    [
      'trials.csv',
      `each of the ${counted(journal.trials.length, 'trial')}: its place in the order, whether it counts or why not, its metrics`,
    ],
    [
      'pairs.csv',
      `every pair that a change rests on${sides ? ', in controls and comparisons beside the confirmation too' : ''}: both values and the effect`,
    ],
    ['journal.jsonl', 'everything that was measured, one line with a checksum a trial'],
    ['raw/', `output, command and account of every trial: ${counted(files, 'file')}`],
    ...(armFiles.length > 0 ? [['arms/', armFiles.join('; ')] as const] : []),
    ['experiment.yaml, plan.json', 'the experiment as it was given, and the order of trials (in the bundle)'],
    ['environment.json, provenance.json', 'the machine; origin, command and digests of each arm (in the bundle)'],
    ...(run.experiment.workload.driver === null
      ? []
      : [
          [
            'drivers/',
            'source of the driver and headers of the library, as they were compiled (in the bundle)',
          ] as const,
        ]),
    [
      'verification.json, manifest.json',
      'published figures beside those computed again; size and SHA-256 of every file (in the bundle)',
    ],
  ];
}

/** What is not there, and how the archive is made and checked. */
export function attachmentNotes({ name }: Escaping): readonly string[] {
  const commands = { bundle: name('assay bundle'), verify: name('assay verify') };
  return [say('attachments.bundle', commands), say('attachments.absent', {})];
}
