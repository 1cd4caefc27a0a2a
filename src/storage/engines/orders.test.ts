import { describe, expect, test } from 'vitest';
import vectors from '../../../test/reference/stat-vectors.json' with { type: 'json' };
import { type Block, figureOf } from './compare.ts';
import type { FigureKind } from './figures.ts';
import { orderShows, ordersOfSize } from './orders.ts';

const KIND: FigureKind = {
  ...{ key: 'x', title: 'x', unit: 'x', better: 'higher', aspect: 'read', main: true, accounted: false },
  of: ({ x }) => x ?? null,
};

type Two = readonly [a: number, b: number];

/** Blocks in which a runs first, and then those in which b does. */
function blocksOf(aFirst: readonly Two[], bFirst: readonly Two[]): readonly Block[] {
  const block =
    (order: readonly string[]) =>
    ([a, b]: Two): Block => ({ order, metrics: { a: { x: a }, b: { x: b } } });
  return [...aFirst.map(block(['a', 'b'])), ...bFirst.map(block(['b', 'a']))];
}

function ordersOf(aFirst: readonly Two[], bFirst: readonly Two[], engines: readonly string[] = ['a', 'b']) {
  return figureOf(KIND, engines, blocksOf(aFirst, bFirst), 0.95).orders;
}

describe('order effects', () => {
  test.each(vectors.order_effect)('are those of pairs', ({ ab, ba, ...row }) => {
    const pairs = (all: readonly number[]): readonly Two[] => all.map((d) => [1, Math.exp(d)]);
    const [effect] = ordersOf(pairs(ab), pairs(ba)).effects;
    expect(Math.log1p(effect?.effect ?? Number.NaN)).toBeCloseTo(row.gamma, 10);
    expect(effect?.p).toBeCloseTo(row.p, 10);
    expect(Math.log1p(effect?.interval[0] ?? Number.NaN)).toBeCloseTo(row.ci[0] ?? Number.NaN, 10);
  });

  test('do not depend on which engine is called first', () => {
    const [one, other] = [
      ['a', 'b'],
      ['b', 'a'],
    ].map(
      (engines) =>
        ordersOf(
          [
            [10, 12],
            [10, 13],
          ],
          [
            [12, 10],
            [12, 11],
          ],
          engines,
        ).effects[0],
    );
    expect(one?.effect).toBeCloseTo(other?.effect ?? Number.NaN, 12);
    // The later is ahead, whichever it is.
    expect(one?.effect).toBeGreaterThan(0.1);
  });

  test('that are larger than what engines differ by are conflicts, where they are not null', () => {
    const aFirst: Two[] = [
      [10, 20],
      [10, 20.2],
      [10, 19.9],
      [10, 20.1],
    ];
    const bFirst: Two[] = [
      [10, 5],
      [10, 5.1],
      [10, 4.9],
      [10, 5.05],
    ];
    const orders = ordersOfSize([figureOf(KIND, ['a', 'b'], blocksOf(aFirst, bFirst), 0.95)]);
    expect(orders).toMatchObject({ families: 1, tested: 1, not_null: 1, told_apart: 0 });
    expect(orders.conflicts).toMatchObject([{ figure: 'x', engine: 'a', other: 'b', exceeds_difference: true }]);
    expect(orders.largest?.effect).toBeCloseTo(1, 1);
    // The same on top of a difference that is larger.
    const far = (all: Two[]): Two[] => all.map(([a, b]) => [a, 9 * b]);
    const less = ordersOfSize([figureOf(KIND, ['a', 'b'], blocksOf(far(aFirst), far(bFirst)), 0.95)]);
    expect([less.not_null, less.conflicts]).toEqual([1, []]);
  });

  test('take two blocks of either order, and some spread', () => {
    expect(
      ordersOf(
        [
          [1, 2],
          [1, 2.1],
        ],
        [[1, 2.2]],
      ).effects,
    ).toEqual([]);
    expect(
      ordersOf(
        [
          [1, 2],
          [1, 2],
        ],
        [
          [1, 2],
          [1, 2],
        ],
      ).effects,
    ).toEqual([]);
    expect(
      ordersOf(
        [
          [1, 2],
          [1, 2.1],
        ],
        [
          [1, 2.2],
          [1, 2],
        ],
      ).effects,
    ).toHaveLength(1);
  });

  test('of figures with a zero are differences, in their unit', () => {
    const [effect] = ordersOf(
      [
        [0, 4],
        [1, 5],
      ],
      [
        [0, 2],
        [2, 4],
      ],
    ).effects;
    expect(effect?.effect).toBeCloseTo(1, 12);
  });

  test('are adjusted over the pairs of a figure', () => {
    const blocks = blocksOf(
      [
        [10, 12],
        [10, 11],
        [10, 13],
      ],
      [
        [12, 10],
        [11, 10],
        [12, 11],
      ],
    ).map((block, at) => ({
      order: at < 3 ? [...block.order, 'c'] : ['c', ...block.order],
      metrics: { ...block.metrics, c: { x: 10 + (at % 2) } },
    }));
    const { effects } = figureOf(KIND, ['a', 'b', 'c'], blocks, 0.95).orders;
    expect(effects).toHaveLength(3);
    const least = Math.min(...effects.map(({ p }) => p));
    expect(Math.min(...effects.map(({ adjusted_p }) => adjusted_p))).toBeCloseTo(3 * least, 12);
  });
});

