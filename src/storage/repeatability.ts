/** What the coefficients of a study say beyond a table: which steps and set-ups repeat worst, what drifts, and what a comparison there could see. */
import { type Estimate, intervalOf, meanEstimate } from '../analysis/stats/estimate.ts';
import { mean } from '../analysis/stats/moments.ts';
import { detectableShift, upperSd } from '../analysis/stats/power.ts';
import { groupsBy } from './groups.ts';
import type { SetUp, StepVariance, Variance, VarianceCell } from './variance.ts';

/** Where one coefficient was found. */
interface Found {
  readonly setup: string;
  readonly workload: string;
  readonly threads: number;
  readonly step: string;
  readonly cv: number;
}

export interface StepRank {
  readonly step: string;
  /** Over all set-ups and workloads that have a coefficient of it. */
  readonly mean_cv: number;
  readonly coefficients: number;
  readonly largest: Found;
}

/** A comparison of two builds on a set-up, as far as its repetitions foretell it. Changes are fractions. */
export interface Comparison {
  /** Standard deviation of ln(b/a) over pairs: √2 times the sample coefficient. */
  readonly pair_sd: number;
  readonly pairs: number;
  /** The smallest change that so many pairs find with a chance of 80 %, in a two-sided test at 5 %. */
  readonly detectable: number;
  /** The same with the spread at its upper 80 % bound, as plans take it. */
  readonly detectable_upper: number;
}

export interface SetUpRank extends SetUp {
  /** Over all workloads; null where one of them has none. */
  readonly max_cv: number | null;
  readonly mean_cv: number | null;
  /** The step with the largest coefficient; null where there is none. */
  readonly worst: (Found & Pick<StepVariance, 'interval'> & { readonly comparison: Comparison | null }) | null;
}

/** How a step changes from the first repetition to the last. */
export interface Drift {
  readonly step: string;
  /** Cells with two repetitions or more. */
  readonly cells: number;
  /** Mean of last/first − 1 over them, of logarithms; its t interval, null for a single cell. */
  readonly change: number;
  readonly interval: readonly [number, number] | null;
  /** Null where no cell has three values: of two, one is above the other whatever drifts. */
  readonly order: DriftOrder | null;
}

/** Of the cells with three values or more. */
interface DriftOrder {
  readonly cells: number;
  /** In how many every repetition is above, or below, the one before. */
  readonly rising: number;
  readonly falling: number;
  /** How many cells would rise or fall throughout by chance. */
  readonly by_chance: number;
}

const ALPHA = 0.05;
const POWER = 0.8;
/** Of the spread that plans take. */
const SPREAD_CONFIDENCE = 0.8;

/** The steps, the worst first. */
export function rankSteps({ cells, rules }: Variance): readonly StepRank[] {
  const all = groupsBy(cells.flatMap(foundIn), ({ step }) => step);
  return rules.steps
    .flatMap((step) => {
      const found = all.get(step) ?? [];
      const largest = largestOf(found);
      const average = mean(found.map(({ cv }) => cv));
      if (largest === null || average === null) return [];
      const { of: _, ...where } = largest;
      return [{ step, mean_cv: average, coefficients: found.length, largest: where }];
    })
    .toSorted((a, b) => b.mean_cv - a.mean_cv);
}

type FoundStep = Found & { readonly of: StepVariance };

function largestOf(found: readonly FoundStep[]): FoundStep | null {
  return found.reduce<FoundStep | null>((most, one) => (most === null || one.cv > most.cv ? one : most), null);
}

function foundIn(cell: VarianceCell): readonly FoundStep[] {
  const { setup, workload, threads } = cell;
  return cell.steps.flatMap((of) =>
    of.cv === null ? [] : [{ setup, workload, threads, step: of.step, cv: of.cv, of }],
  );
}

