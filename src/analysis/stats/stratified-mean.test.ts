import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { stratifiedMean } from './stratified-mean.ts';

fc.configureGlobal({ seed: 1908 });

describe('the stratified mean', () => {
  it.each(vectors.order_effect)('of both orders', ({ ab, ba, ...row }) => {
    const effect = stratifiedMean(ab, ba);
    expect(effect?.value).toBeCloseTo(row.effect, 14);
    // That of half the difference of both means.
    expect((effect?.standardError ?? Number.NaN) / row.se).toBeCloseTo(1, 9);
    expect(effect?.df).toBe(row.df);
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
    }
    expect(stratifiedMean([1], [2, 4])?.df).toBe(1);
  });

  it('swapping the groups changes nothing', () => {
    const group = fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { minLength: 2, maxLength: 9 });
    fc.assert(
      fc.property(group, group, (a, b) => {
        expect(stratifiedMean(b, a)?.value).toBeCloseTo(stratifiedMean(a, b)?.value ?? Number.NaN, 12);
        expect(stratifiedMean(b, a)?.standardError).toBeCloseTo(stratifiedMean(a, b)?.standardError ?? Number.NaN, 12);
      }),
    );
  });
});
