import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { seeded } from '../../../test/statistical/random.ts';
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

  it.each([
    [3, 0.02],
    [3, 0.3],
    [10, 0.1],
  ])('of %i values covers the true coefficient %d as often as it says', (n, cv) => {
    const random = seeded(20260102);
    const runs = 4000;
    let covered = 0;
    for (let run = 0; run < runs; run += 1) {
      const values = Array.from({ length: n }, () => 1 + cv * random.normal());
      const interval = vangelInterval(coefficientOfVariation(values, 'sample') ?? Number.NaN, n, 0.95);
      if (interval !== null && interval.low <= cv && cv <= (interval.high ?? Infinity)) covered += 1;
    }
    expect(covered / runs).toBeGreaterThan(0.94);
    expect(covered / runs).toBeLessThan(0.96);
  });

  it('has no upper end where three values set none, and is none without a spread', () => {
    expect(vangelInterval(0.27, 3, 0.95)?.high).toBeGreaterThan(1);
    expect(vangelInterval(0.29, 3, 0.95)).toEqual({ low: expect.any(Number), high: null });
    expect(vangelInterval(0, 3, 0.95)).toBeNull();
    expect(vangelInterval(0.1, 1, 0.95)).toBeNull();
  });
});
