import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { intervalOf } from './estimate.ts';
import { pNotZero } from './region.ts';
import { halfDifference, stratifiedMean, withoutGroupMeans } from './two-groups.ts';

fc.configureGlobal({ seed: 1908 });

describe('two groups', () => {
  it.each(vectors.order_effect)('half difference and stratified mean', ({ ab, ba, ...row }) => {
    const gamma = halfDifference(ab, ba);
    const effect = stratifiedMean(ab, ba);
    if (gamma === null || effect === null) {
      throw new Error('no estimate');
    }
    expect(gamma.value).toBeCloseTo(row.gamma, 14);
    expect(gamma.standardError / row.se).toBeCloseTo(1, 9);
    expect(gamma.df).toBe(row.df);
    const [low, high] = intervalOf(gamma, 0.95);
    expect(low / (row.ci[0] ?? Number.NaN)).toBeCloseTo(1, 9);
    expect(high / (row.ci[1] ?? Number.NaN)).toBeCloseTo(1, 9);
    expect(pNotZero(gamma) / row.p).toBeCloseTo(1, 9);
    expect(effect.value).toBeCloseTo(row.effect, 14);
    expect(effect.df).toBe(row.df);
  });

  it('weighs both groups the same where their sizes differ', () => {
    const effect = stratifiedMean([1, 1.2, 0.8, 1], [3, 3.2]);
    expect(effect?.value).toBeCloseTo(2.05, 12);
    expect(effect?.df).toBe(4);
  });

  it('has no answer where there is none', () => {
    for (const [a, b] of [
      [[], [1, 2]],
      [[1], [2]],
      [[1, 2], []],
      [[1, 2], [Number.NaN]],
    ] as const) {
      expect(stratifiedMean(a, b)).toBeNull();
      expect(halfDifference(a, b)).toBeNull();
    }
    expect(halfDifference([1], [2, 4])?.df).toBe(1);
  });

  it('takes the means of the groups out, in place', () => {
    expect(withoutGroupMeans([1, 10, 3, 14], [true, false, true, false])).toEqual([-1, -2, 1, 2]);
    expect(withoutGroupMeans([1, 3], [true, true])).toEqual([-1, 1]);
    expect(withoutGroupMeans([], [])).toEqual([]);
    expect(withoutGroupMeans([1, Number.NaN], [true, false])).toBeNull();
  });

  it('swapping the groups keeps the mean and negates the difference', () => {
    const group = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(group, group, (a, b) => {
        expect(stratifiedMean(b, a)?.value).toBeCloseTo(stratifiedMean(a, b)?.value ?? Number.NaN, 12);
        expect(halfDifference(b, a)?.value).toBeCloseTo(-(halfDifference(a, b)?.value ?? Number.NaN), 12);
        expect(halfDifference(b, a)?.standardError).toBeCloseTo(halfDifference(a, b)?.standardError ?? Number.NaN, 12);
      }),
    );
  });
});
