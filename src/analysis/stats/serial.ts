/** What the order of values in time can show. */
import { compensatedSum, largestSize, mean, type Values } from './moments.ts';

/**
 * Lag-1 autocorrelation r₁ = Σ(xᵢ − m)(xᵢ₊₁ − m) / Σ(xᵢ − m)² (Box & Jenkins). For independent values it is beyond ±2/√n in about
 * one of twenty cases. Null for n < 3, no spread, or a value that is not finite.
 */
export function lag1Autocorrelation(values: Values): number | null {
  const deviations = deviationsOf(values);
  if (deviations === null || values.length < 3) {
    return null;
  }
  const products = compensatedSum(deviations.subarray(1), (deviation, i) => deviation * (deviations[i] ?? 0));
  return products / compensatedSum(deviations, (deviation) => deviation ** 2);
}

/** From the mean, as fractions of the largest. Null where all are zero. */
function deviationsOf(values: Values): Float64Array | null {
  const level = mean(values);
  if (level === null) {
    return null;
  }
  const largest = largestSize(values, level);
  if (largest === 0) {
    return null;
  }
  const deviations = new Float64Array(values.length);
  for (let i = 0; i < deviations.length; i++) deviations[i] = ((values[i] ?? 0) - level) / largest;
  return deviations;
}
