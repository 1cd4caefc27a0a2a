/** Results that were measured elsewhere, in the words of reports. What is not known of them is left out. */

import { shortened } from '../analysis/wording.ts';
import { toolOf } from '../formats/tools.ts';
import type { Imported, Journal } from '../journal/records.ts';
import type { ToldArms } from './arms.ts';
import type { Fact } from './evidence.ts';
import type { ReportInput } from './input.ts';
import { counted, formatLevel, formatTime } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { blockNoun } from './row.ts';
import { say } from './rules.ts';

/** Of a side, in running text. */
const MOST_FILES = 3;

/** Whether it is known which trial ran before which. */
export function isOrderKnown({ run }: Journal): boolean {
  return run.imported === null || run.imported.order === 'shown';
}

/** Whether the interval covers what one of a run does. */
function isControlled({ order, unit }: Imported): boolean {
  return order !== 'unknown' && unit !== 'shared';
}

export function importedPairs(input: ReportInput, imported: Imported): string {
  const { complete, planned } = input.analysis.pairs;
  const tool = toolOf(imported.tool).title;
  const words = { complete: String(complete), planned: String(planned), blocks: `${blockNoun(input)}s`, tool };
  return [
    say('imported.pairs', words),
    say(`imported.unit-${imported.unit}`, {}),
    say(`imported.order-${imported.order}`, {}),
  ].join(' ');
}

export function importedScope(input: ReportInput, imported: Imported): string {
  const words = { level: formatLevel(input.analysis.level), blocks: `${blockNoun(input)}s` };
  return say(isControlled(imported) ? 'imported.scope' : 'imported.scope-uncontrolled', words);
}

export function importedTitle(imported: Imported): string {
  return say(isControlled(imported) ? 'imported.title' : 'imported.title-uncontrolled', {});
}

export function importedArms({ analysis }: ReportInput, { files, sides }: Imported, escaping: Escaping): string {
  const told = analysis.arms.map((arm) => {
    const names = files.filter(({ arms }) => arms.includes(arm)).map(({ name }) => escaping.name(name));
    const rest = names.length - MOST_FILES;
    const list = `${names.slice(0, MOST_FILES).join(', ')}${rest > 0 ? ` and ${counted(rest, 'more file')}` : ''}`;
    const result = sides.find((side) => side.arm === arm)?.result ?? null;
    const which = result === null ? list : `${escaping.name(shortened(result))} in ${list}`;
    const words = { name: escaping.name(arm), files: which };
    return arm === analysis.reference ? say('imported.arm-reference', words) : say('imported.arm', words);
  });
  return `${told.join('; ')}.`;
}

/** The files of each side with their digests. */
export function importedFiles({ analysis }: ReportInput, { files }: Imported): ToldArms {
  return {
    common: null,
    arms: analysis.arms.map((arm) => ({
      arm,
      note: arm === analysis.reference ? ' (reference)' : '',
      origin: [],
      files: files
        .filter(({ arms }) => arms.includes(arm))
        .map(({ name, sha256, bytes }) => ({ path: name, sha256, bytes })),
    })),
  };
}

/** How the numbers came here. */
export function importedFacts(
  { analysis, journal }: ReportInput,
  imported: Imported,
  escaping: Escaping,
): readonly Fact[] {
  const { name: code, prose } = escaping;
  const { run } = journal;
  return [
    ['imported', formatTime(run.started_unix_ms)],
    ['measured with', toolOf(imported.tool).title],
    ['files', String(imported.files.length)],
    ['repetitions', `${analysis.trials.length}`],
    ['Assay', prose(run.assay)],
    [
      'with',
      prose(
        Object.entries(run.versions)
          .map(([name, version]) => `${name} ${version}`)
          .join(', '),
      ),
    ],
    ['import', `${code(run.source.name)}, SHA-256 ${code(run.source.sha256)}`],
    ['experiment without title', `SHA-256 ${code(run.experiment_id)}`],
  ];
}
