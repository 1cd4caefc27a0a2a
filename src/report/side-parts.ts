/** Comparisons beside the confirmation: a section each, and what removing a part does where arms are ablations. */
import type { Remainder, SideComparison, SideSummary } from '../analysis/analysis.ts';
import type { ReportInput } from './input.ts';
import { hasOtherData } from './machine-code.ts';
import { changeScale, counted, formatInterval, formatLevel, formatSigned, percentScale } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { limit, type ResultRow, rowOf } from './row.ts';
import { say } from './rules.ts';
import { numberWord } from './statements.ts';
import { unitFor } from './units.ts';
import { left, listed, right, type Table, type Writer } from './writer.ts';

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
  return sides.map((side) => ({
    title: `Beside the confirmation: ${writer.escaping.name(side.name)}`,
    parts: partsOf(side, side === first, input, writer),
  }));
}

/** `first`: the first with ablations, where what holds for all of them is said. */
function partsOf<Part>(side: SideSummary, first: boolean, input: ReportInput, writer: Writer<Part>): readonly Part[] {
  const { escaping } = writer;
  const noun = nounOf(side);
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
  const metrics = [...new Set(plain.map(({ metric }) => metric))];
  const shown = rows.some(({ comparison }) => comparison.effect !== null);
  return [
    writer.text(leadOf(side)),
    ...(shown
      ? metrics.flatMap((metric) => {
          const own = plain.filter((row) => row.metric === metric);
          return [
            writer.text(`${metric}:`),
            writer.table(`${metric} in ${escaping.name(side.name)}`, armsTable(own, noun)),
          ];
        })
      : []),
    ...listed(writer, [...stockOf(side, plain), ...sameOf(plain, input), ...layoutOf(plain), ...reasonsOf(rows)]),
    ...(ablations.length === 0 || !shown ? [] : ablationParts(side, ablations, first, input, writer)),
  ];
}

function nounOf({ arms }: SideSummary): 'pair' | 'block' {
  return arms.length === 2 ? 'pair' : 'block';
}

function leadOf(side: SideSummary): string {
  const words = {
    complete: String(side.blocks.complete),
    planned: String(side.blocks.planned),
    counters: side.counters === 'off' ? say('side.no-counters', {}) : say('side.counters', { kind: side.counters }),
  };
  return side.arms.length === 2
    ? say('side.lead', words)
    : say('side.lead-blocks', { ...words, arms: numberWord(side.arms.length) });
}

/** One metric; a row an arm. */
function armsTable(rows: readonly SideRow[], noun: string): Table {
  return {
    columns: [
      ...[left('arm'), left('against'), right('mean of that'), right('mean'), right('change')],
      ...[left('interval'), right('level'), left(`${noun}s`), left('verdict')],
    ],
    rows: rows.map((row) => [row.arm, row.reference, ...figuresOf(row)]),
    lines: rows.map((row) => `${row.arm} against ${row.reference}: ${lineOf(row)}`),
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
  return rows.flatMap(({ comparison, reason }) =>
    comparison.verdict.kind === 'none' && reason !== null ? [reason] : [],
  );
}

function ablationParts<Part>(
  side: SideSummary,
  rows: readonly SideRow[],
  first: boolean,
  input: ReportInput,
  writer: Writer<Part>,
): readonly Part[] {
  const { escaping } = writer;
  const columns = [
    ...[left('removed by'), left('metric'), left('against'), right('mean of that'), right('mean')],
    ...[right('change'), left('interval'), right('level'), left(`${nounOf(side)}s`), left('verdict')],
  ];
  const byArm = [...new Set(rows.map(({ arm }) => arm))].flatMap((arm) => rows.filter((row) => row.arm === arm));
  const table: Table = {
    columns,
    rows: byArm.map((row) => [row.arm, row.metric, row.reference, ...figuresOf(row)]),
    lines: byArm.map((row) => `${row.arm} against ${row.reference}, ${row.metric}: ${lineOf(row)}`),
  };
  const own = rows.filter(({ comparison }) => !comparison.rebuilt_reference);
  return [
    writer.text(`${say('ablation.title', {})}:`),
    writer.table(`${say('ablation.title', {})}, ${escaping.name(side.name)}`, table),
    ...listed(writer, [
      ...byArm.flatMap(contributionOf),
      ...(rows.some(({ comparison: { primary, contribution } }) => !primary && contribution !== 'open')
        ? [say('ablation.secondary', { level: formatLevel(input.analysis.level) })]
        : []),
      ...sameOf(rows, input),
      ...new Set(own.map(({ arm, reference }) => say('ablation.not-rebuilt', { arm, reference }))),
      ...side.remainders.map((remainder) => remainderOf(remainder, side, input, escaping)),
      ...(side.remainders.length === 0 ? [say('ablation.rest', {})] : []),
      ...(first ? [say('ablation.layout', {}), say('ablation.failures', {}), say('ablation.no-fix', {})] : []),
    ]),
  ];
}

/** Of metrics that are not primary only what is decided: the table has the rest. */
function contributionOf(row: SideRow): readonly string[] {
  const { comparison, arm, reference, metric, change, interval, word } = row;
  const { verdict, contribution, effect, primary } = comparison;
  if (effect === null || contribution === null || verdict.kind === 'invalid' || verdict.kind === 'none') return [];
  const words = { arm, reference, metric, change, interval };
  if (contribution === 'open' && verdict.kind === 'equivalent') return primary ? [equivalentOf(row)] : [];
  if (contribution === 'open') return primary ? [say('ablation.open', words)] : [];
  const direction = verdict.kind === 'equivalent' ? verdict.measurably : verdict.kind;
  if (direction !== 'slower' && direction !== 'faster') return [];
  const key = contribution === 'supports' ? 'ablation.supports' : 'ablation.same-way';
  const told = say(key, { ...words, word: word[direction] });
  const { layout } = comparison;
  return layout?.beyond === false
    ? [`${told} ${say('ablation.within', { floor: limit(layout.floor, row.comparison, row.scale) })}`]
    : [told];
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
    blocks: counted(remainder.blocks, nounOf(side)),
    arm: escaping.name(remainder.arm),
    reference: escaping.name(remainder.reference),
    parts: remainder.ablations.map(escaping.name).join(' and '),
  });
}