/** The set-ups by their largest coefficient in any workload, the best first; those without one last. */
export function rankSetUps({ cells, workloads }: Variance, pairs: number): readonly SetUpRank[] {
  const groups = groupsBy(cells, ({ setup, threads }) => JSON.stringify([setup, threads]));
  const unit = detectableShift(1, pairs, POWER, ALPHA);
  const ranks = [...groups.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const whole = of.length === workloads.length && of.every(({ max_cv }) => max_cv !== null);
    const found = of.flatMap(foundIn);
    const worst = largestOf(found);
    return [
      {
        ...{ setup: first.setup, threads: first.threads },
        max_cv: whole && worst !== null ? worst.cv : null,
        mean_cv: whole ? mean(found.map(({ cv }) => cv)) : null,
        worst: worst === null ? null : worstOf(worst, pairs, unit),
      },
    ];
  });
  return ranks.toSorted((a, b) => (a.max_cv ?? Number.MAX_VALUE) - (b.max_cv ?? Number.MAX_VALUE));
}

function worstOf({ of, ...found }: FoundStep, pairs: number, unit: number | null): NonNullable<SetUpRank['worst']> {
  const { sample_cv, values, interval } = of;
  return {
    ...found,
    interval,
    comparison: sample_cv === null ? null : comparisonAt(sample_cv, values.length, pairs, unit),
  };
}

/**
 * What pairs of processes would show where single ones vary by this coefficient, from `n` values. Both halves of a pair vary as
 * repetitions do, and independently: neighbours often share a slow drift, and then pairs are better than this. Null without a spread, or
 * where no number is so large.
 * @param unit the change, as a logarithm, that so many pairs find where they spread by 1: a detectable one is in proportion to the spread
 */
export function comparisonAt(
  sampleCoefficient: number,
  n: number,
  pairs: number,
  unit = detectableShift(1, pairs, POWER, ALPHA),
): Comparison | null {
  const sd = Math.SQRT2 * sampleCoefficient;
  const upper = upperSd(sd, n - 1, SPREAD_CONFIDENCE);
  if (!(sd > 0) || upper === null || unit === null) return null;
  const [detectable, detectable_upper] = [Math.expm1(unit * sd), Math.expm1(unit * upper)];
  return Number.isFinite(detectable_upper) ? { pair_sd: sd, pairs, detectable, detectable_upper } : null;
}

/** The drift of every step that has two repetitions somewhere. */
export function driftOf({ cells, rules }: Variance): readonly Drift[] {
  const all = groupsBy(
    cells.flatMap(({ steps }) => steps),
    ({ step }) => step,
  );
  return rules.steps.flatMap((step) => {
    const repeated = (all.get(step) ?? []).map(({ values }) => values).filter((values) => values.length > 1);
    const changes = repeated.map((values) => Math.log((values.at(-1) ?? 1) / (values[0] ?? 1)));
    const average = mean(changes);
    if (average === null) return [];
    return [
      {
        step,
        cells: repeated.length,
        change: Math.expm1(average),
        interval: changeInterval(meanEstimate(changes), rules.level),
        order: orderOf(repeated.filter((values) => values.length > 2)),
      },
    ];
  });
}

function orderOf(cells: readonly (readonly number[])[]): DriftOrder | null {
  if (cells.length === 0) return null;
  return {
    cells: cells.length,
    rising: cells.filter((values) => isMonotone(values, 1)).length,
    falling: cells.filter((values) => isMonotone(values, -1)).length,
    by_chance: cells.reduce((sum, values) => sum + 2 / factorial(values.length), 0),
  };
}

function changeInterval(estimate: Estimate | null, level: number): readonly [number, number] | null {
  if (estimate === null) return null;
  const [low, high] = intervalOf(estimate, level);
  return [Math.expm1(low), Math.expm1(high)];
}

function isMonotone(values: readonly number[], direction: 1 | -1): boolean {
  return values.every((value, at) => at === 0 || direction * (value - (values[at - 1] ?? value)) > 0);
}

/** Infinite from 171 on, whose inverse is then 0, as near as any number comes. */
function factorial(n: number): number {
  let product = 1;
  for (let k = 2; k <= n; k += 1) product *= k;
  return product;
}
