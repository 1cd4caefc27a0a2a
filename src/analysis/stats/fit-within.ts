/** A line through values in groups, each of which has a level of its own. */
import type { Estimate } from './estimate.ts';
import { compensatedSum, mean } from './moments.ts';

export interface Fit {
  /** Null where the regressor varies in no group, or no degree of freedom is left. */
  readonly slope: Estimate | null;
  /** What the levels, and the slope where there is one to see, leave of each value. */
  readonly residuals: readonly number[];
  /** Of the residuals: values less groups, less one for a slope. */
  readonly df: number;
}

/**
 * Least squares of the values on `against` with a level for each group: both are taken less the means of their groups (Frisch & Waugh
 * 1933). `groups` has a number for each value. Null where a value is not finite.
 */
export function fitWithin(
  values: readonly number[],
  against: readonly number[],
  groups: readonly number[],
): Fit | null {
  const y = withoutMeans(values, groups);
  const x = withoutMeans(against, groups);
  if (y === null || x === null) {
    return null;
  }
  const spread = compensatedSum(x.map((one) => one ** 2));
  const value = spread > 0 ? compensatedSum(x.map((one, i) => one * (y[i] ?? 0))) / spread : 0;
  const residuals = y.map((one, i) => one - value * (x[i] ?? 0));
  const df = values.length - new Set(groups).size - (spread > 0 ? 1 : 0);
  if (spread === 0 || df < 1) {
    return { slope: null, residuals, df };
  }
  const standardError = rootMeanSquare(residuals, df) / Math.sqrt(spread);
  return { slope: { value, standardError, df, minimumHalfWidth: 0 }, residuals, df };
}

/** √(Σx²/df), scaled so that squares neither overflow nor vanish. */
export function rootMeanSquare(values: readonly number[], df: number): number {
  const scale = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  return scale === 0 ? 0 : scale * Math.sqrt(compensatedSum(values.map((value) => (value / scale) ** 2)) / df);
}

function withoutMeans(values: readonly number[], groups: readonly number[]): readonly number[] | null {
  const byGroup = new Map<number, number[]>();
  for (const [i, group] of groups.entries()) {
    const own = byGroup.get(group) ?? [];
    own.push(values[i] ?? Number.NaN);
    byGroup.set(group, own);
  }
  const means = new Map([...byGroup].map(([group, own]) => [group, mean(own)]));
  const left = values.map((value, i) => value - (means.get(groups[i] ?? 0) ?? Number.NaN));
  return left.every(Number.isFinite) ? left : null;
}
