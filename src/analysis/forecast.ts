/** What a plan will take and what it could show, from the spread of what was run before; the effects found there are never used. */
import type { Experiment } from '../experiment/experiment.ts';
import { type Plan, plannedTrials } from '../plan/plan.ts';
import { type BuildForecast, buildForecast, type PlanTime, planTime } from './plan-time.ts';
import { detectableWith, plannedTests, plannedValues } from './planned-test.ts';
import type { KnownSpread, PlanSources, Unit } from './spread.ts';

export interface Forecast {
  readonly trials: number;
  readonly pairs: number;
  /** What a pair is, and of what the test is. */
  readonly unit: Unit;
  /** Of the trials. Null: unknown, since nothing has been run. */
  readonly seconds: number | null;
  readonly time: PlanTime;
  /** Null where nothing is built. */
  readonly builds: BuildForecast | null;
  readonly detectable: readonly DetectableEffect[];
}

export interface DetectableEffect {
  readonly metric: string;
  readonly kind: 'ratio' | 'difference';
  readonly unit: string;
  readonly primary: boolean;
  readonly arm: string;
  /** What would be called slower or faster: the threshold is in it. A fraction for ratio metrics, else in the metric's unit; null: unknown. */
  readonly change: number | null;
  /** The same with as many pairs (of several builds: builds) as are planned, with twice as many, and four times. */
  readonly with: readonly { readonly pairs: number; readonly builds: number | null; readonly change: number | null }[];
  readonly spread: KnownSpread;
}

const MULTIPLES = [1, 2, 4];

/**
 * Time and smallest detectable effect beyond the threshold (two-sided test, 80 % power, noncentral t) of a plan. The spread is
 * that of `spreadOf`, at its upper 80 % bound. A run that may end early is reckoned with at its last look, by its own sequence: looks
 * before can only find more. With several builds of each arm the test is over their means.
 */
export function forecast(experiment: Experiment, plan: Plan, sources: PlanSources): Forecast {
  const values = plannedValues(experiment, plan);
  const time = planTime(experiment, plan, sources);
  const pairs = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks.length ?? 0;
  const { pair_seconds, rest_seconds } = time;
  return {
    trials: plannedTrials(plan).length,
    pairs,
    unit: values.unit,
    seconds: pair_seconds === null || rest_seconds === null ? null : pair_seconds * pairs + rest_seconds,
    time,
    builds: buildForecast(experiment, sources.earlier?.prepared ?? []),
    detectable: plannedTests(experiment, plan, sources).map((test) => {
      const { metric, arm } = test.contrast;
      const counts = MULTIPLES.map((times) => times * values.count).filter((count) => count <= values.most);
      const { name, kind, unit, primary } = metric;
      return {
        ...{ metric: name, kind, unit, primary, arm },
        change: detectableWith(test, values.count),
        with: counts.map((count) => ({
          pairs: values.unit === 'build' ? (pairs * count) / values.count : count,
          builds: values.unit === 'build' ? count : null,
          change: detectableWith(test, count),
        })),
        spread: test.spread,
      };
    }),
  };
}
