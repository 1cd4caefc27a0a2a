/** What a study of variance says beyond its tables: ranks, drift, what a comparison could see, and which set-ups can be told apart. */
import { driftOf, rankSetUps, rankSteps, type SetUpRank } from '../storage/repeatability.ts';
import { compareSpreads } from '../storage/told-apart.ts';
import { counted, formatInterval, formatNumber, formatP, formatShare, formatSigned, percentScale } from './numbers.ts';
import { coefficientText, type VarianceSection } from './variance.ts';
import type { VarianceInput } from './variance-input.ts';
import { left, listed, number, numbers, type Table, type TableColumn, type Writer } from './writer.ts';

/** Pairs of set-ups that are named; JSON has all. */
const MOST_PAIRS = 12;

export function rankSections<Part>(input: VarianceInput, writer: Writer<Part>): readonly VarianceSection<Part>[] {
  return [steps(input, writer), setups(input, writer), drift(input, writer), apart(input, writer)];
}

/** A table whose rows can be told as lines, each cell after its column's title. */
function tableOf(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): Table {
  const lines = rows.map(([first = '', ...rest]) => {
    const told = rest.flatMap((cell, at) => (cell === '' ? [] : [`${columns[at + 1]?.title ?? ''} ${cell}`]));
    return `${first}: ${told.join(', ')}`;
  });
  return { columns, rows, lines };
}

function threadsOf(count: number): string {
  return count === 1 ? '1 thread' : `${count} threads`;
}

function steps<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const { name } = writer.escaping;
  const rows = rankSteps(variance).map(({ step, mean_cv, coefficients, largest }) => [
    name(step),
    coefficientText(mean_cv),
    String(coefficients),
    coefficientText(largest.cv),
    `${name(largest.setup)}, ${name(largest.workload)}, ${threadsOf(largest.threads)}`,
  ]);
  const title = 'Steps, the worst first';
  const columns = [left('step'), number('mean'), number('of'), number('largest'), left('in')];
  return { title, parts: [writer.table(title, tableOf(columns, rows))] };
}

function setups<Part>({ variance, pairs }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const { name } = writer.escaping;
  const rows = rankSetUps(variance, pairs).map(({ setup, threads, max_cv, worst }) => [
    name(setup),
    String(threads),
    coefficientText(max_cv),
    worst === null ? '' : `${name(worst.step)}, ${name(worst.workload)}`,
    intervalText(worst),
    worst?.comparison == null ? '' : formatShare(worst.comparison.pair_sd),
    worst?.comparison == null ? '' : formatShare(worst.comparison.detectable),
    worst?.comparison == null ? '' : formatShare(worst.comparison.detectable_upper),
  ]);
  const title = 'Set-ups, the best first, and what a comparison could see there';
  const columns = [
    ...[left('set-up'), number('threads'), number('largest'), left('in'), numbers('interval', 'range')],
    ...[number('pair spread'), number('find'), number('planned')],
  ];
  const percent = `${formatNumber(variance.rules.level * 100)} %`;
  const sentences = [
    `interval: ${percent} interval of that coefficient, with the sample deviation (Vangel 1996); it does not know that the step was picked as the worst.`,
    'pair spread: that of ln(b/a) over pairs of processes, about √2 times the sample coefficient where both halves vary as these repetitions did.',
    `find: the smallest change in that step that ${pairs} pairs find with a chance of 80 % (two-sided test at 5 %); planned: the same with the spread at its upper 80 % bound, which a plan should count on: so few values show a spread badly.`,
  ];
  return { title, parts: [writer.table(title, tableOf(columns, rows)), writer.list(sentences)] };
}

function intervalText(worst: SetUpRank['worst']): string {
  if (worst?.interval == null) return '';
  const { low, high } = worst.interval;
  return high === null ? `${coefficientText(low)} or more` : `${coefficientText(low)} to ${coefficientText(high)}`;
}

function drift<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const rows = driftOf(variance).map(({ step, cells, change, interval, rising, falling, by_chance }) => {
    const scale = percentScale(change, interval);
    return [
      writer.escaping.name(step),
      formatSigned(change, scale),
      interval === null ? '' : formatInterval(interval, scale),
      ...[rising, falling, cells].map(String),
      formatNumber(by_chance),
    ];
  });
  const title = 'Drift from the first repetition to the last';
  const columns = [
    ...[left('step'), number('change'), numbers('interval', 'interval')],
    ...[number('rising'), number('falling'), number('of'), number('by chance')],
  ];
  const sentence =
    'change: last / first, the geometric mean over set-ups and workloads, with its t interval over them. rising, falling: in how many every repetition was above, or below, the one before; by chance: how many of both would be.';
  return { title, parts: [writer.table(title, tableOf(columns, rows)), writer.text(sentence)] };
}

function apart<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const { name } = writer.escaping;
  const all = compareSpreads(variance);
  const told = all.filter(({ told_apart }) => told_apart);
  const items = told.slice(0, MOST_PAIRS).map(({ setups: [one, other], threads, steps: count, ratio, interval, p }) => {
    const [better, worse] = ratio < 1 ? [one, other] : [other, one];
    const ends = ratio < 1 ? [1 / interval[1], 1 / interval[0]] : interval;
    const times = formatNumber(Math.max(ratio, 1 / ratio));
    return `${threadsOf(threads)}: ${name(better)} repeats better than ${name(worse)}: the spread there is ${times} times as large [${ends.map((end) => formatNumber(end ?? 1)).join(', ')}], ${formatP(p)}, over ${count} steps`;
  });
  const more = told.length - items.length;
  const threes = variance.cells.every((cell) => cell.steps.every(({ values }) => values.length === 3));
  const sentences = [
    ...(threes
      ? [
          'With three values each, two coefficients of a single step differ detectably (5 %) only where one is 6.2 times the other.',
        ]
      : []),
    all.length === 0
      ? 'No two set-ups with the same number of threads have three steps in common, or there are more than a thousand pairs: none are compared.'
      : `All steps together say more: of ${counted(all.length, 'pair')} of set-ups with the same number of threads, ${told.length} can be told apart (5 %, Holm over all pairs), and ${all.length - told.length} cannot: there, the ranks above may be chance.`,
    ...(told.length > 0
      ? [
          'This takes logarithms of values for normal and the steps of a repetition for independent of each other; where they are not, it tells too many apart (docs/studies.md).',
        ]
      : []),
  ];
  return {
    title: 'Which set-ups repeat better than others',
    parts: [
      writer.text(...sentences),
      ...listed(writer, [...items, ...(more > 0 ? [`and ${counted(more, 'pair')} more: see --json`] : [])]),
    ],
  };
}
