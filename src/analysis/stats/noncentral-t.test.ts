import { describe, expect, it } from 'vitest';
import { tCdf } from './distributions.ts';
import { noncentralTCdf } from './noncentral-t.ts';

describe('noncentral t', () => {
  // By mpmath, 30 digits: quadrature of Φ(tw − δ) over the density of w = √(χ²/df).
  it.each([
    { t: 12.706204736174705, df: 1, delta: 3, value: 0.8138919257537149 },
    { t: -12.7, df: 1, delta: 3, value: 2.399906987073243e-5 },
    { t: 254.6, df: 1, delta: 300, value: 0.2386731052491271 },
    { t: 4.3, df: 2, delta: 4, value: 0.4350815492791891 },
    { t: 2.26, df: 9, delta: 3, value: 0.2382290244493296 },
    { t: 2.13, df: 15, delta: 2.9979, value: 0.1995993902860718 },
    { t: -2.13, df: 15, delta: 2.9979, value: 8.596287206971501e-7 },
    { t: 1.98, df: 99, delta: 2.8, value: 0.2069709858932803 },
    { t: 1.96, df: 5000, delta: 50, value: 0 },
    { t: 3, df: 3, delta: -1, value: 0.9962769529987119 },
    { t: 0, df: 7, delta: 1.5, value: 0.06680720126885807 },
    { t: 40000, df: 1, delta: 51000, value: 0.202309242132198 },
    { t: 6e8, df: 1, delta: 7.8e8, value: 0.193600969171221 },
    { t: 300, df: 2, delta: 400, value: 0.169018114490212 },
    { t: 9, df: 4, delta: 12.5, value: 0.111859186316413 },
    { t: 60, df: 4, delta: 50, value: 0.5956319237921812 },
  ])('t=$t df=$df δ=$delta', ({ t, df, delta, value }) => {
    expect(Math.abs(noncentralTCdf(t, df, delta) - value)).toBeLessThan(1e-9);
  });

  it('is Student’s t without noncentrality', () => {
    for (const df of [1, 2, 5, 30, 1000, 100_000]) {
      for (const t of [-40, -3, -0.5, 0, 1, 6]) {
        expect(Math.abs(noncentralTCdf(t, df, 0) - tCdf(t, df))).toBeLessThan(1e-9);
      }
    }
  });

  it('mirrors: P(T ≤ t; δ) = 1 − P(T ≤ −t; −δ)', () => {
    for (const [t, df, delta] of [
      [2, 3, 1],
      [-1, 9, 2.5],
      [4, 1, 8],
    ] as const) {
      expect(noncentralTCdf(t, df, delta)).toBeCloseTo(1 - noncentralTCdf(-t, df, -delta), 9);
    }
  });
});
