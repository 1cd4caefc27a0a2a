import { describe, expect, it, vi } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import * as distributions from './distributions.ts';
import { chanceToFind, criticalT, detectableShift, powerOf, upperSd, valuesNeeded } from './power.ts';

describe('planning', () => {
  it.each(vectors.pairs_needed)('pairs for $effect at $log_sd', ({ log_sd, effect, power, alpha, ...row }) => {
    const shift = Math.log1p(effect);
    expect(valuesNeeded(shift, log_sd, power, alpha)).toBe(row.pairs);
    expect(Math.abs(powerOf(shift, log_sd, row.pairs, alpha) - row.achieved_power)).toBeLessThan(1e-9);
  });

  it.each(vectors.minimum_detectable_effect)('detectable with $pairs pairs at $log_sd', (row) => {
    const shift = detectableShift(row.log_sd, row.pairs, row.power, row.alpha) ?? Number.NaN;
    expect(Math.abs(Math.expm1(shift) / row.effect - 1)).toBeLessThan(row.rtol);
  });

  it.each(vectors.planning_sd_upper_80)('upper bound of a deviation from $n values', ({ n, factor }) => {
    expect((upperSd(0.02, n - 1, 0.8) ?? Number.NaN) / 0.02 / factor).toBeCloseTo(1, 9);
  });

  it('finds the detectable shift in a bounded number of steps, however few values and however small α', () => {
    // One that nobody else asks for: what is known needs no steps.
    const power = 0.79;
    for (const n of [2, 3, 4, 7, 16, 64, 999]) {
      for (const alpha of [0.4, 0.05, 0.01, 1e-4, 1e-6, 1e-9]) {
        const evaluations = vi.spyOn(distributions, 'normalCdf');
        const shift = detectableShift(1, n, power, alpha) ?? Number.NaN;
        expect(evaluations.mock.calls.length, `n = ${n}, α = ${alpha}`).toBeLessThan(60_000);
        evaluations.mockRestore();
        expect(Math.abs(powerOf(shift, 1, n, alpha) - power)).toBeLessThan(1e-7);
      }
    }
  });

  it('does not care about the sign of the shift', () => {
    expect(valuesNeeded(-0.02, 0.02, 0.8, 0.05)).toBe(valuesNeeded(0.02, 0.02, 0.8, 0.05));
  });

  it('finds the fewest values', () => {
    for (const shift of [0.3, 0.011, 0.0052]) {
      const n = valuesNeeded(shift, 0.02, 0.8, 0.05) ?? Number.NaN;
      expect(powerOf(shift, 0.02, n, 0.05)).toBeGreaterThanOrEqual(0.8);
      if (n > 2) {
        expect(powerOf(shift, 0.02, n - 1, 0.05)).toBeLessThan(0.8);
      }
    }
  });

  it('has the size α where nothing is shifted', () => {
    expect(powerOf(0, 1, 12, 0.05)).toBeCloseTo(0.05, 9);
  });

  it('finds nothing on the wrong side: half of α, where next to nothing is shifted', () => {
    const chance = (shift: number) => chanceToFind(criticalT(0.05), shift, 1, 12);
    expect(chance(1e-9)).toBeCloseTo(0.025, 6);
    for (const shift of [0.05, 0.3, 1]) {
      // By the two-sided test both sides together, of which the other is the tail of a shift that is as large there.
      expect(chance(shift)).toBeLessThan(powerOf(shift, 1, 12, 0.05));
      expect(chance(-shift)).toBe(chance(shift));
    }
    expect(chance(1)).toBeCloseTo(powerOf(1, 1, 12, 0.05), 5);
    expect(chanceToFind(criticalT(0.05), 1, 1, 1)).toBe(0);
  });

  it('has no answer where there is none', () => {
    expect(detectableShift(0, 16, 0.8, 0.05)).toBeNull();
    expect(detectableShift(0.02, 1, 0.8, 0.05)).toBeNull();
    expect(upperSd(0.02, 0, 0.8)).toBeNull();
    expect(valuesNeeded(0, 0.02, 0.8, 0.05)).toBeNull();
    expect(valuesNeeded(0.01, 0, 0.8, 0.05)).toBeNull();
    expect(valuesNeeded(1e-9, 0.5, 0.8, 0.05)).toBeNull();
  });
});
