/** The two questions of a plan: how many pairs find a change of some size, and which size is found in a given time. */
import type { Experiment, Metric } from '../experiment/experiment.ts';
import { MOST_QUADS } from '../experiment/slices.ts';
import type { Plan } from '../plan/plan.ts';
import { boundOf } from './measure.ts';
import { buildForecast, planTime } from './plan-time.ts';
import {
  detectableWith,
  type PlannedTest,
  type PlannedValues,
  pairsOf,
  plannedTests,
  plannedValues,
  powerWith,
  valuesFor,
} from './planned-test.ts';
import type { KnownSpread, PlanSources } from './spread.ts';
import { stoppingTime } from './stats/stopping-time.ts';

/** A change that is to be found, as it was written. */
export interface AskedChange {
  /** A percentage as a fraction; else the number as it stands. */
  readonly value: number;
  readonly percent: boolean;
}

/** What a number of pairs would take. Seconds are null where they are unknown. */
interface Size {
  /** Sessions, blocks; of a run that may end early: its most. */
  readonly pairs: number;
  readonly builds: number | null;
  readonly seconds: { readonly confirmation: number | null; readonly total: number | null };
  /** Of all builds, as far as the cache has none of them; null: unknown, or nothing is built. */
  readonly build_seconds: number | null;
}

export type DetectionAnswer =
  | {
      readonly kind: 'pairs';
      readonly size: Size;
      /** Of a run that may end early, with one primary comparison: the mean number of pairs at which such a change ends it. */
      readonly ends_after: number | null;
      /** Sessions of the length that uses time best, where an earlier run tells it. */
      readonly best: BestSessions | null;
    }
  /** The change does not lie beyond the threshold: no number of pairs calls it slower or faster. */
  | { readonly kind: 'within_threshold'; readonly threshold: number }
  | { readonly kind: 'too_many'; readonly most: number; readonly of: 'pair' | 'session' | 'build' }
  | { readonly kind: 'unknown' };

interface BestSessions {
  readonly session_ns: number;
  readonly quads: number;
  readonly sessions: number;
  /** Of these sessions, and of as many as are needed at their present length. */
  readonly seconds: number;
  readonly present_seconds: number;
}

export interface Detection {
  /** A fraction of ratio metrics, else in the metric's unit. */
  readonly change: number;
  readonly kind: Metric['kind'];
  /** One for each primary metric of that kind and arm. */
  readonly rows: readonly {
    readonly metric: string;
    readonly unit: string;
    readonly arm: string;
    /** Whether a change of that size, surely found, may lie surely within the margin too. */
    readonly within_margin: boolean;
    /** Chance that the plan as it stands finds it; null: unknown. */
    readonly power: number | null;
    readonly spread: KnownSpread;
    readonly answer: DetectionAnswer;
  }[];
  /** What suffices for all rows; null where one of them has no number. */
  readonly all: Size | null;
  /** Primary metrics of the other kind, of which nothing was asked. */
  readonly others: readonly { readonly metric: string; readonly kind: Metric['kind']; readonly unit: string }[];
}

export interface Reach {
  readonly seconds: number;
  /** Most that fit; null where time is unknown, or they are too few to decide anything. */
  readonly size: Size | null;
  /** Of a pair and of all else; null: unknown. */
  readonly pair_seconds: number | null;
  readonly rest_seconds: number | null;
  /** Whether as many fit as an experiment can have. */
  readonly capped: boolean;
  readonly rows: readonly {
    readonly metric: string;
    readonly kind: Metric['kind'];
    readonly unit: string;
    readonly primary: boolean;
    readonly arm: string;
    readonly change: number | null;
    readonly spread: KnownSpread;
  }[];
}

export type AskedMetrics =
  | { readonly kind: Metric['kind']; readonly change: number }
  | { readonly message: string; readonly remedy: string };

/** Which metrics a change is asked of: a percentage of ratios, a number of differences; where there are none, a fraction below 1 of ratios. */
export function metricsAsked({ metrics }: Pick<Experiment, 'metrics'>, { value, percent }: AskedChange): AskedMetrics {
  const primary = metrics.filter((metric) => metric.primary);
  const ratio = primary.find(({ kind }) => kind === 'ratio');
  const difference = primary.find(({ kind }) => kind === 'difference');
  if (percent && ratio !== undefined) return { kind: 'ratio', change: value };
  if (percent) {
    const { name = '', unit = '' } = difference ?? {};
    return {
      message: `no primary metric is compared by its ratio, and ${name} is a difference`,
      remedy: `Ask for a number in its unit, such as --detect 1, which is one of ${unit === '' ? 'them' : unit}.`,
    };
  }
  if (difference !== undefined) return { kind: 'difference', change: value };
  if (value < 1) return { kind: 'ratio', change: value };
  return {
    message: `${ratio?.name ?? ''} is compared by its ratio, of which ${value} would be ${value * 100} %`,
    remedy: `Write a percentage: --detect ${value}%.`,
  };
}

