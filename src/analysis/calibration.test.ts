import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balancedOrders, type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import type { Journal } from '../journal/records.ts';
import { analyse } from './analyse.ts';
import type { Comparison } from './analysis.ts';
import { calibrationOf, calibrationRuns } from './calibration.ts';
import { chanceToFind, criticalT } from './stats/power.ts';

const SAME = { against: 'same', cost: null } as const;
const OF = { title: 'write path', workload_id: 'ef'.repeat(32) };

/** Pairs of runs, each with the changes of its pairs in turn. */
function journalOfRuns(changes: readonly (readonly number[])[], options: Partial<JournalOptions> = {}): Journal {
  const all = changes.flat();
  const values = { write: { a: all.map(() => 100), b: all.map((change) => 100 * (1 + change)) } };
  const orders = changes.flatMap((run) => balancedOrders(['a', 'b'], run.length));
  return journalOf({ values, orders, calibrates: { runs: changes.length, ...SAME }, ...options });
}

/** Blocks of a run by itself count from 1. */
function fromOne(comparison: Comparison, before: number) {
  return { ...comparison, values: Array.from(comparison.values, (pair) => ({ ...pair, block: pair.block - before })) };
}

describe('each run is judged as the experiment by itself would be', () => {
  const change = fc.double({ min: -0.03, max: 0.05, noNaN: true });
  const shape = fc.record({
    runs: fc.integer({ min: 2, max: 4 }),
    pairs: fc.constantFrom(4, 6, 10),
    noisy: fc.array(fc.nat(79), { maxLength: 4 }),
    threshold: fc.constantFrom(0, 0.01),
    margin: fc.constantFrom(null, 0.02),
  });

  test('with a fixed number of pairs, some of them rejected', () => {
    fc.assert(
      fc.property(shape, fc.infiniteStream(change), ({ runs, pairs, noisy, threshold, margin }, stream) => {
        const changes = Array.from({ length: runs }, () => [...stream.take(pairs)]);
        // Of 80 trials at the most; a repeat is not made, so that the pair is missing.
        const common = (first: number): Partial<JournalOptions> => ({
          ...{ decision: { threshold, margin }, max_repeats: 0 },
          rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
          change: (trial, at) => ({ ...trial, noise: { ...trial.noise, steal: noisy.includes(first + at) ? 1 : 0 } }),
        });
        const found = calibrationRuns(journalOfRuns(changes, common(0)));
        expect(found.map(({ run }) => run)).toEqual(changes.map((_, index) => index + 1));
        for (const [index, { comparisons }] of found.entries()) {
          const { calibrates: _, ...alone } = { calibrates: null, ...common(2 * index * pairs) };
          const journal = journalOfRuns([changes[index] ?? []], { ...alone, calibrates: null });
          const expected = analyse(journal);
          // Too many rejections make a run invalid as a whole, which is a matter of all runs together here.
          fc.pre(expected.state === 'complete');
          expect(comparisons.map((comparison) => fromOne(comparison, index * pairs))).toEqual(
            expected.comparisons.map((comparison) => fromOne(comparison, 0)),
          );
        }
      }),
      { seed: 1934, numRuns: 25 },
    );
  });

  test('sequential: at the first look that decides, else at the last', () => {
    const ended = new Set<number>();
    fc.assert(
      fc.property(fc.infiniteStream(change), fc.constantFrom(0, 0.03), (stream, shift) => {
        const pairs = 16;
        const changes = [0, 1].map(() => [...stream.take(pairs)].map((each) => each + shift));
        const sequential = { min: 4, max: pairs };
        const found = calibrationRuns(journalOfRuns(changes, { sequential }));
        for (const [index, { comparisons, attempts }] of found.entries()) {
          const seen = comparisons[0]?.pairs ?? 0;
          ended.add(seen);
          expect(attempts).toHaveLength(pairs);
          const own = (changes[index] ?? []).slice(0, seen);
          const alone = journalOfRuns([own], {
            ...{ calibrates: null, sequential, planned: pairs },
            orders: balancedOrders(['a', 'b'], pairs),
          });
          const expected = analyse(alone);
          expect(expected.state).toBe('complete');
          expect(comparisons.map((comparison) => fromOne(comparison, index * pairs))).toEqual(
            expected.comparisons.map((comparison) => fromOne(comparison, 0)),
          );
        }
      }),
      { seed: 1976, numRuns: 20 },
    );
    // Some ended early, and some did not.
    expect(Math.min(...ended)).toBeLessThan(16);
    expect(Math.max(...ended)).toBe(16);
  });
});

