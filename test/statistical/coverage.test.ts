/**
 * Do the intervals cover what they say? `ASSAY_TEST_FULL=1 npx vitest run test/statistical --reporter=verbose` prints every
 * measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { describe, expect, it } from 'vitest';
import { type Estimate, intervalOf, meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { fitWithin } from '../../src/analysis/stats/fit-within.ts';
import { standardDeviation } from '../../src/analysis/stats/moments.ts';
import { upperSd } from '../../src/analysis/stats/power.ts';
import { pNotZero } from '../../src/analysis/stats/region.ts';
import { stratifiedMean } from '../../src/analysis/stats/stratified-mean.ts';
import { FEWER, LOOSER, percentage, sample, seeded } from './random.ts';

const RUNS = 20_000 / FEWER;
/** In points. The standard error of 95 % in 20,000 runs is 0.15. */
const TOLERANCE = 0.7 * LOOSER;
const EFFECT = 0.013;
const SD = 0.02;

/** Of one group. */
function slopeOf(values: readonly number[], against: readonly number[]): Estimate | null {
  return (
    fitWithin(
      values,
      against,
      sample(values.length, () => 0),
    )?.slope ?? null
  );
}

function covers(estimate: Estimate | null, truth: number): boolean {
  if (estimate === null) {
    throw new Error('no estimate');
  }
  const [low, high] = intervalOf(estimate, 0.95);
  return low <= truth && truth <= high;
}

it('the interval of independent pairs covers 95 %', async ({ annotate }) => {
  for (const n of [3, 10, 16]) {
    const { normal } = seeded(n);
    const share = percentage(RUNS, () => covers(meanEstimate(sample(n, () => EFFECT + SD * normal())), EFFECT));
    await annotate(`n = ${n}: ${share.toFixed(1)} %`);
    expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
  }
});

describe('where the second trial of a pair runs slower by one standard deviation', () => {
  const drawPairs = (normal: () => number, order: 1 | -1, n: number): number[] =>
    sample(n, () => EFFECT + order * SD + SD * normal());

  it('the plain interval of balanced orders covers at least 95 %', async ({ annotate }) => {
    for (const n of [4, 10, 16]) {
      const { normal } = seeded(100 + n);
      const share = percentage(RUNS, () =>
        covers(meanEstimate([...drawPairs(normal, 1, n / 2), ...drawPairs(normal, -1, n / 2)]), EFFECT),
      );
      await annotate(`n = ${n}: ${share.toFixed(1)} %`);
      expect(share).toBeGreaterThan(95 - TOLERANCE);
    }
  });

  it('the stratified interval of unequal counts covers 95 %, the plain one does not', async ({ annotate }) => {
    for (const [ab, ba] of [
      [8, 7],
      [12, 4],
      [2, 1],
    ] as const) {
      const { normal } = seeded(200 + ab + ba);
      let plain = 0;
      const share = percentage(RUNS, () => {
        const first = drawPairs(normal, 1, ab);
        const second = drawPairs(normal, -1, ba);
        plain += covers(meanEstimate([...first, ...second]), EFFECT) ? 100 / RUNS : 0;
        return covers(stratifiedMean(first, second), EFFECT);
      });
      await annotate(`${ab} and ${ba} pairs: stratified ${share.toFixed(1)} %, plain ${plain.toFixed(1)} %`);
      expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
      if (ab === 12) {
        expect(plain).toBeLessThan(95 - TOLERANCE);
      }
    }
  });

  it('the interval of the order effect covers 95 %', async ({ annotate }) => {
    const { normal } = seeded(300);
    const share = percentage(RUNS, () => {
      const values = [...drawPairs(normal, 1, 8), ...drawPairs(normal, -1, 6)];
      return covers(
        slopeOf(
          values,
          sample(14, (i) => (i < 8 ? 1 : -1)),
        ),
        SD,
      );
    });
    await annotate(`8 and 6 pairs: ${share.toFixed(1)} %`);
    expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
  });
});

it('the interval of a trend covers 95 %', async ({ annotate }) => {
  const { normal } = seeded(400);
  const share = percentage(RUNS, () => {
    const values = sample(16, (i) => 0.002 * i + SD * normal());
    return covers(
      slopeOf(
        values,
        sample(16, (i) => i),
      ),
      0.002,
    );
  });
  await annotate(`n = 16: ${share.toFixed(1)} %`);
  expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
});

it('the upper 80 % bound of a deviation lies above it in 80 %', async ({ annotate }) => {
  for (const n of [4, 8]) {
    const { normal } = seeded(500 + n);
    const share = percentage(RUNS, () => {
      const sd = standardDeviation(sample(n, () => SD * normal())) ?? Number.NaN;
      return (upperSd(sd, n - 1, 0.8) ?? Number.NaN) >= SD;
    });
    await annotate(`n = ${n}: ${share.toFixed(1)} %`);
    expect(Math.abs(share - 80)).toBeLessThan(LOOSER);
  }
});

describe('what the interval does not promise', () => {
  it('covers too little where neighbouring pairs resemble each other', async ({ annotate }) => {
    for (const correlation of [0.2, 0.4, 0.6]) {
      const { normal } = seeded(600 + 100 * correlation);
      const share = percentage(RUNS, () => {
        let last = normal();
        const values = sample(16, (i) => {
          last = i === 0 ? last : correlation * last + Math.sqrt(1 - correlation ** 2) * normal();
          return EFFECT + SD * last;
        });
        return covers(meanEstimate(values), EFFECT);
      });
      await annotate(`n = 16, correlation ${correlation}: ${share.toFixed(1)} %`);
      expect(share).toBeLessThan(95 - TOLERANCE);
    }
  });

  it('finds differences by chance in two pairs of values that were rounded as coarsely as they spread', async ({
    annotate,
  }) => {
    for (const n of [2, 4, 16]) {
      const { normal } = seeded(800 + n);
      const rounded = () => Math.round(100 + normal());
      const share = percentage(RUNS, () => {
        const estimate = meanEstimate(sample(n, () => Math.log(rounded() / rounded())));
        return estimate !== null && pNotZero(estimate) <= 0.05;
      });
      await annotate(`n = ${n}: a direction in ${share.toFixed(1)} %`);
      if (n === 2) {
        expect(share).toBeGreaterThan(5 + TOLERANCE);
      } else {
        expect(share).toBeLessThan(5 + TOLERANCE);
      }
    }
  });

  it('covers too little where pairs are skewed, less so with more of them', async ({ annotate }) => {
    const shares: number[] = [];
    for (const n of [4, 16, 64]) {
      const { uniform } = seeded(700 + n);
      const share = percentage(RUNS, () => covers(meanEstimate(sample(n, () => -Math.log(uniform()))), 1));
      await annotate(`n = ${n}, exponential: ${share.toFixed(1)} %`);
      shares.push(share);
    }
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeLessThan(95);
  });
});
