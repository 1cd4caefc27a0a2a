import { describe, expect, test } from 'vitest';
import { tQuantile } from '../../analysis/stats/distributions.ts';
import type { FigureOfSize } from './analysis.ts';
import { type Block, figureOf } from './compare.ts';
import { FIGURES, type FigureKind } from './figures.ts';

const KIND: FigureKind = {
  ...{ key: 'x', title: 'x', unit: 'x', better: 'higher', aspect: 'read', main: true },
  accounted: false,
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

  test('with a zero anywhere is arithmetic for all engines, and never below zero', () => {
    const { engines, scale, comparisons } = figure({ a: [0, 3], b: [1, 4] });
    expect(scale).toBe('difference');
    expect(engines['a']).toMatchObject({ mean: 1.5 });
    expect(engines['b']).toMatchObject({ mean: 2.5 });
    expect(engines['a']?.interval?.[0]).toBe(0);
    expect(comparisons[0]).toMatchObject({ ratio: null, difference: -1, reason: null });
    expect(figure({ a: [1, 3], b: [1, 4] }).scale).toBe('ratio');
  });

  test('that is the same in all blocks is exact, and has no interval', () => {
    const { engines } = figure({ a: [2, 2], b: [1, 4] });
    expect(engines['a']).toMatchObject({ mean: 2, exact: true, interval: null });
    expect(engines['b']).toMatchObject({ exact: false });
  });

  test('may be below zero where a count was taken back, and so may its interval', () => {
    const { engines } = figure({ a: [-5, -7], b: [1, 2] });
    expect(engines['a']?.mean).toBe(-6);
    expect(engines['a']?.interval?.[0]).toBeLessThan(-7);
  });

  test('has ends of intervals that are numbers, however wide they are', () => {
    const { engines, comparisons } = figure({ a: [1e-200, 1e200], b: [1, 1.5] });
    const { engines: far, comparisons: differences } = figure({ a: [-1e308, 1e308], b: [0, 1] });
    for (const one of [engines['a'], far['a'], comparisons[0], differences[0]]) {
      expect(one?.interval?.map(Number.isFinite)).toEqual([true, true]);
    }
  });

  test('that is missing is null, and no zero', () => {
    const { engines, comparisons } = figure({ a: [null, null], b: [1, 2] });
    expect(engines['a']).toEqual({ values: [null, null], mean: null, interval: null, exact: false, rank: null });
    expect(comparisons[0]).toMatchObject({ ratio: null, told_apart: false, reason: 'no block has a value of both' });
  });

  test('of one block has neither interval nor rank, and tells nobody apart', () => {
    const { engines, comparisons } = figure({ a: [5], b: [1] });
    expect(engines['a']).toMatchObject({ mean: 5, interval: null, exact: false, rank: null });
    expect(comparisons[0]).toMatchObject({
      ...{ ratio: 5, interval: null, p: null, told_apart: false },
      reason: 'a single block shows no spread',
    });
  });
});

describe('ranks', () => {
  const values = { a: [100, 101, 99, 100], b: [50, 90, 60, 80], c: [60, 70, 65, 75], d: [1, 1.01, 0.99, 1] };

  test('follow from who is told apart, and from nothing else', () => {
    const { engines, comparisons } = figure(values);
    const apart = comparisons.filter(({ told_apart }) => told_apart).map(({ engine, other }) => engine + other);
    expect(apart).toEqual(['ac', 'ad', 'bd', 'cd']);
    expect(Object.values(engines).map(({ rank }) => rank)).toEqual([
      { best: 1, worst: 2 },
      { best: 1, worst: 3 },
      { best: 2, worst: 3 },
      { best: 4, worst: 4 },
    ]);
  });

  test('see what only pairs see: intervals of a and b overlap widely, and a is better in every block', () => {
    const { engines } = figure({ a: [1.1, 11, 109, 1101], b: [1, 10, 100, 1000] });
    expect([engines['a']?.rank, engines['b']?.rank]).toEqual([
      { best: 1, worst: 1 },
      { best: 2, worst: 2 },
    ]);
    expect(engines['a']?.interval?.[0]).toBeLessThan(engines['b']?.interval?.[1] ?? 0);
  });

  test('turn round where less is better', () => {
    const { engines } = figure(values, { ...KIND, better: 'lower' });
    expect(engines['d']?.rank).toEqual({ best: 1, worst: 1 });
    expect(engines['a']?.rank).toEqual({ best: 3, worst: 4 });
  });

  test('leave an engine that lacks the figure out of the count', () => {
    const { engines } = figure({ ...values, e: [null, null, null, null] });
    expect(engines['d']?.rank).toEqual({ best: 4, worst: 4 });
    expect(engines['e']?.rank).toBeNull();
  });
});

