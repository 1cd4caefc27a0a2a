/** Whether it mattered who ran first: order effects, and whether who is ahead is ahead in both orders. */
import { tQuantile } from '../../analysis/stats/distributions.ts';
import { type Estimate, intervalOf } from '../../analysis/stats/estimate.ts';
import { fitWithin } from '../../analysis/stats/fit-within.ts';
import { holm } from '../../analysis/stats/holm.ts';
import { mean } from '../../analysis/stats/moments.ts';
import { pNotZero } from '../../analysis/stats/region.ts';
import type { EngineComparison, FigureOfSize, OrderEffect, OrdersOfFigure, OrdersOfSize } from './analysis.ts';
import type { EnginePair } from './pairs.ts';
import type { FigureScale } from './scale.ts';

/** @param comparisons of the same pairs, in their order */
export function ordersOf(
  pairs: readonly EnginePair[],
  comparisons: readonly EngineComparison[],
  scale: FigureScale,
  level: number,
): OrdersOfFigure {
  const apart = pairs.flatMap((pair, at) => {
    const { told_apart = false, interval_level = null } = comparisons[at] ?? {};
    return told_apart ? [{ pair, level: interval_level }] : [];
  });
  const bothWays = apart.filter(({ pair }) => new Set(pair.isFirst).size === 2);
  return {
    effects: orderEffects(pairs, scale, level),
    told_apart: apart.length,
    one_order: apart.length - bothWays.length,
    changed: bothWays.filter(({ pair }) => changesPlaces(pair)).map(({ pair }) => [pair.engine, pair.other]),
    could_change: bothWays.filter(
      ({ pair, level: own }) => own !== null && orderShows([count(pair, true), count(pair, false)], own),
    ).length,
  };
}

function count({ isFirst }: EnginePair, first: boolean): number {
  return isFirst.filter((one) => one === first).length;
}

/**
 * γ = (mean d_AB − mean d_BA) / 2, with d the later over the earlier of the two, so that it does not depend on which is called A; its
 * standard error from the variance pooled over both orders, n − 2 degrees of freedom. Holm over the pairs of the figure.
 */
function orderEffects(pairs: readonly EnginePair[], scale: FigureScale, level: number): readonly OrderEffect[] {
  const found = pairs.flatMap((pair) => {
    const gamma = gammaOf(pair);
    return gamma === null ? [] : [{ pair, gamma, p: pNotZero(gamma) }];
  });
  const steps = holm(
    found.map(({ p }) => p),
    1 - level,
  );
  return found.map(({ pair, gamma, p }, at) => {
    const { adjusted = 1, rejected = false, level: own = level } = steps[at] ?? {};
    const [low, high] = intervalOf(gamma, own);
    return {
      ...{
        engine: pair.engine,
        other: pair.other,
        effect: scale.change(gamma.value),
        interval: [scale.change(low), scale.change(high)],
      },
      ...{ interval_level: own, p, adjusted_p: adjusted, not_null: rejected },
      exceeds_difference: Math.abs(gamma.value) > Math.abs(pair.centre ?? 0),
    };
  });
}

/** Null where fewer than two blocks have the one order or the other, or the pair has no spread to test with. */
function gammaOf(pair: EnginePair): Estimate | null {
  if (pair.estimate === null || count(pair, true) < 2 || count(pair, false) < 2) return null;
  const later = pair.effects.map((effect) => -effect);
  const first = pair.isFirst.map((one) => (one ? 1 : -1));
  const slope = fitWithin(
    later,
    first,
    later.map(() => 0),
  )?.slope;
  return slope ? { ...slope, minimumHalfWidth: pair.step } : null;
}

/** Who is ahead in the blocks in which the one ran first, and in those in which the other did. */
function changesPlaces({ effects, isFirst }: EnginePair): boolean {
  const [one = 0, two = 0] = [true, false].map((first) =>
    Math.sign(mean(effects.filter((_, at) => isFirst[at] === first)) ?? 0),
  );
  return one * two < 0;
}

/**
 * Whether two engines that are told apart at this level could have changed places between the blocks of the one order and those of the
 * other, n of them in all. With means h and k of the two, of f and s blocks, the mean is (f·h + s·k)/n, and the two alone make the sum of
 * squares at least f·s/n · (h − k)², so that the standard error is at least |h − k| · √(f·s) / (n √(n − 1)). Where h and k have different
 * signs the mean is below max(f, s)/n · |h − k|. It can be beyond t standard errors only where t < √((n − 1) · max(f, s)/min(f, s)).
 */
export function orderShows([first, second]: readonly [number, number], level: number): boolean {
  const [fewer, more] = [Math.min(first, second), Math.max(first, second)];
  if (fewer === 0) return false;
  const df = first + second - 1;
  // Of the lower tail: near a level of one 1 + level is rounded to 2, and its half is no probability of a quantile.
  return -tQuantile((1 - level) / 2, df) < Math.sqrt((df * more) / fewer);
}

/** Over all figures of a size. */
export function ordersOfSize(figures: readonly FigureOfSize[]): OrdersOfSize {
  const effects = figures.flatMap(({ kind, scale, orders }) =>
    orders.effects.map((effect) => ({ figure: kind.key, scale, ...effect })),
  );
  const main = new Set(figures.filter(({ kind }) => kind.main).map(({ kind }) => kind.key));
  const notNull = effects.filter(({ not_null }) => not_null);
  // Ratios and units cannot be compared: the largest is one of ratios. Figures that only explain are noisier: where none is shown, they do not count.
  const shown = notNull.length > 0 ? notNull : effects.filter(({ figure }) => main.has(figure));
  const ratios = shown.filter(({ scale }) => scale === 'ratio');
  const sizeOf = ({ effect }: OrderEffect) => Math.abs(Math.log1p(effect));
  const largest = ratios.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0] ?? null;
  const sum = (of: (orders: OrdersOfFigure) => number) => figures.reduce((all, { orders }) => all + of(orders), 0);
  const changed = sum((orders) => orders.changed.length);
  return {
    families: figures.filter(({ orders }) => orders.effects.length > 0).length,
    ...{ tested: effects.length, not_null: notNull.length, largest },
    conflicts: notNull.filter(({ exceeds_difference }) => exceeds_difference),
    told_apart: sum((orders) => orders.told_apart),
    one_order: sum((orders) => orders.one_order),
    ...{ changed, keep: sum((orders) => orders.told_apart - orders.one_order) - changed },
    could_change: sum((orders) => orders.could_change),
  };
}
