/** Comparisons beside the confirmation: a section each, and what removing a part does where arms are ablations. */
import type { Remainder, SideComparison, SideSummary } from '../analysis/analysis.ts';
import type { Order } from '../experiment/experiment.ts';
import type { ReportInput } from './input.ts';
import { hasOtherData } from './machine-code.ts';
import { changeScale, counted, formatInterval, formatLevel, formatSigned, percentScale } from './numbers.ts';
import { type Escaping, listText } from './plain-text.ts';
import { nounOf, type ResultRow, rowOf } from './row.ts';
import { groupedNotes, limit } from './row-notes.ts';
import { say } from './rules.ts';
import { numberWord } from './statements.ts';
import { unitFor } from './units.ts';
import { armsBeside, armsSentence } from './workload.ts';
import { left, listed, number, numbers, type Table, type Writer } from './writer.ts';

export interface SideSection<Part> {
  readonly title: string;
  readonly parts: readonly Part[];
}

interface SideRow extends ResultRow {
  readonly comparison: SideComparison;
}

/** One for each side comparison, in the order of the experiment. */
export function sideSections<Part>(input: ReportInput, writer: Writer<Part>): readonly SideSection<Part>[] {
  const { sides } = input.analysis;
  const first = sides.find(({ comparisons }) => comparisons.some(({ role }) => role === 'ablation'));
  const beside = armsBeside(input).sides;
  return sides.map((side, at) => {
    const arms = armsSentence(input, beside[at] ?? [], writer.escaping);
    const [lead, ...parts] = partsOf(side, side === first, input, writer);
    return {
      title: `Beside the confirmation: ${writer.escaping.name(side.name)}`,
      parts: [...(lead === undefined ? [] : [lead]), ...(arms === null ? [] : [writer.text(arms)]), ...parts],
    };
  });
}

/** `first`: the first with ablations, where what holds for all of them is said. */
function partsOf<Part>(side: SideSummary, first: boolean, input: ReportInput, writer: Writer<Part>): readonly Part[] {
  const { escaping } = writer;
  const noun = nounOf(input, side.arms.length);
  const setting = { several: side.arms.length > 2, noun };
  const all = side.comparisons.map(
    (comparison): SideRow => ({ ...rowOf(comparison, input, escaping, setting), comparison }),
  );
  const rows = [
    ...all.filter(({ comparison }) => comparison.primary),
    ...all.filter(({ comparison }) => !comparison.primary),
  ];
  const plain = rows.filter(({ comparison }) => comparison.role !== 'ablation');
  const ablations = rows.filter(({ comparison }) => comparison.role === 'ablation');
  const shown = rows.some(({ comparison }) => comparison.effect !== null);
  const table = armsTable(withEffect(plain), noun);
  return [
    writer.text(leadOf(side, noun, input.journal.run.experiment.design.order)),
    ...(table.rows.length === 0 ? [] : [writer.table(`Arms in ${escaping.name(side.name)}`, table)]),
    ...listed(writer, [...stockOf(side, plain), ...sameOf(plain, input), ...layoutOf(plain), ...reasonsOf(rows)]),
    ...(ablations.length === 0 || !shown ? [] : ablationParts(side, ablations, first, input, writer)),
  ];
}

function leadOf(side: SideSummary, noun: string, order: Order): string {
  const words = {
    complete: String(side.blocks.complete),
    planned: String(side.blocks.planned),
    counters: side.counters === 'off' ? say('side.no-counters', {}) : say('side.counters', { kind: side.counters }),
  };
  return side.arms.length === 2
    ? say('side.lead', { ...words, blocks: `${noun}s` })
    : say('side.lead-blocks', { ...words, orders: say(`orders.${order}`, {}), arms: numberWord(side.arms.length) });
}

/** Without the metrics of which no comparison has an effect: why is said below. */
function withEffect(rows: readonly SideRow[]): readonly SideRow[] {
  const metrics = new Set(rows.filter(({ comparison }) => comparison.effect !== null).map(({ metric }) => metric));
  return rows.filter(({ metric }) => metrics.has(metric));
}

const FIGURES = [
  ...[number('mean of reference'), number('mean of arm'), number('change')],
  ...[numbers('interval', 'interval'), number('level')],
];

/** A row an arm, metric by metric. */
function armsTable(rows: readonly SideRow[], noun: string): Table {
  return {
    columns: [
      left('metric'),
      left('arm'),
      left('reference'),
      ...FIGURES,
      numbers(`${noun}s`, 'directions'),
      left('verdict'),
    ],
    rows: rows.map((row) => [row.metric, row.arm, row.reference, ...figuresOf(row)]),
    lines: rows.map((row) => `${row.metric}, ${row.arm} against ${row.reference}: ${lineOf(row)}`),
  };
}

