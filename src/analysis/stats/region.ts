/** Tests of whether a value lies outside or inside of a region. */
import { type Estimate, pAbove, pBelow } from './estimate.ts';

/**
 * p for "the value lies outside [low, high]": twice the smaller of the one-sided p-values against the nearer bound. At most
 * 1 − level exactly where the interval at that level lies wholly beyond a bound.
 */
export function pOutside(estimate: Estimate, low: number, high: number): number {
  return Math.min(1, 2 * Math.min(pAbove(estimate, high), pBelow(estimate, low)));
}

/**
 * p for "the value lies inside (low, high)": two one-sided tests (Schuirmann 1987), the larger of their p-values. At most 1 −
 * level exactly where the interval at level (2·level − 1) lies inside.
 */
export function pInside(estimate: Estimate, low: number, high: number): number {
  return Math.max(pAbove(estimate, low), pBelow(estimate, high));
}

/** Two-sided p of the t test for "the value is not zero". */
export function pNotZero(estimate: Estimate): number {
  return pOutside(estimate, 0, 0);
}
