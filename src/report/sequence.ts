/** The looks of a sequential run: what each of them saw. */
import type { Effect, Interval } from '../analysis/analysis.ts';
import type { ReportInput } from './input.ts';
import { limitsOf } from './limits.ts';
import { counted, formatInterval, formatLevel, formatSigned } from './numbers.ts';
import { blockNoun, type ResultRow } from './row.ts';
import { say } from './rules.ts';
import { number, numbers, type Table } from './writer.ts';

/** Longer lists are thinned; results.json has every look. */
const MOST_LISTED = 24;

type Looks = NonNullable<Effect['sequence']>['looks'];
export type Look = Looks[number];

/** What the looks at one primary metric saw. */
export interface SequenceView {
  readonly row: ResultRow;
  readonly noun: string;
  readonly looks: Looks;
  readonly max: number;
  /** Some look decided every primary metric before the last that was planned. */
  readonly early: boolean;
}

/** Of every primary metric that has an effect; empty where the number of pairs was fixed. */
export function sequencesOf(input: ReportInput, rows: readonly ResultRow[]): readonly SequenceView[] {
  const noun = blockNoun(input);
  return rows.flatMap((row) => {
    const { effect, primary } = row.comparison;
    const sequence = effect?.sequence ?? null;
    if (!primary || sequence === null || sequence.looks.length === 0) return [];
    return [{ row, noun, looks: sequence.looks, max: sequence.max, early: endedEarly(input) }];
  });
}

/** Whether a sequential run was decided before its maximum. */
export function endedEarly({ analysis }: ReportInput): boolean {
  const { complete, planned, decided } = analysis.pairs;
  return decided && complete < planned;
}

/** What an axis spans: zero, the limits, and the intervals of the later half of the looks. The first ones may be far wider. */
export function spanOf({ row, looks }: SequenceView): Interval {
  const later = looks.slice(Math.floor(looks.length / 2));
  const ends = later.flatMap(({ change, interval }) => [change, ...(interval ?? [])]);
  const values = [0, ...limitsOf(row.comparison).map(({ value }) => value), ...ends];
  return [Math.min(...values), Math.max(...values)];
}

/** At most `most` of the looks, the first and the last among them, as evenly as they go. */
export function thinned(looks: Looks, most: number): Looks {
  if (looks.length <= most) return looks;
  const places = Array.from({ length: most }, (_, at) => Math.round((at * (looks.length - 1)) / (most - 1)));
  return looks.filter((_, at) => places.includes(at));
}

export function lookText({ row }: SequenceView, { change, interval }: Look): string {
  const range = interval === null ? say('sequence.unbounded', {}) : formatInterval(interval, row.scale);
  return `${formatSigned(change, row.scale)} ${range}`;
}

/** What the looks at a metric are, before a table of them. */
function sequenceLead(view: SequenceView, listed: number): string {
  const { row, looks, noun, max, early } = view;
  const words = { subject: row.subject, looks: counted(looks.length, 'look'), level: row.level, max: String(max) };
  const blocks = counted(looks.at(-1)?.pairs ?? 0, noun);
  const lead = say(early ? 'sequence.early' : 'sequence.last', { ...words, blocks });
  return listed < looks.length ? `${lead} ${say('sequence.thinned', { listed: String(listed) })}` : lead;
}

/** Looks as rows of a table, and what stands before it. */
export function sequenceTable(view: SequenceView): { readonly lead: string; readonly table: Table } {
  const { row, noun } = view;
  const shown = thinned(view.looks, MOST_LISTED);
  const rows = shown.map((look) => [
    String(look.pairs),
    formatSigned(look.change, row.scale),
    look.interval === null ? '-' : formatInterval(look.interval, row.scale),
  ]);
  const level = row.level === '' ? formatLevel(row.comparison.effect?.interval_level ?? 0) : row.level;
  const columns = [number(`${noun}s`), number('change'), numbers(`${level} sequence`, 'interval')];
  return { lead: sequenceLead(view, shown.length), table: { columns, rows } };
}
