/**
 * What layouts do to verdicts: intervals over builds, and the floor that a rebuild gives. `npx vitest run test/statistical
 * --reporter=verbose` prints every measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { describe, expect, it } from 'vitest';
import { buildEstimate, buildMeans, orderSigns, withinBuilds } from '../../src/analysis/builds.ts';
import { PairLog, type Pairs } from '../../src/analysis/pairs.ts';
import { type Estimate, intervalOf, meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { pNotZero } from '../../src/analysis/stats/region.ts';
import { lag1Autocorrelation } from '../../src/analysis/stats/serial.ts';
import { repeatedPairOrders, seededDraw } from '../../src/plan/order.ts';
import { FEWER, LOOSER, percentage, sample, seeded } from './random.ts';

const RUNS = 10_000 / FEWER;
/** In points. The standard error of 95 % in 10,000 runs is 0.22. */
const TOLERANCE = 0.7 * LOOSER;
const EFFECT = 0.013;
const SD = 0.004;

function tested<T>(result: T | null | undefined): T {
  if (result == null) throw new Error('no result');
  return result;
}

function covers(estimate: Estimate | null, truth: number): boolean {
  const [low, high] = intervalOf(tested(estimate), 0.95);
  return low <= truth && truth <= high;
}

function pairsOf(effects: readonly number[], firsts?: readonly boolean[]): Pairs {
  const log = new PairLog(effects.length);
  for (const [i, effect] of effects.entries()) {
    const reference_first = firsts?.[i] ?? i % 2 === 0;
    log.push({ block: i + 1, attempt: 1, reference: 1, arm: 1, effect, total: null, reference_first });
  }
  return log.pairs();
}

function overBuilds(pairs: Pairs, builds: number): Estimate | null {
  const means = buildMeans(pairs, builds);
  if (typeof means === 'string') throw new Error(means);
  return buildEstimate(means);
}

describe('where every build has an effect of its layout', () => {
  it.for([
    [2, 16, 1],
    [3, 18, 1],
    [4, 16, 1],
    [8, 32, 2.5],
    // Some builds have a pair more than others.
    [5, 18, 1],
  ] as const)(
    'the interval over %i builds covers 95 % and that over pairs does not',
    async ([builds, pairs, layout], { annotate }) => {
      const { normal } = seeded(1000 + builds);
      let plain = 0;
      const share = percentage(RUNS, () => {
        const layouts = sample(builds, () => layout * SD * normal());
        const values = pairsOf(sample(pairs, (i) => EFFECT + (layouts[i % builds] ?? 0) + SD * normal()));
        plain += covers(meanEstimate(values.effect), EFFECT) ? 100 / RUNS : 0;
        return covers(overBuilds(values, builds), EFFECT);
      });
      await annotate(
        `${builds} builds, ${pairs} pairs, layout ${layout} s: ${share.toFixed(1)} %, over pairs ${plain.toFixed(1)} %`,
      );
      expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
      expect(plain).toBeLessThan(90);
    },
  );

  it('too few builds of two kinds often show one kind alone, and cover too little', async ({ annotate }) => {
    const shares: number[] = [];
    for (const builds of [2, 3, 5, 8]) {
      const { normal, uniform } = seeded(1100 + builds);
      const share = percentage(RUNS, () => {
        const layouts = sample(builds, () => 2.5 * SD * (uniform() > 0.5 ? 1 : -1));
        const values = pairsOf(sample(4 * builds, (i) => EFFECT + (layouts[i % builds] ?? 0) + SD * normal()));
        return covers(overBuilds(values, builds), EFFECT);
      });
      await annotate(`${builds} builds, 4 pairs each, fast and slow ones ± 2.5 s: ${share.toFixed(1)} %`);
      shares.push(share);
    }
    const [two = 100, three = 100, five = 0, eight = 0] = shares;
    expect(Math.max(two, three)).toBeLessThan(85);
    expect(Math.min(five, eight)).toBeGreaterThan(92);
  });

  it('pairs of one order that are lost in all builds leave no order effect in the change', async ({ annotate }) => {
    const builds = 4;
    const { normal } = seeded(1200);
    let plain = 0;
    const share = percentage(RUNS, () => {
      const layouts = sample(builds, () => SD * normal());
      const firsts = Array.from({ length: 16 }, (_, i) => (Math.floor(i / builds) + i) % 2 === 0);
      const effects = firsts.map(
        (first, i) => EFFECT + (layouts[i % builds] ?? 0) + 3 * SD * (first ? 1 : -1) + SD * normal(),
      );
      // The second AB pair of each build is gone.
      const left = new PairLog(16);
      for (const pair of pairsOf(effects, firsts)) if (pair.block <= 8 || !pair.reference_first) left.push(pair);
      const means = sample(builds, (build) => {
        const own = [...left.pairs()].filter(({ block }) => (block - 1) % builds === build).map(({ effect }) => effect);
        return own.reduce((sum, effect) => sum + effect, 0) / own.length;
      });
      plain += covers(meanEstimate(means), EFFECT) ? 100 / RUNS : 0;
      return covers(overBuilds(left.pairs(), builds), EFFECT);
    });
    await annotate(`γ = 3 s, 12 of 16 pairs, 4 builds: ${share.toFixed(1)} %; plain means ${plain.toFixed(1)} %`);
    expect(Math.abs(share - 95)).toBeLessThan(TOLERANCE);
    expect(plain).toBeLessThan(90);
  });

  it('order effect and trend are found by chance in 5 %, correlation in at most that', async ({ annotate }) => {
    for (const [builds, pairs] of [
      [4, 16],
      [8, 16],
      [8, 32],
    ] as const) {
      const { normal } = seeded(1300 + builds + pairs);
      const draw = seededDraw(1300 + builds + pairs, 0);
      const found = { order: 0, trend: 0, correlation: 0 };
      const runs = RUNS / 2;
      for (let run = 0; run < runs; run++) {
        const firsts = repeatedPairOrders('a', 'b', pairs, builds, draw).map(([first]) => first === 'a');
        const layouts = sample(builds, normal);
        const values = pairsOf(
          sample(pairs, (i) => (layouts[i % builds] ?? 0) + normal()),
          firsts,
        );
        const order = tested(withinBuilds(values, orderSigns(values), builds));
        const time = sample(pairs, (place) => place);
        const lag1 = tested(lag1Autocorrelation(order.residuals));
        found.order += pNotZero(tested(order.slope)) <= 0.05 ? 100 / runs : 0;
        found.trend += pNotZero(tested(withinBuilds(values, time, builds)?.slope)) <= 0.05 ? 100 / runs : 0;
        found.correlation += Math.abs(lag1) > 2 / Math.sqrt(pairs - builds + 1) ? 100 / runs : 0;
      }
      await annotate(
        `${builds} builds, ${pairs} pairs: order ${found.order.toFixed(1)} %, trend ${found.trend.toFixed(1)} %, correlation ${found.correlation.toFixed(1)} %`,
      );
      expect(Math.abs(found.order - 5)).toBeLessThan(1.2 * LOOSER);
      expect(Math.abs(found.trend - 5)).toBeLessThan(1.2 * LOOSER);
      expect(found.correlation).toBeLessThan(5 + LOOSER);
    }
  });
});