/** How many pairs find the change with 80 % power (noncentral t, two-sided) in each primary metric of its kind. */
export function detect(
  experiment: Experiment,
  plan: Plan,
  sources: PlanSources,
  { kind, change }: Extract<AskedMetrics, { change: number }>,
): Detection {
  const values = plannedValues(experiment, plan);
  const primary = plannedTests(experiment, plan, sources).filter(({ contrast }) => contrast.metric.primary);
  const sized = sizer(experiment, plan, sources);
  const fitting = primary.filter(({ contrast }) => contrast.metric.kind === kind);
  const answers = fitting.map((test) => answerOf(test, values, change, plan, primary.length, sized));
  const needed = answers.map((answer) => (answer.kind === 'pairs' ? (answer.size.builds ?? answer.size.pairs) : null));
  const largest = needed.includes(null) ? null : Math.max(...needed.map((count) => count ?? 0));
  return {
    change,
    kind,
    rows: fitting.map((test, index) => {
      const { metric, arm } = test.contrast;
      return {
        ...{ metric: metric.name, unit: metric.unit, arm },
        within_margin: metric.margin !== null && change <= metric.margin,
        power: powerWith(test, values.count, change),
        spread: test.spread,
        answer: answers[index] ?? { kind: 'unknown' },
      };
    }),
    all: largest === null || largest === 0 ? null : sized(largest),
    others: experiment.metrics
      .filter((metric) => metric.primary && metric.kind !== kind)
      .map((metric) => ({ metric: metric.name, kind: metric.kind, unit: metric.unit })),
  };
}

function answerOf(
  test: PlannedTest,
  values: PlannedValues,
  change: number,
  plan: Plan,
  family: number,
  sized: (values: number) => Size,
): DetectionAnswer {
  const { contrast, threshold, spread, alpha } = test;
  const { metric } = contrast;
  if (boundOf(contrast, change) <= threshold) return { kind: 'within_threshold', threshold: metric.threshold };
  if (spread.sd === null) return { kind: 'unknown' };
  const count = valuesFor(test, spread.sd_upper_80, change);
  const whole = count === null ? null : values.unit === 'build' ? count : pairsOf(values, count);
  if (whole === null || whole > values.most) return { kind: 'too_many', most: values.most, of: values.unit };
  const size = sized(whole);
  // A change within the margin may end the run as equivalent.
  const single = plan.sequential !== null && family === 1 && (metric.margin === null || change > metric.margin);
  const { min = 2, c2 = 1 } = plan.sequential ?? {};
  const rule = { shift: boundOf(contrast, change), sd: spread.sd_upper_80, threshold, min, max: size.pairs, alpha, c2 };
  return {
    kind: 'pairs',
    size,
    ends_after: single ? (stoppingTime(rule)?.values ?? null) : null,
    best: bestSessions(test, values, change, size),
  };
}

/**
 * Sessions of the length that uses time best (Kalibera & Jones 2013), by the components of the variance that an earlier run showed: both at
 * the same bound as their sum.
 */
function bestSessions(test: PlannedTest, values: PlannedValues, change: number, present: Size): BestSessions | null {
  const { spread } = test;
  const { confirmation } = present.seconds;
  if (spread.sd === null || spread.slices === null || confirmation === null) return null;
  const { within_sd, between_sd, quads, quad_ns, best_quads } = spread.slices;
  if (best_quads === null || best_quads > MOST_QUADS || within_sd === null || quads <= 0) return null;
  const sd = Math.hypot(between_sd, within_sd * Math.sqrt(quads / best_quads));
  const count = valuesFor(test, sd * (spread.sd_upper_80 / spread.sd), change);
  if (count === null || pairsOf(values, count) > values.most) return null;
  const sessions = pairsOf(values, count);
  const each = confirmation / present.pairs + ((best_quads - quads) * quad_ns) / 1e9;
  return {
    session_ns: best_quads * quad_ns,
    quads: best_quads,
    sessions,
    seconds: sessions * Math.max(0, each),
    present_seconds: confirmation,
  };
}

/** What is found with as many pairs as fit into the time, all that the plan has beside them being done too. Builds are not in it. */
export function reachWithin(experiment: Experiment, plan: Plan, sources: PlanSources, seconds: number): Reach {
  const values = plannedValues(experiment, plan);
  const { pair_seconds, rest_seconds } = planTime(experiment, plan, sources);
  const room =
    pair_seconds === null || rest_seconds === null || pair_seconds <= 0
      ? null
      : Math.max(0, Math.floor((seconds - rest_seconds) / pair_seconds));
  const each = pairsOf(values, 1);
  const fitting = room === null ? 0 : Math.floor(room / each) * (values.unit === 'build' ? 1 : each);
  const count = Math.min(fitting, values.most);
  return {
    ...{ seconds, pair_seconds, rest_seconds },
    size: count < 2 ? null : sizer(experiment, plan, sources)(count),
    capped: fitting >= values.most,
    rows: plannedTests(experiment, plan, sources).map((test) => {
      const { metric, arm } = test.contrast;
      const { name, kind, unit, primary } = metric;
      const { spread } = test;
      return { ...{ metric: name, kind, unit, primary, arm }, change: detectableWith(test, count), spread };
    }),
  };
}

/** From a number of values to pairs and time. */
function sizer(experiment: Experiment, plan: Plan, sources: PlanSources): (values: number) => Size {
  const planned = plannedValues(experiment, plan);
  const { pair_seconds, rest_seconds } = planTime(experiment, plan, sources);
  return (values) => {
    const pairs = pairsOf(planned, values);
    const builds = planned.unit === 'build' ? values : null;
    const confirmation = pair_seconds === null ? null : pairs * pair_seconds;
    const design = { ...experiment.design, builds: builds ?? experiment.design.builds };
    return {
      pairs,
      builds,
      seconds: {
        confirmation,
        total: confirmation === null || rest_seconds === null ? null : confirmation + rest_seconds,
      },
      build_seconds: buildForecast({ ...experiment, design }, sources.earlier?.prepared ?? [])?.seconds ?? null,
    };
  };
}
