/**
 * Do contrasts within Williams blocks cover, whatever places and predecessors do? `npx vitest run test/statistical --reporter=verbose`
 * prints every measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { expect, it } from 'vitest';
import { type Estimate, intervalOf, meanEstimate } from '../../src/analysis/stats/estimate.ts';
import { stratifiedMean } from '../../src/analysis/stats/stratified-mean.ts';
import { seededDraw, williamsOrders } from '../../src/plan/order.ts';
import { FEWER, LOOSER, percentage, seeded } from './random.ts';

const RUNS = 5000 / FEWER;
/** In points: more than three standard errors of 95 % in 5,000 runs. */
const CHANCE = LOOSER;
const ARMS = ['a', 'b', 'c', 'd', 'e'];

interface Setting {
  readonly arms: number;
  readonly blocks: number;
  /** Added to the trial at a place, from 0. */
  readonly place: (at: number) => number;
  /** Added to the trial that follows an arm. */
  readonly behind: (arm: string) => number;
  /** Of the blocks. */
  readonly lost: number;
}

/** How often the interval of b against a covers zero, and the mean of its estimates; the spread of a pair is 1. */
function simulate(seed: number, { arms, blocks, place, behind, lost }: Setting) {
  const { normal, uniform } = seeded(seed);
  const draw = seededDraw(seed, 0);
  let sum = 0;
  const share = percentage(RUNS, () => {
    const first: number[] = [];
    const second: number[] = [];
    for (const order of williamsOrders(ARMS.slice(0, arms), blocks, draw)) {
      const values = order.map(
        (_, at) => place(at) + (at === 0 ? 0 : behind(order[at - 1] ?? '')) + Math.SQRT1_2 * normal(),
      );
      if (uniform() <= lost) continue;
      const [a, b] = [order.indexOf('a'), order.indexOf('b')];
      (a < b ? first : second).push((values[b] ?? 0) - (values[a] ?? 0));
    }
    const estimate =
      first.length === second.length ? meanEstimate([...first, ...second]) : stratifiedMean(first, second);
    // Too few blocks are left: no claim is made.
    if (estimate === null) return true;
    sum += estimate.value / RUNS;
    return includesZero(estimate);
  });
  return { share, mean: sum };
}

function includesZero(estimate: Estimate): boolean {
  const [low, high] = intervalOf(estimate, 0.95);
  return low <= 0 && 0 <= high;
}

it('places and predecessors cancel in whole squares, and hardly matter where blocks are lost', async ({ annotate }) => {
  const none = () => 0;
  for (const [arms, blocks] of [
    [3, 12],
    [4, 8],
    [5, 10],
  ] as const) {
    const settings = [
      { name: 'nothing', place: none, behind: none },
      { name: 'the first place', place: (at: number) => (at === 0 ? 2 : 0), behind: none },
      { name: 'what follows another arm', place: none, behind: (arm: string) => (arm === 'c' ? 2 : 0) },
    ];
    for (const { name, ...rest } of settings) {
      const [whole, torn] = [0, 0.15].map(
        (lost, i) => simulate(4000 + arms + i, { arms, blocks, lost, ...rest }).share,
      );
      await annotate(
        `${arms} arms, ${blocks} blocks, 2 s on ${name}: ${whole?.toFixed(1)} %, 15 % lost ${torn?.toFixed(1)} %`,
      );
      expect(whole).toBeGreaterThan(95 - CHANCE);
      expect(torn).toBeGreaterThan(95 - CHANCE);
      if (name === 'nothing') expect(whole).toBeLessThan(95 + CHANCE);
    }
  }
});

it('what an arm leaves to the trial behind it does not cancel out of its own change', async ({ annotate }) => {
  for (const arms of [2, 3, 5]) {
    const behind = (arm: string) => (arm === 'b' ? 1 : 0);
    const { mean } = simulate(4100 + arms, { arms, blocks: 4 * arms, place: () => 0, behind, lost: 0 });
    await annotate(`${arms} arms, b leaves 1 s behind: b against a is off by ${mean.toFixed(3)} s`);
    // b never follows itself within a block, and every other arm follows it in one of k blocks.
    expect(mean).toBeCloseTo(-1 / arms, 1);
  }
});
