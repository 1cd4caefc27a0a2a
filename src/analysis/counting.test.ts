import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { countOf, type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import type { InstructionCount } from '../journal/records.ts';
import { analyse } from './analyse.ts';
import type { CountContrast, CountingSummary } from './analysis.ts';

const VALUES = { write: { before: [100, 102, 99, 101], after: [110, 111, 112, 109] } };
const COUNT = countOf({ put: 100 }, 10);

function run(
  before: readonly InstructionCount[],
  after: readonly InstructionCount[],
  changes: Partial<JournalOptions> = {},
) {
  return analyse(journalOf({ values: VALUES, counts: { before, after }, ...changes }));
}

function summaryOf(...args: Parameters<typeof run>): CountingSummary {
  const { counting } = run(...args);
  if (counting === null) throw new Error('there is no summary');
  return counting;
}

function contrastOf(...args: Parameters<typeof run>): CountContrast {
  const [contrast] = summaryOf(...args).contrasts;
  if (contrast === undefined) throw new Error('there is no contrast');
  return contrast;
}

describe('a difference', () => {
  test('of k instructions in every operation is k, whatever else is counted', () => {
    const before = countOf({ put: 1_234_567 }, 20_000, 777);
    const after = countOf({ put: 1_234_567 + 12 * 20_000 }, 20_000, 777);
    const contrast = contrastOf([before, before], [after, after]);
    expect(contrast).toMatchObject({ difference: 12, range: [12, 12], rest: 0 });
    expect(contrast.change).toBeCloseTo((12 * 20_000) / 1_235_344, 12);
    expect(contrast.functions).toEqual([
      { name: 'put', reference: 61.72835, arm: 73.72835, difference: 12, range: [12, 12] },
    ]);
  });

  test('of a program with itself is zero, and no function differs', () => {
    expect(contrastOf([COUNT, COUNT], [COUNT, COUNT])).toMatchObject({ difference: 0, range: [0, 0], functions: [] });
  });

  test('has the range that the repeats allow, from end to end', () => {
    const [low, high] = [countOf({ put: 90 }, 10), countOf({ put: 110 }, 10)];
    const [low2, high2] = [countOf({ put: 115 }, 10), countOf({ put: 117 }, 10)];
    const counting = summaryOf([low, high], [high2, low2]);
    expect(counting.arms).toEqual([
      { arm: 'before', lowest: 9, highest: 11 },
      { arm: 'after', lowest: 11.5, highest: 11.7 },
    ]);
    expect(counting.contrasts[0]).toMatchObject({ difference: 1.6, range: [0.5, 2.7], change: 0.16 });
  });

  test('from nothing has no change', () => {
    const none = countOf({}, 10);
    expect(contrastOf([none, none], [COUNT, COUNT])).toMatchObject({ difference: 10, change: null });
  });

  test('is of whole trials where no operations are known', () => {
    const count = countOf({ put: 100 });
    expect(summaryOf([count, count], [count, count])).toMatchObject({ unit: 'trial', operations: null });
    expect(summaryOf([COUNT, COUNT], [COUNT, COUNT])).toMatchObject({ unit: 'operation', operations: 10 });
  });
});

describe('functions', () => {
  test('whose difference their own repeats may explain are not listed', () => {
    const before = [countOf({ put: 100, malloc: 50 }), countOf({ put: 100, malloc: 60 })];
    const after = [countOf({ put: 101, malloc: 60 }), countOf({ put: 101, malloc: 75 })];
    const contrast = contrastOf(before, after);
    expect(contrast.functions.map(({ name }) => name)).toEqual(['put']);
    expect(contrast.rest).toBe(12.5);
  });

  test('of one arm only have no value in the other', () => {
    const before = countOf({ old: 30, put: 100 });
    const after = countOf({ put: 100, young: 40 });
    expect(contrastOf([before, before], [after, after]).functions).toEqual([
      { name: 'young', reference: null, arm: 40, difference: 40, range: [40, 40] },
      { name: 'old', reference: 30, arm: null, difference: -30, range: [-30, -30] },
    ]);
  });

  test('that a record may have left out are listed only where that cannot explain it', () => {
    const before = countOf({ put: 100, get: 20 }, null, 1000);
    const after = countOf({ put: 100, get: 20, small: 15, large: 50 }, null, 1000);
    const { functions } = contrastOf([before, before], [after, after]);
    expect(functions).toEqual([{ name: 'large', reference: null, arm: 50, difference: 50, range: [30, 50] }]);
  });

  test('are 15 at most, the largest differences first, none of a thousandth of the largest', () => {
    const names = Array.from({ length: 30 }, (_, index) => `f${index}`);
    const count = (step: number) => countOf(Object.fromEntries(names.map((name, at) => [name, 500 + step * at])));
    const { functions } = contrastOf([count(0), count(0)], [count(10), count(10)]);
    expect(functions.map(({ name }) => name)).toEqual(names.slice(15).reverse());
    const [small, large] = [countOf({ a: 1, b: 1 }), countOf({ a: 2, b: 5000 })];
    expect(contrastOf([small, small], [large, large]).functions.map(({ name }) => name)).toEqual(['b']);
  });

  test('and the rest add up to the difference', () => {
    const functions = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.nat(1e9));
    const count = fc.tuple(functions, fc.nat(1e6)).map(([own, rest]) => countOf(own, 977, rest));
    const arm = fc.array(count, { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(arm, arm, (before, after) => {
        const { functions: told, rest, difference, range } = contrastOf(before, after);
        const sum = told.reduce((total, one) => total + one.difference, rest);
        expect(Math.abs(sum - difference)).toBeLessThan(1e-6);
        expect(range[0]).toBeLessThanOrEqual(difference);
        expect(range[1]).toBeGreaterThanOrEqual(difference);
        for (const one of told) expect(one.range[0] > 0 || one.range[1] < 0).toBe(true);
      }),
      { numRuns: draws(60), seed: 7 },
    );
  });
});

describe('there is no summary', () => {
  test('where none was asked for', () => {
    expect(analyse(journalOf({ values: VALUES })).counting).toBeNull();
  });

  test('before all counts are there, and the run is incomplete', () => {
    const analysis = run([COUNT], [COUNT, COUNT], { end: { kind: 'signal', signal: 'SIGINT' } });
    expect(analysis).toMatchObject({ counting: null, state: 'incomplete' });
  });

  test('where a trial was not counted', () => {
    const journal = journalOf({ values: VALUES, counts: { before: [COUNT, COUNT], after: [COUNT, COUNT] } });
    const trials = journal.trials.map((trial, at) => (at === 9 ? { ...trial, counted: null } : trial));
    expect(analyse({ ...journal, trials }).counting).toBeNull();
  });

  test('where the run is invalid', () => {
    const end = { kind: 'changed', arm: 'after', path: './after' } as const;
    expect(run([COUNT, COUNT], [COUNT, COUNT], { end }).counting).toBeNull();
  });

  test.each([
    ['the arms did not do as many operations', countOf({ put: 100 }, 11)],
    ['one does not say how many', countOf({ put: 100 })],
  ])('where %s, and a warning says so', (_, other) => {
    const { counting, warnings } = run([COUNT, COUNT], [COUNT, other]);
    expect(counting).toBeNull();
    expect(warnings.map(({ code }) => code)).toContain('count-operations');
  });
});

test('only parameters that differ from those of the timed trials are told', () => {
  const counting = { params: { keys: 20_000, families: 20, check: true } };
  const workload = { params: { keys: 200_000, families: 20 } };
  const { params } = summaryOf([COUNT, COUNT], [COUNT, COUNT], { counting, workload });
  expect(params).toEqual({ keys: 20_000, check: true });
});

test('trials that are counted are in no effect, and the trials of the table say so', () => {
  const analysis = run([COUNT, COUNT], [COUNT, COUNT]);
  expect(analysis.comparisons[0]?.pairs).toBe(4);
  const rows = analysis.trials.filter(({ phase }) => phase === 'counting');
  expect(rows.map(({ included, reason }) => [included, reason])).toEqual(rows.map(() => [false, 'counting']));
  expect(rows).toHaveLength(4);
});

test('a check of equality compares counted trials with each other alone', () => {
  const checks = [{ kind: 'equal', name: 'rows', from: { kind: 'result', pointer: '/facts/rows' } }] as const;
  const journal = journalOf({ values: VALUES, checks, counts: { before: [COUNT, COUNT], after: [COUNT, COUNT] } });
  const found = (value: (index: number) => string) =>
    journal.trials.map((trial, index) => ({
      ...trial,
      checks: [{ name: 'equal: rows', ok: true, detail: value(index) }],
    }));
  expect(analyse({ ...journal, trials: found((index) => (index < 8 ? '2000' : '200')) }).problems).toEqual([]);
  expect(analyse({ ...journal, trials: found((index) => (index < 11 ? '2000' : '200')) }).problems).toEqual([
    'the check rows wants the same value in all trials that are counted, and found 2000 (before in count 1) and 200 (before in count 2)',
  ]);
});