describe('engines that are told apart', () => {
  test('keep their places where the same one is ahead whichever runs first', () => {
    const one = ordersOf(
      [
        [10, 5],
        [10.1, 5.1],
      ],
      [
        [10, 5.1],
        [10.1, 5],
      ],
    );
    expect(one).toMatchObject({ told_apart: 1, one_order: 0, changed: [], could_change: 0 });
  });

  test('may change them where the orders have many blocks and few', () => {
    const many: Two[] = [
      [10, 5],
      [10, 5.1],
      [10, 4.9],
      [10, 5],
      [10, 5.1],
      [10, 5],
      [10, 4.9],
    ];
    const orders = ordersOf(many, [[10, 10.1]]);
    expect(orders).toMatchObject({ told_apart: 1, changed: [['a', 'b']], could_change: 1 });
    expect(ordersOfSize([figureOf(KIND, ['a', 'b'], blocksOf(many, [[10, 10.1]]), 0.95)]).keep).toBe(0);
  });

  test('never ran in both orders where one always ran first', () => {
    expect(
      ordersOf(
        [
          [10, 5],
          [10.1, 5.01],
          [10, 5.02],
        ],
        [],
      ),
    ).toMatchObject({ told_apart: 1, one_order: 1, changed: [] });
  });

  test('could change places only with blocks enough for their level', () => {
    const halves = (blocks: number) => [blocks / 2, blocks / 2] as const;
    expect([2, 4, 6, 8, 12].map((blocks) => orderShows(halves(blocks), 0.95))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    // As the first of fifteen pairs it takes more.
    expect([8, 12, 14, 16].map((blocks) => orderShows(halves(blocks), 1 - 0.05 / 15))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(orderShows([4, 0], 0.95)).toBe(false);
    expect(orderShows(halves(4), 0.8)).toBe(true);
    // The last level below one.
    expect(orderShows(halves(8), 1 - 2 ** -53)).toBe(false);
  });

  test.each([
    [4, 4],
    [6, 6],
    [7, 1],
  ])('of %i and %i blocks change places exactly where that says so', (first, second) => {
    // The most that a change of places leaves: no spread within an order, and the fewer blocks just beyond zero.
    const [few, most] = second <= first ? ([second, first] as const) : ([first, second] as const);
    const apartBy = (level: number) => {
      const blocks = blocksOf(
        Array.from({ length: most }, (): Two => [Math.E, 1]),
        Array.from({ length: few }, (): Two => [1, Math.exp(1e-9)]),
      );
      return figureOf(KIND, ['a', 'b'], blocks, level).orders.changed.length === 1;
    };
    const levels = Array.from({ length: 60 }, (_, at) => 1 - 0.6 * 0.85 ** at);
    expect(levels.map(apartBy)).toEqual(levels.map((level) => orderShows([first, second], level)));
    expect(new Set(levels.map(apartBy))).toEqual(new Set([true, false]));
  });
});
