import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { chiSquareQuantile, normalCdf, tCdf, tQuantile } from './distributions.ts';

function relativeError(actual: number, expected: number): number {
  return expected === 0 ? Math.abs(actual) : Math.abs(actual / expected - 1);
}

describe('distributions', () => {
  it.each(vectors.t_quantile)('t quantile p=$p df=$df', ({ p, df, value }) => {
    expect(relativeError(tQuantile(p, df), value)).toBeLessThan(1e-12);
    expect(relativeError(tQuantile(1 - p, df), -value)).toBeLessThan(1e-12);
  });

  it.each(vectors.t_cdf)('t distribution t=$t df=$df', ({ t, df, value }) => {
    expect(relativeError(tCdf(t, df), value)).toBeLessThan(1e-12);
  });

  it.each(vectors.normal_quantile)('normal distribution p=$p', ({ p, value }) => {
    expect(relativeError(normalCdf(value), p)).toBeLessThan(1e-12);
  });

  // By mpmath, 40 digits.
  it.each([
    { p: 0.2, df: 1, value: 0.0641847546673016 },
    { p: 0.2, df: 15, value: 10.306959006625286 },
    { p: 0.2, df: 99, value: 87.0052119108777 },
    { p: 0.2, df: 500, value: 473.2098530716727 },
    { p: 0.2, df: 999, value: 961.1991397603393 },
  ])('χ² quantile p=$p df=$df', ({ p, df, value }) => {
    expect(relativeError(chiSquareQuantile(p, df), value)).toBeLessThan(1e-12);
  });

  it('keeps the relative precision of a far tail', () => {
    // By mpmath: P(T ≤ −16.16014…) with 15 degrees of freedom, half of the reference p.
    const [row] = vectors.paired_log_ratio;
    expect(relativeError(2 * tCdf(-(row?.t ?? 0), 15), row?.p_two_sided ?? 0)).toBeLessThan(1e-9);
  });

  it('refuses what has no answer', () => {
    for (const p of [0, 1, -0.1, Number.NaN]) {
      expect(() => tQuantile(p, 3)).toThrow(RangeError);
      expect(() => chiSquareQuantile(p, 3)).toThrow(RangeError);
    }
    for (const df of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => tQuantile(0.5, df)).toThrow(RangeError);
      expect(() => tCdf(0, df)).toThrow(RangeError);
      expect(() => chiSquareQuantile(0.5, df)).toThrow(RangeError);
    }
    expect(() => tCdf(Number.NaN, 3)).toThrow(RangeError);
    expect(() => normalCdf(Number.NaN)).toThrow(RangeError);
  });
});
