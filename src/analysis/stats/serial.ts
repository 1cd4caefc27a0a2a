/** What the order of values in time can show. */
import { compensatedSum, mean } from './moments.ts';

/**
 * Lag-1 autocorrelation r₁ = Σ(xᵢ − m)(xᵢ₊₁ − m) / Σ(xᵢ − m)² (Box & Jenkins). For independent values it is beyond ±2/√n in about
 * one of twenty cases. Null for n < 3, no spread, or a value that is not finite.
 */
export function lag1Autocorrelation(values: readonly number[]): number | null {
  const deviations = deviationsOf(values);
  if (deviations === null || values.length < 3) {
    return null;
  }
  const products = deviations.slice(1).map((deviation, i) => deviation * (deviations[i] ?? 0));
  return compensatedSum(products) / compensatedSum(deviations.map((deviation) => deviation ** 2));
}

/** From the mean, as fractions of the largest. Null where all are zero. */
function deviationsOf(values: readonly number[]): number[] | null {
  const level = mean(values);
  if (level === null) {
    return null;
  }
  const deviations = values.map((value) => value - level);
  const largest = deviations.reduce((most, deviation) => Math.max(most, Math.abs(deviation)), 0);
  return largest === 0 ? null : deviations.map((deviation) => deviation / largest);
}
