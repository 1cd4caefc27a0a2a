/** Counters through the whole analysis: compared, rejected by their share of the time, missing, or of two kinds. */
import { expect, test } from 'vitest';
import { balancedOrders, journalOf, trialOf } from '../../test/journal-builder.ts';
import type { RanTrial } from '../../test/ran.ts';
import type { Metric } from '../experiment/experiment.ts';
import type { TrialCounters } from '../journal/records.ts';
import { analyse } from './analyse.ts';
import { progressOf } from './stopping.ts';

const PAIRS = 8;
const RULE = { fact: 'counter_share', when: 'below', limit: 0.99 } as const;
const COUNTED: TrialCounters = { kind: 'hardware', scope: 'region', events: {}, enabled_ns: 1000, running_ns: 1000 };
const NONE: TrialCounters = { kind: 'hardware', scope: 'region', unsupported: 'no such events' };
const COUNTER: Partial<Metric> = {
  primary: false,
  optional: true,
  unit: 'instructions',
  from: { kind: 'counter', name: 'instructions' },
};

const values = {
  write: {
    before: [100, 101, 102, 100, 101, 100, 102, 101],
    after: [100, 102, 101, 100, 100, 101, 102, 101],
  },
  instructions: {
    before: Array.from({ length: PAIRS }, (_, i) => 1000 + i),
    after: Array.from({ length: PAIRS }, (_, i) => 1100 + 2 * i),
  },
};

function run(
  counters: (trial: RanTrial, index: number) => TrialCounters | null,
  options: Partial<Parameters<typeof journalOf>[0]> = {},
) {
  const change = (trial: RanTrial, index: number): RanTrial => {
    const found = counters(trial, index);
    const lost = found === null || 'unsupported' in found ? { instructions: null } : {};
    return { ...trial, counters: found, metrics: { ...trial.metrics, ...lost } };
  };
  return journalOf({
    values,
    metrics: { instructions: COUNTER },
    counters: 'hardware',
    rules: [RULE],
    change,
    ...options,
  });
}

const verdictOf = (journal: ReturnType<typeof run>) => {
  const { comparisons } = analyse(journal);
  return comparisons.find(({ metric }) => metric === 'instructions');
};

test('counts are compared as any metric, with the share of the time', () => {
  const journal = run(() => COUNTED);
  expect(verdictOf(journal)).toMatchObject({ pairs: PAIRS, verdict: { kind: 'slower' } });
  expect(analyse(journal).counters).toEqual({
    kind: 'hardware',
    scopes: ['region'],
    trials: 2 * PAIRS,
    counted: 2 * PAIRS,
    share: { least: 1, most: 1 },
    reason: null,
  });
  expect(analyse(journal).warnings.map(({ code }) => code)).not.toContain('rule-without-fact');
});

test.each([
  [989, 'rejected'],
  [990, 'complete'],
])('a trial that was counted for %d of 1000 ns: its pair is %s', (running_ns, outcome) => {
  const journal = run((_, index) => (index === 4 ? { ...COUNTED, running_ns } : COUNTED));
  const attempts = progressOf(journal).attempts();
  expect(attempts.at(2)?.outcome).toBe(outcome);
  // A rejected pair is due again after the planned ones.
  expect(progressOf(journal).next().kind).toBe(outcome === 'rejected' ? 'trial' : 'done');
});

test('a rejected pair counts once it was repeated', () => {
  const orders = balancedOrders(['before', 'after'], PAIRS);
  const appended = (orders[2] ?? []).map((arm, place) =>
    trialOf(
      { phase: 'confirmation', block: 3, position: place + 1, arm, attempt: 2 },
      2 * PAIRS + place,
      { write: 101, instructions: arm === 'after' ? 1104 : 1002 },
      { counters: COUNTED },
    ),
  );
  const journal = run((_, index) => (index === 4 ? { ...COUNTED, running_ns: 500 } : COUNTED), { appended });
  const analysis = analyse(journal);
  expect(analysis.rejections).toMatchObject({ total: 1, rows: [{ fact: 'counter_share', value: 0.5, limit: 0.99 }] });
  expect(analysis.counters?.share).toEqual({ least: 1, most: 1 });
  expect(analysis.pairs.complete).toBe(PAIRS);
  expect(analysis.trials[4]?.reason).toBe('rejected: counter_share 50% < 99%');
});

test('events that never ran, or a region of no time, have a share of nothing', () => {
  for (const times of [
    { enabled_ns: 1000, running_ns: 0 },
    { enabled_ns: 0, running_ns: 0 },
  ]) {
    const journal = run((_, index) => (index === 0 ? { ...COUNTED, ...times } : COUNTED));
    expect(progressOf(journal).attempts().at(0)?.outcome).toBe('rejected');
  }
});

test('where no trial was counted there are no rows for it, and no pair is rejected', () => {
  const analysis = analyse(run(() => NONE));
  expect(analysis.comparisons.map(({ metric }) => metric)).toEqual(['write']);
  expect(analysis.counters).toMatchObject({ counted: 0, share: null, reason: 'no such events' });
  expect(analysis.warnings.map(({ code }) => code)).not.toContain('missing-counters');
  expect(analysis).toMatchObject({ state: 'complete', pairs: { complete: PAIRS } });
});

test('a primary counter that no trial has keeps its row', () => {
  const metrics = { instructions: { ...COUNTER, primary: true } };
  expect(verdictOf(run(() => NONE, { metrics }))?.verdict.kind).toBe('none');
});

test('some trials without counters are a warning', () => {
  const analysis = analyse(run((_, index) => (index === 3 ? NONE : COUNTED)));
  const warning = analysis.warnings.find(({ code }) => code === 'missing-counters');
  expect(warning?.message).toBe(`1 of ${2 * PAIRS} trials have no hardware counters: no such events.`);
});

test('what was counted around different things is not compared', () => {
  const journal = run(({ arm }) => (arm === 'after' ? { ...COUNTED, scope: 'process' } : COUNTED));
  expect(verdictOf(journal)?.verdict).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining('around the process in others'),
  });
});
