/** What a plan will take and what it could show, from the spread of an earlier run; its effect is never used. */
import type { Experiment } from '../experiment/experiment.ts';
import type { PreparedArm } from '../journal/records.ts';
import { buildsOfArm } from '../plan/builds.ts';
import { type Plan, plannedTrials } from '../plan/plan.ts';
import type { Analysis } from './analysis.ts';
import { boundOf, changeOf } from './measure.ts';
import { mean, median } from './stats/moments.ts';
import { detectableShift, upperSd } from './stats/power.ts';
import { pairNoun } from './wording.ts';

export interface Forecast {
  readonly trials: number;
  readonly pairs: number;
  /** Of the trials. Null: unknown, since nothing has been run. */
  readonly seconds: number | null;
  /** Null where nothing is built. */
  readonly builds: BuildForecast | null;
  readonly detectable: readonly DetectableEffect[];
}

interface BuildForecast {
  /** Of all arms, as far as the cache has none of them. */
  readonly count: number;
  /** What they took in the earlier run when they were made, which may have been before it. Null: unknown. */
  readonly seconds: number | null;
}

interface DetectableEffect {
  readonly metric: string;
  readonly kind: 'ratio' | 'difference';
  readonly unit: string;
  readonly primary: boolean;
  readonly arm: string;
  /** What would be called slower or faster: the threshold is in it. A fraction for ratio metrics, else in the metric's unit; null: unknown. */
  readonly change: number | null;
  /** Pairs that the spread was estimated from; null where nothing is known, or it is that of builds. */
  readonly from_pairs: number | null;
  /** Builds that it was estimated from, where the plan has several. */
  readonly from_builds: number | null;
}

const POWER = 0.8;
const SPREAD_CONFIDENCE = 0.8;

/**
 * Time and smallest detectable effect beyond the threshold (two-sided test, 80 % power, noncentral t) of a plan. A primary
 * metric is tested as the first step of Holm's procedure does, at α/m for m primary comparisons, the others at α. The
 * spread is that of the earlier run's screening, else of its confirmation, at its upper 80 % bound s·√((n−1)/χ²(0.2, n−1)).
 * With several builds of each arm the test is over their means, and the spread that of the builds of an earlier confirmation: nothing
 * else tells how far builds differ.
 * @param prepared the arms of the earlier run
 */
export function forecast(
  experiment: Experiment,
  plan: Plan,
  earlier: Analysis | null,
  prepared: readonly PreparedArm[] = [],
): Forecast {
  const trials = plan.phases.reduce((sum, { blocks }) => sum + blocks.reduce((n, block) => n + block.length, 0), 0);
  const pairs = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks.length ?? 0;
  const { builds } = experiment.design;
  const counted = plannedTrials(plan).filter(({ phase }) => phase === 'counting').length;
  const arms = experiment.design.arms.filter((arm) => arm !== experiment.reference);
  const family = arms.length * experiment.metrics.filter((metric) => metric.primary).length;
  const detectable = experiment.metrics.flatMap((metric) =>
    arms.map((arm) => {
      const spread = earlier === null ? null : spreadOf(earlier, metric.name, arm, pairs, builds);
      const sd = spread === null ? null : upperSd(spread.sd, spread.values, SPREAD_CONFIDENCE);
      const tests = metric.primary ? family : 1;
      const values = builds === 1 ? pairs : builds;
      const shift = sd === null ? null : detectableShift(sd, values, POWER, (1 - experiment.decision.level) / tests);
      const contrast = { metric, arm, reference: experiment.reference, noun: pairNoun(experiment.design) };
      return {
        metric: metric.name,
        kind: metric.kind,
        unit: metric.unit,
        primary: metric.primary,
        arm,
        change: shift === null ? null : changeOf(contrast, boundOf(contrast, metric.threshold) + shift),
        from_pairs: builds === 1 ? (spread?.values ?? null) : null,
        from_builds: builds === 1 ? null : (spread?.values ?? null),
      };
    }),
  );
  return {
    trials,
    pairs,
    seconds: earlier === null ? null : secondsOf(earlier, trials - counted, counted, experiment.design.slices !== null),
    builds: buildForecast(experiment, prepared),
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

/** A build of an arm takes what one of that arm took. */
function buildForecast(experiment: Experiment, prepared: readonly PreparedArm[]): BuildForecast | null {
  const built = experiment.arms.filter(({ source }) => source.kind === 'git' && source.build.length > 0);
  if (built.length === 0) return null;
  const parts = built.map(({ name }) => {
    const took = prepared
      .filter(({ arm }) => arm === name)
      .map(({ provenance }) => Number.parseFloat(provenance['build_seconds'] ?? ''))
      .filter((seconds) => Number.isFinite(seconds) && seconds >= 0);
    const each = mean(took);
    const count = buildsOfArm(experiment, name);
    return { count, seconds: each === null ? null : each * count };
  });
  const unknown = parts.some(({ seconds }) => seconds === null);
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    seconds: unknown ? null : parts.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
  };
}

/** Standard deviation of pairs, or of the means of builds as many pairs as are planned; and of how many values it is. */
function spreadOf(
  earlier: Analysis,
  metric: string,
  arm: string,
  pairs: number,
  builds: number,
): { sd: number; values: number } | null {
  const confirmed = earlier.comparisons.find((row) => row.metric === metric && row.arm === arm);
  if (builds > 1) {
    const spread = confirmed?.effect?.builds;
    if (spread == null) return null;
    const ofPairs = (spread.within_sd ?? 0) ** 2 * (builds / pairs);
    return { sd: Math.sqrt(spread.between_sd ** 2 + ofPairs), values: spread.means.length };
  }
  const screened = earlier.screening.find((row) => row.metric === metric && row.arm === arm);
  if (screened?.sd != null && screened.pairs >= 2) return { sd: screened.sd, values: screened.pairs };
  if (confirmed?.effect == null || confirmed.pairs < 2) return null;
  return { sd: confirmed.effect.sd, values: confirmed.pairs };
}
