import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { type Estimate, intervalOf } from './estimate.ts';
import { fitWithin } from './fit-within.ts';
import { pNotZero } from './region.ts';

fc.configureGlobal({ seed: 1908 });

/** One group, against 0, 1, 2, … */
function trendOf(values: readonly number[]): Estimate | null {
  const steps = values.map((_, i) => i);
  const zeros = values.map(() => 0);
  return fitWithin(values, steps, zeros)?.slope ?? null;
}

describe('one group against an order', () => {
  it.each(vectors.order_effect)('is half of the difference of both means', ({ ab, ba, ...row }) => {
    const values = [...ab, ...ba];
    const signs = values.map((_, i) => (i < ab.length ? 1 : -1));
    const zeros = values.map(() => 0);
    const fit = fitWithin(values, signs, zeros);
    const gamma = fit?.slope;
    if (fit == null || gamma == null) throw new Error('no slope');
    expect(gamma.value).toBeCloseTo(row.gamma, 14);
    expect(gamma.standardError / row.se).toBeCloseTo(1, 9);
    expect(gamma.df).toBe(row.df);
    const [low, high] = intervalOf(gamma, 0.95);
    expect(low / (row.ci[0] ?? Number.NaN)).toBeCloseTo(1, 9);
    expect(high / (row.ci[1] ?? Number.NaN)).toBeCloseTo(1, 9);
    expect(pNotZero(gamma) / row.p).toBeCloseTo(1, 9);
    const mean = ab.reduce((sum, value) => sum + value, 0) / ab.length;
    for (const [i, value] of ab.entries()) expect(fit.residuals[i]).toBeCloseTo(value - mean, 14);
  });
});

describe('groups', () => {
  // By NumPy: least squares with a column for each group and one for the regressor.
  const values = [1.02, 3.11, 0.97, 3.35, 1.21, 3.4, 1.3];
  const against = [1, 1, -1, -1, 1, -1, 1];
  const groups = [0, 1, 0, 1, 0, 1, 0];

  it('have levels of their own', () => {
    const fit = fitWithin(values, against, groups);
    expect(fit?.df).toBe(4);
    expect((fit?.slope?.value ?? Number.NaN) / -0.007647058823530006).toBeCloseTo(1, 9);
    expect((fit?.slope?.standardError ?? Number.NaN) / 0.07295303508915667).toBeCloseTo(1, 9);
    const squares = [...(fit?.residuals ?? [])].reduce((sum, one) => sum + one ** 2, 0);
    expect(squares / 0.1206352941176471).toBeCloseTo(1, 9);
  });

  it('without a regressor that varies in them leave residuals and no slope', () => {
    const fit = fitWithin([1, 2, 3, 5], [1, 1, -1, -1], [0, 0, 1, 1]);
    expect(fit).toEqual({ slope: null, residuals: Float64Array.of(-0.5, 0.5, -1, 1), df: 2 });
    expect(fitWithin([1, 2], [0, 1], [0, 0])?.slope).toBeNull();
    expect(fitWithin([1, 2, Number.NaN], [0, 1, 2], [0, 0, 0])).toBeNull();
  });
});

describe('trend', () => {
  it('agrees with a least-squares line', () => {
    const trend = trendOf([0.012, 0.009, 0.015, 0.011, 0.02, 0.013, 0.018, 0.022]);
    if (trend === null) {
      throw new Error('no trend');
    }
    // By SciPy: linregress(range(8), values).
    expect(trend.value / 0.0014047619047619047).toBeCloseTo(1, 9);
    expect(trend.standardError / 0.0005083393739650755).toBeCloseTo(1, 9);
    expect(trend.df).toBe(6);
    expect(pNotZero(trend) / 0.03270517165477105).toBeCloseTo(1, 9);
    const [low, high] = intervalOf(trend, 0.95);
    expect(low).toBeLessThan(trend.value);
    expect(high).toBeGreaterThan(trend.value);
  });

  it('has no answer where there is none', () => {
    for (const values of [[], [1], [1, 2], [1, 2, Number.NaN]]) {
      expect(trendOf(values)).toBeNull();
    }
    expect(trendOf([3, 3, 3])).toMatchObject({ value: 0, standardError: 0, df: 1 });
  });

  it('read backwards, changes its sign', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 30 }), (values) => {
        expect(trendOf(values.toReversed())?.value).toBeCloseTo(-(trendOf(values)?.value ?? Number.NaN), 9);
      }),
    );
  });
});
