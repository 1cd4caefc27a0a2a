/** The difference of two estimates that rest on separate data. */
import type { Estimate } from './estimate.ts';

/**
 * a − b, with the standard error √(SE²a + SE²b) and the smaller of the degrees of freedom: then a test errs at most as often as its
 * level says, whatever the spreads and however few the values (Mickey & Brown 1966). The approximation of Welch (1947) and Satterthwaite
 * (1946) does not hold far out: of 16 and 2 values alike, its test at 1 % finds a difference in 6 %.
 */
export function differenceOf(a: Estimate, b: Estimate): Estimate {
  return {
    value: a.value - b.value,
    standardError: Math.hypot(a.standardError, b.standardError),
    df: Math.min(a.df, b.df),
    minimumHalfWidth: a.minimumHalfWidth + b.minimumHalfWidth,
  };
}
