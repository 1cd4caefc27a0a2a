/**
 * Two groups of values with one variance, pooled over both: their stratified mean and their half difference, n − 2 degrees of
 * freedom. For crossed orders (one group per order) these are the effect freed of the order, and the effect of the order
 * (Jones & Kenward 2014, chapter 2; Hills & Armitage 1979). Null where a group is empty, there are fewer than three values
 * in all, or one of them is not finite.
 */
import type { Estimate } from './estimate.ts';
import { mean, standardDeviation } from './moments.ts';

/** ½(mean a + mean b): both groups weigh the same, whatever their sizes. */
export function stratifiedMean(a: readonly number[], b: readonly number[]): Estimate | null {
  return pooled(a, b, (meanA, meanB) => (meanA + meanB) / 2);
}

/** ½(mean a − mean b). */
export function halfDifference(a: readonly number[], b: readonly number[]): Estimate | null {
  return pooled(a, b, (meanA, meanB) => (meanA - meanB) / 2);
}

/**
 * Each value less the mean of its own group, in the order given: what is left once the groups' difference is taken out. `inFirst` says
 * for each value whether it is of the first group. Null where a value is not finite.
 */
export function withoutGroupMeans(values: readonly number[], inFirst: readonly boolean[]): number[] | null {
  const first = mean(values.filter((_, i) => inFirst[i] === true)) ?? 0;
  const second = mean(values.filter((_, i) => inFirst[i] !== true)) ?? 0;
  return values.every(Number.isFinite)
    ? values.map((value, i) => value - (inFirst[i] === true ? first : second))
    : null;
}

function pooled(
  a: readonly number[],
  b: readonly number[],
  combineMeans: (meanA: number, meanB: number) => number,
): Estimate | null {
  const meanA = mean(a);
  const meanB = mean(b);
  const df = a.length + b.length - 2;
  const spreadA = rootSumOfSquares(a);
  const spreadB = rootSumOfSquares(b);
  if (meanA === null || meanB === null || df < 1 || spreadA === null || spreadB === null) {
    return null;
  }
  const pooledSd = Math.hypot(spreadA, spreadB) / Math.sqrt(df);
  return {
    value: combineMeans(meanA, meanB),
    standardError: (pooledSd * Math.sqrt(1 / a.length + 1 / b.length)) / 2,
    df,
    minimumHalfWidth: 0,
  };
}

/** √Σ(x − mean)². Zero for a single value. */
function rootSumOfSquares(values: readonly number[]): number | null {
  if (values.length === 1) {
    return 0;
  }
  const sd = standardDeviation(values);
  return sd === null ? null : sd * Math.sqrt(values.length - 1);
}
