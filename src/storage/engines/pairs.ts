/** Every two engines of a figure, paired by block: what all comparisons and order effects are made of. */
import { type Estimate, meanEstimate } from '../../analysis/stats/estimate.ts';
import { mean } from '../../analysis/stats/moments.ts';
import type { FigureScale } from './scale.ts';

/** What a figure is in each block, null where the trial has none; engines in the order of the study. */
export type FigureValues = ReadonlyMap<string, readonly (number | null)[]>;

export interface EnginePair {
  readonly engine: string;
  readonly other: string;
  /** `engine` over `other` on the scale of the figure: logarithms of ratios, or differences. Of the blocks that have both. */
  readonly effects: readonly number[];
  /** Of these blocks, whether `engine` ran before `other`. */
  readonly isFirst: readonly boolean[];
  readonly centre: number | null;
  /** Null where there is nothing to take an interval of. */
  readonly estimate: Estimate | null;
  /** Each of the two has one value in all blocks: there is no spread, and none to test with. */
  readonly exact: boolean;
  /** No interval is narrower than ± this. */
  readonly step: number;
  /** Why they are not compared; null where they are. */
  readonly reason: string | null;
}

interface Basis {
  readonly values: FigureValues;
  /** Of each block: the engines as they ran. */
  readonly orders: readonly (readonly string[])[];
  readonly scale: FigureScale;
  /** The smallest step in which the figure moves; 0 where it is continuous. */
  readonly quantum: number;
  /** Rounded to within this share of the value; 0 where it is not. */
  readonly coarse: number;
  /** Why two engines cannot be compared by this figure; null where they can. */
  readonly incomparable: (engine: string, other: string) => string | null;
}

export function enginePairs(basis: Basis): readonly EnginePair[] {
  const engines = [...basis.values.keys()];
  return engines.flatMap((engine, at) => engines.slice(at + 1).map((other) => pairOf(engine, other, basis)));
}

function pairOf(engine: string, other: string, basis: Basis): EnginePair {
  const { scale, quantum, coarse } = basis;
  const both = valuesOfBoth(engine, other, basis);
  const [own, against] = [both.map(({ value }) => value), both.map(({ than }) => than)];
  const effects = both.map(({ value, than }) => scale.to(value) - scale.to(than));
  const ends = [mean(own) ?? 0, mean(against) ?? 0];
  // Of ratios the smaller of the two decides how large a step is, of differences the larger how coarse they are.
  const near = scale.name === 'ratio' ? Math.min(...ends) : Math.max(...ends);
  const step = scale.step(Math.max(quantum, coarse * near), near);
  const exact = coarse === 0 && both.length > 1 && isConstant(own) && isConstant(against);
  const found = { engine, other, effects, isFirst: both.map(({ isFirst }) => isFirst), step };
  const reason = basis.incomparable(engine, other) ?? tooFew(both.length);
  if (reason !== null)
    return { ...found, centre: both.length === 1 ? mean(effects) : null, estimate: null, exact: false, reason };
  const estimate = exact ? null : meanEstimate(effects);
  return {
    ...{ ...found, exact, reason: null, centre: mean(effects) },
    estimate: estimate === null ? null : { ...estimate, minimumHalfWidth: step },
  };
}

function tooFew(blocks: number): string | null {
  if (blocks === 0) return 'no block has a value of both';
  return blocks === 1 ? 'a single block shows no spread' : null;
}

function valuesOfBoth(engine: string, other: string, { values, orders }: Basis) {
  return (values.get(engine) ?? []).flatMap((value, block) => {
    const than = values.get(other)?.[block] ?? null;
    const order = orders[block] ?? [];
    if (value === null || than === null) return [];
    return [{ value, than, isFirst: order.indexOf(engine) < order.indexOf(other) }];
  });
}

export function isConstant(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}
