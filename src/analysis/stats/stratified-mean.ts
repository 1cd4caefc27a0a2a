/**
 * The stratified mean of two groups of values with one variance, pooled over both, n − 2 degrees of freedom. For crossed orders (one group
 * per order) it is the effect freed of the order (Jones & Kenward 2014, chapter 2; Hills & Armitage 1979).
 */
import type { Estimate } from './estimate.ts';
import { mean, standardDeviation, type Values } from './moments.ts';

/**
 * ½(mean a + mean b): both groups weigh the same, whatever their sizes. Null where a group is empty, there are fewer than three
 * values in all, or one of them is not finite.
 */
export function stratifiedMean(a: Values, b: Values): Estimate | null {
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
    value: (meanA + meanB) / 2,
    standardError: (pooledSd * Math.sqrt(1 / a.length + 1 / b.length)) / 2,
    df,
    minimumHalfWidth: 0,
  };
}

/** √Σ(x − mean)². Zero for a single value. */
function rootSumOfSquares(values: Values): number | null {
  if (values.length === 1) {
    return 0;
  }
  const sd = standardDeviation(values);
  return sd === null ? null : sd * Math.sqrt(values.length - 1);
}
