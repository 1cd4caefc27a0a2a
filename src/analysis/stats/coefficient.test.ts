import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { coefficientOfVariation, vangelInterval } from './coefficient.ts';

describe('the coefficient of variation', () => {
  it.each(vectors.coefficient_of_variation)('of $values', ({ values, cv }) => {
    expect(coefficientOfVariation(values, 'sample')).toBeCloseTo(cv, 12);
    expect(coefficientOfVariation(values, 'population')).toBeCloseTo(cv * Math.sqrt(2 / 3), 12);
  });

  it('is none where there is none', () => {
    for (const values of [[], [5], [1, -1], [-1, -2], [0, 0], [1, Number.NaN], [1, Number.POSITIVE_INFINITY]]) {
      expect(coefficientOfVariation(values, 'sample')).toBeNull();
      expect(coefficientOfVariation(values, 'population')).toBeNull();
    }
  });
});

describe("Vangel's interval", () => {
  it.each(vectors.cv_interval_vangel)('of $cv at n = $n', ({ cv, n, level, ci }) => {
    const interval = vangelInterval(cv, n, level);
    expect(interval?.low).toBeCloseTo(ci[0] ?? Number.NaN, 10);
    expect(interval?.high).toBeCloseTo(ci[1] ?? Number.NaN, 10);
  });

  it('has no upper end where three values set none, and is none without a spread', () => {
    expect(vangelInterval(0.27, 3, 0.95)?.high).toBeGreaterThan(1);
    expect(vangelInterval(0.29, 3, 0.95)).toEqual({ low: expect.any(Number), high: null });
    expect(vangelInterval(0, 3, 0.95)).toBeNull();
    expect(vangelInterval(0.1, 1, 0.95)).toBeNull();
  });
});
