import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { signedRankTest } from './signed-rank.ts';

fc.configureGlobal({ seed: 1908 });

describe('signed-rank test', () => {
  it.each(vectors.wilcoxon_signed_rank)('exact for $log_ratios', (row) => {
    const result = signedRankTest(row.log_ratios);
    expect((result?.p ?? Number.NaN) / row.p_exact).toBeCloseTo(1, 12);
    if ('w_plus' in row) {
      expect(result?.wPlus).toBe(row.w_plus);
    }
  });

  it('agrees with listing every assignment of signs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 9 }), (values) => {
        fc.pre(values.some((value) => value !== 0));
        expect(signedRankTest(values)?.p).toBeCloseTo(byListing(values.filter((value) => value !== 0)), 12);
      }),
    );
  });

  it('is exact up to 50 values and close to it beyond', () => {
    const values = Array.from({ length: 51 }, (_, i) => (i % 3 === 0 ? -1 : 1) * (i + 1));
    const fifty = signedRankTest(values.slice(0, 50))?.p ?? Number.NaN;
    const fiftyOne = signedRankTest(values)?.p ?? Number.NaN;
    // By enumeration in SciPy: wilcoxon(x, method='exact') and method='approx', correction=True.
    expect(fifty).toBeCloseTo(0.03996834652842374, 12);
    expect(fiftyOne).toBeCloseTo(0.026000896360930642, 12);
  });

  it('is exact for few values that all point one way', () => {
    expect(signedRankTest([1, 2, 3, 4, 5])).toEqual({ wPlus: 15, p: 2 / 32 });
  });

  it('has no answer without a value that is not zero', () => {
    expect(signedRankTest([])).toBeNull();
    expect(signedRankTest([0, 0])).toBeNull();
    expect(signedRankTest([1, Number.NaN])).toBeNull();
  });

  it('does not care which side is which', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 70 }), (values) => {
        const swapped = signedRankTest(values.map((value) => -value));
        expect(swapped?.p).toBe(signedRankTest(values)?.p);
      }),
    );
  });
});

function byListing(values: readonly number[]): number {
  const sizes = values.map(Math.abs);
  const ranks = sizes.map((size) => {
    const below = sizes.filter((other) => other < size).length;
    const equal = sizes.filter((other) => other === size).length;
    return below + (equal + 1) / 2;
  });
  const middle = ranks.reduce((sum, rank) => sum + rank, 0) / 2;
  const seen = ranks.reduce((sum, rank, i) => ((values[i] ?? 0) > 0 ? sum + rank : sum), 0);
  let asFar = 0;
  for (let signs = 0; signs < 2 ** ranks.length; signs++) {
    const plus = ranks.reduce((sum, rank, i) => (signs & (1 << i) ? sum + rank : sum), 0);
    asFar += Math.abs(plus - middle) >= Math.abs(seen - middle) ? 1 : 0;
  }
  return asFar / 2 ** ranks.length;
}
