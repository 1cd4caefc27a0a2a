/** A line through values in groups, each of which has a level of its own. */
import type { Estimate } from './estimate.ts';
import { compensatedSum, largestSize, mean, type Values } from './moments.ts';

export interface Fit {
  /** Null where the regressor varies in no group, or no degree of freedom is left. */
  readonly slope: Estimate | null;
  /** What the levels, and the slope where there is one to see, leave of each value. */
  readonly residuals: Float64Array;
  /** Of the residuals: values less groups, less one for a slope. */
  readonly df: number;
}

/**
 * Least squares of the values on `against` with a level for each group: both are taken less the means of their groups (Frisch & Waugh
 * 1933). `groups` has a whole number for each value, from 0. Null where a value is not finite.
 */
export function fitWithin(values: Values, against: Values, groups: Values): Fit | null {
  const sizes = sizesOf(groups);
  const y = withoutMeans(values, groups, sizes);
  const x = withoutMeans(against, groups, sizes);
  if (y === null || x === null) {
    return null;
  }
  const spread = compensatedSum(x, (one) => one ** 2);
  const value = spread > 0 ? compensatedSum(x, (one, i) => one * (y[i] ?? 0)) / spread : 0;
  // In the place of y, which is needed no more.
  const residuals = y;
  for (let i = 0; i < y.length; i++) residuals[i] = (y[i] ?? 0) - value * (x[i] ?? 0);
  const df = values.length - sizes.filter((size) => size > 0).length - (spread > 0 ? 1 : 0);
  if (spread === 0 || df < 1) {
    return { slope: null, residuals, df };
  }
  const standardError = rootMeanSquare(residuals, df) / Math.sqrt(spread);
  return { slope: { value, standardError, df, minimumHalfWidth: 0 }, residuals, df };
}

/** √(Σx²/df), scaled so that squares neither overflow nor vanish. */
export function rootMeanSquare(values: Values, df: number): number {
  const scale = largestSize(values);
  return scale === 0 ? 0 : scale * Math.sqrt(compensatedSum(values, (value) => (value / scale) ** 2) / df);
}

/** How many values each group has. */
function sizesOf(groups: Values): readonly number[] {
  const sizes: number[] = [];
  for (const group of groups) {
    while (sizes.length <= group) sizes.push(0);
    sizes[group] = (sizes[group] ?? 0) + 1;
  }
  return sizes;
}

function withoutMeans(values: Values, groups: Values, sizes: readonly number[]): Float64Array | null {
  const means = sizes.length === 1 ? [mean(values)] : split(values, groups, sizes).map(mean);
  const left = new Float64Array(values.length);
  for (let i = 0; i < left.length; i++) {
    const rest = (values[i] ?? 0) - (means[groups[i] ?? 0] ?? Number.NaN);
    if (!Number.isFinite(rest)) return null;
    left[i] = rest;
  }
  return left;
}

/** The values of each group. */
function split(values: Values, groups: Values, sizes: readonly number[]): readonly Float64Array[] {
  const own = sizes.map((size) => new Float64Array(size));
  const filled = sizes.map(() => 0);
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? 0;
    const place = filled[group] ?? 0;
    filled[group] = place + 1;
    const column = own[group];
    if (column !== undefined) column[place] = values[i] ?? Number.NaN;
  }
  return own;
}
