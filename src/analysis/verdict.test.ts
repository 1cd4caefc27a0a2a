import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { analyse } from './analyse.ts';
import type { Comparison } from './analysis.ts';

/** d = effect ± spread, half of the pairs on either side, alike in both orders: mean exactly `effect`. */
function pairs(effect: number, spread: number, n = 16): { before: number[]; after: number[] } {
  const d = Array.from({ length: n }, (_, i) => effect + (Math.floor(i / 4) % 2 === 0 ? spread : -spread));
  return { before: d.map(() => 1), after: d.map((x) => Math.exp(x)) };
}

function only(options: JournalOptions): Comparison {
  const [comparison] = analyse(journalOf(options)).comparisons;
  if (comparison === undefined) throw new Error('no comparison');
  return comparison;
}

function verdictOf(effect: number, spread: number, options: Partial<JournalOptions> = {}): Comparison['verdict'] {
  return only({ values: { time: pairs(effect, spread) }, ...options }).verdict;
}

describe('one primary metric', () => {
  test('slower and faster are beyond the threshold with the whole interval', () => {
    expect(verdictOf(0.02, 0.01)).toEqual({ kind: 'slower' });
    expect(verdictOf(-0.02, 0.01)).toEqual({ kind: 'faster' });
    expect(verdictOf(0.004, 0.01).kind).toBe('inconclusive');
    expect(verdictOf(0.04, 0.01, { decision: { threshold: 0.05 } })).toEqual({
      kind: 'inconclusive',
      reason: 'the interval is not beyond ±5 %',
    });
    // Half of the interval's width is 2.131 · 0.01 · √(16/15)/4 = 0.0055.
    const limit = Math.log(1.05) + 0.0055;
    expect(verdictOf(limit + 0.0001, 0.01, { decision: { threshold: 0.05 } }).kind).toBe('slower');
    expect(verdictOf(limit - 0.0001, 0.01, { decision: { threshold: 0.05 } }).kind).toBe('inconclusive');
    expect(verdictOf(-limit - 0.0001, 0.01, { decision: { threshold: 0.05 } }).kind).toBe('faster');
    expect(verdictOf(-limit + 0.0001, 0.01, { decision: { threshold: 0.05 } }).kind).toBe('inconclusive');
  });

  test('equivalent comes before slower, and says when a difference is measured all the same', () => {
    expect(verdictOf(0.01, 0.002, { decision: { margin: 0.02 } })).toEqual({
      kind: 'equivalent',
      measurably: 'slower',
    });
    expect(verdictOf(-0.01, 0.002, { decision: { margin: 0.02 } })).toEqual({
      kind: 'equivalent',
      measurably: 'faster',
    });
    expect(verdictOf(0.001, 0.01, { decision: { margin: 0.02 } })).toEqual({ kind: 'equivalent', measurably: null });
  });

  test('equivalent is read from the interval at 2·level − 1, which is shown', () => {
    const comparison = only({ values: { time: pairs(0.01, 0.01) }, decision: { margin: 0.02 } });
    const { equivalence } = comparison.effect ?? { equivalence: null };
    expect(equivalence?.interval_level).toBeCloseTo(0.9, 12);
    // 1.7530503556925736 · 0.01 · √(16/15) / 4
    expect(Math.log1p(equivalence?.interval[1] ?? 0)).toBeCloseTo(0.01 + 1.7530503556925736 * 0.0025819889, 8);
    // At 0.0148 the 90 % interval lies within ln(1.02) = 0.0198, the 95 % interval does not.
    expect(verdictOf(0.0148, 0.01, { decision: { margin: 0.02 } }).kind).toBe('equivalent');
    expect(verdictOf(0.0154, 0.01, { decision: { margin: 0.02 } }).kind).toBe('slower');
  });

  test('the level of the experiment is the level of the interval', () => {
    const at = (level: number) => only({ values: { time: pairs(0.006, 0.01) }, decision: { level } });
    expect(at(0.95).verdict.kind).toBe('slower');
    expect(at(0.99).verdict.kind).toBe('inconclusive');
    expect(at(0.99).effect?.interval_level).toBe(0.99);
  });

  test('better: higher turns the words and not the numbers', () => {
    const lower = only({ values: { rate: pairs(0.02, 0.01) } });
    const higher = only({ values: { rate: pairs(0.02, 0.01) }, metrics: { rate: { better: 'higher' } } });
    expect(lower.verdict.kind).toBe('slower');
    expect(higher.verdict.kind).toBe('faster');
    expect(higher.effect).toEqual(lower.effect);
  });

  test('thresholds and margins of difference metrics have their unit', () => {
    const values = { files: { before: [10, 10, 11, 11], after: [13, 14, 14, 15] } };
    const verdict = (threshold: number, margin: number | null) =>
      only({ values, metrics: { files: { kind: 'difference', unit: 'files', threshold, margin } } }).verdict;
    expect(verdict(1, null)).toEqual({ kind: 'slower' });
    expect(verdict(4, null)).toEqual({ kind: 'inconclusive', reason: 'the interval is not beyond ±4 files' });
    expect(verdict(4, 6)).toEqual({ kind: 'equivalent', measurably: 'slower' });
  });

  test('exact values are judged by the value itself', () => {
    const verdict = (after: number, threshold: number, margin: number | null) =>
      only({
        values: { time: { before: [100, 100, 100, 100], after: [after, after, after, after] } },
        metrics: { time: { unit: 'instructions' } },
        decision: { threshold, margin },
      }).verdict;
    expect(verdict(101, 0, null)).toEqual({ kind: 'slower' });
    expect(verdict(101, 0.02, null)).toEqual({ kind: 'inconclusive', reason: 'the change is not beyond ±2 %' });
    expect(verdict(101, 0, 0.02)).toEqual({ kind: 'equivalent', measurably: 'slower' });
    expect(verdict(100, 0, 0.02)).toEqual({ kind: 'equivalent', measurably: null });
    expect(verdict(100, 0, null).kind).toBe('inconclusive');
  });
});

