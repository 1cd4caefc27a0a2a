import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { seededDraw } from '../plan/order.ts';
import { analyse } from './analyse.ts';
import { looksAt } from './looks.ts';
import { progressOf } from './stopping.ts';

const draw = seededDraw(20231003, 0);
const uniform = () => (draw(2 ** 30) + 0.5) / 2 ** 30;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** `count` pairs whose effects spread by 1 % around ln(1 + change). */
function values(count: number, change: number): JournalOptions['values'] {
  const before = Array.from({ length: count }, () => 1000 * Math.exp(0.01 * normal()));
  return { x: { before, after: before.map((value) => value * (1 + change) * Math.exp(0.01 * normal())) } };
}

/** A run of at most 40 pairs of which so many are in the journal. */
function run(ran: number, change: number, options: Partial<JournalOptions> = {}) {
  return journalOf({ values: values(ran, change), planned: 40, sequential: { min: 6, max: 40 }, ...options });
}

describe('a sequential run', () => {
  test('ends at the first look that decides, and not before', () => {
    const journal = run(40, 0.05);
    const needed = progressOf(journal).attempts().length;
    expect(needed).toBeLessThan(40);
    expect(needed).toBeGreaterThanOrEqual(6);
    // What was not due any more is on record as such.
    expect(progressOf(journal).strays().length).toBe(2 * (40 - needed));
    const kept = { ...journal, trials: journal.trials.slice(0, 2 * needed) };
    expect(progressOf(kept).next()).toEqual({ kind: 'done' });
    expect(progressOf({ ...kept, trials: kept.trials.slice(0, -2) }).next().kind).toBe('trial');
    const [comparison] = analyse(kept).comparisons;
    expect(comparison).toMatchObject({ verdict: { kind: 'slower' }, pairs: needed, planned_pairs: 40 });
    const looks = comparison?.effect?.sequence?.looks ?? [];
    expect(looks.at(-1)).toMatchObject({ pairs: needed, interval: comparison?.effect?.interval });
    expect(looks.slice(0, -1).every(({ interval }) => interval === null || interval[0] <= 0)).toBe(true);
  });

  test('shows no effect before it has ended', () => {
    const [comparison] = analyse(run(4, 0.05, { end: null })).comparisons;
    expect(comparison).toMatchObject({ effect: null, verdict: { kind: 'none' } });
  });

  test('goes to its last pair where nothing is decided, and then shows the sequence alone', () => {
    const journal = run(40, 0);
    expect(progressOf(journal).attempts()).toHaveLength(40);
    const { comparisons, state } = analyse(journal);
    expect(state).toBe('complete');
    const effect = comparisons[0]?.effect;
    expect(comparisons[0]?.verdict.kind).toBe('inconclusive');
    expect(effect).toMatchObject({ wilcoxon_p: null, detectable: null, directions: { p_value: null } });
    const fixed = analyse(journalOf({ values: valuesOf(journal) })).comparisons[0]?.effect;
    const width = (interval: readonly [number, number] | null | undefined) =>
      (interval?.[1] ?? 0) - (interval?.[0] ?? 0);
    expect(width(effect?.interval)).toBeGreaterThan(width(fixed?.interval));
  });

  test('is not stopped by values that do not vary', () => {
    const constant = { x: { before: Array(40).fill(1000), after: Array(40).fill(1100) } };
    const journal = run(0, 0, { values: constant, metrics: { x: { unit: 'ops' } } });
    expect(progressOf(journal).attempts()).toHaveLength(40);
    expect(analyse(journal).comparisons[0]).toMatchObject({ verdict: { kind: 'slower' }, effect: { interval: null } });
  });

  test('reads a margin from the interval at the level of the run', () => {
    const journal = run(40, 0, { decision: { level: 0.95, threshold: 0, margin: 0.02 } });
    const needed = progressOf(journal).attempts().length;
    const [comparison] = analyse({ ...journal, trials: journal.trials.slice(0, 2 * needed) }).comparisons;
    expect(comparison?.verdict.kind).toBe('equivalent');
    expect(comparison?.effect?.equivalence?.interval_level).toBeCloseTo(0.95, 12);
    expect(comparison?.effect?.equivalence?.interval).toEqual(comparison?.effect?.interval);
  });

  test('splits its error over several primary metrics', () => {
    const two = { ...values(40, 0.03), y: values(40, 0.03)['x'] ?? {} };
    const journal = run(0, 0, { values: two });
    const needed = progressOf(journal).attempts().length;
    const { comparisons } = analyse({ ...journal, trials: journal.trials.slice(0, 2 * needed) });
    expect(comparisons.map(({ effect }) => effect?.interval_level)).toEqual([0.975, 0.975]);
    expect(comparisons.map(({ verdict }) => verdict.kind)).toEqual(['slower', 'slower']);
  });
});

test('looks come at equal counts of both orders', () => {
  expect(looksAt([true, false, false, true, true, true, false, false])).toEqual([2, 4, 8]);
  expect(looksAt([true, true, true])).toEqual([]);
});

function valuesOf({ trials }: ReturnType<typeof run>): JournalOptions['values'] {
  const of = (arm: string) => trials.filter((trial) => trial.arm === arm).map(({ metrics }) => metrics['x'] ?? 0);
  return { x: { before: of('before'), after: of('after') } };
}
