/**
 * Do studies of engines err as often as they say? `npx vitest run test/statistical --reporter=verbose` prints every measured figure;
 * docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { expect, it } from 'vitest';
import { mirroredOrders, seededDraw } from '../../src/plan/order.ts';
import type { FigureOfSize } from '../../src/storage/engines/analysis.ts';
import { figureOf } from '../../src/storage/engines/compare.ts';
import type { FigureKind } from '../../src/storage/engines/figures.ts';
import { FEWER, FULL, LOOSER, percentage, seeded } from './random.ts';

const RUNS = 10_000 / FEWER;
/** In points: more than three standard errors of 95 % in 10,000 runs. */
const CHANCE = 0.7 * LOOSER;

const KIND: FigureKind = {
  ...{ key: 'x', title: 'x', unit: 'x', better: 'higher', aspect: 'read', main: true, accounted: false },
  of: ({ x }) => x ?? null,
};

interface Setting {
  readonly seed: number;
  readonly engines: number;
  readonly blocks: number;
  /** Of logarithms; what a whole block has in common, and each trial of its own. */
  readonly spread: { readonly block: number; readonly trial: number };
  /** Added to the logarithm of the trial at a place, from 0. */
  readonly place?: number;
  /** Counts around this mean instead, which are zero at times: the figure is then taken by differences, in steps of one. */
  readonly counts?: number;
}

/** Figures of engines that do not differ, in mirrored orders. */
function simulated({ seed, engines, blocks, spread, place = 0, counts }: Setting): () => FigureOfSize {
  const { normal, uniform } = seeded(seed);
  const draw = seededDraw(seed, 0);
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].slice(0, engines);
  return () => {
    const drawn = mirroredOrders(names, blocks, draw).map((order) => {
      const block = spread.block * normal();
      const value = (at: number) =>
        counts === undefined
          ? Math.exp(block + spread.trial * normal() + place * at)
          : Math.floor(2 * counts * uniform());
      return { order, metrics: Object.fromEntries(order.map((engine, at) => [engine, { x: value(at) }])) };
    });
    return figureOf(counts === undefined ? KIND : { ...KIND, quantum: () => 1 }, names, drawn, 0.95);
  };
}

const SPREAD = { block: 0.2, trial: 0.1 };

const TIMEOUT = { timeout: 600_000 };

it(
  'of engines that are alike intervals cover, and neither differences nor order effects are found too often',
  TIMEOUT,
  async ({ annotate }) => {
    for (const engines of [2, 6]) {
      for (const blocks of FULL ? [4, 8] : [4]) {
        const next = simulated({ seed: 5000 + 10 * engines + blocks, engines, blocks, spread: SPREAD });
        const found = { covered: 0, apart: 0, order: 0 };
        for (let run = 0; run < RUNS; run++) {
          const { engines: figures, comparisons, orders } = next();
          const [low, high] = figures['a']?.interval ?? [1, 0];
          if (low <= 1 && 1 <= high) found.covered += 100 / RUNS;
          const apart = comparisons.some(({ told_apart }) => told_apart);
          if (apart) found.apart += 100 / RUNS;
          if (orders.effects.some(({ not_null }) => not_null)) found.order += 100 / RUNS;
          // Ranks and comparisons are one rule.
          expect(Object.values(figures).some(({ rank }) => rank?.best !== 1 || rank.worst !== engines)).toBe(apart);
        }
        const { covered, apart, order } = found;
        await annotate(
          `${engines} engines, ${blocks} blocks: means covered ${covered.toFixed(2)} %, told apart ${apart.toFixed(2)} % of figures, order effects in ${order.toFixed(2)} %`,
        );
        expect(Math.abs(covered - 95)).toBeLessThan(CHANCE);
        expect([apart < 5 + CHANCE, order < 5 + CHANCE]).toEqual([true, true]);
        // Of two engines there is one test: it errs as often as it says, or it could not find anything.
        if (engines === 2) expect([apart > 5 - CHANCE, order > 5 - CHANCE]).toEqual([true, true]);
      }
    }
  },
);

it('order effects that there are are found', async ({ annotate }) => {
  for (const blocks of [4, 8]) {
    const next = simulated({ seed: 5200 + blocks, engines: 2, blocks, spread: SPREAD, place: 0.5 });
    const share = percentage(RUNS / 10, () => next().orders.effects.some(({ not_null }) => not_null));
    await annotate(`${blocks} blocks: an order effect of 5 spreads of a trial is found in ${share.toFixed(1)} %`);
    expect(share).toBeGreaterThan(blocks === 4 ? 60 : 99);
  }
});

it.runIf(FULL)(
  'order effects and small counts tell no more engines apart that are alike',
  TIMEOUT,
  async ({ annotate }) => {
    for (const blocks of [4, 8]) {
      for (const [name, more] of [
        ['an order effect', { place: 0.05 }],
        ['counts from 0 to 5', { counts: 3 }],
      ] as const) {
        const next = simulated({ seed: 5300 + blocks, engines: 6, blocks, spread: SPREAD, ...more });
        const share = percentage(RUNS / 2, () => next().comparisons.some(({ told_apart }) => told_apart));
        await annotate(`6 engines, ${blocks} blocks, ${name}: told apart ${share.toFixed(2)} % of figures`);
        expect(share).toBeLessThan(5 + Math.SQRT2 * CHANCE);
      }
    }
  },
);
