/** Counts of instructions in words and figures, as the reports for people print them, with times beside them. */
import type { CountContrast, CountingSummary, CountRange } from '../analysis/analysis.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { isTimeUnit } from '../experiment/unit.ts';
import {
  countChangeScale,
  countDecimals,
  differenceDecimals,
  formatCount,
  formatSignedCount,
  printedRange,
} from './count-numbers.ts';
import type { ReportInput } from './input.ts';
import { counted, formatLevel, formatSigned } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { hasRatio, type ResultRow } from './row.ts';
import { say } from './rules.ts';

interface FunctionRow {
  readonly label: string;
  readonly reference: string;
  readonly arm: string;
  readonly difference: string;
}

interface CountRow extends FunctionRow {
  /** As a share of the reference. */
  readonly change: string;
}

/** One arm against the reference. */
export interface CountView {
  readonly arm: string;
  readonly reference: string;
  /** What is found, in sentences. */
  readonly findings: readonly string[];
  /** The times of the primary metrics, then the count. */
  readonly rows: readonly CountRow[];
  readonly functions: {
    readonly title: string;
    /** Labels are names as they were counted: not escaped. */
    readonly rows: readonly FunctionRow[];
    /** Of all others. */
    readonly rest: string;
    readonly notes: readonly string[];
  } | null;
  /** A sentence in place of a table that would be empty; null where there is a table, or nothing to explain. */
  readonly no_functions: string | null;
}

export interface Counts {
  readonly views: readonly CountView[];
  /** How, of what, and what a count does not tell. */
  readonly notes: readonly string[];
}

/** Null where there is nothing to print. `rows` are those of the results. */
export function countsOf(input: ReportInput, rows: readonly ResultRow[], escaping: Escaping): Counts | null {
  const { counting } = input.analysis;
  if (counting === null) return null;
  const times = rows.filter(
    ({ comparison }) => comparison.primary && comparison.effect !== null && isTimeUnit(comparison.unit),
  );
  return {
    views: counting.contrasts.map((contrast) =>
      viewOf(
        counting,
        contrast,
        times.filter(({ comparison }) => comparison.arm === contrast.arm),
        escaping,
      ),
    ),
    notes: notesOf(input, counting, times.length > 0, escaping),
  };
}

function eachOf({ unit }: CountingSummary): string {
  return unit === 'operation' ? 'an operation' : 'a trial';
}

function instructions(value: string): string {
  return value === '1' ? 'instruction' : 'instructions';
}

function isAlike({ lowest, highest }: CountRange): boolean {
  return lowest === highest;
}

/** The counts of one contrast, as they are printed. */
interface Figures {
  readonly decimals: number;
  readonly reference: CountRange;
  readonly arm: CountRange;
  /** Of the printed ends. */
  readonly low: number;
  readonly high: number;
  readonly alike: boolean;
  /** The middle of the reference, as it was counted. */
  readonly base: number;
}

function figuresOf({ arms }: CountingSummary, contrast: CountContrast): Figures {
  const none = { lowest: 0, highest: 0 };
  const own = arms.find(({ arm }) => arm === contrast.arm) ?? none;
  const base = arms.find(({ arm }) => arm === contrast.reference) ?? none;
  const decimals = countDecimals(contrast.range, [own.lowest, own.highest, base.lowest, base.highest]);
  const reference = printedRange(base, decimals);
  const arm = printedRange(own, decimals);
  return {
    ...{ decimals, reference, arm },
    low: arm.lowest - reference.highest,
    high: arm.highest - reference.lowest,
    alike: isAlike(own) && isAlike(base),
    base: (base.lowest + base.highest) / 2,
  };
}

function viewOf(
  counting: CountingSummary,
  contrast: CountContrast,
  times: readonly ResultRow[],
  escaping: Escaping,
): CountView {
  const figures = figuresOf(counting, contrast);
  const { functions, range } = contrast;
  const differs = range[0] !== 0 || range[1] !== 0;
  return {
    arm: escaping.name(contrast.arm),
    reference: escaping.name(contrast.reference),
    findings: findingsOf(counting, contrast, figures, times, escaping),
    rows: [
      ...times.map((row) => ({
        label: `time (${row.metric})`,
        ...{ reference: row.means.reference, arm: row.means.arm },
        ...(hasRatio(row)
          ? { difference: '', change: `${row.change} ${row.interval}` }
          : { difference: `${row.change} ${row.interval}`, change: '' }),
      })),
      {
        label: `count (instructions${counting.unit === 'operation' ? '/op' : ''})`,
        reference: rangeText(figures.reference, figures.decimals),
        arm: rangeText(figures.arm, figures.decimals),
        difference: differenceText(contrast, figures),
        change: changeText(contrast, figures),
      },
    ],
    functions: functions.length === 0 ? null : functionsOf(counting, contrast, figures),
    no_functions: functions.length === 0 && differs ? say('count.functions-none', {}) : null,
  };
}

function rangeText({ lowest, highest }: CountRange, decimals: number): string {
  if (lowest === highest) return formatCount(lowest, decimals);
  return `${formatCount(lowest, decimals)} to ${formatCount(highest, decimals)}`;
}

function differenceText({ difference }: CountContrast, { decimals, low, high, alike }: Figures): string {
  if (alike) return formatSignedCount(difference, differenceDecimals(difference, decimals));
  const brackets = `[${formatSignedCount(low, decimals)}, ${formatSignedCount(high, decimals)}]`;
  return `${formatSignedCount(difference, decimals)} ${brackets}`;
}

