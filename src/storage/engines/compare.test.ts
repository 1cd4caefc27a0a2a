import { describe, expect, test } from 'vitest';
import { tQuantile } from '../../analysis/stats/distributions.ts';
import type { FigureOfSize } from './analysis.ts';
import { type Block, figureOf, orderShows } from './compare.ts';
import { FIGURES, type FigureKind } from './figures.ts';

const KIND: FigureKind = {
  ...{ key: 'x', title: 'x', unit: 'x', better: 'higher', aspect: 'read', main: true },
  of: ({ x }) => x ?? null,
};

/** Blocks in turn in the order of the names and the reverse. */
function blocksOf(values: Readonly<Record<string, readonly (number | null)[]>>): readonly Block[] {
  const names = Object.keys(values);
  const [first = []] = Object.values(values);
  return first.map((_, at) => ({
    order: at % 2 === 0 ? names : names.toReversed(),
    metrics: Object.fromEntries(names.map((name) => [name, { x: values[name]?.[at] ?? null }])),
  }));
}

function figure(values: Readonly<Record<string, readonly (number | null)[]>>, kind = KIND): FigureOfSize {
  return figureOf(kind, Object.keys(values), blocksOf(values), 0.95);
}

describe('a figure', () => {
  test('has the geometric mean and its interval on logarithms', () => {
    const { a } = figure({ a: [1, 4], b: [1, 1] }).engines;
    expect(a?.mean).toBeCloseTo(2, 12);
    const half = (-tQuantile(0.025, 1) * Math.log(2) * Math.SQRT2) / Math.SQRT2;
    expect(a?.interval?.[1]).toBeCloseTo(2 * Math.exp(half), 6);
  });

  test('of values with a zero among them is arithmetic, and never below zero', () => {
    const { a } = figure({ a: [0, 3], b: [1, 1] }).engines;
    expect(a?.mean).toBe(1.5);
    expect(a?.interval?.[0]).toBe(0);
  });

  test('that is missing is null, and no zero', () => {
    const { engines, comparisons } = figure({ a: [null, null], b: [1, 2] });
    expect(engines['a']).toEqual({ values: [null, null], mean: null, interval: null, rank: null });
    expect(comparisons[0]).toMatchObject({ ratio: null, told_apart: false, reason: 'no block has a value of both' });
  });

  test('of one block has neither interval nor rank, and tells nobody apart', () => {
    const { engines, comparisons } = figure({ a: [5], b: [1] });
    expect(engines['a']).toMatchObject({ mean: 5, interval: null, rank: null });
    expect(comparisons[0]).toMatchObject({
      ratio: 5,
      interval: null,
      p: null,
      reason: 'a single block shows no spread',
    });
  });
});

describe('ranks', () => {
  const values = { a: [100, 101, 99, 100], b: [50, 90, 60, 80], c: [60, 70, 65, 75], d: [1, 1.01, 0.99, 1] };

  test('are ties where intervals overlap', () => {
    const { engines } = figure(values);
    expect(Object.values(engines).map(({ rank }) => rank)).toEqual([
      { best: 1, worst: 2 },
      { best: 1, worst: 3 },
      { best: 2, worst: 3 },
      { best: 4, worst: 4 },
    ]);
  });

  test('turn round where less is better', () => {
    const { engines } = figure(values, { ...KIND, better: 'lower' });
    expect(engines['d']?.rank).toEqual({ best: 1, worst: 1 });
    expect(engines['a']?.rank).toEqual({ best: 3, worst: 4 });
  });
});

