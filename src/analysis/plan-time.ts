/** How long a plan takes, by what was run before. */
import type { Experiment } from '../experiment/experiment.ts';
import type { PreparedArm } from '../journal/records.ts';
import { buildsOfArm } from '../plan/builds.ts';
import { isSide, type Plan, plannedTrials } from '../plan/plan.ts';
import type { Analysis } from './analysis.ts';
import { isOfKind, type PlanSources } from './spread.ts';
import { mean, median } from './stats/moments.ts';

export interface PlanTime {
  /** Of a pair, session or block of the confirmation, with what Assay itself takes. Null: unknown, since nothing has been run. */
  readonly pair_seconds: number | null;
  /** Of all trials that are not the confirmation's: warm-up, screening, controls, comparisons, counted ones. Null: unknown. */
  readonly rest_seconds: number | null;
  readonly from: 'run' | 'calibration' | null;
}

export interface BuildForecast {
  /** Of all arms, as far as the cache has none of them. */
  readonly count: number;
  /** What they took in the earlier run when they were made, which may have been before it. Null: unknown. */
  readonly seconds: number | null;
}

/** By the earlier run, else by a calibration. Trials of all phases are taken to last alike, but for counted ones. */
export function planTime(experiment: Experiment, plan: Plan, sources: PlanSources): PlanTime {
  const { arms, slices } = experiment.design;
  const sessions = slices !== null;
  const { trial, counted, from } = secondsOf(sources, sessions);
  const planned = plannedTrials(plan);
  const counting = planned.filter(({ phase }) => phase === 'counting').length;
  const rest = planned.filter(({ phase }) => phase !== 'counting' && phase !== 'confirmation').length;
  const unknown = trial === null || (counting > 0 && counted === null);
  return {
    pair_seconds: trial === null ? null : trial * arms.length,
    rest_seconds: unknown ? null : trial * rest + (counted ?? 0) * counting,
    from,
  };
}

interface TrialSeconds {
  readonly trial: number | null;
  /** Counted trials take far longer than others, and are known by their own kind only. */
  readonly counted: number | null;
  readonly from: PlanTime['from'];
}

function secondsOf({ earlier, calibration }: PlanSources, sessions: boolean): TrialSeconds {
  if (earlier !== null) {
    const ran = earlier.analysis.trials.filter(({ phase }) => phase !== 'counting');
    const counted = secondsPerTrial(earlier.analysis.trials.filter(({ phase }) => phase === 'counting'));
    const trial = secondsPerTrialOfBlocks(ran) ?? (sessions ? null : secondsPerTrial(ran));
    if (trial !== null && isOfKind(earlier, sessions ? 'session' : 'pair')) return { trial, counted, from: 'run' };
  }
  if (calibration === null || calibration.sessions !== sessions) return { trial: null, counted: null, from: null };
  return { trial: calibration.pair_seconds / 2, counted: null, from: 'calibration' };
}

/**
 * From the starts of whole blocks: arms may last differently long, and the median of all trials would be that of one of them; both halves of a
 * session run at the same time. Null where less than two blocks ran.
 */
function secondsPerTrialOfBlocks(ran: Analysis['trials']): number | null {
  const own = ran.filter(({ phase }) => !isSide(phase));
  const each = secondsPerTrial(own.filter(({ position }) => position === 1));
  return each === null ? null : each / own.reduce((most, { position }) => Math.max(most, position), 1);
}

/** The median distance between the starts of adjacent trials: what Assay itself needs is in it, a pause is not. */
export function secondsPerTrial(
  trials: readonly ({ readonly started_unix_ms: number | null } | null)[],
): number | null {
  const starts = trials.flatMap((trial) => trial?.started_unix_ms ?? []).sort((a, b) => a - b);
  const distances = starts.slice(1).map((start, index) => start - (starts[index] ?? start));
  const typical = median(distances);
  return typical === null ? null : typical / 1000;
}

/** A build of an arm takes what one of that arm took. Null where nothing is built. */
export function buildForecast(experiment: Experiment, prepared: readonly PreparedArm[]): BuildForecast | null {
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
