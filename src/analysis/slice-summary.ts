/** What stands behind an effect that was taken from slices: its total, its variance, and what other sessions would buy. */
import type { PairValue } from './analysis.ts';
import { boundOf, changeOf, changesOf, type Measure } from './measure.ts';
import type { SessionPair } from './sample.ts';
import { bestQuads, type Components, componentsOf } from './session-effect.ts';
import type { SliceSummary } from './slice-analysis.ts';
import { tQuantile } from './stats/distributions.ts';
import { intervalOf, meanEstimate } from './stats/estimate.ts';
import { compensatedSum, mean, median, standardDeviation } from './stats/moments.ts';
import { pNotZero } from './stats/region.ts';
import type { Judgement } from './verdict.ts';

/** Null where the effect was not taken from slices. */
export function sliceSummary(measure: Measure, judgement: Judgement): SliceSummary | null {
  const { sample, total, estimate } = measure;
  const { contrast, sessions } = sample;
  if (total === null || sessions.length < sample.pairs.length) return null;
  const { level, verdict } = judgement;
  const interval = intervalOf(total, level);
  const threshold = boundOf(contrast, contrast.metric.threshold);
  const decided = verdict.kind === 'slower' || verdict.kind === 'faster';
  const beyond = estimate.value > 0 ? interval[0] > threshold : interval[1] < -threshold;
  const effects = sessions.map(({ effect }) => effect);
  const sd = standardDeviation(effects.map(({ typical }) => typical)) ?? 0;
  const components = componentsOf(effects, sd);
  const quads = mean(effects.map((effect) => effect.quads)) ?? 0;
  const costs = costsOf(sessions);
  const drift = meanEstimate(effects.flatMap((effect) => (effect.drift === null ? [] : [effect.drift])));
  return {
    total: { change: changeOf(contrast, total.value), interval: changesOf(contrast, interval) },
    total_agrees: decided ? beyond : null,
    quads,
    slice_ns: median(sessions.map(({ slices }) => median(slices.wall_ns) ?? 0)) ?? 0,
    ...costs,
    ...components,
    best_quads: bestQuads(components, quads, costs),
    half_width:
      estimate.sequence === undefined ? widthsOf(sessions.length, { sd, ...components }, estimate.value, level) : null,
    drift: drift === null ? null : { change: changeOf(contrast, drift.value), p_value: pNotZero(drift) },
    sessions: Array.from(sample.pairs, ({ block, attempt, effect, total: all }, index) => ({
      ...{ block, attempt, quads: effects[index]?.quads ?? 0 },
      change: changeOf(contrast, effect),
      noise: components.within_sd === null ? null : changesOf(contrast, around(effect, components.within_sd)),
      total: changeOf(contrast, all ?? effect),
    })),
    ...outstanding([...sample.pairs]),
  };
}

function around(value: number, distance: number): readonly [number, number] {
  return [value - distance, value + distance];
}

/** The sessions that are worth a closer look: a usual one, and the most unusual one. */
function outstanding(pairs: readonly PairValue[]): Pick<SliceSummary, 'median_session' | 'extreme_session'> {
  const sorted = pairs.toSorted((a, b) => a.effect - b.effect);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  const distance = ({ effect }: PairValue) => Math.abs(effect - (middle?.effect ?? 0));
  const furthest = pairs.toSorted((a, b) => distance(b) - distance(a))[0];
  const place = (pair: PairValue | undefined) => ({ block: pair?.block ?? 0, attempt: pair?.attempt ?? 0 });
  return { median_session: place(middle), extreme_session: place(furthest) };
}

function costsOf(sessions: readonly SessionPair[]): { readonly quad_ns: number; readonly setup_ns: number } {
  const costs = sessions.map(({ slices, span_ns }) => {
    const quads = slices.operations.map((operations, quad) => {
      const timed = compensatedSum(slices.wall_ns.slice(4 * quad, 4 * quad + 4));
      // A prelude takes about as long as as many timed operations do.
      return timed * (1 + (slices.prelude[quad] ?? 0) / operations) + (slices.gap_ns[quad] ?? 0);
    });
    const all = compensatedSum(quads);
    return { quad_ns: quads.length === 0 ? 0 : all / quads.length, setup_ns: Math.max(0, span_ns - all) };
  });
  return {
    quad_ns: mean(costs.map(({ quad_ns }) => quad_ns)) ?? 0,
    setup_ns: mean(costs.map(({ setup_ns }) => setup_ns)) ?? 0,
  };
}

/**
 * From the components of the variance; t has n − 1 degrees of freedom of the sessions that there would be. Half of what lies between
 * exp(e − h) − 1 and exp(e + h) − 1 is exp(e) · sinh(h). Noise that halves of sessions show beyond the spread of whole ones is
 * chance: longer sessions would not widen the interval.
 */
export function widthsOf(
  sessions: number,
  { sd, within_sd, between_sd }: Components & { readonly sd: number },
  effect: number,
  level: number,
): SliceSummary['half_width'] {
  if (sessions < 2 || sd === 0) return null;
  const width = (n: number, spread: number) =>
    Math.exp(effect) * Math.sinh((-tQuantile((1 - level) / 2, n - 1) * spread) / Math.sqrt(n));
  return {
    now: width(sessions, sd),
    twice_the_sessions: width(2 * sessions, sd),
    twice_as_long:
      within_sd === null ? null : width(sessions, Math.hypot(between_sd, Math.min(within_sd, sd) / Math.SQRT2)),
  };
}