describe('the layout floor of one build of each', () => {
  /** Shares of claimed effects, and of those told to lie beyond the floor. `layout` and `effect` in standard deviations of a pair. */
  function simulate(seed: number, layout: number, rebuilds: number, effect: number) {
    const { normal } = seeded(seed);
    const estimate = (centre: number) => tested(meanEstimate(sample(16, () => centre + normal())));
    let claimed = 0;
    let beyond = 0;
    for (let run = 0; run < RUNS; run++) {
      const [before, after] = [layout * normal(), layout * normal()];
      const [low, high] = intervalOf(estimate(effect + after - before), 0.95);
      const floors = sample(rebuilds, () => {
        const bounds = intervalOf(estimate(layout * normal() - after), 0.95);
        return Math.max(...bounds.map(Math.abs));
      });
      const floor = Math.max(...floors);
      claimed += low > 0 || high < 0 ? 100 / RUNS : 0;
      beyond += low > floor || high < -floor ? 100 / RUNS : 0;
    }
    return { claimed, beyond };
  }

  it('of one rebuild lies below up to half of the changes that are layout alone', async ({ annotate }) => {
    for (const layout of [0.5, 1, 10]) {
      const found = [1, 2, 3].map((rebuilds) => simulate(1400 + layout, layout, rebuilds, 0));
      await annotate(
        `layout ${layout} s: slower or faster in ${found[0]?.claimed.toFixed(1)} %; beyond the floor of 1, 2, 3 rebuilds ${found.map(({ beyond }) => beyond.toFixed(1)).join(', ')} %`,
      );
      for (const [i, { beyond }] of found.entries()) expect(beyond).toBeLessThan(100 / (i + 2) + 1.5 * LOOSER);
      if (layout === 10) expect(found[0]?.beyond).toBeGreaterThan(40);
    }
  });

  it('often lies above a change though no layout moves anything: it says "may"', async ({ annotate }) => {
    for (const effect of [1, 2, 3]) {
      const { claimed, beyond } = simulate(1500 + effect, 0, 1, effect);
      await annotate(
        `effect ${effect} s: claimed ${claimed.toFixed(1)} %, of these not beyond ${(claimed - beyond).toFixed(1)} %`,
      );
      expect(claimed).toBeGreaterThan(90);
      if (effect === 1) expect(beyond).toBeLessThan(claimed / 2);
      if (effect === 3) expect(beyond).toBeGreaterThan(95);
    }
  });
});