function figuresOf(row: SideRow): readonly string[] {
  const { means, change, interval, level, directions, comparison } = row;
  // What an undecided comparison could have seen stands in results.json: here it would crowd the table.
  const verdict = comparison.verdict.kind === 'inconclusive' ? say('cell.inconclusive', {}) : row.verdict;
  return [means.reference, means.arm, change, interval, level, directions, verdict];
}

function lineOf(row: SideRow): string {
  if (row.comparison.effect === null) return row.verdict;
  const [reference, arm, change, interval, level, directions, verdict] = figuresOf(row);
  const at = level === '' ? '' : ` at ${level}`;
  return `${change} ${interval}${at}, ${reference} to ${arm}, ${directions}: ${verdict}`;
}

/** Said once of each stock comparison. */
function stockOf(side: SideSummary, rows: readonly SideRow[]): readonly string[] {
  if (side.arms.length === 2) return [];
  const stock = rows.filter(({ comparison }) => comparison.role === 'stock');
  const told = stock.map(({ arm, reference }) =>
    say('side.stock', { arm, reference, trials: counted(2 * side.blocks.complete, 'trial') }),
  );
  return [...new Set(told)];
}

function sameOf(rows: readonly SideRow[], input: ReportInput): readonly string[] {
  const same = rows.filter(({ comparison }) => comparison.same_code);
  const told = same.map(({ arm, reference, comparison }) =>
    say(hasOtherData(input, comparison) ? 'side.same-text' : 'side.same-code', { arm, reference }),
  );
  return [...new Set(told)];
}

/** Where a rebuild was measured: whether what is claimed lies beyond it. */
function layoutOf(rows: readonly SideRow[]): readonly string[] {
  return rows.flatMap((row) => {
    const { layout } = row.comparison;
    if (layout === null) return [];
    const words = { subject: row.subject, floor: limit(layout.floor, row.comparison, row.scale) };
    return [say(layout.beyond ? 'note.layout' : 'note.layout-within', words)];
  });
}

/** Why there is no verdict; an interval that decides nothing speaks for itself. */
function reasonsOf(rows: readonly SideRow[]): readonly string[] {
  const noted = rows.flatMap(({ comparison, subject, metric, reason: note }) =>
    comparison.verdict.kind === 'none' && note !== null ? [{ subject, metric, note }] : [],
  );
  return groupedNotes(noted, rows);
}

function ablationParts<Part>(
  side: SideSummary,
  rows: readonly SideRow[],
  first: boolean,
  input: ReportInput,
  writer: Writer<Part>,
): readonly Part[] {
  const { escaping } = writer;
  const shown = withEffect(rows);
  const arms = [...new Set(shown.map(({ arm }) => arm))];
  const byArm = arms.flatMap((arm) => shown.filter((row) => row.arm === arm));
  const references = new Set(byArm.map(({ reference }) => reference));
  const [reference = ''] = references;
  const alike = references.size === 1;
  const title = alike ? say('ablation.title-against', { reference }) : say('ablation.title', {});
  const table: Table = {
    columns: [
      ...[left('removed by'), left('metric'), ...(alike ? [] : [left('reference')]), ...FIGURES],
      ...[numbers(`${nounOf(input, side.arms.length)}s`, 'directions'), left('verdict')],
    ],
    rows: byArm.map((row) => [row.arm, row.metric, ...(alike ? [] : [row.reference]), ...figuresOf(row)]),
    lines: byArm.map((row) => `${row.arm} against ${row.reference}, ${row.metric}: ${lineOf(row)}`),
  };
  const own = rows.filter(({ comparison }) => !comparison.rebuilt_reference);
  return [
    writer.text(`${title}:`),
    writer.table(`${title}, ${escaping.name(side.name)}`, table),
    ...listed(writer, [
      ...arms.flatMap((arm) => contributionsOf(shown.filter((row) => row.arm === arm))),
      ...(rows.some(({ comparison: { primary, contribution } }) => !primary && contribution !== 'open')
        ? [say('ablation.secondary', { level: formatLevel(input.analysis.level) })]
        : []),
      ...sameOf(rows, input),
      ...new Set(own.map(({ arm, reference }) => say('ablation.not-rebuilt', { arm, reference }))),
      ...remaindersOf(side, input, escaping),
      ...(first ? [say('ablation.layout', {}), say('ablation.failures', {}), say('ablation.no-fix', {})] : []),
    ]),
  ];
}

