import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { holm } from './holm.ts';

fc.configureGlobal({ seed: 1908 });

describe('Holm', () => {
  const { p, holm: expected } = vectors.multiple_comparisons;

  it('gives the reference values, in the order given', () => {
    holm(p, 0.05).forEach((step, i) => {
      expect(step.adjusted).toBeCloseTo(expected[i] ?? Number.NaN, 12);
      expect(step.rejected).toBe((expected[i] ?? Number.NaN) <= 0.05);
    });
    const backwards = holm(p.toReversed(), 0.05).map((step) => step.adjusted);
    expect(backwards).toEqual(
      holm(p, 0.05)
        .map((step) => step.adjusted)
        .reverse(),
    );
  });

  it('gives each the level of its step', () => {
    expect(holm([0.03, 0.001, 0.5], 0.06).map((step) => step.level)).toEqual([1 - 0.06 / 2, 1 - 0.06 / 3, 1 - 0.06]);
    expect(holm([0.2, 0.3], 0.05).map((step) => step.level)).toEqual([0.975, 0.975]);
    expect(holm([0.2], 0.05)).toEqual([{ adjusted: 0.2, rejected: false, level: 0.95 }]);
    expect(holm([], 0.05)).toEqual([]);
  });

  it('rejects exactly where p is at most α of the level: decision and interval agree', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 0.2, noNaN: true }), { maxLength: 8 }), (values) => {
        holm(values, 0.05).forEach((step, i) => {
          const atLevel = 1 - step.level;
          fc.pre(Math.abs((values[i] ?? 0) - atLevel) > 1e-12);
          expect((values[i] ?? 0) < atLevel).toBe(step.rejected);
        });
      }),
    );
  });
});
