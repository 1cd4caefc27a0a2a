/** The Hodges–Lehmann estimate of a location (Hodges & Lehmann 1963): the median of all averages of two values. */

/**
 * Median of the n(n+1)/2 Walsh averages (xᵢ + xⱼ)/2, i ≤ j. The averages are never written down: memory grows with n, and time with
 * n log n. Null without values or where one is not finite.
 */
export function hodgesLehmann(values: readonly number[]): number | null {
  if (values.length === 0 || !values.every(Number.isFinite)) {
    return null;
  }
  const sorted = Float64Array.from(values).sort();
  const count = (sorted.length * (sorted.length + 1)) / 2;
  const lower = smallestReaching(sorted, Math.floor((count + 1) / 2));
  return count % 2 === 1 ? lower : midpoint(lower, smallestReaching(sorted, count / 2 + 1));
}

/** The k-th smallest Walsh average: the smallest number that at least k of them do not exceed, by bisection over all doubles. */
function smallestReaching(sorted: Float64Array, k: number): number {
  let low = sorted[0] ?? 0;
  let high = sorted[sorted.length - 1] ?? 0;
  if (averagesUpTo(sorted, low) >= k) {
    return low;
  }
  for (;;) {
    const middle = midpoint(low, high);
    if (middle <= low || middle >= high) {
      return high;
    }
    if (averagesUpTo(sorted, middle) >= k) {
      high = middle;
    } else {
      low = middle;
    }
  }
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
