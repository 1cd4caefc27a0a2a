/**
 * Do controls fail by chance as seldom as they say, and do intervals over builds cover? `ASSAY_TEST_FULL=1 npx vitest run
 * test/statistical --reporter=verbose` prints every measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { expect, it } from 'vitest';
import type { PairValue } from '../../src/analysis/analysis.ts';
import { buildEstimate, buildMeans } from '../../src/analysis/builds.ts';
import { differenceOf } from '../../src/analysis/stats/difference.ts';
import { type Estimate, intervalOf, meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { holm } from '../../src/analysis/stats/holm.ts';
import { pNotZero } from '../../src/analysis/stats/region.ts';
import { FEWER, LOOSER, percentage, sample, seeded } from './random.ts';

const RUNS = 10_000 / FEWER;
/** In points. The standard error of 95 % in 10,000 runs is 0.22. */
const TOLERANCE = 0.7 * LOOSER;
const EFFECT = 0.013;
const SD = 0.004;

function covers(estimate: Estimate | null, truth: number): boolean {
  if (estimate === null) throw new Error('no estimate');
  const [low, high] = intervalOf(estimate, 0.95);
  return low <= truth && truth <= high;
}

function estimated(values: readonly number[]): Estimate {
  const estimate = meanEstimate(values);
  if (estimate === null) throw new Error('no estimate');
  return estimate;
}

it('where every build has an effect of its layout, the interval over builds covers 95 % and that over pairs does not', async ({
  annotate,
}) => {
  for (const [builds, pairs, layout] of [
    [2, 16, 0.004],
    [4, 16, 0.004],
    [8, 32, 0.01],
    // Some builds have a pair more than others.
    [5, 18, 0.004],
  ] as const) {
    const { normal } = seeded(1000 + builds);
    let plain = 0;
    const share = percentage(RUNS, () => {
      const layouts = sample(builds, () => layout * normal());
      const values = Array.from({ length: pairs }, (_, i): PairValue => {
        const effect = EFFECT + (layouts[i % builds] ?? 0) + SD * normal();
        return { block: i + 1, attempt: 1, reference_first: i % 2 === 0, reference: 1, arm: 1, effect, total: null };
      });
      plain += covers(meanEstimate(values.map(({ effect }) => effect)), EFFECT) ? 100 / RUNS : 0;
      const means = buildMeans(values, builds);
      if (typeof means === 'string') throw new Error(means);
      return covers(buildEstimate(means), EFFECT);
    });
    await annotate(
      `${builds} builds, ${pairs} pairs, layout ${layout / SD} s: ${share.toFixed(1)} %, over pairs ${plain.toFixed(1)} %`,
    );
    expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
    expect(plain).toBeLessThan(90);
  }
});

it('any of the controls of a run fails by chance in at most 1 %', async ({ annotate }) => {
  for (const controls of [1, 3, 8]) {
    const { normal } = seeded(2000 + controls);
    let single = 0;
    const share = percentage(RUNS, () => {
      const p = sample(controls, () => pNotZero(estimated(sample(8, normal))));
      single += p.some((value) => value <= 0.05) ? 100 / RUNS : 0;
      return holm(p, 0.01).some(({ rejected }) => rejected);
    });
    await annotate(`${controls} controls: ${share.toFixed(2)} %; each by itself at 5 %: ${single.toFixed(1)} %`);
    // Three standard errors of 1 % in 10,000 runs are 0.3 points.
    expect(share).toBeLessThan(1 + 0.3 * LOOSER);
    expect(single).toBeGreaterThan(4);
  }
});

it('the difference of two effects with spreads of their own covers 95 %', async ({ annotate }) => {
  for (const [counted, uncounted, ratio] of [
    [16, 16, 1],
    [16, 10, 1.5],
    [10, 16, 3],
  ] as const) {
    const { normal } = seeded(3000 + counted + ratio);
    const share = percentage(RUNS, () => {
      const without = estimated(sample(uncounted, () => EFFECT + 0.002 + ratio * SD * normal()));
      const withCounters = estimated(sample(counted, () => EFFECT + SD * normal()));
      return covers(differenceOf(without, withCounters), 0.002);
    });
    await annotate(`${counted} pairs, and ${uncounted} of ${ratio} times the spread: ${share.toFixed(1)} %`);
    expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
  }
});
