import { describe, expect, test } from 'vitest';
import { type SequenceState, sequenceHalfWidth } from '../../src/analysis/stats/confidence-sequence.ts';
import { tQuantile } from '../../src/analysis/stats/distributions.ts';
import { FEWER, LOOSER, percentage, seeded } from './random.ts';

const RUNS = 10_000 / FEWER;
/** In per cent. In 10,000 runs no chance is allowed for. */
const MOST = FEWER === 1 ? 5 : 5 + 0.7 * LOOSER;
const LONGEST = 200;
const ALPHA = 0.05;

/** Mean and deviation after each value, by Welford's method (1962). */
function* states(count: number, draw: (i: number) => number): Generator<SequenceState & { readonly mean: number }> {
  let mean = 0;
  let squares = 0;
  for (let n = 1; n <= count; n++) {
    const off = draw(n - 1) - mean;
    mean += off / n;
    squares += off * off * ((n - 1) / n);
    yield { n, mean, sd: n > 1 ? Math.sqrt(squares / (n - 1)) : 0, c2: 1 };
  }
}

/** Whether zero lies outside of the sequence at any look. `isLook` says after which pairs there is one. */
function everExcludesZero(draw: (i: number) => number, isLook: (n: number) => boolean): boolean {
  for (const state of states(LONGEST, draw)) {
    if (isLook(state.n) && Math.abs(state.mean) > sequenceHalfWidth(state, ALPHA)) return true;
  }
  return false;
}

describe('sequential runs of arms that are alike', () => {
  test('at most 5 % are ever decided, looked at after every pair', () => {
    const random = seeded(1976);
    expect(
      percentage(RUNS, () =>
        everExcludesZero(
          () => random.normal(),
          () => true,
        ),
      ),
    ).toBeLessThanOrEqual(MOST);
  });

  test('at most 5 % where the order within a pair has an effect, looked at after equal counts of both', () => {
    const random = seeded(2023);
    // Pairs come in groups of two, one of each order, drawn.
    let second = 1;
    const draw = (i: number) => {
      second = i % 2 === 0 ? (random.uniform() < 0.5 ? 1 : -1) : -second;
      return random.normal() + 2 * second;
    };
    expect(percentage(RUNS, () => everExcludesZero(draw, (n) => n % 2 === 0))).toBeLessThanOrEqual(MOST);
  });

  test('a fixed-n interval looked at as often is wrong far more often: that is what the sequence is for', () => {
    const random = seeded(1969);
    const quantiles = Array.from({ length: LONGEST + 1 }, (_, n) =>
      n < 2 ? Number.NaN : -tQuantile(ALPHA / 2, n - 1),
    );
    const peeked = percentage(1000, () => {
      for (const { n, mean, sd } of states(LONGEST, () => random.normal())) {
        if (n >= 2 && Math.abs(mean) > ((quantiles[n] ?? Number.NaN) * sd) / Math.sqrt(n)) return true;
      }
      return false;
    });
    expect(peeked).toBeGreaterThan(30);
  });
});

test('an effect of two standard deviations is found by the 20th pair in nearly every run', () => {
  const random = seeded(1945);
  const found = percentage(1000, () => {
    for (const state of states(20, () => 2 + random.normal())) {
      if (Math.abs(state.mean) > sequenceHalfWidth(state, ALPHA)) return true;
    }
    return false;
  });
  expect(found).toBeGreaterThan(99);
});
