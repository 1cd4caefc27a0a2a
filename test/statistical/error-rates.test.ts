/**
 * How often do the tests claim what is not so, and find what is? `ASSAY_TEST_FULL=1 npx vitest run test/statistical
 * --reporter=verbose` prints every measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { describe, expect, it } from 'vitest';
import { meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { equalCountsTest, signTest } from '../../src/analysis/stats/exact-counts.ts';
import { type Fit, fitWithin } from '../../src/analysis/stats/fit-within.ts';
import { holm } from '../../src/analysis/stats/holm.ts';
import { detectableShift } from '../../src/analysis/stats/power.ts';
import { pInside, pNotZero, pOutside } from '../../src/analysis/stats/region.ts';
import { lag1Autocorrelation } from '../../src/analysis/stats/serial.ts';
import { signedRankTest } from '../../src/analysis/stats/signed-rank.ts';
import { stratifiedMean } from '../../src/analysis/stats/stratified-mean.ts';
import { pairOrders, seededDraw } from '../../src/plan/order.ts';
import { FEWER, LOOSER, percentage, sample, seeded } from './random.ts';

const RUNS = 20_000 / FEWER;
/** In points: more than three standard errors of 5 % in so many runs. */
const CHANCE = 0.55 * LOOSER;
const SD = 0.02;
/** The places of one order in a group of four pairs, two of each order. */
const ARRANGEMENTS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 2],
  [1, 3],
  [2, 3],
];

function tested<T>(result: T | null): T {
  if (result === null) {
    throw new Error('no result');
  }
  return result;
}

/** Against the order of the arms. */
function fitted(values: readonly number[], firsts: readonly boolean[]): Fit {
  const signs = firsts.map((first) => (first ? 1 : -1));
  return tested(
    fitWithin(
      values,
      signs,
      sample(values.length, () => 0),
    ),
  );
}

describe('equivalence', () => {
  it('is claimed in at most 5 % where the effect lies on the margin', async ({ annotate }) => {
    const bound = Math.log1p(0.02);
    for (const [n, sd] of [
      [4, 0.005],
      [16, 0.005],
      [16, 0.02],
      [16, 0.05],
    ] as const) {
      const { normal } = seeded(n + 1000 * sd);
      const share = percentage(RUNS, () => {
        const estimate = tested(meanEstimate(sample(n, () => bound + sd * normal())));
        return pInside(estimate, -bound, bound) <= 0.05;
      });
      await annotate(`n = ${n}, sd ${sd}: ${share.toFixed(1)} %`);
      expect(share).toBeLessThan(5 + CHANCE);
    }
  });
});

describe('a direction', () => {
  it('beyond the threshold is claimed in at most 5 % where the effect lies on it', async ({ annotate }) => {
    const bound = Math.log1p(0.02);
    const { normal } = seeded(20);
    const share = percentage(RUNS, () => {
      const estimate = tested(meanEstimate(sample(16, () => bound + SD * normal())));
      return pOutside(estimate, -bound, bound) <= 0.05;
    });
    await annotate(`n = 16: ${share.toFixed(1)} %`);
    expect(share).toBeLessThan(2.5 + CHANCE);
  });

  it('is claimed of any of five unchanged metrics in at most 5 %', async ({ annotate }) => {
    const { normal } = seeded(30);
    let unadjusted = 0;
    const share = percentage(RUNS, () => {
      const p = sample(5, () => pNotZero(tested(meanEstimate(sample(8, normal)))));
      unadjusted += p.some((value) => value <= 0.05) ? 100 / RUNS : 0;
      return holm(p, 0.05).some((step) => step.rejected);
    });
    await annotate(`with Holm ${share.toFixed(1)} %, without ${unadjusted.toFixed(1)} %`);
    expect(share).toBeLessThan(5 + CHANCE);
    expect(unadjusted).toBeGreaterThan(15);
  });
});

