/** What lies beside a report: the files of the run's directory, and what a bundle adds to them. */
import { pairNoun } from '../analysis/wording.ts';
import type { SourceDiff } from '../journal/records.ts';
import type { ReportInput } from './input.ts';
import { counted } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';
import { formatQuantity } from './units.ts';

/** Lines of a table; the others lie in the same folders. */
const MOST_DIFFS = 10;

/** Name and meaning of each, for a table. */
export function attachmentsOf(
  { journal, analysis }: ReportInput,
  escaping: Escaping,
): readonly (readonly [name: string, what: string])[] {
  const { run, prepared } = journal;
  const sliced = run.experiment.design.slices !== null;
  const { imported } = run;
  const files = imported?.files.length ?? journal.trials.reduce((sum, { raw }) => sum + raw.length, 0);
  const disassemblies = (prepared?.attribution ?? []).reduce((sum, code) => sum + code.disassemblies.length, 0);
  const made = run.experiment.arms.some(({ source }) => source.kind === 'git' || source.kind === 'npm');
  const sides = analysis.sides.length + analysis.controls.length > 0;
  const armFiles = [
    ...(made ? ['lock files, patches and logs of builds'] : []),
    ...(disassemblies > 0 ? [`${counted(disassemblies, 'disassembly').replace(/ys$/, 'ies')} side by side`] : []),
  ];
  const kept = prepared?.kept ?? [];
  const diffs = (prepared?.diffs ?? []).flatMap((diff) => (diff.kind === 'diff' ? [diff] : []));
  const libraries = kept.filter(({ path }) => path.endsWith('/library.json')).length;
  const metadata = kept.filter(({ path }) => path.split('/')[2] === 'metadata').length;
  return [
    ['results.json', 'all results, for programs'],
    [
      'trials.csv',
      `each of the ${counted(journal.trials.length, 'trial')}: its place in the order, whether it counts or why not, its metrics`,
    ],
    [
      'pairs.csv',
      `every ${pairNoun(run.experiment.design)} that a change rests on${sides ? ', in controls and comparisons beside the confirmation too' : ''}: both values and the effect${sliced ? ', of slices also that of the total' : ''}`,
    ],
    ['journal.jsonl', `everything that was measured, one line with a checksum a ${sliced ? 'session' : 'trial'}`],
    [
      'raw/',
      imported === null
        ? `output, command and account of every trial${sliced ? ', and the slices of every session' : ''}: ${counted(files, 'file')}`
        : `copies of what was imported: ${counted(files, 'file')}`,
    ],
    ...(armFiles.length > 0 ? [['arms/', armFiles.join('; ')] as const] : []),
    ...diffs.slice(0, MOST_DIFFS).map((diff) => [diff.path, diffText(diff, escaping)] as const),
    ...(libraries > 0
      ? [
          [
            'arms/…/library.json',
            `the library of each arm: object files with digests, compilers, what it needs and says of itself${metadata > 0 ? `; ${counted(metadata, 'file')} of metadata of its build beside it` : ''}`,
          ] as const,
        ]
      : []),
    ...(imported === null
      ? ([
          ['experiment.yaml, plan.json', 'the experiment as it was given, and the order of trials (in the bundle)'],
          ['environment.json, provenance.json', 'the machine; origin, command and digests of each arm (in the bundle)'],
        ] as const)
      : ([['experiment.yaml, plan.json', 'what was to be imported, and the pairs (in the bundle)']] as const)),
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

function diffText(diff: Extract<SourceDiff, { kind: 'diff' }>, escaping: Escaping): string {
  const { bytes, kept_bytes, files, lines_added, lines_removed } = diff;
  const counts = {
    files: counted(files, 'file'),
    added: counted(lines_added, 'line'),
    removed: counted(lines_removed, 'line'),
  };
  const sizes = { kept: formatQuantity(kept_bytes, 'bytes'), bytes: formatQuantity(bytes, 'bytes') };
  const whole = say('attachments.diff', { ...counts, ...sidesOf(diff, escaping) });
  return kept_bytes < bytes ? `${whole}${say('attachments.diff-cut', sizes)}` : whole;
}

function sidesOf({ arm, reference }: SourceDiff, escaping: Escaping) {
  return { arm: escaping.name(arm), reference: escaping.name(reference) };
}

/** What is not there, and how the archive is made and checked. */
export function attachmentNotes({ journal }: ReportInput, escaping: Escaping): readonly string[] {
  const revisions = journal.run.experiment.arms.some(({ source }) => source.kind === 'git');
  const told = (revisions ? (journal.prepared?.diffs ?? []) : []).flatMap((diff) => {
    const sides = sidesOf(diff, escaping);
    if (diff.kind === 'none') return [say('attachments.no-diff', { ...sides, why: escaping.prose(diff.why) })];
    return diff.kind === 'same' ? [say('attachments.same-sources', sides)] : [];
  });
  return [
    say('attachments.bundle', { bundle: escaping.name('assay bundle'), verify: escaping.name('assay verify') }),
    journal.run.imported === null
      ? say('attachments.absent', { command: escaping.name('assay bundle --with-binaries') })
      : say('attachments.imported', {}),
    ...told,
  ];
}