/** The interval that lies inside the margin is the one that equivalence was read from. */
function equivalentOf({ comparison, arm, reference, metric, change, scale }: SideRow): string {
  const { effect, margin } = comparison;
  const words = { arm, reference, metric, change, margin: limit(margin ?? 0, comparison, scale) };
  const read = effect?.interval == null ? null : effect.equivalence;
  if (read === null) return say('ablation.equivalent-exact', words);
  return say('ablation.equivalent', {
    ...words,
    level: formatLevel(read.interval_level),
    interval: formatInterval(read.interval, scale),
  });
}

interface Found {
  readonly contribution: 'supports' | 'same-way' | 'open';
  readonly arm: string;
  readonly reference: string;
  readonly metric: string;
  /** A sentence where it is open, else a part of one. */
  readonly found: string;
  /** The layout floor, where the change is not beyond it. */
  readonly within: string | null;
}

/** What the parts of one arm are found to do: of metrics that are not primary only what is decided, the table has the rest. */
function contributionsOf(rows: readonly SideRow[]): readonly string[] {
  const told = rows.flatMap((row): readonly Found[] => {
    const { comparison, arm, reference, metric, change, interval, word } = row;
    const { verdict, contribution, effect, primary } = comparison;
    if (effect === null || contribution === null || verdict.kind === 'invalid' || verdict.kind === 'none') return [];
    if (contribution === 'open') {
      const words = { arm, reference, metric, change, interval };
      const open = verdict.kind === 'equivalent' ? equivalentOf(row) : say('ablation.open', words);
      return primary ? [{ contribution, arm, reference, metric, found: open, within: null }] : [];
    }
    const direction = verdict.kind === 'equivalent' ? verdict.measurably : verdict.kind;
    if (direction !== 'slower' && direction !== 'faster') return [];
    const within = comparison.layout?.beyond === false ? limit(comparison.layout.floor, comparison, row.scale) : null;
    const found = say('ablation.found', { metric, word: word[direction], change, interval });
    return [{ contribution, arm, reference, metric, found, within }];
  });
  const of = (kind: Found['contribution']) => told.filter(({ contribution }) => contribution === kind);
  const together = (kind: 'supports' | 'same-way', key: 'ablation.supports' | 'ablation.same-way') => {
    const own = of(kind);
    const [first] = own;
    if (first === undefined) return [];
    const metrics = listText(own.map(({ metric }) => metric));
    const found = own.map((one) => one.found).join('; ');
    const told = say(key, { arm: first.arm, reference: first.reference, found, metrics });
    const floors = own.flatMap(({ metric, within }) =>
      within === null ? [] : [say('ablation.within', { metric, floor: within })],
    );
    return [[told, ...floors].join(' ')];
  };
  return [
    ...of('open').map(({ found }) => found),
    ...together('supports', 'ablation.supports'),
    ...together('same-way', 'ablation.same-way'),
  ];
}

function isDecided({ verdict }: SideComparison): boolean {
  return verdict.kind === 'slower' || verdict.kind === 'faster';
}

/** One a metric; what they are made of is said once, of all of the same parts. */
function remaindersOf(side: SideSummary, input: ReportInput, escaping: Escaping): readonly string[] {
  if (side.remainders.length === 0) return [say('ablation.rest', {})];
  // What is left of nothing is noise.
  const shown = side.remainders.filter(({ metric, arm, reference }) =>
    side.comparisons.some(
      (one) =>
        one.metric === metric && one.arm === arm && one.reference === reference && (one.primary || isDecided(one)),
    ),
  );
  const told = shown.map((remainder) => remainderOf(remainder, side, input, escaping));
  const sums = shown.map(({ arm, reference, ablations }) =>
    say('ablation.sum', {
      ...{ arm: escaping.name(arm), reference: escaping.name(reference) },
      parts: listText(ablations.map(escaping.name)),
    }),
  );
  return [...told, ...new Set(sums)];
}

function remainderOf(remainder: Remainder, side: SideSummary, input: ReportInput, escaping: Escaping): string {
  const { metric, kind, unit, change, interval } = remainder;
  const per = input.journal.run.experiment.metrics.find(({ name }) => name === metric)?.per ?? null;
  const largest = Math.max(...[change, ...interval].map(Math.abs));
  const scale =
    kind === 'ratio'
      ? percentScale(change, interval)
      : changeScale(change, interval, unitFor(unit, largest, per, escaping.prose));
  return say('ablation.remainder', {
    metric: escaping.name(metric),
    change: formatSigned(change, scale),
    interval: formatInterval(interval, scale),
    level: formatLevel(input.analysis.level),
    blocks: counted(remainder.blocks, nounOf(input, side.arms.length)),
  });
}
