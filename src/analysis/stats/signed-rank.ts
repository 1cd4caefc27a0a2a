/** Wilcoxon's signed-rank test (Wilcoxon 1945): zeros dropped, midranks for ties, two-sided. */
import { normalCdf } from './distributions.ts';
import type { Values } from './moments.ts';

/** Up to here every assignment of signs is counted: 2⁵⁰ of them are exact in a double. */
const EXACT_UP_TO = 50;

/**
 * Exact for up to 50 values that are not zero; above that a normal approximation with corrections for ties and continuity.
 * Null where no value but zero is left, or one is not a number.
 */
export function signedRankTest(values: Values): { readonly wPlus: number; readonly p: number } | null {
  const plus = sortedSizes(values, 1);
  const minus = sortedSizes(values, -1);
  const count = plus.length + minus.length;
  let zeros = 0;
  for (const value of values) if (value === 0) zeros += 1;
  if (count === 0 || count + zeros < values.length) {
    return null;
  }
  const { doubledRanks, doubledPlus } = doubledMidranks(plus, minus);
  const p = count <= EXACT_UP_TO ? exact(doubledRanks, doubledPlus) : approximate(doubledRanks, doubledPlus);
  return { wPlus: doubledPlus / 2, p };
}

/** Sizes of the values of one sign, the smallest first. */
function sortedSizes(values: Values, sign: 1 | -1): Float64Array {
  const sizes = new Float64Array(values.length);
  let count = 0;
  for (const value of values) if (value * sign > 0) sizes[count++] = Math.abs(value);
  return sizes.subarray(0, count).sort();
}

/** Twice the midrank of each size, smallest first, so that all are integers; and the sum of those of positive values. */
function doubledMidranks(
  plus: Float64Array,
  minus: Float64Array,
): { readonly doubledRanks: Float64Array; readonly doubledPlus: number } {
  const doubledRanks = new Float64Array(plus.length + minus.length);
  let doubledPlus = 0;
  let first = 0;
  for (let p = 0, m = 0; first < doubledRanks.length; ) {
    const size = Math.min(plus[p] ?? Number.POSITIVE_INFINITY, minus[m] ?? Number.POSITIVE_INFINITY);
    const from = p;
    while (plus[p] === size) p++;
    while (minus[m] === size) m++;
    const end = p + m;
    // Ranks first + 1 … end, whose mean is (first + 1 + end) / 2.
    const rank = first + 1 + end;
    doubledRanks.fill(rank, first, end);
    doubledPlus += (p - from) * rank;
    first = end;
  }
  return { doubledRanks, doubledPlus };
}

/** Counts, for each sum of ranks, the assignments of signs that reach it. */
function exact(doubledRanks: Float64Array, doubledPlus: number): number {
  const total = doubledRanks.reduce((sum, rank) => sum + rank, 0);
  const ways = new Float64Array(total + 1);
  ways[0] = 1;
  for (const rank of doubledRanks) {
    for (let sum = total; sum >= rank; sum--) {
      ways[sum] = (ways[sum] ?? 0) + (ways[sum - rank] ?? 0);
    }
  }
  // The distribution is symmetric: the tail beyond the nearer end is half of the two-sided p.
  const nearer = Math.min(doubledPlus, total - doubledPlus);
  const tail = ways.subarray(0, nearer + 1).reduce((sum, count) => sum + count, 0);
  return Math.min(1, (2 * tail) / 2 ** doubledRanks.length);
}

/** Var W⁺ = ¼ Σ rank², which has the correction for ties in it. */
function approximate(doubledRanks: Float64Array, doubledPlus: number): number {
  let sum = 0;
  let squares = 0;
  for (const rank of doubledRanks) {
    sum += rank;
    squares += rank ** 2;
  }
  const middle = sum / 4;
  const variance = squares / 16;
  const distance = Math.max(0, Math.abs(doubledPlus / 2 - middle) - 0.5);
  return Math.min(1, 2 * normalCdf(-distance / Math.sqrt(variance)));
}
