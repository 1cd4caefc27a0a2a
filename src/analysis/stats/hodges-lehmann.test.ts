import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../../test/draws.ts';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { hodgesLehmann } from './hodges-lehmann.ts';

fc.configureGlobal({ seed: 1908 });

describe('Hodges–Lehmann estimate', () => {
  it.each(vectors.hodges_lehmann)('of $values', ({ values, value }) => {
    expect((hodgesLehmann(values) ?? Number.NaN) / value).toBeCloseTo(1, 9);
  });

  it('is the median of all averages, listed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 20 }),
        (x) => {
          expect(hodgesLehmann(x)).toBeCloseTo(byListing(x), 10);
        },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 20 }), (x) => {
        expect(hodgesLehmann(x)).toBe(byListing(x) + 0);
      }),
    );
  });

  it('of more averages than are written down', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    const shapes = [
      fc.array(finite, { minLength: 60, maxLength: 120 }),
      fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 60, maxLength: 120 }),
      // Of which many are equal, and some lie far away.
      fc.array(fc.oneof({ weight: 30, arbitrary: fc.integer({ min: -4, max: 4 }) }, finite), {
        minLength: 60,
        maxLength: 120,
      }),
      fc.array(fc.constantFrom(-Number.MAX_VALUE, -1e-9, -0, 0, 1e-9, 2e-9, 1, 1 + Number.EPSILON, Number.MAX_VALUE), {
        minLength: 60,
        maxLength: 120,
      }),
    ];
    fc.assert(
      fc.property(fc.oneof(...shapes), (x) => {
        const expected = byListing(x);
        const found = hodgesLehmann(x) ?? Number.NaN;
        expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-15 * Math.abs(expected) + 1e-323);
      }),
      { numRuns: draws(300) },
    );
  });

  it('follows a shift and a change of sign', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -99, max: 99 }), { minLength: 1, maxLength: 40 }), (x) => {
        const estimate = hodgesLehmann(x) ?? Number.NaN;
        expect(hodgesLehmann(x.map((value) => value + 1000))).toBeCloseTo(estimate + 1000, 9);
        expect(hodgesLehmann(x.map((value) => -value))).toBeCloseTo(-estimate, 9);
      }),
    );
  });

  it('writes no averages down: a hundred thousand values', () => {
    const n = 100_001;
    expect(hodgesLehmann(Array.from({ length: n }, (_, i) => (i * 7919) % n))).toBe((n - 1) / 2);
  });

  it('has no answer where there is none', () => {
    expect(hodgesLehmann([])).toBeNull();
    expect(hodgesLehmann([1, Number.NaN])).toBeNull();
    expect(hodgesLehmann([1, Number.POSITIVE_INFINITY])).toBeNull();
  });
});

function byListing(values: readonly number[]): number {
  const averages = values.flatMap((a, i) => values.slice(i).map((b) => a / 2 + b / 2)).sort((a, b) => a - b);
  const upper = averages[Math.floor(averages.length / 2)] ?? Number.NaN;
  const lower = averages[Math.floor((averages.length - 1) / 2)] ?? Number.NaN;
  return lower / 2 + upper / 2;
}
