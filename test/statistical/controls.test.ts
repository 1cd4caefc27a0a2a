/**
 * Do controls fail by chance as seldom as they say? `ASSAY_TEST_FULL=1 npx vitest run
 * test/statistical --reporter=verbose` prints every measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { expect, it } from 'vitest';
import { buildDifference, buildEstimate } from '../../src/analysis/builds.ts';
import { differenceOf } from '../../src/analysis/stats/difference.ts';
import { type Estimate, intervalOf, meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { holm } from '../../src/analysis/stats/holm.ts';
import { pNotZero } from '../../src/analysis/stats/region.ts';
import { FEWER, LOOSER, percentage, sample, seeded } from './random.ts';

const RUNS = 10_000 / FEWER;
/** In points: three standard errors of 1 % in 10,000 runs. */
const CHANCE = 0.3 * LOOSER;
const SD = 0.004;

function estimated(values: readonly number[]): Estimate {
  const estimate = meanEstimate(values);
  if (estimate === null) throw new Error('no estimate');
  return estimate;
}

const fails = (estimate: Estimate) => pNotZero(estimate) <= 0.01;

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
    expect(share).toBeLessThan(1 + CHANCE);
    expect(single).toBeGreaterThan(4);
  }
});

it('nor with one without counters among them, however few pairs that has', async ({ annotate }) => {
  for (const uncounted of [2, 4, 8, 16]) {
    const { normal } = seeded(2100 + uncounted);
    let welch = 0;
    const share = percentage(RUNS, () => {
      const confirmation = estimated(sample(16, normal));
      const off = estimated(sample(uncounted, normal));
      const others = sample(2, () => pNotZero(estimated(sample(8, normal))));
      const rejects = (difference: Estimate) =>
        holm([pNotZero(difference), ...others], 0.01).some(({ rejected }) => rejected);
      const difference = differenceOf(off, confirmation);
      welch += rejects({ ...difference, df: welchOf(off, confirmation) }) ? 100 / RUNS : 0;
      return rejects(difference);
    });
    await annotate(
      `16 and ${uncounted} pairs: ${share.toFixed(2)} %, by Welch and Satterthwaite ${welch.toFixed(2)} %`,
    );
    expect(share).toBeLessThan(1 + CHANCE);
    if (uncounted === 2) expect(welch).toBeGreaterThan(3);
  }
});

/** Degrees of freedom that are not used: it shows why. */
function welchOf(a: Estimate, b: Estimate): number {
  const [va, vb] = [a.standardError ** 2, b.standardError ** 2];
  return (va + vb) ** 2 / (va ** 2 / a.df + vb ** 2 / b.df);
}

it('the difference of two effects with spreads of their own covers at least 95 %', async ({ annotate }) => {
  for (const [counted, uncounted, ratio] of [
    [16, 16, 1],
    [16, 10, 1.5],
    [10, 16, 3],
  ] as const) {
    const { normal } = seeded(3000 + counted + ratio);
    const share = percentage(RUNS, () => {
      const without = estimated(sample(uncounted, () => 0.002 + ratio * SD * normal()));
      const withCounters = estimated(sample(counted, () => SD * normal()));
      const [low, high] = intervalOf(differenceOf(without, withCounters), 0.95);
      return low <= 0.002 && 0.002 <= high;
    });
    await annotate(`${counted} pairs, and ${uncounted} of ${ratio} times the spread: ${share.toFixed(1)} %`);
    expect(share).toBeGreaterThan(95 - 0.7);
    expect(share).toBeLessThan(98);
  }
});

it('builds are compared one by one: without counters it fails by chance in 1 %, and finds what differs', async ({
  annotate,
}) => {
  for (const [builds, layout] of [
    [4, 1],
    [8, 2.5],
  ] as const) {
    const shares = [0, 1].map((shift) => {
      const { normal } = seeded(2200 + builds + shift);
      let apart = 0;
      const share = percentage(RUNS, () => {
        const layouts = sample(builds, () => layout * normal());
        // Pairs of a build, 16 in all.
        const means = (by: number) =>
          layouts.map((effect, build) => ({
            ...{ build, pairs: 16 / builds, share: builds / 16 },
            effect: effect + by + Math.sqrt(builds / 16) * normal(),
          }));
        const [off, counted] = [means(shift), means(0)];
        const [a, b, difference] = [buildEstimate(off), buildEstimate(counted), buildDifference(off, counted)];
        if (a === null || b === null || difference === null) throw new Error('no estimate');
        apart += fails(differenceOf(a, b)) ? 100 / RUNS : 0;
        return fails(difference);
      });
      return { share, apart };
    });
    const [none, some] = shares;
    await annotate(
      `${builds} builds, layout ${layout} s: nothing differs ${none?.share.toFixed(2)} %, 1 s differs ${some?.share.toFixed(1)} %; had they been taken for separate builds ${none?.apart.toFixed(2)}, ${some?.apart.toFixed(1)} %`,
    );
    expect(Math.abs((none?.share ?? 0) - 1)).toBeLessThan(CHANCE);
    expect(some?.share).toBeGreaterThan(5 * (some?.apart ?? 0));
  }
});

it('what it cannot tell: a change of the effect from one stretch of time to the next', async ({ annotate }) => {
  for (const moved of [0.25, 0.5, 1]) {
    const { normal } = seeded(2300 + 100 * moved);
    // What is little more than chance takes more runs to tell from it.
    const share = percentage(2 * RUNS, () => {
      const off = estimated(sample(16, () => moved + normal()));
      return fails(differenceOf(off, estimated(sample(16, normal))));
    });
    await annotate(`by ${moved} s, 16 and 16 pairs: ${share.toFixed(1)} %`);
    expect(share).toBeGreaterThan(1 + CHANCE / Math.SQRT2);
  }
});