describe('pairs of engines', () => {
  test('are compared block by block, with Holm over all pairs', () => {
    // Blocks differ tenfold, and within each b is a tenth above a: only pairs see it.
    const { comparisons, engines } = figure({ a: [1, 10, 100, 1000], b: [1.1, 11.1, 109, 1101], c: [5, 3, 70, 400] });
    const [ab, ac, bc] = comparisons;
    expect(ab?.told_apart).toBe(true);
    expect(ab?.ratio).toBeCloseTo(1 / 1.1, 2);
    expect(engines['a']?.rank).toEqual({ best: 2, worst: 3 });
    expect([ac?.told_apart, bc?.told_apart]).toEqual([false, false]);
    expect(ab?.adjusted_p).toBeCloseTo(3 * (ab?.p ?? 0), 12);
    expect(ab?.interval_level).toBeCloseTo(1 - 0.05 / 3, 12);
    expect(ab?.interval?.[1]).toBeLessThan(1);
  });

  test('that are constant are told apart without a test, where they differ', () => {
    const { comparisons } = figure({ a: [0, 0], b: [5, 5], c: [5, 5], d: [3, 6] });
    const [ab, , ad, bc] = comparisons;
    expect(ab).toMatchObject({ exact: true, difference: -5, told_apart: true, p: null, interval: null });
    expect(bc).toMatchObject({ exact: true, difference: 0, told_apart: false, p: null });
    expect(ad).toMatchObject({ exact: false, told_apart: false });
    // Three pairs have a test; what is exact takes no part of their error rate.
    expect(ad?.adjusted_p).toBeCloseTo(Math.min(1, 3 * (ad?.p ?? 0)), 12);
  });

  test('that differ by one step of what is counted are not told apart, and no interval is narrower', () => {
    const counted: FigureKind = { ...KIND, quantum: () => 1 };
    const { comparisons, engines } = figure({ a: [1, 1, 1, 1], b: [2, 2, 2, 2], c: [10, 11, 10, 11] }, counted);
    expect(comparisons[0]).toMatchObject({ exact: true, told_apart: false });
    expect(comparisons[1]).toMatchObject({ exact: false, told_apart: true });
    const [low = 0, high = 0] =
      figure({ a: [1000, 1001, 1000, 1001], b: [1, 1, 2, 2] }, { ...KIND, quantum: () => 10 }).engines['a']?.interval ??
      [];
    expect([high / 1000.5 - 1, 1000.5 / low - 1].map((one) => Number(one.toFixed(4)))).toEqual([0.01, 0.01]);
    expect(engines['a']?.rank).toEqual({ best: 2, worst: 3 });
  });

  test('of what is rounded are never exact, and no nearer than it is rounded to', () => {
    const rounded: FigureKind = { ...KIND, coarse: 0.1 };
    const { engines, comparisons } = figure({ a: [100, 100], b: [105, 105], c: [5, 5] }, rounded);
    expect(engines['a']).toMatchObject({ exact: false });
    expect(engines['a']?.interval?.map((end) => Math.round(10 * end) / 10)).toEqual([90.9, 110]);
    expect(comparisons.map(({ exact, told_apart }) => [exact, told_apart])).toEqual([
      [false, false],
      [false, true],
      [false, true],
    ]);
  });

  test('whose bytes were counted in two ways are not compared, and keep their place open', () => {
    const blocks = blocksOf({ a: [1, 1.1, 1, 1.1], b: [5, 5.1, 5, 5.2], c: [9, 9, 9.1, 9.2] });
    const { comparisons, engines } = figureOf(KIND, ['a', 'b', 'c'], blocks, 0.95, (_, other) =>
      other === 'c' ? 'counted in two ways' : null,
    );
    expect(comparisons[1]).toMatchObject({ ratio: null, told_apart: false, reason: 'counted in two ways' });
    expect(engines['c']?.rank).toEqual({ best: 1, worst: 3 });
    expect(engines['a']?.rank).toEqual({ best: 2, worst: 3 });
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
    ['load_settled_cpu', { load_cpu_ns: 4000, load_settle_cpu_ns: 2000, load_operations: 2 }, 3],
    ['point_written', { point_written_bytes: 3, load_user_bytes: 100 }, 0.03],
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
    expect(of('load_settled_cpu', { load_operations: 1, load_cpu_ns: 1 })).toBeNull();
  });

  test('move in steps of what is counted', () => {
    const quantum = (key: string, metrics: Readonly<Record<string, number | null>>) =>
      FIGURES.find((kind) => kind.key === key)?.quantum?.(metrics);
    expect(quantum('point_reads', { point_operations: 50 })).toBe(0.02);
    expect(quantum('load_wamp', { load_user_bytes: 1024 })).toBe(0.5);
    expect(quantum('load_wamp', {})).toBeNull();
    expect(quantum('point_rate', { point_operations: 50 })).toBeUndefined();
    expect(FIGURES.filter(({ coarse }) => coarse !== undefined).map(({ title }) => title.slice(-3))).toEqual([
      'p50',
      'p99',
      'p50',
      'p99',
      'p50',
      'p99',
      'p50',
      'p99',
    ]);
  });

  test('have keys of their own', () => {
    expect(new Set(FIGURES.map(({ key }) => key)).size).toBe(FIGURES.length);
  });
});
