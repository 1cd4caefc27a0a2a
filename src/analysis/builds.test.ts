import { expect, test } from 'vitest';
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
