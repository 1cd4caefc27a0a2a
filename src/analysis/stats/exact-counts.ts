/** Exact tests of counts that ought to be equal, and of how often something happens. */

/** Two-sided sign test of `up` against `down`, ties left out: 2 · P(X ≤ the smaller), X binomial with ½. 1 where both are zero. */
export function signTest(up: number, down: number): number {
  const n = up + down;
  return Math.min(1, 2 * binomialUpperTail(Math.max(up, down), n, 0.5));
}

/**
 * Exact test that every cell is equally likely, given the total, against "one cell has too many": P(largest count ≥ the one
 * seen), multinomial. For two cells it is the two-sided sign test. Null for fewer than two cells or without counts.
 */
export function equalCountsTest(counts: readonly number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const largest = Math.max(0, ...counts);
  if (counts.length < 2 || total === 0) {
    return null;
  }
  // Cell by cell: of the `left` counts not yet placed, the next of `cells` equal cells gets a binomial share of 1/cells.
  let reached = 0;
  let chance = new Float64Array(total + 1);
  chance[total] = 1;
  for (let cells = counts.length; cells > 1; cells--) {
    const next = new Float64Array(total + 1);
    for (let left = 0; left <= total; left++) {
      const weight = chance[left] ?? 0;
      if (weight === 0) {
        continue;
      }
      reached += weight * binomialUpperTail(largest, left, 1 / cells);
      let logarithm = left * Math.log1p(-1 / cells);
      for (let taken = 0; taken < largest && taken <= left; taken++) {
        next[left - taken] = (next[left - taken] ?? 0) + weight * Math.exp(logarithm);
        logarithm += Math.log((left - taken) / (taken + 1) / (cells - 1));
      }
    }
    chance = next;
  }
  // The last cell gets all that is left.
  reached += chance.subarray(largest).reduce((sum, weight) => sum + weight, 0);
  return Math.min(1, reached);
}

/**
 * Exact confidence interval of a rate of which `count` of `n` were seen (Clopper & Pearson 1934): the rates that a one-sided test at
 * (1 − level)/2 does not reject, on either side. Of nothing seen: all rates.
 */
export function exactRate(count: number, n: number, level: number): readonly [low: number, high: number] {
  const tail = (1 - level) / 2;
  const low = count === 0 ? 0 : rateWhere((rate) => binomialUpperTail(count, n, rate) >= tail);
  // As many misses as hits: P(X ≤ k) of one is P(Y ≥ n − k) of the other.
  const high = count === n ? 1 : 1 - rateWhere((rate) => binomialUpperTail(n - count, n, rate) >= tail);
  return [low, high];
}

/** The rate from which on a statement holds that is false at 0 and true at 1, by bisection. */
function rateWhere(holds: (rate: number) => boolean): number {
  let [low, high] = [0, 1];
  while (high - low > Number.EPSILON * high) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) {
      break;
    }
    [low, high] = holds(middle) ? [low, middle] : [middle, high];
  }
  return (low + high) / 2;
}

/** P(X ≥ k) for X binomial, summed from the term nearest to the middle outwards. */
function binomialUpperTail(k: number, n: number, p: number): number {
  if (k > n) {
    return 0;
  }
  return k > n * p ? tailFrom(k, n, p) : 1 - (k === 0 ? 0 : tailFrom(n - k + 1, n, 1 - p));
}

/** P(X ≥ k) for k above the mean, where each term is smaller than the one before. */
function tailFrom(k: number, n: number, p: number): number {
  // By logarithms: no factorial overflows.
  let logarithm = k * Math.log(p) + (n - k) * Math.log1p(-p);
  for (let j = 1; j <= n - k; j++) {
    logarithm += Math.log((k + j) / j);
  }
  let term = Math.exp(logarithm);
  let sum = term;
  for (let j = k; j < n && term > 0; j++) {
    term *= ((n - j) / (j + 1)) * (p / (1 - p));
    sum += term;
  }
  return sum;
}
