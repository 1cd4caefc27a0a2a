import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { type Estimate, intervalOf, meanEstimate, pAbove, pBelow } from './estimate.ts';
import { pInside, pNotZero, pOutside } from './region.ts';

fc.configureGlobal({ seed: 1908 });

function estimate(values: readonly number[]): Estimate {
  const result = meanEstimate(values);
  if (result === null) {
    throw new Error('no estimate');
  }
  return result;
}

describe('mean and its interval', () => {
  it.each(vectors.paired_log_ratio)('ratio of pairs: $name', ({ before, after, ...row }) => {
    const ratio = estimate(before.map((a, i) => Math.log((after[i] ?? Number.NaN) / a)));
    const [low, high] = intervalOf(ratio, 0.95);
    const [reportedLow = Number.NaN, reportedHigh = Number.NaN] = row.ci_pct;
    expect((100 * Math.expm1(ratio.value)) / row.change_pct).toBeCloseTo(1, 9);
    expect((100 * Math.expm1(low)) / reportedLow).toBeCloseTo(1, 9);
    expect((100 * Math.expm1(high)) / reportedHigh).toBeCloseTo(1, 9);
    expect(ratio.value / ratio.standardError / row.t).toBeCloseTo(1, 9);
    expect(pNotZero(ratio) / row.p_two_sided).toBeCloseTo(1, 9);
  });

  it('uses n − 1 and t: differences 1, 2, 3 are not significant', () => {
    for (const row of vectors.paired_difference) {
      const [low, high] = intervalOf(estimate(row.differences), 0.95);
      expect(low).toBeCloseTo(row.ci[0] ?? Number.NaN, 9);
      expect(high).toBeCloseTo(row.ci[1] ?? Number.NaN, 9);
      expect(pNotZero(estimate(row.differences))).toBeGreaterThan(0.05);
    }
  });

  it.each(vectors.mean_ci)('interval of the mean of $values', ({ values, mean, half_width }) => {
    const [low, high] = intervalOf(estimate(values), 0.95);
    expect((low + high) / 2 / mean).toBeCloseTo(1, 12);
    expect((high - low) / 2 / half_width).toBeCloseTo(1, 9);
  });

  it('has no estimate for fewer than two values, or one that is not finite', () => {
    for (const values of [[], [1], [1, Number.NaN], [1, Number.POSITIVE_INFINITY]]) {
      expect(meanEstimate(values)).toBeNull();
    }
  });

  it('divides by no spread', () => {
    const constant = estimate([0.5, 0.5, 0.5]);
    expect(intervalOf(constant, 0.95)).toEqual([0.5, 0.5]);
    expect(pAbove(constant, 0.4)).toBe(0);
    expect(pBelow(constant, 0.4)).toBe(1);
    expect(pNotZero(estimate([0, 0, 0]))).toBe(1);
  });
});

describe('minimum half width', () => {
  const quantum = { ...estimate([2, 2, 2, 2]), minimumHalfWidth: 3 };

  it('widens an interval that would be narrower, and takes the evidence away', () => {
    expect(intervalOf(quantum, 0.95)).toEqual([-1, 5]);
    expect(pNotZero(quantum)).toBe(1);
    expect(pNotZero({ ...quantum, minimumHalfWidth: 1 })).toBe(0);
    expect(pInside(quantum, -4, 4)).toBeGreaterThanOrEqual(0.5);
    expect(pInside(quantum, -2, 6)).toBe(0);
  });

  it('changes nothing in an interval that is wider', () => {
    const wide = estimate([1, 2, 3]);
    expect(intervalOf({ ...wide, minimumHalfWidth: 0.1 }, 0.95)).toEqual(intervalOf(wide, 0.95));
  });
});

describe('equivalence', () => {
  it.each(vectors.tost)('two one-sided tests, margin $margin', ({ log_ratios, margin, p }) => {
    const bound = Math.log1p(margin);
    expect(pInside(estimate(log_ratios), -bound, bound) / p).toBeCloseTo(1, 9);
  });

  it('is not what is left when no difference was found', () => {
    const noisy = estimate([0.2, -0.15, 0.1, -0.12]);
    expect(pNotZero(noisy)).toBeGreaterThan(0.5);
    expect(pInside(noisy, -Math.log1p(0.05), Math.log1p(0.05))).toBeGreaterThan(0.05);
  });
});

describe('intervals and p-values agree', () => {
  const values = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 2, maxLength: 12 });
  const level = fc.constantFrom(0.8, 0.95, 0.99);
  const bound = fc.double({ min: 0, max: 15, noNaN: true });
  const floor = fc.double({ min: 0, max: 5, noNaN: true });

  it('beyond a bound exactly where p is small enough', () => {
    fc.assert(
      fc.property(values, level, bound, floor, (x, l, b, minimumHalfWidth) => {
        const e = { ...estimate(x), minimumHalfWidth };
        const [low, high] = intervalOf(e, l);
        fc.pre(Math.min(Math.abs(low - b), Math.abs(high + b)) > 1e-9);
        expect(pOutside(e, -b, b) <= 1 - l).toBe(low > b || high < -b);
      }),
    );
  });

  it('inside the margin exactly where p is small enough', () => {
    fc.assert(
      fc.property(values, level, bound, floor, (x, l, b, minimumHalfWidth) => {
        const e = { ...estimate(x), minimumHalfWidth };
        const [low, high] = intervalOf(e, 2 * l - 1);
        fc.pre(Math.min(Math.abs(low + b), Math.abs(high - b)) > 1e-9);
        expect(pInside(e, -b, b) <= 1 - l).toBe(low > -b && high < b);
      }),
    );
  });

  it('swapping the sides negates the interval and keeps every p', () => {
    fc.assert(
      fc.property(values, bound, (x, b) => {
        const e = estimate(x);
        const swapped = estimate(x.map((value) => -value));
        const [low, high] = intervalOf(e, 0.95);
        const [swappedLow, swappedHigh] = intervalOf(swapped, 0.95);
        expect(swappedLow).toBeCloseTo(-high, 10);
        expect(swappedHigh).toBeCloseTo(-low, 10);
        expect(pOutside(swapped, -b, b)).toBeCloseTo(pOutside(e, -b, b), 10);
        expect(pInside(swapped, -b, b)).toBeCloseTo(pInside(e, -b, b), 10);
        expect(pAbove(swapped, b)).toBeCloseTo(pBelow(e, -b), 10);
      }),
    );
  });

  it('gives a number from 0 to 1 for any finite values', () => {
    const any = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(any, bound, (x, b) => {
        const e = meanEstimate(x);
        fc.pre(e !== null);
        for (const p of [pAbove(e, b), pBelow(e, b), pOutside(e, -b, b), pInside(e, -b, b), pNotZero(e)]) {
          expect(p).toBeGreaterThanOrEqual(0);
          expect(p).toBeLessThanOrEqual(1);
        }
        expect(intervalOf(e, 0.95).some(Number.isNaN)).toBe(false);
      }),
    );
  });
});
