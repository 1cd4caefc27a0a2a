/** Wilcoxon's signed-rank test (Wilcoxon 1945): zeros dropped, midranks for ties, two-sided. */
import { normalCdf } from './distributions.ts';

/** Up to here every assignment of signs is counted: 2⁵⁰ of them are exact in a double. */
const EXACT_UP_TO = 50;

/**
 * Exact for up to 50 values that are not zero; above that a normal approximation with corrections for ties and continuity.
 * Null where no value but zero is left, or one is not a number.
 */
export function signedRankTest(values: readonly number[]): { readonly wPlus: number; readonly p: number } | null {
  const rest = values.filter((value) => value !== 0).sort((a, b) => Math.abs(a) - Math.abs(b));
  if (rest.length === 0 || rest.some(Number.isNaN)) {
    return null;
  }
  const doubledRanks = doubledMidranks(rest);
  const doubledPlus = doubledRanks.reduce((sum, rank, i) => ((rest[i] ?? 0) > 0 ? sum + rank : sum), 0);
  const p = rest.length <= EXACT_UP_TO ? exact(doubledRanks, doubledPlus) : approximate(doubledRanks, doubledPlus);
  return { wPlus: doubledPlus / 2, p };
}

/** Twice the midrank of each value, so that all are integers. `sorted` is by absolute value. */
function doubledMidranks(sorted: readonly number[]): number[] {
  const ranks: number[] = [];
  for (let first = 0; first < sorted.length; ) {
    const size = Math.abs(sorted[first] ?? 0);
    let end = first;
    while (end < sorted.length && Math.abs(sorted[end] ?? 0) === size) {
      end++;
    }
    // Ranks first + 1 … end, whose mean is (first + 1 + end) / 2.
    for (let i = first; i < end; i++) {
      ranks.push(first + 1 + end);
    }
    first = end;
  }
  return ranks;
}

/** Counts, for each sum of ranks, the assignments of signs that reach it. */
function exact(doubledRanks: readonly number[], doubledPlus: number): number {
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
function approximate(doubledRanks: readonly number[], doubledPlus: number): number {
  const middle = doubledRanks.reduce((sum, rank) => sum + rank, 0) / 4;
  const variance = doubledRanks.reduce((sum, rank) => sum + rank ** 2, 0) / 16;
  const distance = Math.max(0, Math.abs(doubledPlus / 2 - middle) - 0.5);
  return Math.min(1, 2 * normalCdf(-distance / Math.sqrt(variance)));
}
