import { expect, test } from 'vitest';
import { countOf, type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { analyse } from '../analysis/analyse.ts';
import { type Counts, countsOf } from './counts.ts';
import type { ReportInput } from './input.ts';
import { PLAIN } from './plain-text.ts';
import { rowsOf } from './row.ts';

const SLOWER = { write: { before: [1000, 1002, 999, 1001], after: [1100, 1101, 1102, 1099] } };

function countsIn(counts: JournalOptions['counts'], changes: Partial<JournalOptions> = {}): Counts {
  const journal = journalOf({ values: SLOWER, ...(counts === undefined ? {} : { counts }), ...changes });
  const options = { color: false, quiet: false, width: 80 };
  const input: ReportInput = { journal, analysis: analyse(journal), directory: null, options };
  const found = countsOf(input, rowsOf(input, PLAIN), PLAIN);
  if (found === null) throw new Error('nothing was counted');
  return found;
}

const counts = (before: readonly number[], after: readonly number[], operations: number | null = 10) => ({
  before: before.map((put) => countOf({ put }, operations)),
  after: after.map((put) => countOf({ put }, operations)),
});

function findings(...args: Parameters<typeof countsIn>): readonly string[] {
  return countsIn(...args).views[0]?.findings ?? [];
}

test.each([
  [
    counts([100, 100], [220, 220]),
    'after executes 12 more instructions an operation than before (2 counts of each, all alike).',
  ],
  [
    counts([100, 100], [110, 110]),
    'after executes 1 more instruction an operation than before (2 counts of each, all alike).',
  ],
  [
    counts([100, 100, 101], [220, 220, 220]),
    'after executes between 11.9 and 12.0 more instructions an operation than before (the range of 3 counts of each).',
  ],
  [
    counts([7, 7], [7, 7], null),
    'The counts of after and before do not differ: 7 instructions a trial (2 counts of each, all alike).',
  ],
  [
    counts([100, 110], [108, 120]),
    'after against before: the difference lies within the range of the repeats, -0.2 to +2.0 instructions an operation (2 counts of each).',
  ],
])('%o', (given, sentence) => {
  expect(findings(given)).toEqual([sentence]);
});

test('an arm whose counts lie further apart than the arms is named', () => {
  const wide =
    'The counts of after alone lie 2.0 instructions an operation apart, which is more than the difference between the arms.';
  expect(findings(counts([100, 100], [101, 121]))[1]).toBe(wide);
});

test('count and time in opposite directions are told, and only then', () => {
  expect(findings(counts([220, 220], [100, 100]))[1]).toMatch(
    /^Count and time point in opposite directions: after executes fewer instructions, but write changes by \+10\.\d+ %/,
  );
  expect(findings(counts([100, 100], [220, 220]))).toHaveLength(1);
  const noisy = { write: { before: [1000, 1100, 900, 1001], after: [1100, 900, 1102, 999] } };
  expect(findings(counts([220, 220], [100, 100]), { values: noisy })).toHaveLength(1);
  expect(findings(counts([100, 125], [100, 90]))).toHaveLength(1);
});

test('a time stands beside the count where the primary metric is one', () => {
  const labels = (...args: Parameters<typeof countsIn>) => countsIn(...args).views[0]?.rows.map(({ label }) => label);
  expect(labels(counts([1, 1], [2, 2]))).toEqual(['time (write)', 'count (instructions/op)']);
  expect(labels(counts([1, 1], [2, 2], null), { metrics: { write: { unit: 'bytes' } } })).toEqual([
    'count (instructions)',
  ]);
});

test('what is printed adds up', () => {
  const row = countsIn(counts([100, 107], [220, 229])).views[0]?.rows[1];
  expect(row).toMatchObject({
    reference: '10.0 to 10.7',
    arm: '22.0 to 22.9',
    difference: '+12.1 [+11.3, +12.9]',
    change: '+117 %',
  });
});

test('parameters of the counted trials, and those of each arm where they differ', () => {
  const changes = { counting: { params: { keys: 20 } }, workload: { params: { keys: 200 } } };
  expect(countsIn(counts([1, 1], [2, 2]), changes).notes).toContainEqual(
    expect.stringContaining('Counted with keys = 20 (timed: 200). What '),
  );
});

test('a difference that no function accounts for is said', () => {
  const given = { before: [countOf({}, 1, 5), countOf({}, 1, 5)], after: [countOf({}, 1, 9), countOf({}, 1, 9)] };
  expect(countsIn(given).views[0]).toMatchObject({
    functions: null,
    no_functions: 'No function differs by more than the range of its own counts.',
  });
});