describe('companions err in about 5 %', () => {
  it('order effect', async ({ annotate }) => {
    for (const [ab, ba] of [
      [2, 2],
      [8, 8],
      [8, 5],
    ] as const) {
      const { normal } = seeded(40 + ab + ba);
      const share = percentage(
        RUNS,
        () =>
          pNotZero(
            tested(
              fitted(
                sample(ab + ba, normal),
                Array.from({ length: ab + ba }, (_, i) => i < ab),
              ).slope,
            ),
          ) <= 0.05,
      );
      await annotate(`${ab} and ${ba} pairs: ${share.toFixed(1)} %`);
      expect(Math.abs(share - 5)).toBeLessThan(CHANCE);
    }
  });

  it('exact tests, never more', async ({ annotate }) => {
    const { normal, uniform } = seeded(50);
    const signs = percentage(RUNS, () => {
      const up = sample(16, uniform).filter((value) => value > 0.5).length;
      return signTest(up, 16 - up) <= 0.05;
    });
    const ranks = percentage(RUNS, () => tested(signedRankTest(sample(16, normal))).p <= 0.05);
    const counts = percentage(RUNS, () => {
      const cells = [0, 0, 0];
      for (let i = 0; i < 12; i++) {
        const cell = Math.ceil(3 * uniform()) - 1;
        cells[cell] = (cells[cell] ?? 0) + 1;
      }
      return tested(equalCountsTest(cells)) <= 0.05;
    });
    await annotate(
      `sign ${signs.toFixed(1)} %, signed rank ${ranks.toFixed(1)} %, equal counts ${counts.toFixed(1)} %`,
    );
    for (const share of [signs, ranks, counts]) {
      expect(share).toBeLessThan(5 + CHANCE);
      expect(share).toBeGreaterThan(1);
    }
  });

  it('the warning of correlation, |r₁| > 2/√n, comes by chance in at most 5 %', async ({ annotate }) => {
    for (const n of [6, 10, 16, 64]) {
      const { normal } = seeded(60 + n);
      const draw = seededDraw(60 + n, 0);
      const share = percentage(RUNS, () => {
        const firsts = pairOrders('a', 'b', n, draw).map(([first]) => first === 'a');
        const left = fitted(sample(n, normal), firsts).residuals;
        return Math.abs(tested(lag1Autocorrelation(left))) > 2 / Math.sqrt(n);
      });
      await annotate(`n = ${n}: ${share.toFixed(1)} %`);
      expect(share).toBeLessThan(5 + CHANCE);
    }
  });
});

describe('an order effect', () => {
  const n = 64;
  const drawOrders = (uniform: () => number): boolean[] =>
    sample(n / 4, uniform).flatMap((where) => {
      const places = ARRANGEMENTS[Math.ceil(ARRANGEMENTS.length * where) - 1] ?? [];
      return [0, 1, 2, 3].map((i) => places.includes(i));
    });

  it('looks like correlation unless the means of the orders are taken out', async ({ annotate }) => {
    const { normal, uniform } = seeded(80);
    const warns = (values: ArrayLike<number> & Iterable<number>) =>
      Math.abs(tested(lag1Autocorrelation(values))) > 2 / Math.sqrt(n);
    let raw = 0;
    const share = percentage(RUNS / 2, () => {
      const firsts = drawOrders(uniform);
      const values = firsts.map((first) => (first ? 2 : -2) + normal());
      raw += warns(values) ? 200 / RUNS : 0;
      return warns(fitted(values, firsts).residuals);
    });
    await annotate(`n = ${n}: taken out ${share.toFixed(1)} %, left in ${raw.toFixed(1)} %`);
    expect(share).toBeLessThan(5 + CHANCE);
    expect(raw).toBeGreaterThan(20);
  });

  it('takes the power from the plain interval, and none from the stratified one', async ({ annotate }) => {
    const shift = tested(detectableShift(1, 16, 0.8, 0.05));
    for (const gamma of [0, 0.5, 1, 2]) {
      const { normal } = seeded(90 + 10 * gamma);
      let stratified = 0;
      const plain = percentage(RUNS / 2, () => {
        const ab = sample(8, () => shift + gamma + normal());
        const ba = sample(8, () => shift - gamma + normal());
        stratified += pNotZero(tested(stratifiedMean(ab, ba))) <= 0.05 ? 200 / RUNS : 0;
        return pNotZero(tested(meanEstimate([...ab, ...ba]))) <= 0.05;
      });
      await annotate(`n = 16, γ = ${gamma} sd: plain ${plain.toFixed(1)} %, stratified ${stratified.toFixed(1)} %`);
      expect(stratified).toBeGreaterThan(80 - 2.5 * LOOSER);
      if (gamma === 2) {
        expect(plain).toBeLessThan(10);
      }
    }
  });
});

describe('power', () => {
  it('the smallest detectable effect is found in 80 %', async ({ annotate }) => {
    for (const n of [4, 16, 30]) {
      const { normal } = seeded(70 + n);
      const shift = tested(detectableShift(SD, n, 0.8, 0.05));
      const share = percentage(
        RUNS,
        () => pNotZero(tested(meanEstimate(sample(n, () => shift + SD * normal())))) <= 0.05,
      );
      await annotate(`n = ${n}: ${share.toFixed(1)} %`);
      expect(Math.abs(share - 80)).toBeLessThan(1.5 * LOOSER);
    }
  });
});
