import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { lag1Autocorrelation } from './serial.ts';

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
