import { describe, expect, it } from 'vitest';
import { seeded } from '../../../test/statistical/random.ts';
import { alikeP, logRatioInterval, logSpreadRatio, type SpreadPair } from './log-variance.ts';
import { standardDeviation } from './moments.ts';

describe('spreads compared over several quantities', () => {
  it('agrees with digamma, trigamma and the normal distribution of SciPy 1.17', () => {
    const estimate = logSpreadRatio([
      { sd: [2, 1], n: [3, 3] },
      { sd: [1.5, 1], n: [4, 6] },
      { sd: [0.8, 1], n: [10, 3] },
    ]);
    if (estimate === null) throw new Error('there is an estimate');
    expect(estimate.value).toBeCloseTo(0.24079488718728145, 12);
    expect(estimate.standardError).toBeCloseTo(0.42845611924380456, 12);
    expect(alikeP(estimate)).toBeCloseTo(0.5741119670380084, 12);
    const [low, high] = logRatioInterval(estimate, 0.95);
    expect(low).toBeCloseTo(-0.5989636754863742, 10);
    expect(high).toBeCloseTo(1.080553449860937, 10);
  });

  it('has no answer without two spreads', () => {
    expect(logSpreadRatio([])).toBeNull();
    for (const sd of [0, -1, Number.NaN]) expect(logSpreadRatio([{ sd: [1, sd], n: [3, 3] }])).toBeNull();
    expect(logSpreadRatio([{ sd: [1, 1], n: [1, 3] }])).toBeNull();
  });

  it('covers the true ratio as often as it says, from three values on, also of unequal numbers', () => {
    const random = seeded(20260101);
    const sample = (sd: number, n: number) =>
      standardDeviation(Array.from({ length: n }, () => sd * random.normal())) ?? Number.NaN;
    const runs = 4000;
    let covered = 0;
    for (let run = 0; run < runs; run += 1) {
      const pairs = Array.from({ length: 8 }, (_, step): SpreadPair => {
        const scale = 10 ** (step % 3);
        return { sd: [sample(2 * scale, 3), sample(scale, 5)], n: [3, 5] };
      });
      const [low, high] = logRatioInterval(logSpreadRatio(pairs) ?? { value: 0, standardError: 0 }, 0.95);
      if (low <= Math.LN2 && Math.LN2 <= high) covered += 1;
    }
    expect(covered / runs).toBeGreaterThan(0.94);
    expect(covered / runs).toBeLessThan(0.96);
  });
});
