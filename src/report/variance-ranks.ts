/** What a study of variance says beyond its tables: ranks, drift, what a comparison could see, and which set-ups can be told apart. */
import { driftOf, rankSetUps, rankSteps, type SetUpRank } from '../storage/repeatability.ts';
import { compareSpreads } from '../storage/told-apart.ts';
import { counted, formatInterval, formatNumber, formatP, formatShare, formatSigned, percentScale } from './numbers.ts';
import { say } from './rules.ts';
import { coefficientText, type VarianceSection } from './variance.ts';
import type { VarianceInput } from './variance-input.ts';
import { tableOf } from './variance-table.ts';
import { left, listed, number, numbers, type Writer } from './writer.ts';

/** Pairs of set-ups that are named; JSON has all. */
const MOST_PAIRS = 12;

export function rankSections<Part>(input: VarianceInput, writer: Writer<Part>): readonly VarianceSection<Part>[] {
  const { cells } = input.variance;
  // Of single values there is nothing to rank, and of one set-up nothing to compare.
  if (cells.every((cell) => cell.steps.every(({ cv }) => cv === null))) return [];
  const several = new Set(cells.map(({ setup }) => setup)).size > 1;
  return [
    steps(input, writer),
    setups(input, writer),
    drift(input, writer),
    ...(several ? [apart(input, writer)] : []),
  ];
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
  const sentences = [
    say('variance.interval', { level: `${formatNumber(variance.rules.level * 100)} %` }),
    say('variance.pair-spread', {}),
    say('variance.find', { pairs: String(pairs) }),
  ];
  return { title, parts: [writer.table(title, tableOf(columns, rows)), writer.list(sentences)] };
}

function intervalText(worst: SetUpRank['worst']): string {
  if (worst?.interval == null) return '';
  const { low, high } = worst.interval;
  return high === null ? `${coefficientText(low)} or more` : `${coefficientText(low)} to ${coefficientText(high)}`;
}

/** Of two or three places, an interval may span a thousandfold: its ends would only look like knowledge. */
function isTooWide(interval: readonly [number, number] | null): boolean {
  return interval !== null && (interval[0] < -0.9 || interval[1] > 9);
}

function drift<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const drifts = driftOf(variance);
  const rows = drifts.map(({ step, change, interval, order }) => {
    const shown = isTooWide(interval) ? null : interval;
    const scale = percentScale(change, shown);
    return [
      writer.escaping.name(step),
      formatSigned(change, scale),
      shown === null ? (interval === null ? '' : 'too wide') : formatInterval(shown, scale),
      ...(order === null
        ? ['', '', '', '']
        : [String(order.rising), String(order.falling), String(order.cells), formatNumber(order.by_chance)]),
    ];
  });
  const title = 'Drift from the first repetition to the last';
  const columns = [
    ...[left('step'), number('change'), numbers('interval', 'interval')],
    ...[number('rising'), number('falling'), number('of'), number('by chance')],
  ];
  const short = drifts.some(({ order }) => order === null);
  const words = [
    say('variance.drift', {}),
    ...(drifts.some(({ interval }) => isTooWide(interval)) ? [say('variance.drift-wide', {})] : []),
    ...(short ? [say('variance.drift-short', {})] : []),
  ].join(' ');
  return { title, parts: [writer.table(title, tableOf(columns, rows)), writer.text(words)] };
}

function apart<Part>({ variance }: VarianceInput, writer: Writer<Part>): VarianceSection<Part> {
  const { name } = writer.escaping;
  const all = compareSpreads(variance);
  const told = all.filter(({ told_apart }) => told_apart);
  const items = told.slice(0, MOST_PAIRS).map(({ setups: [one, other], threads, steps: count, ratio, interval, p }) => {
    const [better, worse] = ratio < 1 ? [one, other] : [other, one];
    const [low, high] = ratio < 1 ? [1 / interval[1], 1 / interval[0]] : interval;
    return say('variance.apart-one', {
      threads: threadsOf(threads),
      better: name(better),
      worse: name(worse),
      times: formatNumber(Math.max(ratio, 1 / ratio)),
      low: formatNumber(low),
      high: formatNumber(high),
      p: formatP(p),
      steps: String(count),
    });
  });
  const more = told.length - items.length;
  const threes = variance.cells.every((cell) => cell.steps.every(({ values }) => values.length === 3));
  const sentences = [
    ...(threes ? [say('variance.apart-threes', {})] : []),
    all.length === 0
      ? say('variance.apart-none', {})
      : say('variance.apart', {
          pairs: counted(all.length, 'pair'),
          told: String(told.length),
          others: String(all.length - told.length),
        }),
    ...(told.length > 0 ? [say('variance.apart-assumes', {})] : []),
  ];
  return {
    title: 'Which set-ups repeat better than others',
    parts: [
      writer.text(...sentences),
      ...listed(writer, [...items, ...(more > 0 ? [`and ${counted(more, 'pair')} more: see --json`] : [])]),
    ],
  };
}
