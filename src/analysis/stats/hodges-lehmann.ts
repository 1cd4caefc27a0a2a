/** The Hodges–Lehmann estimate of a location (Hodges & Lehmann 1963): the median of all averages of two values. */

import type { Values } from './moments.ts';

/** With so few averages left between two bounds they are written down. */
const FEW = 1024;

/**
 * Median of the n(n+1)/2 Walsh averages (xᵢ + xⱼ)/2, i ≤ j. Not all of them are ever written down: memory grows with n, and time
 * with n log n. Null without values or where one is not finite.
 */
export function hodgesLehmann(values: Values): number | null {
  // Those that are not finite stand at the ends, those that are no numbers behind all others.
  const sorted = new Float64Array(values).sort();
  if (!Number.isFinite(sorted[0]) || !Number.isFinite(sorted.at(-1))) {
    return null;
  }
  const count = (sorted.length * (sorted.length + 1)) / 2;
  const lower = smallestReaching(sorted, Math.floor((count + 1) / 2));
  if (count % 2 === 1 || averagesUpTo(sorted, lower) > count / 2) {
    return lower;
  }
  return midpoint(lower, nextAverage(sorted, lower));
}

/**
 * The k-th smallest Walsh average: bounds are halved until few lie between them, as many as there are values, and these are
 * sorted. Where many are equal, until no double lies between the bounds.
 */
function smallestReaching(sorted: Float64Array, k: number): number {
  let low = sorted[0] ?? 0;
  let high = sorted[sorted.length - 1] ?? 0;
  let below = averagesUpTo(sorted, low);
  let upTo = (sorted.length * (sorted.length + 1)) / 2;
  if (below >= k) {
    return low;
  }
  while (upTo - below > Math.max(sorted.length, FEW)) {
    const middle = midpoint(low, high);
    if (middle <= low || middle >= high) {
      return high;
    }
    const count = averagesUpTo(sorted, middle);
    if (count >= k) {
      high = middle;
      upTo = count;
    } else {
      low = middle;
      below = count;
    }
  }
  return averagesBetween(sorted, low, high, upTo - below)[k - below - 1] ?? high;
}

/** The averages above one bound and not above the other, sorted. `count` of them. */
function averagesBetween(sorted: Float64Array, low: number, high: number, count: number): Float64Array {
  const found = new Float64Array(count);
  let place = 0;
  // For each i, where the averages with it leave either bound.
  let lower = sorted.length - 1;
  let upper = sorted.length - 1;
  for (let i = 0; i < sorted.length; i++) {
    const one = sorted[i] ?? 0;
    while (lower >= i && midpoint(one, sorted[lower] ?? 0) > low) lower--;
    while (upper >= i && midpoint(one, sorted[upper] ?? 0) > high) upper--;
    for (let j = Math.max(lower + 1, i); j <= upper; j++) found[place++] = midpoint(one, sorted[j] ?? 0);
  }
  return found.sort();
}

/** The smallest average above the limit; infinite where there is none. */
function nextAverage(sorted: Float64Array, limit: number): number {
  let next = Number.POSITIVE_INFINITY;
  let j = sorted.length - 1;
  for (let i = 0; i < sorted.length; i++) {
    const one = sorted[i] ?? 0;
    while (j >= i && midpoint(one, sorted[j] ?? 0) > limit) j--;
    const above = Math.max(j + 1, i);
    if (above < sorted.length) next = Math.min(next, midpoint(one, sorted[above] ?? 0));
  }
  return next;
}

/** How many Walsh averages do not exceed the limit, in one walk along the edge of the matrix of averages. */
function averagesUpTo(sorted: Float64Array, limit: number): number {
  let count = 0;
  let j = sorted.length - 1;
  for (let i = 0; i <= j; i++) {
    while (j >= i && midpoint(sorted[i] ?? 0, sorted[j] ?? 0) > limit) {
      j--;
    }
    count += j - i + 1;
  }
  return count;
}

/** Halved before the sum: no overflow. */
function midpoint(a: number, b: number): number {
  return a / 2 + b / 2;
}
