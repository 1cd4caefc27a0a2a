import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { intervalOf } from './estimate.ts';
import { pNotZero } from './region.ts';
import { lag1Autocorrelation, linearTrend } from './serial.ts';

fc.configureGlobal({ seed: 1908 });

describe('lag-1 autocorrelation', () => {
  it.each(vectors.autocorrelation)('reference value', ({ values, lag1 }) => {
    expect((lag1Autocorrelation(values) ?? Number.NaN) / lag1).toBeCloseTo(1, 9);
  });

  it('has no answer where there is none', () => {
    for (const values of [[], [1], [1, 2], [3, 3, 3, 3], [1, 2, Number.NaN]]) {
      expect(lag1Autocorrelation(values)).toBeNull();
    }
  });

  it('lies between −1 and 1 and does not care about shift and scale', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 30 }), (values) => {
        const r = lag1Autocorrelation(values);
        fc.pre(r !== null);
        expect(Math.abs(r)).toBeLessThanOrEqual(1);
        expect(lag1Autocorrelation(values.map((value) => 7 - 3 * value))).toBeCloseTo(r, 9);
      }),
    );
  });
});

describe('trend', () => {
  it('agrees with a least-squares line', () => {
    const trend = linearTrend([0.012, 0.009, 0.015, 0.011, 0.02, 0.013, 0.018, 0.022]);
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
      expect(linearTrend(values)).toBeNull();
    }
    expect(linearTrend([3, 3, 3])).toMatchObject({ value: 0, standardError: 0, df: 1 });
  });

  it('read backwards, changes its sign', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 3, maxLength: 30 }), (values) => {
        expect(linearTrend(values.toReversed())?.value).toBeCloseTo(-(linearTrend(values)?.value ?? Number.NaN), 9);
      }),
    );
  });
});
