import { describe, expect, it } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { firstBounded, logEvidence, type SequenceState, sequenceHalfWidth } from './confidence-sequence.ts';
import { intervalOf, pAbove, pBelow, sequentialEstimate } from './estimate.ts';
import { mean, standardDeviation } from './moments.ts';
import { pOutside } from './region.ts';

function stateOf(values: readonly number[], c2: number): SequenceState & { readonly mean: number } {
  return { n: values.length, mean: mean(values) ?? Number.NaN, sd: standardDeviation(values) ?? Number.NaN, c2 };
}

describe('anytime-valid t', () => {
  it.each(vectors.anytime_valid_t.rows.map((row, index) => ({ ...row, index })))(
    'evidence and sequence of row $index',
    ({ log_ratios, c2, alpha, log_e_at_zero, cs }) => {
      const state = stateOf(log_ratios, c2);
      expect(logEvidence(state, state.mean) / log_e_at_zero).toBeCloseTo(1, 8);
      const half = sequenceHalfWidth(state, alpha);
      const [low, high] = cs;
      if (typeof low !== 'number' || typeof high !== 'number') {
        expect(half).toBe(Number.POSITIVE_INFINITY);
        expect(log_ratios.length).toBeLessThan(firstBounded(c2, alpha));
      } else {
        expect((state.mean - half) / low).toBeCloseTo(1, 6);
        expect((state.mean + half) / high).toBeCloseTo(1, 6);
        expect(log_ratios.length).toBeGreaterThanOrEqual(firstBounded(c2, alpha));
      }
    },
  );

  it('the interval holds exactly the means that the evidence is not against', () => {
    const values = [0.8, 1.1, 0.9, 1.3, 0.7, 1.2, 1.05];
    const state = stateOf(values, 1);
    const half = sequenceHalfWidth(state, 0.05);
    for (const side of [-1, 1]) {
      expect(logEvidence(state, side * half)).toBeCloseTo(Math.log(20), 9);
      expect(logEvidence(state, side * half * 0.99)).toBeLessThan(Math.log(20));
      expect(logEvidence(state, side * half * 1.01)).toBeGreaterThan(Math.log(20));
    }
  });

  it('values without spread give no bound and no evidence', () => {
    const state = stateOf([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], 1);
    expect(sequenceHalfWidth(state, 0.05)).toBe(Number.POSITIVE_INFINITY);
    expect(logEvidence(state, 0.5)).toBe(0);
  });

  it('agrees with the p-values that verdicts are read from', () => {
    const estimate = sequentialEstimate([0.02, 0.03, 0.025, 0.04, 0.03, 0.035, 0.02, 0.03], 1);
    if (estimate === null) throw new Error('no estimate');
    const [low, high] = intervalOf(estimate, 0.95);
    expect(pOutside(estimate, low, low)).toBeCloseTo(0.05, 9);
    expect(pOutside(estimate, high, high)).toBeCloseTo(0.05, 9);
    expect(pAbove(estimate, low)).toBeCloseTo(0.025, 9);
    expect(pBelow(estimate, low)).toBeCloseTo(0.975, 9);
  });
});
