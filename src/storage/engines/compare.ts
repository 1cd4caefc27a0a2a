/** Figures of engines over blocks: means, and every two engines paired by block, of which ranks follow. */
import { intervalOf, meanEstimate } from '../../analysis/stats/estimate.ts';
import { holm } from '../../analysis/stats/holm.ts';
import { mean } from '../../analysis/stats/moments.ts';
import { pNotZero } from '../../analysis/stats/region.ts';
import type { EngineComparison, Figure, FigureOfSize, Interval } from './analysis.ts';
import type { FigureKind } from './figures.ts';
import { ordersOf } from './orders.ts';
import { type EnginePair, enginePairs, type FigureValues, isConstant } from './pairs.ts';
import { type FigureScale, scaleOf } from './scale.ts';

/** A block: what each engine had, and in which place it ran. */
export interface Block {
  readonly order: readonly string[];
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
}

/**
 * @param engines in the order of the study
 * @param incomparable why two engines cannot be compared by this figure; null where they can
 */
export function figureOf(
  { of, quantum: quantumOf, coarse = 0, ...kind }: FigureKind,
  engines: readonly string[],
  blocks: readonly Block[],
  level: number,
  incomparable: (engine: string, other: string) => string | null = () => null,
): FigureOfSize {
  const values: FigureValues = new Map(
    engines.map((engine) => [engine, blocks.map(({ metrics }) => finite(of(metrics[engine] ?? {})))]),
  );
  const all = [...values.values()].flat().filter((value) => value !== null);
  const scale = scaleOf(all);
  const quantum = blocks.reduce(
    (most, { metrics }) => engines.reduce((so, engine) => Math.max(so, quantumOf?.(metrics[engine] ?? {}) ?? 0), most),
    0,
  );
  const orders = blocks.map(({ order }) => order);
  const pairs = enginePairs({ values, orders, scale, quantum, coarse, incomparable });
  const comparisons = compared(pairs, scale, level);
  const figures = engines.map((engine): [string, Figure] => {
    const own = values.get(engine) ?? [];
    return [
      engine,
      {
        values: own,
        ...meanOf(own, { scale, quantum, coarse }, level),
        rank: rankOf(engine, comparisons, kind.better),
      },
    ];
  });
  return {
    ...{ kind, scale: scale.name, engines: Object.fromEntries(figures), comparisons },
    orders: ordersOf(pairs, comparisons, scale, level),
  };
}

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

function meanOf(
  values: readonly (number | null)[],
  { scale, quantum, coarse }: { readonly scale: FigureScale; readonly quantum: number; readonly coarse: number },
  level: number,
): Pick<Figure, 'mean' | 'interval' | 'exact'> {
  const all = values.filter((value) => value !== null);
  const shown = all.map(scale.to);
  const [centre, near] = [mean(shown), mean(all) ?? 0];
  if (centre === null) return { mean: null, interval: null, exact: false };
  const exact = coarse === 0 && all.length > 1 && isConstant(all);
  const estimate = meanEstimate(shown);
  const found = { mean: scale.back(centre), exact };
  if (estimate === null || exact) return { ...found, interval: null };
  const step = scale.step(Math.max(quantum, coarse * near), near);
  const [low, high] = intervalOf({ ...estimate, minimumHalfWidth: step }, level);
  // What is never below zero has no mean there either.
  const least = all.some((value) => value < 0) ? Number.NEGATIVE_INFINITY : 0;
  return { ...found, interval: [Math.max(least, scale.back(low)), scale.back(high)] };
}

/** By the comparisons alone, so that ranks, and what is better and worse, cannot disagree. */
function rankOf(
  engine: string,
  comparisons: readonly EngineComparison[],
  better: FigureKind['better'],
): Figure['rank'] {
  const own = comparisons.filter((one) => one.engine === engine || one.other === engine);
  // Where values of the two are missing there is no place to be told; where they are not of one kind it stays open.
  const placed = own.filter(({ blocks }) => blocks > 1);
  if (placed.length === 0) return null;
  const sides = placed.filter(({ told_apart }) => told_apart).map((one) => isAhead(one, engine, better));
  const ahead = sides.filter((side) => side).length;
  return { best: 1 + sides.length - ahead, worst: placed.length + 1 - ahead };
}

/** Of two engines that are told apart: whether this one is the better. */
export function isAhead(one: EngineComparison, engine: string, better: FigureKind['better']): boolean {
  const above = one.ratio === null ? (one.difference ?? 0) > 0 : one.ratio > 1;
  return (above === (one.engine === engine)) === (better === 'higher');
}

/** Holm over all that have a test. What is exact has none, and takes no part of the error rate. */
function compared(pairs: readonly EnginePair[], scale: FigureScale, level: number): readonly EngineComparison[] {
  const tested = pairs.flatMap(({ estimate }, at) => (estimate === null ? [] : [{ at, p: pNotZero(estimate) }]));
  const steps = holm(
    tested.map(({ p }) => p),
    1 - level,
  );
  return pairs.map(({ engine, other, estimate, centre, effects, exact, step: least, reason }, at) => {
    const place = tested.findIndex((one) => one.at === at);
    const [step, p] = [steps[place], tested[place]?.p ?? null];
    const value = centre === null ? null : scale.back(centre);
    const found = {
      ...{ engine, other, blocks: effects.length, exact, reason },
      ratio: scale.name === 'ratio' ? value : null,
      difference: scale.name === 'difference' ? value : null,
    };
    if (estimate === null || step === undefined) {
      const told_apart = exact && Math.abs(centre ?? 0) > least;
      return { ...found, interval: null, interval_level: null, p: null, adjusted_p: null, told_apart };
    }
    const [low, high] = intervalOf(estimate, step.level);
    const interval: Interval = [scale.back(low), scale.back(high)];
    return {
      ...{ ...found, interval, interval_level: step.level, p },
      ...{ adjusted_p: step.adjusted, told_apart: step.rejected },
    };
  });
}
