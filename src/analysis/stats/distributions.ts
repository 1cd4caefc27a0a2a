/**
 * Distribution functions, from the stdlib project. Each throws a RangeError on arguments outside of its domain, so that no NaN
 * travels on: a caller that can meet such arguments decides before it calls.
 */
import erfc from '@stdlib/math-base-special-erfc';
import chiSquareQuantileOf from '@stdlib/stats-base-dists-chisquare-quantile';
import tCdfOf from '@stdlib/stats-base-dists-t-cdf';
import tQuantileOf from '@stdlib/stats-base-dists-t-quantile';

/** Quantile of Student's t: the t with P(T ≤ t) = p. Relative error below 1e-12 for 0 < p < 1 and df from 1 to 10⁶. */
export function tQuantile(p: number, df: number): number {
  requireProbability(p);
  requireDegrees(df);
  return tQuantileOf(p, df);
}

/** P(T ≤ t) for Student's t. The lower tail keeps its relative precision: for an upper tail ask for tCdf(−t, df). */
export function tCdf(t: number, df: number): number {
  if (Number.isNaN(t)) {
    throw new RangeError('t is not a number');
  }
  requireDegrees(df);
  return tCdfOf(t, df);
}

/** Quantile of χ². Relative error below 1e-12 for df from 1 to 999; beyond that it can be as large as 1e-3. */
export function chiSquareQuantile(p: number, df: number): number {
  requireProbability(p);
  requireDegrees(df);
  return chiSquareQuantileOf(p, df);
}

/** P(Z ≤ z) for the standard normal. */
export function normalCdf(z: number): number {
  if (Number.isNaN(z)) {
    throw new RangeError('z is not a number');
  }
  return erfc(-z / Math.SQRT2) / 2;
}

function requireProbability(p: number): void {
  if (!(p > 0 && p < 1)) {
    throw new RangeError(`a probability must lie between 0 and 1, not ${p}`);
  }
}

function requireDegrees(df: number): void {
  if (!(df > 0 && df < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`degrees of freedom must be positive, not ${df}`);
  }
}
