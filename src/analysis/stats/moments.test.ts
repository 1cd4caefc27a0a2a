import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { mean, median, standardDeviation } from './moments.ts';

fc.configureGlobal({ seed: 1908 });

describe('moments', () => {
  it.each(vectors.paired_log_ratio)('means and spread: $name', ({ before, after, ...row }) => {
    const logRatios = before.map((a, i) => Math.log((after[i] ?? Number.NaN) / a));
    expect(mean(before)).toBeCloseTo(row.mean_before, 12);
    expect(mean(after)).toBeCloseTo(row.mean_after, 12);
    expect(mean(logRatios)).toBeCloseTo(row.log_mean, 12);
    expect(standardDeviation(logRatios)).toBeCloseTo(row.log_sd, 12);
  });

  it.each(vectors.coefficient_of_variation)('sample deviation of $values', ({ values, cv }) => {
    expect((standardDeviation(values) ?? Number.NaN) / (mean(values) ?? Number.NaN)).toBeCloseTo(cv, 12);
  });

  it.each(vectors.percentiles_type7)('median of $values', ({ values, p50 }) => {
    expect(median(values)).toBe(p50);
    expect(median([...values, 1000, 1e9])).toBe(p50);
    expect(median([...values, 1780])).toBe((1620 + 1700.5) / 2);
  });

  it('has no answer where there is none', () => {
    expect(median([])).toBeNull();
    expect(median([1, Number.NaN, 2])).toBeNull();
    expect(mean([])).toBeNull();
    expect(standardDeviation([])).toBeNull();
    expect(standardDeviation([1])).toBeNull();
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(mean([bad])).toBeNull();
      expect(mean([1, bad])).toBeNull();
      expect(standardDeviation([1, bad, 3])).toBeNull();
    }
  });

  it('finds no spread in equal values, and a spread in nearly equal ones', () => {
    expect(standardDeviation(Array(7).fill(0.1))).toBe(0);
    expect(mean(Array(7).fill(0.1))).toBe(0.1);
    expect(standardDeviation([1, 1, 1.0000001])).toBeCloseTo(5.7735e-8, 12);
  });

  it('survives a large offset and extreme sizes', () => {
    expect(standardDeviation([1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16])).toBeCloseTo(Math.sqrt(30), 9);
    expect(standardDeviation([1e200, 3e200])).toBeCloseTo(Math.SQRT2 * 1e200, -190);
    expect(standardDeviation([1e-200, 3e-200])).toBeGreaterThan(1.4e-200);
    expect(mean([1e16, 1, -1e16])).toBeCloseTo(1 / 3, 15);
  });

  it('follows shift and scale, whatever the values', () => {
    const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(
        values,
        fc.integer({ min: -8, max: 8 }),
        fc.double({ min: -1e3, max: 1e3, noNaN: true }),
        (x, k, c) => {
          const moved = x.map((value) => value * k + c);
          expect(Math.abs((mean(moved) ?? Number.NaN) - ((mean(x) ?? Number.NaN) * k + c))).toBeLessThan(1e-9);
          const expected = (standardDeviation(x) ?? Number.NaN) * Math.abs(k);
          expect(Math.abs((standardDeviation(moved) ?? Number.NaN) - expected)).toBeLessThan(1e-9);
        },
      ),
    );
  });

  it('is a finite number or null for any doubles at all', () => {
    fc.assert(
      fc.property(fc.array(fc.double()), (values) => {
        for (const result of [mean(values), standardDeviation(values)]) {
          expect(result === null || Number.isFinite(result)).toBe(true);
        }
      }),
    );
  });
});
