/** Figures of engines over blocks: means, ranks, pairs of engines, and whether the order in which they ran mattered. */
import { tQuantile } from '../../analysis/stats/distributions.ts';
import { type Estimate, intervalOf, meanEstimate } from '../../analysis/stats/estimate.ts';
import { holm } from '../../analysis/stats/holm.ts';
import { mean } from '../../analysis/stats/moments.ts';
import { pNotZero } from '../../analysis/stats/region.ts';
import type { EngineComparison, Figure, FigureOfSize, Interval, OrderAgreement } from './analysis.ts';
import type { FigureKind } from './figures.ts';

/** A block: what each engine had, and in which place it ran. */
export interface Block {
  readonly order: readonly string[];
  readonly metrics: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
}

/** @param engines in the order of the study */
export function figureOf(
  { of, ...kind }: FigureKind,
  engines: readonly string[],
  blocks: readonly Block[],
  level: number,
): FigureOfSize {
  const values = new Map(
    engines.map((engine) => [engine, blocks.map(({ metrics }) => finite(of(metrics[engine] ?? {})))]),
  );
  const means = new Map([...values].map(([engine, all]) => [engine, meanOf(all, level)]));
  const figures = engines.map((engine): [string, Figure] => {
    const found = means.get(engine) ?? NONE;
    return [engine, { values: values.get(engine) ?? [], ...found, rank: rankOf(engine, means, kind.better) }];
  });
  const pairs = engines.flatMap((engine, at) => engines.slice(at + 1).map((other) => [engine, other] as const));
  const ratios = pairs.map(([engine, other]) => ratioOf(values.get(engine) ?? [], values.get(other) ?? []));
  return {
    kind,
    engines: Object.fromEntries(figures),
    comparisons: compared(pairs, ratios, level),
    orders: orderAgreement(pairs, means, values, blocks),
  };
}

const NONE = { mean: null, interval: null } as const;

function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

function present(values: readonly (number | null)[]): readonly number[] {
  return values.filter((value) => value !== null);
}

function meanOf(values: readonly (number | null)[], level: number): Pick<Figure, 'mean' | 'interval'> {
  const all = present(values);
  if (all.length === 0) return NONE;
  const logarithmic = all.every((value) => value > 0);
  const shown = logarithmic ? all.map(Math.log) : all;
  const back = logarithmic ? Math.exp : (value: number) => Math.max(0, value);
  const estimate = meanEstimate(shown);
  const centre = mean(shown);
  if (centre === null) return NONE;
  if (estimate === null) return { mean: back(centre), interval: null };
  const [low, high] = intervalOf(estimate, level);
  return { mean: back(centre), interval: [back(low), back(high)] };
}

type Means = ReadonlyMap<string, Pick<Figure, 'mean' | 'interval'>>;

/** Ranks are ties where intervals overlap: none is surely better than the other. */
function rankOf(engine: string, means: Means, better: FigureKind['better']): Figure['rank'] {
  const own = means.get(engine)?.interval ?? null;
  if (own === null) return null;
  const others = [...means].flatMap(([name, { interval }]) => (name === engine || interval === null ? [] : [interval]));
  const above = others.filter(([low]) => low > own[1]).length;
  const below = others.filter(([, high]) => high < own[0]).length;
  const [surelyBetter, surelyWorse] = better === 'higher' ? [above, below] : [below, above];
  return { best: surelyBetter + 1, worst: others.length + 1 - surelyWorse };
}

interface Ratio {
  readonly estimate: Estimate | null;
  readonly centre: number | null;
  readonly blocks: number;
  readonly reason: string | null;
}

function ratioOf(values: readonly (number | null)[], others: readonly (number | null)[]): Ratio {
  const pairs = values.flatMap((value, block): (readonly [number, number])[] => {
    const other = others[block] ?? null;
    return value === null || other === null ? [] : [[value, other]];
  });
  const blocks = pairs.length;
  const none = (reason: string): Ratio => ({ estimate: null, centre: null, blocks, reason });
  if (blocks === 0) return none('no block has a value of both');
  if (pairs.some(([value, other]) => value <= 0 || other <= 0)) return none('a value is zero, which has no ratio');
  const logarithms = pairs.map(([value, other]) => Math.log(value / other));
  const estimate = meanEstimate(logarithms);
  const centre = mean(logarithms);
  return { estimate, centre, blocks, reason: estimate === null ? 'a single block shows no spread' : null };
}

function compared(
  pairs: readonly (readonly [string, string])[],
  ratios: readonly Ratio[],
  level: number,
): readonly EngineComparison[] {
  const tested = ratios.flatMap(({ estimate }, at) => (estimate === null ? [] : [{ at, p: pNotZero(estimate) }]));
  const steps = holm(
    tested.map(({ p }) => p),
    1 - level,
  );
  return pairs.map(([engine, other], at) => {
    const { estimate, centre, blocks, reason } = ratios[at] ?? ratioOf([], []);
    const place = tested.findIndex((one) => one.at === at);
    const step = steps[place];
    const found = { engine, other, ratio: centre === null ? null : Math.exp(centre), blocks, reason };
    if (estimate === null || step === undefined) {
      return { ...found, interval: null, p: null, adjusted_p: null, told_apart: false };
    }
    const [low, high] = intervalOf(estimate, step.level);
    const interval: Interval = [Math.exp(low), Math.exp(high)];
    const p = tested[place]?.p ?? null;
    return { ...found, interval, p, adjusted_p: step.adjusted, told_apart: step.rejected };
  });
}

/**
 * Whether two engines whose intervals are apart can change places between the two halves of n blocks: halves that differ by Δ make the
 * interval at least ± t · |Δ| / (2 √(n − 1)), so that below t < √(n − 1) intervals that are apart exclude it.
 */
export function orderShows(blocks: number, level: number): boolean {
  return blocks > 1 && tQuantile((1 + level) / 2, blocks - 1) < Math.sqrt(blocks - 1);
}

/** Each two engines whose intervals are apart, by the blocks in which the one ran first, and those in which the other did. */
function orderAgreement(
  pairs: readonly (readonly [string, string])[],
  means: Means,
  values: ReadonlyMap<string, readonly (number | null)[]>,
  blocks: readonly Block[],
): OrderAgreement {
  const apart = pairs.filter(([engine, other]) => {
    const [one, two] = [means.get(engine)?.interval ?? null, means.get(other)?.interval ?? null];
    return one !== null && two !== null && (one[0] > two[1] || two[0] > one[1]);
  });
  const signs = apart.map(([engine, other]) =>
    [true, false].map((first) => {
      const differences = blocks.flatMap(({ order }, at) => {
        if (order.indexOf(engine) < order.indexOf(other) !== first) return [];
        const [value, against] = [values.get(engine)?.[at] ?? null, values.get(other)?.[at] ?? null];
        return value === null || against === null ? [] : [value - against];
      });
      return Math.sign(mean(differences) ?? 0);
    }),
  );
  return {
    apart: apart.length,
    conflicts: apart.filter((_, at) => (signs[at]?.[0] ?? 0) * (signs[at]?.[1] ?? 0) < 0),
    untested: signs.filter((each) => each.includes(0)).length,
  };
}
