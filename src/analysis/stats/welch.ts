/** The difference of two estimates that rest on separate data. */
import type { Estimate } from './estimate.ts';

/**
 * a − b, with the standard error √(SE²a + SE²b) and the degrees of freedom of Welch (1947) and Satterthwaite (1946). Without any
 * spread the degrees of freedom of both are added: they do not matter then.
 */
export function differenceOf(a: Estimate, b: Estimate): Estimate {
  const standardError = Math.hypot(a.standardError, b.standardError);
  // Shares of the variance, so that fourth powers of small errors do not vanish.
  const shareA = standardError > 0 ? (a.standardError / standardError) ** 2 : 0;
  const shareB = standardError > 0 ? (b.standardError / standardError) ** 2 : 0;
  return {
    value: a.value - b.value,
    standardError,
    df: standardError > 0 ? 1 / (shareA ** 2 / a.df + shareB ** 2 / b.df) : a.df + b.df,
    minimumHalfWidth: a.minimumHalfWidth + b.minimumHalfWidth,
  };
}
