import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { buildOfBlock } from '../plan/builds.ts';
import { analyse } from './analyse.ts';
import type { Comparison } from './analysis.ts';
import { intervalOf, meanEstimate } from './stats/estimate.ts';

const BUILDS = 4;
/** Effect of each build, and of each pair within. */
const LAYOUT = [0.01, 0.03, 0.02, 0.016];
const PAIRS = 12;
const WITHIN = [0.001, -0.001, 0];

const effects = Array.from(
  { length: PAIRS },
  (_, i) => (LAYOUT[i % BUILDS] ?? 0) + (WITHIN[Math.floor(i / BUILDS)] ?? 0),
);
const VALUES = { time: { before: effects.map(() => 100), after: effects.map((effect) => 100 * Math.exp(effect)) } };

function compare(options: Partial<JournalOptions> = {}): Comparison {
  const [comparison] = analyse(journalOf({ values: VALUES, builds: BUILDS, ...options })).comparisons;
  if (comparison === undefined) throw new Error('no comparison');
  return comparison;
}

test('blocks take the builds in turn', () => {
  expect([1, 2, 3, 4, 5].map((block) => buildOfBlock(block, 3))).toEqual([0, 1, 2, 0, 1]);
});

test('the unit is the build: t over the means of the builds', () => {
  const { effect, pairs } = compare();
  const estimate = meanEstimate(LAYOUT);
  const [low = 0, high = 0] = estimate === null ? [] : intervalOf(estimate, 0.95);
  expect(pairs).toBe(PAIRS);
  expect(effect?.change).toBeCloseTo(Math.expm1(estimate?.value ?? 0), 12);
  expect(effect?.interval?.[0]).toBeCloseTo(Math.expm1(low), 12);
  expect(effect?.interval?.[1]).toBeCloseTo(Math.expm1(high), 12);
  expect(effect?.builds?.means.map(({ build, pairs: count }) => [build, count])).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
    [4, 3],
  ]);
  expect(effect?.builds?.within_sd).toBeCloseTo(0.001, 12);
  // Of the means less what their pairs explain.
  const ofMeans = (estimate?.standardError ?? 0) * 2;
  expect(effect?.builds?.between_sd).toBeCloseTo(Math.sqrt(ofMeans ** 2 - 0.001 ** 2 / 3), 12);
  // Four builds of one direction are four, not twelve: 2 · ½⁴.
  expect(effect?.directions).toMatchObject({ up: 12, p_value: 0.125 });
  expect(effect?.wilcoxon_p).toBeNull();
});

test('one build: nothing changes', () => {
  const { effect } = compare({ builds: 1 });
  expect(effect?.builds).toBeNull();
  const estimate = meanEstimate(effects);
  const [low = 0] = estimate === null ? [] : intervalOf(estimate, 0.95);
  expect(effect?.interval?.[0]).toBeCloseTo(Math.expm1(low), 12);
});

test('a build without a complete pair leaves no effect', () => {
  const short = { time: { before: VALUES.time.before.slice(0, 4), after: VALUES.time.after.slice(0, 4) } };
  expect(compare({ values: short, builds: 6 })).toMatchObject({
    effect: null,
    verdict: { reason: 'build 5 of 6 has no complete pair, and the interval is made over all 6 builds' },
  });
});

test('one pair a build: the spread within is not known', () => {
  const short = { time: { before: VALUES.time.before.slice(0, 4), after: VALUES.time.after.slice(0, 4) } };
  const { effect } = compare({ values: short });
  expect(effect?.builds?.within_sd).toBeNull();
  expect(effect?.interval).not.toBeNull();
});

describe('an effect of the order', () => {
  const GAMMA = 0.05;
  /** Eight builds of two pairs, or four of four: round by round AB and BA change places. */
  const ordered = (builds: number, rounds: number) => {
    const orders = Array.from({ length: builds * rounds }, (_, i) =>
      (Math.floor(i / builds) + (i % builds)) % 2 === 0 ? ['before', 'after'] : ['after', 'before'],
    );
    const noise = [0.001, -0.002, 0.0005, 0.0015, -0.001, 0.002, -0.0005, -0.0015];
    const effects = orders.map(
      ([first], i) => (LAYOUT[i % builds] ?? 0) + (first === 'before' ? GAMMA : -GAMMA) + (noise[(5 * i) % 8] ?? 0),
    );
    const values = { time: { before: effects.map(() => 100), after: effects.map((x) => 100 * Math.exp(x)) } };
    return { values, orders, builds, effects };
  };

  test('cancels in a build that lost a pair of one order', () => {
    const { effects, ...options } = ordered(4, 4);
    const whole = compare(options);
    const lost = compare({
      ...options,
      rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
      max_repeats: 0,
      change: (trial) => (trial.block === 1 ? { ...trial, noise: { ...trial.noise, steal: 0.1 } } : trial),
    });
    const mean = (places: readonly number[]) => places.reduce((sum, i) => sum + (effects[i] ?? 0), 0) / places.length;
    // Build 1 has pairs 1, 5, 9, 13; the first and the third are AB.
    expect(Math.log1p(lost.effect?.builds?.means[0]?.change ?? 0)).toBeCloseTo((mean([8]) + mean([4, 12])) / 2, 12);
    expect(lost.effect?.builds?.means[0]?.pairs).toBe(3);
    expect(Math.abs((lost.effect?.change ?? 0) - (whole.effect?.change ?? 0))).toBeLessThan(0.001);
  });

  test('is in no spread, and is found with the builds taken out', () => {
    const { effects: _, ...options } = ordered(4, 4);
    const { effect } = compare(options);
    expect(effect?.builds?.within_sd).toBeLessThan(0.003);
    // Layouts differ by about 0.0084, and no order hides it.
    expect(effect?.builds?.between_sd).toBeGreaterThan(0.006);
    expect(effect?.order_effect?.gamma).toBeCloseTo(GAMMA, 2);
    expect(effect?.order_effect?.p_value).toBeLessThan(1e-6);
  });
});

test('trend and correlation have the degrees of freedom that the builds leave', () => {
  // Two rounds of eight builds: what is left of a build are two values, one the negative of the other.
  const d = [0.4, -0.3, 0.9, 0.1, -0.6, 0.2, -0.1, 0.5, 0.2, -0.5, 0.3, 0.7, -0.2, 0.6, 0.1, -0.4].map((x) => x / 100);
  const values = { time: { before: d.map(() => 100), after: d.map((x) => 100 * Math.exp(x)) } };
  const { effect } = compare({ values, builds: 8 });
  // By NumPy: least squares with a column for each build and one for the place; 16 − 8 − 1 degrees of freedom.
  expect((effect?.trend?.slope ?? 0) / -4.687500000000004e-5).toBeCloseTo(1, 9);
  expect((effect?.trend?.p_value ?? 0) / 0.8467830220066969).toBeCloseTo(1, 9);
  expect(effect?.autocorrelation?.limit).toBeCloseTo(2 / Math.sqrt(16 - 7), 12);
});
