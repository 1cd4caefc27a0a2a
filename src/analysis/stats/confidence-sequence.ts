/**
 * Anytime-valid t: an e-process for "the mean is μ₀" with an improper flat prior on the scale and a Gaussian one of variance 1/c²
 * on the mean in units of the spread (Lai 1976; Wang & Ramdas 2023, arXiv 2310.03722). It may be looked at after every value,
 * and stopped at any look.
 */

/** What an e-process needs of the values that were seen so far. */
export interface SequenceState {
  readonly n: number;
  /** With n − 1. */
  readonly sd: number;
  /** One over the variance of the prior, fixed before the first value. */
  readonly c2: number;
}

/**
 * ln M_n(μ₀) of a μ₀ that lies `distance` from the mean. Ville's inequality: a true μ₀ ever sees M ≥ 1/α with a probability of at most
 * α. Zero for n < 2, and for values without any spread: they were rounded, or too few were seen.
 */
export function logEvidence({ n, sd, c2 }: SequenceState, distance: number): number {
  const squares = (n - 1) * sd ** 2;
  const shift = n * distance ** 2;
  const without = (n + c2) * squares + c2 * shift;
  if (n < 2 || !(sd > 0)) return 0;
  // (n + c²)V − S² = `without`, where V = squares + shift and S² = n · shift.
  return 0.5 * Math.log(c2 / (n + c2)) + (n / 2) * Math.log1p((n * shift) / without);
}

/**
 * Half the width of the set of all μ₀ with M_n < 1/α, which lies around the mean; Infinity while that set has no bound, and
 * without any spread.
 */
export function sequenceHalfWidth({ n, sd, c2 }: SequenceState, alpha: number): number {
  const k = leastRatio(n, c2, alpha);
  const room = n + c2 - k * c2;
  if (n < 2 || !(room > 0) || !(sd > 0)) return Number.POSITIVE_INFINITY;
  return (sd / Math.sqrt(n)) * Math.sqrt(((n - 1) * (n + c2) * (k - 1)) / room);
}

/** Half the width in standard errors s/√n: what a mean must exceed for the sequence to exclude zero (`CriticalValue` of power.ts). */
export function sequenceCriticalValue(n: number, c2: number, alpha: number): number {
  return n < 2 ? Number.POSITIVE_INFINITY : Math.sqrt(n) * sequenceHalfWidth({ n, sd: 1, c2 }, alpha);
}

/** The number of values from which on the sequence at 1 − α has a bound. */
export function firstBounded(c2: number, alpha: number): number {
  let n = 2;
  while (!(n + c2 > leastRatio(n, c2, alpha) * c2)) n += 1;
  return n;
}

/** What (n + c²)V / ((n + c²)V − S²) is at M = 1/α. */
function leastRatio(n: number, c2: number, alpha: number): number {
  return (Math.sqrt((n + c2) / c2) / alpha) ** (2 / n);
}
