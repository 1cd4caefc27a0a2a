/** The effect of a comparison as it is shown: the estimate and its intervals, and companions that decide nothing. */
import type { Sequential } from '../plan/plan.ts';
import type { Effect } from './analysis.ts';
import { buildSpread, orderSigns, withinBuilds } from './builds.ts';
import { looksAt } from './looks.ts';
import { boundOf, changeOf, changesOf, hasSpread, type Measure } from './measure.ts';
import type { Sample } from './sample.ts';
import { type Estimate, intervalOf, sequentialEstimate } from './stats/estimate.ts';
import { signTest } from './stats/exact-counts.ts';
import { hodgesLehmann } from './stats/hodges-lehmann.ts';
import { rangeOf, standardDeviation, type Values } from './stats/moments.ts';
import { detectableShift } from './stats/power.ts';
import { pNotZero } from './stats/region.ts';
import { lag1Autocorrelation } from './stats/serial.ts';
import { signedRankTest } from './stats/signed-rank.ts';
import type { Judgement } from './verdict.ts';

const POWER = 0.8;

/** `level` is the plain one of the experiment; the judgement's may be a step of Holm's procedure. */
export function effectOf(
  measure: Measure,
  judgement: Omit<Judgement, 'verdict'>,
  level: number,
  sequential: Sequential | null,
): Effect {
  const { sample, estimate, means, builds } = measure;
  const { contrast, pairs } = sample;
  const effects = pairs.effect;
  const stepped = judgement.interval !== null && Math.abs(judgement.level - level) > 1e-12;
  // Statistics of ranks sort their values, which takes little where they are sorted.
  const sorted = effects.toSorted();
  const hodges = hodgesLehmann(sorted);
  const range = rangeOf(effects);
  return {
    change: changeOf(contrast, estimate.value),
    interval: judgement.interval === null ? null : changesOf(contrast, judgement.interval),
    interval_level: judgement.level,
    plain_interval: stepped ? changesOf(contrast, intervalOf(estimate, level)) : null,
    means,
    sd: standardDeviation(effects) ?? 0,
    directions: directionsOf(effects, sequential === null ? (builds?.map(({ effect }) => effect) ?? effects) : null),
    smallest_pair: changeOf(contrast, range.lowest),
    largest_pair: changeOf(contrast, range.highest),
    throughput_change: contrast.metric.kind === 'ratio' ? changeOf(contrast, -estimate.value) : null,
    ...serialOf(measure, level),
    // Pairs of one build have that build in common: they are no sample of which a test by ranks holds. Nor may one be repeated.
    wilcoxon_p: builds === null && sequential === null ? (signedRankTest(sorted)?.p ?? null) : null,
    hodges_lehmann: hodges === null ? null : changeOf(contrast, hodges),
    equivalence:
      judgement.equivalence === null || contrast.metric.margin === null
        ? null
        : {
            margin: contrast.metric.margin,
            interval: changesOf(contrast, judgement.equivalence.interval),
            interval_level: judgement.equivalence.level,
            p_value: judgement.equivalence.p,
            equivalent: judgement.equivalence.equivalent,
          },
    detectable: sequential === null ? detectableOf(measure, 1 - judgement.level) : null,
    stratified: measure.stratified,
    sequence: sequential === null ? null : { ...sequential, looks: looksOf(sample, sequential, judgement.level) },
    builds:
      builds === null
        ? null
        : {
            means: builds.map(({ build, pairs: count, effect }) => ({
              ...{ build: build + 1, pairs: count },
              change: changeOf(contrast, effect),
            })),
            ...buildSpread(pairs, builds),
          },
  };
}

/** The sequence of intervals, look by look. */
function looksOf(
  { contrast, pairs }: Sample,
  { min, c2 }: Sequential,
  level: number,
): NonNullable<Effect['sequence']>['looks'] {
  const inFirst = Array.from(pairs.effect, (_, index) => pairs.isReferenceFirst(index) === pairs.isReferenceFirst(0));
  return looksAt(inFirst).flatMap((count) => {
    const estimate = sequentialEstimate(pairs.effect.subarray(0, count), c2);
    if (estimate === null || count < min) return [];
    const interval = intervalOf(estimate, level);
    return [
      {
        pairs: count,
        change: changeOf(contrast, estimate.value),
        interval: interval.every(Number.isFinite) ? changesOf(contrast, interval) : null,
      },
    ];
  });
}

/** `units`: what is independent of each other, whose directions are tested; null: none may be. */
function directionsOf(effects: Values, units: Values | null): Effect['directions'] {
  const count = (values: Values, sign: 1 | -1) => {
    let found = 0;
    for (let i = 0; i < values.length; i++) if ((values[i] ?? 0) * sign > 0) found += 1;
    return found;
  };
  const [up, down] = [count(effects, 1), count(effects, -1)];
  return {
    up,
    down,
    tied: effects.length - up - down,
    p_value: units === null ? null : signTest(count(units, 1), count(units, -1)),
  };
}

/** What order and time show. Without spread there is nothing to show. */
function serialOf(measure: Measure, level: number): Pick<Effect, 'order_effect' | 'autocorrelation' | 'trend'> {
  if (!hasSpread(measure)) return { order_effect: null, autocorrelation: null, trend: null };
  const { pairs } = measure.sample;
  const first = pairs.referenceFirst;
  // Builds take turns: what differs between them would pass for correlation.
  const builds = measure.builds?.length ?? 1;
  const order = withinBuilds(pairs, orderSigns(pairs), builds);
  const gamma = first < 2 || pairs.length - first < 2 ? null : (order?.slope ?? null);
  // An order effect would too: the orders alternate more than chance does.
  const lag1 = lag1Autocorrelation(order?.residuals ?? []);
  const time = pairs.block.map((_, place) => place);
  const slope = withinBuilds(pairs, time, builds)?.slope ?? null;
  return {
    order_effect: gamma === null ? null : { gamma: gamma.value, ...tested(gamma, level) },
    autocorrelation: lag1 === null ? null : { lag1, limit: 2 / Math.sqrt(pairs.length - builds + 1) },
    trend: slope === null ? null : { slope: slope.value, ...tested(slope, level) },
  };
}

function tested(estimate: Estimate, level: number): { interval: Effect['interval'] & object; p_value: number } {
  return { interval: intervalOf(estimate, level), p_value: pNotZero(estimate) };
}

/**
 * A change that would be called slower or faster with at least 80 % power: the smallest that is, unless the interval is kept as wide
 * as a quantum. The estimate has to clear the threshold by the quantum and by its own half width, whichever is more; their sum
 * clears both.
 */
function detectableOf(measure: Measure, alpha: number): number | null {
  if (!hasSpread(measure)) return null;
  const { sample, estimate } = measure;
  const n = sample.pairs.length;
  const shift = detectableShift(estimate.standardError * Math.sqrt(n), n, POWER, alpha, estimate.df);
  if (shift === null) return null;
  const { contrast } = sample;
  const threshold = boundOf(contrast, contrast.metric.threshold);
  return changeOf(contrast, threshold + shift + estimate.minimumHalfWidth);
}
