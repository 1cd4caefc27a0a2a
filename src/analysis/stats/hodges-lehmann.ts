/** The Hodges–Lehmann estimate of a location (Hodges & Lehmann 1963): the median of all averages of two values. */

import type { Values } from './moments.ts';

/** With so few averages left between two bounds they are written down. */
const FEW = 1024;

/** Values in ascending order, each once. */
interface Distinct {
  readonly values: Float64Array;
  /** How many of all lie before a distinct value; one more at the end: how many there are. */
  readonly before: Float64Array;
}

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
  const distinct = distinctOf(sorted);
  const count = (sorted.length * (sorted.length + 1)) / 2;
  const lower = smallestReaching(distinct, Math.floor((count + 1) / 2));
  if (count % 2 === 1 || averagesUpTo(distinct, lower) > count / 2) {
    return lower;
  }
  return midpoint(lower, nextAverage(distinct, lower));
}

function distinctOf(sorted: Float64Array): Distinct {
  const values = new Float64Array(sorted.length);
  const before = new Float64Array(sorted.length + 1);
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    const value = sorted[i] ?? 0;
    if (i > 0 && value === values[count - 1]) continue;
    // Of −0 and 0 the one that is printed without a sign.
    values[count] = value + 0;
    before[count] = i;
    count++;
  }
  before[count] = sorted.length;
  return { values: values.subarray(0, count), before: before.subarray(0, count + 1) };
}

/**
 * The k-th smallest Walsh average: bounds are drawn together until few lie between them, as many as there are values, and these
 * are sorted. One of three steps halves their distance, whatever the values are; the others go to where ranks a little below and a
 * little above k lie if averages are spread evenly. Where halving leaves as many between the bounds, they may all be equal.
 */
function smallestReaching(distinct: Distinct, k: number): number {
  const { values, before } = distinct;
  const n = before[values.length] ?? 0;
  let low = values[0] ?? 0;
  let high = values[values.length - 1] ?? 0;
  let below = averagesUpTo(distinct, low);
  let upTo = (n * (n + 1)) / 2;
  if (below >= k) {
    return low;
  }
  const few = Math.max(n, FEW);
  let halved = Number.POSITIVE_INFINITY;
  for (let step = 0; upTo - below > few; step++) {
    const middle = midpoint(low, high);
    const aside = (few / 3) * ((step % 3) - 1);
    const between = low + (high - low) * ((k + aside - below) / (upTo - below));
    let bound = aside === 0 || !(between > low && between < high) ? middle : between;
    if (aside === 0) {
      if (upTo - below === halved) bound = nextAverage(distinct, low);
      halved = upTo - below;
    }
    if (bound <= low || bound >= high) {
      return high;
    }
    const count = averagesUpTo(distinct, bound);
    if (count >= k) {
      high = bound;
      upTo = count;
    } else {
      low = bound;
      below = count;
    }
  }
  return averagesBetween(distinct, low, high, upTo - below)[k - below - 1] ?? high;
}

/** The averages above one bound and not above the other, sorted. `count` of them. */
function averagesBetween({ values, before }: Distinct, low: number, high: number, count: number): Float64Array {
  const found = new Float64Array(count);
  let place = 0;
  // For each i, where the averages with it leave either bound.
  let lower = values.length - 1;
  let upper = values.length - 1;
  for (let i = 0; i < values.length; i++) {
    const one = values[i] ?? 0;
    while (lower >= i && midpoint(one, values[lower] ?? 0) > low) lower--;
    while (upper >= i && midpoint(one, values[upper] ?? 0) > high) upper--;
    for (let j = Math.max(lower + 1, i); j <= upper; j++) {
      const times = averagesOf(before, i, j);
      found.fill(midpoint(one, values[j] ?? 0), place, place + times);
      place += times;
    }
  }
  return found.sort();
}

/** The smallest average above the limit; infinite where there is none. */
function nextAverage({ values }: Distinct, limit: number): number {
  let next = Number.POSITIVE_INFINITY;
  let j = values.length - 1;
  for (let i = 0; i < values.length; i++) {
    const one = values[i] ?? 0;
    while (j >= i && midpoint(one, values[j] ?? 0) > limit) j--;
    const above = Math.max(j + 1, i);
    if (above < values.length) next = Math.min(next, midpoint(one, values[above] ?? 0));
  }
  return next;
}

/** How many Walsh averages do not exceed the limit, in one walk along the edge of the matrix of averages. */
function averagesUpTo({ values, before }: Distinct, limit: number): number {
  let count = 0;
  let j = values.length - 1;
  for (let i = 0; i <= j; i++) {
    const one = values[i] ?? 0;
    while (j >= i && midpoint(one, values[j] ?? 0) > limit) {
      j--;
    }
    if (j >= i) count += averagesOf(before, i, i) + timesOf(before, i) * ((before[j + 1] ?? 0) - (before[i + 1] ?? 0));
  }
  return count;
}

/** How many values are the i-th distinct one. */
function timesOf(before: Float64Array, i: number): number {
  return (before[i + 1] ?? 0) - (before[i] ?? 0);
}

/** How many averages are those of the i-th and the j-th distinct value. */
function averagesOf(before: Float64Array, i: number, j: number): number {
  const times = timesOf(before, i);
  return i === j ? (times * (times + 1)) / 2 : times * timesOf(before, j);
}

/** Halved before the sum: no overflow. */
function midpoint(a: number, b: number): number {
  return a / 2 + b / 2;
}
