/** What a plan will take and what it could show, from the spread of an earlier run; its effect is never used. */
import type { Experiment } from '../experiment/experiment.ts';
import { type Plan, plannedTrials } from '../plan/plan.ts';
import type { Analysis } from './analysis.ts';
import { boundOf, changeOf } from './measure.ts';
import { median, standardDeviation } from './stats/moments.ts';
import { detectableShift, upperSd } from './stats/power.ts';

export interface Forecast {
  readonly trials: number;
  readonly pairs: number;
  /** Null: unknown, since nothing has been run. */
  readonly seconds: number | null;
  readonly detectable: readonly DetectableEffect[];
}

interface DetectableEffect {
  readonly metric: string;
  readonly kind: 'ratio' | 'difference';
  readonly unit: string;
  readonly primary: boolean;
  readonly arm: string;
  /** What would be called slower or faster: the threshold is in it. A fraction for ratio metrics, else in the metric's unit; null: unknown. */
  readonly change: number | null;
  /** What is independent of each other, and whose spread counts. */
  readonly unit_of_spread: 'pair' | 'build';
  /** How many of these the spread was estimated from. */
  readonly from: number | null;
}

const POWER = 0.8;
const SPREAD_CONFIDENCE = 0.8;

/**
 * Time and smallest detectable effect beyond the threshold (two-sided test, 80 % power, noncentral t) of a plan. A primary
 * metric is tested as the first step of Holm's procedure does, at α/m for m primary comparisons, the others at α. The
 * spread is that of the earlier run's screening, else of its confirmation, at its upper 80 % bound s·√((n−1)/χ²(0.2, n−1)). With
 * several builds it is that of an earlier run's builds, and unknown where that had but one.
 */
export function forecast(experiment: Experiment, plan: Plan, earlier: Analysis | null): Forecast {
  const trials = plan.phases.reduce((sum, { blocks }) => sum + blocks.reduce((n, block) => n + block.length, 0), 0);
  const pairs = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks.length ?? 0;
  const counted = plannedTrials(plan).filter(({ phase }) => phase === 'counting').length;
  const arms = experiment.design.arms.filter((arm) => arm !== experiment.reference);
  const family = arms.length * experiment.metrics.filter((metric) => metric.primary).length;
  const { builds } = experiment.design;
  const units = builds > 1 ? builds : pairs;
  const detectable = experiment.metrics.flatMap((metric) =>
    arms.map((arm): DetectableEffect => {
      const find = builds > 1 ? spreadOfBuilds : spreadOf;
      const spread = earlier === null ? null : find(earlier, metric.name, arm);
      const sd = spread === null ? null : upperSd(spread.sd, spread.from, SPREAD_CONFIDENCE);
      const tests = metric.primary ? family : 1;
      const shift = sd === null ? null : detectableShift(sd, units, POWER, (1 - experiment.decision.level) / tests);
      const contrast = { metric, arm, reference: experiment.reference };
      return {
        metric: metric.name,
        kind: metric.kind,
        unit: metric.unit,
        primary: metric.primary,
        arm,
        change: shift === null ? null : changeOf(contrast, boundOf(contrast, metric.threshold) + shift),
        unit_of_spread: builds > 1 ? 'build' : 'pair',
        from: spread?.from ?? null,
      };
    }),
  );
  return {
    trials,
    pairs,
    seconds: earlier === null ? null : secondsOf(earlier, trials - counted, counted),
    detectable,
  };
}

/** Counted trials take far longer than others, and are known by their own kind only. */
function secondsOf(earlier: Analysis, timed: number, counted: number): number | null {
  const perTimed = secondsPerTrial(earlier.trials.filter(({ phase }) => phase !== 'counting'));
  const perCounted = counted === 0 ? 0 : secondsPerTrial(earlier.trials.filter(({ phase }) => phase === 'counting'));
  return perTimed === null || perCounted === null ? null : perTimed * timed + perCounted * counted;
}

/** The median distance between the starts of adjacent trials: what Assay itself needs is in it, a pause is not. */
function secondsPerTrial(trials: Analysis['trials']): number | null {
  const starts = trials.map((trial) => trial.started_unix_ms).sort((a, b) => a - b);
  const distances = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  const typical = median(distances);
  return typical === null ? null : typical / 1000;
}

interface Spread {
  readonly sd: number;
  readonly from: number;
}

function spreadOf(earlier: Analysis, metric: string, arm: string): Spread | null {
  const screened = earlier.screening.find((row) => row.metric === metric && row.arm === arm);
  if (screened?.sd != null && screened.pairs >= 2) return { sd: screened.sd, from: screened.pairs };
  const confirmed = earlier.comparisons.find((row) => row.metric === metric && row.arm === arm);
  if (confirmed?.effect == null || confirmed.pairs < 2) return null;
  return { sd: confirmed.effect.sd, from: confirmed.pairs };
}

/** Of the means of builds, taken for builds of as many pairs. */
function spreadOfBuilds(earlier: Analysis, metric: string, arm: string): Spread | null {
  const confirmed = earlier.comparisons.find((row) => row.metric === metric && row.arm === arm);
  const means = confirmed?.effect?.builds?.means.map(({ change }) =>
    confirmed.kind === 'ratio' ? Math.log1p(change) : change,
  );
  const sd = means === undefined ? null : standardDeviation(means);
  return means === undefined || sd === null ? null : { sd, from: means.length };
}