function changeText({ change, range }: CountContrast, { alike, base }: Figures): string {
  const ends = [range[0] / base, range[1] / base] as const;
  return change === null || (alike && change === 0) ? '' : formatSigned(change, countChangeScale(change, ends));
}

function findingsOf(
  counting: CountingSummary,
  contrast: CountContrast,
  figures: Figures,
  times: readonly ResultRow[],
  escaping: Escaping,
): readonly string[] {
  const { range } = contrast;
  const [low, high] = range;
  const names = { arm: escaping.name(contrast.arm), reference: escaping.name(contrast.reference) };
  const words = { ...names, each: eachOf(counting), repeats: String(counting.repeats) };
  const show = (value: number): string => formatCount(value, figures.decimals);
  if (figures.alike && low === 0) {
    const value = show(figures.reference.lowest);
    return [say('count.same', { ...words, value, instructions: instructions(value) })];
  }
  if (low <= 0 && high >= 0) {
    const ends = {
      low: formatSignedCount(figures.low, figures.decimals),
      high: formatSignedCount(figures.high, figures.decimals),
    };
    return [say('count.within', { ...words, ...ends })];
  }
  const more = low > 0 ? 'more' : 'fewer';
  const opposite = times.flatMap((row) => {
    const { effect } = row.comparison;
    if (effect?.interval == null || (effect.interval[0] <= 0 && effect.interval[1] >= 0)) return [];
    if (effect.change > 0 === low > 0) return [];
    return [say('count.opposite', { ...names, more, metric: row.metric, change: row.change, interval: row.interval })];
  });
  if (figures.alike) {
    const decimals = differenceDecimals(contrast.difference, figures.decimals);
    const size = formatCount(Math.abs(contrast.difference), decimals);
    return [say('count.exact', { ...words, size, more, instructions: instructions(size) }), ...opposite];
  }
  const [least, most] = [figures.low, figures.high].map(Math.abs).sort((a, b) => a - b);
  const ends = { low: show(least ?? 0), high: show(most ?? 0) };
  return [
    say('count.range', { ...words, ...ends, more }),
    ...wideOf(counting, contrast, figures, escaping),
    ...opposite,
  ];
}

/** Arms whose own counts lie further apart than the two arms. */
function wideOf(
  counting: CountingSummary,
  { arm, reference, difference }: CountContrast,
  { decimals }: Figures,
  escaping: Escaping,
): readonly string[] {
  return counting.arms.flatMap((one) => {
    const width = one.highest - one.lowest;
    if ((one.arm !== arm && one.arm !== reference) || width <= Math.abs(difference)) return [];
    const words = { arm: escaping.name(one.arm), width: formatCount(width, decimals), each: eachOf(counting) };
    return [say('count.wide', words)];
  });
}

function functionsOf(
  counting: CountingSummary,
  { functions, rest }: CountContrast,
  { decimals: whole, alike }: Figures,
): CountView['functions'] {
  const rows = functions.map(({ name, reference, arm, range }) => {
    const decimals = countDecimals(range, [reference ?? 0, arm ?? 0]);
    const [before, after] = [reference, arm].map((value) =>
      value === null ? null : printedRange({ lowest: value, highest: value }, decimals).lowest,
    );
    const show = (value: number | null | undefined): string => (value == null ? '-' : formatCount(value, decimals));
    return {
      label: name,
      ...{ reference: show(before), arm: show(after) },
      difference: formatSignedCount((after ?? 0) - (before ?? 0), decimals),
    };
  });
  const absent = functions.some(({ reference, arm }) => reference === null || arm === null);
  return {
    title: say('count.functions', { each: eachOf(counting) }),
    rows,
    rest: formatSignedCount(rest, alike ? differenceDecimals(rest, whole) : whole),
    notes: absent ? [say('count.absent', {})] : [],
  };
}

function notesOf(
  input: ReportInput,
  counting: CountingSummary,
  besideTime: boolean,
  escaping: Escaping,
): readonly string[] {
  const { tool, repeats, region, operations, params } = counting;
  const how = { tool: escaping.prose(tool), repeats: String(repeats) };
  const isRanged = counting.arms.some((arm) => !isAlike(arm));
  const brackets = besideTime
    ? say('count.brackets', { level: formatLevel(input.analysis.level) })
    : say('count.brackets-alone', {});
  const other = paramsText(params, input.journal.run.experiment, escaping);
  return [
    say('count.no-time', {}),
    ...(isRanged ? [brackets] : []),
    region === null
      ? say('count.how-process', how)
      : say('count.how-region', { ...how, region: escaping.name(region) }),
    ...(other === '' ? [] : [say('count.params', { params: other })]),
    ...(operations === null ? [] : [say('count.operations', { operations: counted(operations, 'operation') })]),
    region === null ? say('count.not-counted-process', {}) : say('count.not-counted-region', {}),
  ];
}

/** `keys = 20000 (timed: 200000)`. */
function paramsText(params: CountingSummary['params'], { arms, workload }: Experiment, escaping: Escaping): string {
  const text = (value: unknown): string => (value === undefined ? 'none' : escaping.prose(String(value)));
  const told = Object.entries(params).map(([name, value]) => {
    const timed = arms.map((arm) => ({ arm: arm.name, value: text(arm.params[name] ?? workload.params[name]) }));
    const same = timed.every((one) => one.value === timed[0]?.value);
    const values = same
      ? timed.slice(0, 1).map((one) => one.value)
      : timed.map((one) => `${one.value} for ${escaping.name(one.arm)}`);
    return `${escaping.prose(name)} = ${text(value)} (timed: ${values.join(', ')})`;
  });
  return told.join(', ');
}
