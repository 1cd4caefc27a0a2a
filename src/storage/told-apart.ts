/**
 * Which of two set-ups repeats better, and where the repetitions cannot tell. One step with three values says almost nothing; the log
 * variances of many steps together say more.
 */
import { holm } from '../analysis/stats/holm.ts';
import { alikeP, logRatioInterval, logSpreadRatio, type SpreadPair } from '../analysis/stats/log-variance.ts';
import { standardDeviation } from '../analysis/stats/moments.ts';
import { groupsBy } from './groups.ts';
import type { Variance, VarianceCell } from './variance.ts';

export interface SpreadRatio {
  readonly threads: number;
  readonly setups: readonly [string, string];
  /** Steps of all workloads in which both have a spread. */
  readonly steps: number;
  /** Spread of the first / spread of the second: the geometric mean over the steps. */
  readonly ratio: number;
  /** Normal interval of the mean log ratio, at its Holm level, so that it excludes 1 exactly where the two are told apart; not simultaneous. */
  readonly interval: readonly [number, number];
  /** Adjusted for the number of pairs of set-ups (Holm). */
  readonly p: number;
  readonly told_apart: boolean;
}

const ALPHA = 0.05;
/** Of fewer, the normal approximation is too rough. */
const FEWEST_STEPS = 3;
/** Pairs of so many set-ups are compared; more would say that none can be told apart. */
const MOST_PAIRS = 1000;

/** All pairs of set-ups with the same number of threads and at least three steps in common; empty where there are too many. */
export function compareSpreads({ cells }: Variance): readonly SpreadRatio[] {
  const groups = groupsBy(cells, ({ setup, threads }) => JSON.stringify([threads, setup]));
  const setups = [...groups.values()].flatMap((of) => {
    const [first] = of;
    return first === undefined ? [] : [{ setup: first.setup, threads: first.threads, spreads: spreadsOf(of) }];
  });
  if ((setups.length * (setups.length - 1)) / 2 > MOST_PAIRS) return [];
  const ratios = setups.flatMap((one, at) =>
    setups.slice(at + 1).flatMap((other) => {
      if (other.threads !== one.threads) return [];
      const common = [...one.spreads].flatMap(([key, spread]): SpreadPair[] => {
        const beside = other.spreads.get(key);
        return beside === undefined ? [] : [{ sd: [spread.sd, beside.sd], n: [spread.n, beside.n] }];
      });
      const estimate = common.length < FEWEST_STEPS ? null : logSpreadRatio(common);
      if (estimate === null) return [];
      return [{ threads: one.threads, setups: [one.setup, other.setup] as const, steps: common.length, estimate }];
    }),
  );
  const steps = holm(
    ratios.map(({ estimate }) => alikeP(estimate)),
    ALPHA,
  );
  return ratios.flatMap(({ estimate, ...ratio }, at) => {
    const step = steps[at];
    if (step === undefined) return [];
    const [low, high] = logRatioInterval(estimate, step.level);
    return [
      {
        ...ratio,
        ratio: Math.exp(estimate.value),
        interval: [Math.exp(low), Math.exp(high)] as const,
        p: step.adjusted,
        told_apart: step.rejected,
      },
    ];
  });
}

/** Standard deviation of ln(value), which is the coefficient where that is small, by workload and step. */
function spreadsOf(cells: readonly VarianceCell[]): ReadonlyMap<string, { readonly sd: number; readonly n: number }> {
  return new Map(
    cells.flatMap(({ workload, steps }) =>
      steps.flatMap(({ step, values }) => {
        const sd = standardDeviation(values.map(Math.log));
        return sd === null || sd === 0 ? [] : [[JSON.stringify([workload, step]), { sd, n: values.length }] as const];
      }),
    ),
  );
}
