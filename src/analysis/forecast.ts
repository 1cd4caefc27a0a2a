/** What a plan will take and what it could show, from the spread of an earlier run; its effect is never used. */
import type { Experiment } from '../experiment/experiment.ts';
import { type Plan, plannedTrials } from '../plan/plan.ts';
import type { Analysis } from './analysis.ts';
import { boundOf, changeOf } from './measure.ts';
import { median } from './stats/moments.ts';
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
  /** Pairs that the spread was estimated from. */
  readonly from_pairs: number | null;
}

const POWER = 0.8;
const SPREAD_CONFIDENCE = 0.8;

/**
 * Time and smallest detectable effect beyond the threshold (two-sided test, 80 % power, noncentral t) of a plan. A primary
 * metric is tested as the first step of Holm's procedure does, at α/m for m primary comparisons, the others at α. The
 * spread is that of the earlier run's screening, else of its confirmation, at its upper 80 % bound s·√((n−1)/χ²(0.2, n−1)).
 */
export function forecast(experiment: Experiment, plan: Plan, earlier: Analysis | null): Forecast {
  const trials = plan.phases.reduce((sum, { blocks }) => sum + blocks.reduce((n, block) => n + block.length, 0), 0);
  const pairs = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks.length ?? 0;
  const counted = plannedTrials(plan).filter(({ phase }) => phase === 'counting').length;
  const arms = experiment.design.arms.filter((arm) => arm !== experiment.reference);
  const family = arms.length * experiment.metrics.filter((metric) => metric.primary).length;
  const detectable = experiment.metrics.flatMap((metric) =>
    arms.map((arm) => {
      const spread = earlier === null ? null : spreadOf(earlier, metric.name, arm);
      const sd = spread === null ? null : upperSd(spread.sd, spread.pairs, SPREAD_CONFIDENCE);
      const tests = metric.primary ? family : 1;
      const shift = sd === null ? null : detectableShift(sd, pairs, POWER, (1 - experiment.decision.level) / tests);
      const contrast = { metric, arm, reference: experiment.reference };
      return {
        metric: metric.name,
        kind: metric.kind,
        unit: metric.unit,
        primary: metric.primary,
        arm,
        change: shift === null ? null : changeOf(contrast, boundOf(contrast, metric.threshold) + shift),
        from_pairs: spread?.pairs ?? null,
      };
    }),
  );
  return {
    trials,
    pairs,
    seconds: earlier === null ? null : secondsOf(earlier, trials - counted, counted, experiment.design.slices !== null),
    detectable,
  };
}

/** Counted trials take far longer than others, and are known by their own kind only. */
function secondsOf(earlier: Analysis, timed: number, counted: number, sessions: boolean): number | null {
  const ran = earlier.trials.filter(({ phase }) => phase !== 'counting');
  // Both halves of a session run at the same time.
  const perSession = sessions ? secondsPerTrial(ran.filter(({ position }) => position === 1)) : null;
  const perTimed = sessions ? perSession && perSession / 2 : secondsPerTrial(ran);
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

function spreadOf(earlier: Analysis, metric: string, arm: string): { sd: number; pairs: number } | null {
  const screened = earlier.screening.find((row) => row.metric === metric && row.arm === arm);
  if (screened?.sd != null && screened.pairs >= 2) return { sd: screened.sd, pairs: screened.pairs };
  const confirmed = earlier.comparisons.find((row) => row.metric === metric && row.arm === arm);
  if (confirmed?.effect == null || confirmed.pairs < 2) return null;
  return { sd: confirmed.effect.sd, pairs: confirmed.pairs };
}
