/** The coefficient of variation: a spread as a share of the mean, for values that are all positive. */
import { chiSquareQuantile } from './distributions.ts';
import { mean, standardDeviation } from './moments.ts';

/** What the sum of squares is divided by: `sample` n − 1, `population` n. */
export type Deviation = 'sample' | 'population';

/**
 * Standard deviation over mean. Null for n < 2 (also of the population form: one value has no spread that could be seen), for a mean
 * that is not positive, and where a value is not finite.
 */
export function coefficientOfVariation(values: readonly number[], deviation: Deviation): number | null {
  const centre = mean(values);
  const sd = standardDeviation(values);
  if (centre === null || sd === null || !(centre > 0)) return null;
  const n = values.length;
  const coefficient = (deviation === 'sample' ? sd : sd * Math.sqrt((n - 1) / n)) / centre;
  return Number.isFinite(coefficient) ? coefficient : null;
}

/**
 * Interval of a normal population's coefficient of variation (Vangel 1996, modified McKay), from that of a sample with n − 1 in its
 * deviation. The upper end is null where the values set no bound: with n = 3 from a coefficient of 0.28 on, at 95 %. The approximation
 * is meant for true coefficients up to about a third. Null for n < 2, or for a coefficient of 0, which says nothing of the spread.
 */
export function vangelInterval(
  sampleCoefficient: number,
  n: number,
  level: number,
): { readonly low: number; readonly high: number | null } | null {
  if (n < 2 || !(sampleCoefficient > 0)) return null;
  const df = n - 1;
  const end = (p: number): number | null => {
    const u = chiSquareQuantile(p, df);
    const square = ((u + 2) / n - 1) * sampleCoefficient ** 2 + u / df;
    const bound = square > 0 ? sampleCoefficient / Math.sqrt(square) : Number.NaN;
    return Number.isFinite(bound) ? bound : null;
  };
  const low = end((1 + level) / 2);
  return low === null ? null : { low, high: end((1 - level) / 2) };
}