describe('pairs of engines', () => {
  test('are compared block by block, with Holm over all pairs', () => {
    // Blocks differ tenfold, and within each b is a tenth above a: only pairs see it.
    const { comparisons, engines } = figure({ a: [1, 10, 100, 1000], b: [1.1, 11.1, 109, 1101], c: [5, 3, 70, 400] });
    const [ab, ac, bc] = comparisons;
    expect(ab?.told_apart).toBe(true);
    expect(ab?.ratio).toBeCloseTo(1 / 1.1, 2);
    expect(engines['a']?.rank).toEqual({ best: 1, worst: 3 });
    expect([ac?.told_apart, bc?.told_apart]).toEqual([false, false]);
    expect(ab?.adjusted_p).toBeCloseTo(3 * (ab?.p ?? 0), 12);
    expect(ab?.interval?.[1]).toBeLessThan(1);
  });

  test('with a zero have no ratio', () => {
    expect(figure({ a: [0, 0], b: [1, 1] }).comparisons[0]).toMatchObject({
      ratio: null,
      reason: 'a value is zero, which has no ratio',
    });
  });
});

describe('the order', () => {
  test('agrees where the same engine is ahead whichever runs first', () => {
    expect(figure({ a: [10, 10.1, 10, 10.1], b: [5, 5.1, 5.1, 5] }).orders).toEqual({
      apart: 1,
      conflicts: [],
      untested: 0,
    });
  });

  test('conflicts where intervals are apart, and blocks of one order say the opposite', () => {
    // In the two blocks in which b runs first, b is ahead; in the many in which a does, a is by far.
    const blocks = blocksOf({ a: [10, 10, 10, 10, 10, 10, 10, 10], b: [5, 10.1, 5, 5, 5, 5, 5, 5] }).map(
      (block, at) => ({
        ...block,
        order: at === 1 ? ['b', 'a'] : ['a', 'b'],
      }),
    );
    const { orders } = figureOf(KIND, ['a', 'b'], blocks, 0.95);
    expect(orders).toEqual({ apart: 1, conflicts: [['a', 'b']], untested: 0 });
  });

  test('needs more blocks than intervals of few allow to be apart', () => {
    expect([1, 2, 4, 6, 7, 8, 12].map((blocks) => orderShows(blocks, 0.95))).toEqual([
      ...[false, false, false, false, true, true, true],
    ]);
    expect(orderShows(4, 0.8)).toBe(true);
  });

  test('is untested where one always ran first', () => {
    const blocks = blocksOf({ a: [10, 10.1], b: [5, 5.01] }).map((block) => ({ ...block, order: ['a', 'b'] }));
    expect(figureOf(KIND, ['a', 'b'], blocks, 0.9).orders).toEqual({ apart: 1, conflicts: [], untested: 1 });
  });
});

describe('the figures of a trial', () => {
  const of = (key: string, metrics: Readonly<Record<string, number | null>>) =>
    FIGURES.find((kind) => kind.key === key)?.of(metrics);

  test.each([
    ['load_rate', { load_operations: 1000, load_ns: 5e8 }, 2000],
    ['load_settled_rate', { load_operations: 1000, load_ns: 5e8, load_settle_ns: 5e8 }, 1000],
    ['load_wamp', { load_written_bytes: 300, load_user_bytes: 100 }, 3],
    ['point_reads', { point_reads: 50, point_operations: 100 }, 0.5],
    ['range_kb', { range_read_bytes: 8000, range_operations: 2 }, 4],
    ['load_cpu', { load_cpu_ns: 4000, load_operations: 2 }, 2],
    ['point_p99', { point_p99_ns: 1500 }, 1.5],
    // Overwrites add no record: the database is as large as the load.
    ['overwrite_space', { overwrite_space_bytes: 300, load_user_bytes: 200, overwrite_user_bytes: 10 }, 1.5],
  ])('%s', (key, metrics, expected) => {
    expect(of(key, metrics)).toBe(expected);
  });

  test('are null where a part is missing, or nothing was done', () => {
    expect(of('point_reads', { point_operations: 100 })).toBeNull();
    expect(of('point_reads', { point_reads: 0, point_operations: 0 })).toBeNull();
    expect(of('load_settled_rate', { load_operations: 1, load_ns: 1 })).toBeNull();
  });

  test('have keys of their own', () => {
    expect(new Set(FIGURES.map(({ key }) => key)).size).toBe(FIGURES.length);
  });
});
