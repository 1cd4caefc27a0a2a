/**
 * Spreads compared by the logarithms of their variances, over several quantities at once (Bartlett & Kendall 1946): ln s² of a normal
 * sample is off by ψ(ν/2) − ln(ν/2) on average and has the variance ψ′(ν/2), ν = n − 1, whatever its true variance is. So many small samples
 * together say what none of them does.
 */
import { chiSquareQuantile, normalCdf } from './distributions.ts';

/** One quantity, on two sides: its sample standard deviations, both positive, and how many values they are from. */
export interface SpreadPair {
  readonly sd: readonly [number, number];
  readonly n: readonly [number, number];
}

export interface LogSpreadRatio {
  /** Mean of ln(σ₁/σ₂) over the quantities. */
  readonly value: number;
  readonly standardError: number;
}

/**
 * The mean of ln(σ₁/σ₂). It is about these quantities: how their ratios differ among each other does not widen it. Normal and independent
 * samples are taken for granted. Null without pairs, or where a spread is not positive or of fewer than two values.
 */
export function logSpreadRatio(pairs: readonly SpreadPair[]): LogSpreadRatio | null {
  if (pairs.length === 0) return null;
  let sum = 0;
  let variance = 0;
  for (const { sd, n } of pairs) {
    if (!(sd[0] > 0 && sd[1] > 0) || !n.every((count) => Number.isInteger(count) && count >= 2)) return null;
    sum += Math.log(sd[0]) - Math.log(sd[1]) - (logBias(n[0] - 1) - logBias(n[1] - 1)) / 2;
    variance += (trigammaOfHalf(n[0] - 1) + trigammaOfHalf(n[1] - 1)) / 4;
  }
  const value = sum / pairs.length;
  return Number.isFinite(value) ? { value, standardError: Math.sqrt(variance) / pairs.length } : null;
}

/** Two-sided p of "the spreads are alike". */
export function alikeP({ value, standardError }: LogSpreadRatio): number {
  return 2 * normalCdf(-Math.abs(value) / standardError);
}

/** Normal interval of ln(σ₁/σ₂). */
export function logRatioInterval({ value, standardError }: LogSpreadRatio, level: number): readonly [number, number] {
  const half = Math.sqrt(chiSquareQuantile(level, 1)) * standardError;
  return [value - half, value + half];
}

/** ψ(ν/2) − ln(ν/2): how far ln s² lies off on average. By the recurrence from ψ(1/2) or ψ(1), exact for whole ν. */
function logBias(df: number): number {
  const odd = df % 2 === 1;
  let digamma = -0.5772156649015329 - (odd ? 2 * Math.LN2 : 0);
  for (let x = odd ? 0.5 : 1; x < df / 2; x += 1) digamma += 1 / x;
  return digamma - Math.log(df / 2);
}

/** ψ′(ν/2), the variance of ln s²; by its recurrence from ψ′(1/2) = π²/2 or ψ′(1) = π²/6. */
function trigammaOfHalf(df: number): number {
  const odd = df % 2 === 1;
  let trigamma = Math.PI ** 2 / (odd ? 2 : 6);
  for (let x = odd ? 0.5 : 1; x < df / 2; x += 1) trigamma -= 1 / x ** 2;
  return trigamma;
}
