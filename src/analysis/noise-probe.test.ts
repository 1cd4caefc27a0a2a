import { expect, it } from 'vitest';
import { probeSpread } from './noise-probe.ts';
import { powerOf, upperSd } from './stats/power.ts';

/** Times whose pairs (first and second, third and fourth, …) have these logarithms of their ratios. */
function timesOf(logs: readonly number[], first = 100e6): number[] {
  return logs.flatMap((log, pair) => {
    // Pairs may lie anywhere: what is slow over many seconds is in no pair.
    const base = first * (1 + pair);
    return [base, base * Math.exp(log)];
  });
}

const LOGS = [0.01, -0.01, 0.02, -0.02, 0.01, -0.01, 0.02, -0.02];

it('has the spread within pairs, whatever lies between them', () => {
  const spread = probeSpread(timesOf(LOGS));
  const sd = Math.sqrt(LOGS.reduce((sum, log) => sum + log ** 2, 0) / (LOGS.length - 1));
  expect(spread?.sd).toBeCloseTo(sd, 12);
  expect(spread?.pairs).toBe(8);
});

it('finds the effect that 16 pairs have 80 % power for, at the upper bound of the spread', () => {
  const spread = probeSpread(timesOf(LOGS));
  if (spread === null) throw new Error('no spread');
  const upper = upperSd(spread.sd, 7, 0.8) ?? 0;
  expect(upper).toBeGreaterThan(spread.sd);
  expect(powerOf(Math.log1p(spread.detectable), upper, 16, 0.05)).toBeCloseTo(0.8, 7);
  const needed = spread.pairs_for_one_percent ?? 0;
  expect(powerOf(Math.log(1.01), upper, needed, 0.05)).toBeGreaterThanOrEqual(0.8);
  expect(powerOf(Math.log(1.01), upper, needed - 1, 0.05)).toBeLessThan(0.8);
});

it('does not pair the second with the third, and leaves out a last one without a partner', () => {
  const times = timesOf(LOGS);
  expect(probeSpread([...times, 1e12])?.sd).toBeCloseTo(probeSpread(times)?.sd ?? 0, 12);
  expect(probeSpread(times.slice(1))?.sd).toBeGreaterThan(0.1);
});

it('has the middle time of a loop', () => {
  expect(probeSpread([1, 2, 4, 4, 100, 90])?.loop_ns).toBe(4);
});

it('knows nothing from too few, from times that are none, or from pairs that are all alike', () => {
  expect(probeSpread([])).toBeNull();
  expect(probeSpread([1, 2, 3])).toBeNull();
  expect(probeSpread([1, 2, 0, 4])).toBeNull();
  expect(probeSpread([1, 2, Number.NaN, 4])).toBeNull();
  expect(probeSpread([100, 100, 100, 100])).toBeNull();
});

it('says so where no number of pairs would do', () => {
  expect(probeSpread(timesOf([30, -30, 30, -30]))?.pairs_for_one_percent).toBeNull();
});
