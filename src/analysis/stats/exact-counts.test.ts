import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { equalCountsTest, exactRate, signTest } from './exact-counts.ts';

fc.configureGlobal({ seed: 1908 });

describe('sign test', () => {
  it.each(vectors.binomial_two_sided_sign)('$k of $n', ({ k, n, p_value }) => {
    expect(signTest(k, n - k) / p_value).toBeCloseTo(1, 9);
    expect(signTest(n - k, k) / p_value).toBeCloseTo(1, 9);
  });

  it('says nothing without untied values, and survives many', () => {
    expect(signTest(0, 0)).toBe(1);
    expect(signTest(5000, 5000)).toBe(1);
    // By mpmath, 40 digits.
    expect(signTest(5200, 4800) / 6.59351559867244e-5).toBeCloseTo(1, 9);
    expect(signTest(20_000, 0)).toBe(0);
    expect(signTest(500_000, 500_000)).toBe(1);
  });
});

describe('equal counts', () => {
  it('is the sign test for two cells', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.nat(60), (a, b) => {
        fc.pre(a + b > 0);
        expect(equalCountsTest([a, b])).toBeCloseTo(signTest(a, b), 10);
      }),
    );
  });

  it('agrees with listing every outcome', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 2, maxLength: 4 }), (counts) => {
        const total = counts.reduce((sum, count) => sum + count, 0);
        fc.pre(total > 0 && total <= 7);
        expect(equalCountsTest(counts)).toBeCloseTo(shareReaching(Math.max(...counts), total, counts.length), 10);
      }),
    );
  });

  it('has no answer without counts or cells', () => {
    expect(equalCountsTest([])).toBeNull();
    expect(equalCountsTest([4])).toBeNull();
    expect(equalCountsTest([0, 0])).toBeNull();
  });

  it('finds the cell that has too many', () => {
    expect(equalCountsTest([9, 0, 0])).toBeCloseTo(3 ** -8, 12);
    expect(equalCountsTest([3, 3, 3])).toBeCloseTo(1, 12);
    expect(equalCountsTest([1000, 1000, 1000, 1000])).toBeCloseTo(1, 9);
    expect(equalCountsTest([1200, 900, 900])).toBeLessThan(1e-8);
  });
});

/** Of all ways to put `total` counts into cells, the share whose largest cell has at least `largest`. */
function shareReaching(largest: number, total: number, cells: number): number {
  let reaching = 0;
  for (let code = 0; code < cells ** total; code++) {
    const counts = Array<number>(cells).fill(0);
    for (let i = 0, rest = code; i < total; i++, rest = Math.floor(rest / cells)) {
      counts[rest % cells] = (counts[rest % cells] ?? 0) + 1;
    }
    reaching += Math.max(...counts) >= largest ? 1 : 0;
  }
  return reaching / cells ** total;
}

describe('the exact interval of a rate', () => {
  // By the beta quantiles of SciPy 1.17.1.
  it.each([
    [0, 40, 0.95, 0, 0.08809730287880237],
    [1, 4, 0.95, 0.006309463209709871, 0.8058795503167565],
    [2, 40, 0.95, 0.006113646599350841, 0.16919686395941763],
    [9, 40, 0.95, 0.10839663898407204, 0.3845116773034227],
    [40, 40, 0.95, 0.9119026971211976, 1],
    [13, 200, 0.95, 0.03506070865697905, 0.10858723650381519],
    [199, 200, 0.99, 0.9634408694672215, 0.9999749376049494],
  ])('%i of %i at %d', (count, n, level, low, high) => {
    const interval = exactRate(count, n, level);
    expect(interval[0]).toBeCloseTo(low, 10);
    expect(interval[1]).toBeCloseTo(high, 10);
  });

  it('turns round with what is counted, and says nothing of nothing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.nat(300), (n, seen) => {
        const count = Math.min(seen, n);
        const [low, high] = exactRate(count, n, 0.95);
        const [missedLow, missedHigh] = exactRate(n - count, n, 0.95);
        expect(1 - high).toBeCloseTo(missedLow, 10);
        expect(1 - low).toBeCloseTo(missedHigh, 10);
        expect(low).toBeLessThanOrEqual(count / n);
        expect(high).toBeGreaterThanOrEqual(count / n);
      }),
    );
    expect(exactRate(0, 0, 0.95)).toEqual([0, 1]);
  });
});