describe('what is told of all runs', () => {
  const RUNS = [
    [0.01, -0.01, 0.012, -0.009],
    [0.02, 0.021, 0.019, 0.02],
    [-0.02, -0.021, -0.019, -0.02],
    [0.002, -0.001, 0.001, -0.003],
  ];
  const found = () => calibrationOf(journalOfRuns(RUNS), null, OF);

  test('how often zero was excluded and a verdict was false, with exact intervals', () => {
    const calibration = found();
    expect(calibration).toMatchObject({ ...OF, runs: 4, pairs: 4, sessions: false, level: 0.95, pair_seconds: 2 });
    const [write] = calibration.metrics;
    const two = { count: 2, of: 4, interval: [expect.closeTo(0.0676, 4), expect.closeTo(0.9324, 4)] };
    expect(write).toMatchObject({
      metric: 'write',
      primary: true,
      excluded_zero: two,
      false_verdicts: two,
      known: null,
    });
  });

  test('the threshold of the experiment decides what is false, and not what excludes zero', () => {
    const journal = journalOfRuns(RUNS, { decision: { threshold: 0.05 } });
    const [write] = calibrationOf(journal, null, OF).metrics;
    expect([write?.excluded_zero.count, write?.false_verdicts.count]).toEqual([2, 0]);
  });

  test('what is equivalent and measurably slower is found too', () => {
    const journal = journalOfRuns(RUNS, { decision: { margin: 0.05 } });
    expect(calibrationOf(journal, null, OF).metrics[0]?.false_verdicts.count).toBe(2);
  });

  test('the spread is that within the runs: what differs between them is in none of it', () => {
    const [write] = found().metrics;
    const squares = RUNS.flatMap((run) => {
      const logs = run.map((change) => Math.log1p(change));
      const mean = logs.reduce((sum, each) => sum + each, 0) / logs.length;
      return logs.map((each) => (each - mean) ** 2);
    });
    expect(write?.df).toBe(12);
    expect(write?.sd).toBeCloseTo(Math.sqrt(squares.reduce((sum, each) => sum + each, 0) / 12), 12);
    expect(write?.half_width).toBeGreaterThan(0);
  });

  test('values that never vary have no spread, and exclude nothing', () => {
    const [write] = calibrationOf(
      journalOfRuns(
        [
          [0, 0],
          [0, 0],
        ],
        { metrics: { write: { unit: 'instructions' } } },
      ),
      null,
      OF,
    ).metrics;
    expect(write).toMatchObject({ sd: null, df: 2, half_width: null, excluded_zero: { count: 0, of: 2 } });
  });

  test('runs without an effect are in no rate', () => {
    const journal = journalOfRuns(RUNS, {
      // The second run loses all of its pairs on one side.
      change: (trial, at) => (at >= 8 && at < 16 && trial.arm === 'b' ? { ...trial, metrics: {} } : trial),
    });
    expect(calibrationOf(journal, null, OF).metrics[0]?.excluded_zero).toMatchObject({ count: 1, of: 3 });
  });

  test('a journal that is of no calibration is refused', () => {
    expect(() => calibrationRuns(journalOfRuns(RUNS, { calibrates: null }))).toThrow(RangeError);
  });
});

describe('an arm of known cost', () => {
  const noise = [0.001, -0.001, 0.0005, -0.0005];
  const same = journalOfRuns([noise, noise]);
  const around = (change: number) => noise.map((each) => (1 + each) * (1 + change) - 1);
  const known = (changes: readonly (readonly number[])[], cost: number | null, options: Partial<JournalOptions> = {}) =>
    journalOfRuns(changes, { calibrates: { runs: changes.length, against: 'known', cost }, ...options });

  test('found in the right direction, held by the interval, predicted by the spread of the A/A runs', () => {
    const runs = [around(0.01), around(-0.02), around(0.03), around(0.0099)];
    const [write] = calibrationOf(same, known(runs, 0.01), OF).metrics;
    expect(write?.known).toMatchObject({ arm: 'b', cost: expect.closeTo(0.01, 12) });
    expect(write?.known?.found).toMatchObject({ count: 3, of: 4 });
    expect(write?.known?.covered).toMatchObject({ count: 2, of: 4 });
    expect(write?.known?.change).toBeCloseTo(0.0073, 3);
    // Every run spreads as the A/A runs do; what lies between the runs is in none of it.
    expect(write?.known?.sd).toBeCloseTo(write?.sd ?? 0, 8);
    expect(write?.known?.predicted).toBeCloseTo(chanceToFind(criticalT(0.05), Math.log(1.01), write?.sd ?? 0, 4), 12);
  });

  test('of a rate the cost is a loss', () => {
    const metrics = { write: { better: 'higher', unit: 'ops/s' } } as const;
    const [write] = calibrationOf(
      journalOfRuns([noise, noise], { metrics }),
      known([around(-0.0099), around(0.01)], 0.01, { metrics }),
      OF,
    ).metrics;
    expect(write?.known).toMatchObject({
      cost: expect.closeTo(-0.0099, 4),
      found: { count: 1 },
      covered: { count: 1 },
    });
  });

  test('of which nothing is said is found in either direction', () => {
    const [write] = calibrationOf(same, known([around(0.01), around(-0.01), noise], null), OF).metrics;
    expect(write?.known).toMatchObject({ cost: null, covered: null, predicted: null, found: { count: 2, of: 3 } });
  });

  test('within the threshold has no power that could be said', () => {
    const decision = { threshold: 0.02 };
    const [write] = calibrationOf(
      journalOfRuns([noise, noise], { decision }),
      known([around(0.01), around(0.01)], 0.01, { decision }),
      OF,
    ).metrics;
    expect(write?.known).toMatchObject({ predicted: null, found: { count: 0 } });
  });
});
