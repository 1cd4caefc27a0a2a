/**
 * Planning of a two-sided one-sample t test by the noncentral t distribution. Shift and standard deviation are on one scale: for ratios,
 * both on the logarithmic one.
 */
import { chiSquareQuantile, tQuantile } from './distributions.ts';
import { noncentralTCdf } from './noncentral-t.ts';

/** No plan is searched beyond this many values. */
const MOST_VALUES = 1_000_000;

/**
 * How many standard errors s/√n the mean of n values must lie from zero for a test to decide; Infinity where so few values decide
 * nothing. Of a confidence sequence too, whose mean follows the same noncentral t at any fixed n.
 */
export type CriticalValue = (n: number) => number;

/** Of the two-sided t test at α. */
export function criticalT(alpha: number): CriticalValue {
  return (n) => (n < 2 ? Number.POSITIVE_INFINITY : -tQuantile(alpha / 2, n - 1));
}

/** Chance that n values with this true shift make the test reject at α, in either direction. */
export function powerOf(shift: number, sd: number, n: number, alpha: number): number {
  return powerBeyond(criticalT(alpha), shift, sd, n);
}

/** The same of any test that has a critical value. */
export function powerBeyond(critical: CriticalValue, shift: number, sd: number, n: number): number {
  return powerAt((shift / sd) * Math.sqrt(n), n - 1, critical(n));
}

/**
 * Chance that n values with this true shift are found to lie on its side of zero: what falls on the other side, which a two-sided
 * test rejects as well, is no finding of it. The two differ where the chance is small.
 */
export function chanceToFind(critical: CriticalValue, shift: number, sd: number, n: number): number {
  const limit = critical(n);
  if (n < 2 || !Number.isFinite(limit)) return 0;
  return 1 - noncentralTCdf(limit, n - 1, (Math.abs(shift) / sd) * Math.sqrt(n));
}

/** Fewest values that find the shift with at least the given power; null where there is no spread or shift, or above a million. */
export function valuesNeeded(shift: number, sd: number, power: number, alpha: number): number | null {
  return valuesNeededBeyond(criticalT(alpha), shift, sd, power);
}

/** The same of any test that has a critical value. */
export function valuesNeededBeyond(critical: CriticalValue, shift: number, sd: number, power: number): number | null {
  if (!(sd > 0) || shift === 0) {
    return null;
  }
  const enough = (n: number): boolean => powerBeyond(critical, shift, sd, n) >= power;
  let high = 2;
  while (!enough(high)) {
    if (high >= MOST_VALUES) {
      return null;
    }
    high = Math.min(2 * high, MOST_VALUES);
  }
  let low = Math.max(1, Math.floor(high / 2));
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (enough(middle)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

/**
 * Smallest shift that n values find with the given power (above α), to nine digits; null for n < 2 or no spread. `sd` is √n standard
 * errors of the estimate, `df` its degrees of freedom: n − 1 unless more than one mean was estimated.
 */
export function detectableShift(sd: number, n: number, power: number, alpha: number, df = n - 1): number | null {
  if (n < 2 || df < 1) return null;
  return detectableShiftBeyond(() => -tQuantile(alpha / 2, df), sd, n, power, df);
}

/** The same of any test that has a critical value; null, too, where n values decide nothing. */
export function detectableShiftBeyond(
  critical: CriticalValue,
  sd: number,
  n: number,
  power: number,
  df = n - 1,
): number | null {
  const limit = n < 2 || df < 1 ? Number.POSITIVE_INFINITY : critical(n);
  if (!(sd > 0) || !Number.isFinite(limit)) return null;
  return (noncentralityFound(limit, df, power) * sd) / Math.sqrt(n);
}

/** By critical value, degrees of freedom and power: all metrics of a run ask the same, whatever they spread by. */
const found = new Map<string, number>();
const MOST_FOUND = 1000;

/** The noncentrality at which a test with this critical value rejects with the given power. */
function noncentralityFound(critical: number, df: number, power: number): number {
  const asked = `${critical} ${df} ${power}`;
  const known = found.get(asked);
  if (known !== undefined) return known;
  const excess = (noncentrality: number): number => powerAt(noncentrality, df, critical) - power;
  let high = 1 + critical;
  while (excess(high) < 0) {
    high *= 2;
  }
  const root = rootBetween(0, high, excess);
  if (found.size >= MOST_FOUND) found.clear();
  found.set(asked, root);
  return root;
}

/**
 * Where a rising function that is negative at `low` and not at `high` is zero, to nine digits and on the side of `high`: regula falsi,
 * Illinois variant (Dowell & Jarratt 1971).
 */
function rootBetween(low: number, high: number, rising: (x: number) => number): number {
  let [left, right] = [low, high];
  let [below, above] = [rising(left), rising(right)];
  let moved: 'left' | 'right' | null = null;
  while (right - left > 1e-9 * right) {
    const guess = right - (above * (right - left)) / (above - below);
    // A little off the guess, so that the other end is reached too.
    const x = Math.min(Math.max(guess, left + 4e-10 * right), right - 4e-10 * right);
    const value = rising(x);
    if (value < 0) {
      above = moved === 'left' ? above / 2 : above;
      [left, below, moved] = [x, value, 'left'];
    } else {
      below = moved === 'right' ? below / 2 : below;
      [right, above, moved] = [x, value, 'right'];
    }
  }
  return right;
}

/**
 * Upper confidence bound of a normal standard deviation, s·√(df/χ²(1 − confidence, df)): a small sample's s is as often too
 * small as too large, and a plan must not count on luck.
 * @param df degrees of freedom of s: n − 1 of one sample, their sum where several were pooled. Null for df < 1
 */
export function upperSd(sd: number, df: number, confidence: number): number | null {
  return df < 1 ? null : sd * Math.sqrt(df / chiSquareQuantile(1 - confidence, df));
}

function powerAt(noncentrality: number, df: number, critical: number): number {
  if (df < 1 || !Number.isFinite(critical)) return 0;
  return 1 - noncentralTCdf(critical, df, noncentrality) + noncentralTCdf(-critical, df, noncentrality);
}