describe('several primary metrics', () => {
  test("Holm decides, and each interval is at its step's level", () => {
    // t = 3.87, 2.32 and 0: p = 0.0015, 0.035 and 1. The second survives alone (0.05), not in a family (0.05/2).
    const values = { a: pairs(0.01, 0.01), b: pairs(0.006, 0.01), c: pairs(0, 0.01) };
    const { comparisons } = analyse(journalOf({ values }));
    expect(comparisons.map(({ verdict }) => verdict.kind)).toEqual(['slower', 'inconclusive', 'inconclusive']);
    expect(comparisons.map(({ effect }) => effect?.interval_level)).toEqual([
      1 - (1 - 0.95) / 3,
      1 - (1 - 0.95) / 2,
      1 - (1 - 0.95) / 2,
    ]);
    expect(comparisons[1]?.effect?.interval?.[0]).toBeLessThan(0);
    expect(comparisons[1]?.effect?.plain_interval?.[0]).toBeGreaterThan(0);
    expect(only({ values: { b: values.b } }).verdict.kind).toBe('slower');
  });

  test('interval and direction always agree', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const values = Object.fromEntries(
        ['a', 'b', 'c', 'd'].map((name, i) => [
          name,
          pairs(((seed * (i + 3)) % 17) / 1700, 0.002 + ((seed * i) % 7) / 500),
        ]),
      );
      for (const { effect, verdict, threshold } of analyse(journalOf({ values, decision: { threshold: 0.002 } }))
        .comparisons) {
        const beyond = (effect?.interval?.[0] ?? 0) > threshold ? 'slower' : 'inconclusive';
        expect(verdict.kind).toBe(beyond);
      }
    }
  });

  test('secondary metrics stand alone and leave the family alone', () => {
    const values = { a: pairs(0.006, 0.01), b: pairs(0.006, 0.01), c: pairs(0.006, 0.01) };
    const metrics = { b: { primary: false }, c: { primary: false } };
    const { comparisons } = analyse(journalOf({ values, metrics }));
    expect(comparisons.map(({ effect }) => effect?.interval_level)).toEqual([0.95, 0.95, 0.95]);
    expect(comparisons.map(({ effect }) => effect?.plain_interval)).toEqual([null, null, null]);
    expect(comparisons.map(({ verdict }) => verdict.kind)).toEqual(['slower', 'slower', 'slower']);
  });

  test('equivalence is tested at α/m, and its interval says so', () => {
    // The half width is t · 0.00258; at 0.0148 the margin is reached at 95 % (t = 1.753) and not at 97.5 % (t = 2.131).
    const values = { a: pairs(0.0148, 0.01), b: pairs(0, 0.01) };
    const { comparisons } = analyse(journalOf({ values, decision: { margin: 0.02 } }));
    expect(comparisons[0]?.verdict.kind).toBe('slower');
    expect(comparisons[0]?.effect?.equivalence?.interval_level).toBeCloseTo(0.95, 12);
    expect(comparisons[1]?.verdict.kind).toBe('equivalent');
  });

  test('arms multiply the family', () => {
    const b = pairs(0.0046, 0.01, 24);
    const values = { time: { a: b.before, b: b.after, c: pairs(0, 0.01, 24).after } };
    const { comparisons } = analyse(journalOf({ values }));
    expect(only({ values: { time: { a: b.before, b: b.after } } }).verdict.kind).toBe('slower');
    expect(comparisons.map(({ verdict }) => verdict.kind)).toEqual(['inconclusive', 'inconclusive']);
    expect(comparisons[0]?.effect?.interval_level).toBe(1 - (1 - 0.95) / 2);
  });

  test('the family is as large as the experiment made it: a metric without an effect does not shrink it', () => {
    const values = { a: pairs(0.006, 0.01), b: { before: [0, 0], after: [0, 0] } };
    const [a, b] = analyse(journalOf({ values })).comparisons;
    expect(a?.verdict.kind).toBe('inconclusive');
    expect(b?.verdict.kind).toBe('none');
  });
});
