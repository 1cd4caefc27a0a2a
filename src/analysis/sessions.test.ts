/** Runs of sessions: what is said of them, and which sessions are worth a closer look. */
import { describe, expect, test } from 'vitest';
import { SLICE_CASES, sessions } from '../../test/report-cases-slices.ts';
import type { Journal, TrialRecord } from '../journal/records.ts';
import { analyse } from './analyse.ts';

function changed(journal: Journal, change: (trial: TrialRecord, index: number) => TrialRecord): Journal {
  return { ...journal, trials: journal.trials.map(change) };
}

const failure = { kind: 'signal', signal: 'SIGSEGV' } as const;

describe('a run of sessions', () => {
  test('names the session that failed', () => {
    const journal = changed(sessions(), (trial, index) => (index === 5 ? { ...trial, failure } : trial));
    expect(analyse(journal).problems[0]).toMatch(/^v4\.1\.0 in session 2 failed: /);
    const early = changed(sessions(), (trial, index) => (index === 0 ? { ...trial, failure } : trial));
    expect(analyse(early).problems[0]).toMatch(/^v4\.1\.0 in warm-up session 1 failed: /);
  });

  test('is not warned of how long a process takes to start, unless a metric has that in it', () => {
    const codes = (journal: Journal) => analyse(journal).warnings.filter(({ code }) => code === 'short-trial');
    expect(codes(sessions({ overhead_ns: 1e9 }))).toEqual([]);
    const { experiment } = sessions().run;
    const wall = { ...experiment.metrics[0], name: 'wall', from: { kind: 'system', name: 'wall' } } as const;
    const journal = sessions({ overhead_ns: 1e9 });
    const timed: Journal = {
      ...journal,
      run: { ...journal.run, experiment: { ...experiment, metrics: [...experiment.metrics, wall] } },
    };
    expect(codes(timed)[0]?.message).toMatch(/of a session of \d/);
  });

  test('of few sessions says so of sessions', () => {
    const few = analyse(sessions({ sessions: 4, sides: [] })).warnings.find(({ code }) => code === 'few-pairs');
    expect(few?.message).toBe('4 sessions cannot tell an order effect, a trend or correlation from chance.');
    expect(few?.remedy).toBe('Run at least 6 sessions; the default is 16.');
  });

  test('counts the time of a session once', () => {
    const journal = sessions();
    const firsts = journal.trials.filter(({ position }) => position === 1);
    const seconds = firsts.reduce((sum, { account }) => sum + account.wall_ns, 0) / 1e9;
    expect(analyse(journal).trial_seconds).toBeCloseTo(seconds, 9);
  });

  test('has each session with its noise, the median one and the one furthest from it', () => {
    const [write] = analyse(sessions()).comparisons;
    const slices = write?.slices;
    if (write === undefined || slices == null) throw new Error('an effect from slices');
    expect(slices.sessions.map(({ block }) => block)).toEqual(Array.from(write.values, ({ block }) => block));
    const byChange = slices.sessions.toSorted((a, b) => a.change - b.change);
    expect(slices.median_session.block).toBe(byChange[3]?.block);
    const from = (change: number) => Math.abs(Math.log1p(change) - Math.log1p(byChange[3]?.change ?? 0));
    const furthest = slices.sessions.toSorted((a, b) => from(b.change) - from(a.change))[0];
    expect(slices.extreme_session.block).toBe(furthest?.block);
    for (const { change, noise } of slices.sessions) {
      expect(Math.log1p(noise?.[1] ?? 0) - Math.log1p(change)).toBeCloseTo(slices.within_sd ?? 0, 9);
      expect(Math.log1p(change) - Math.log1p(noise?.[0] ?? 0)).toBeCloseTo(slices.within_sd ?? 0, 9);
    }
  });

  test('says of the width of its interval what the interval shows', () => {
    const { effect, slices } = analyse(sessions()).comparisons[0] ?? {};
    const [low, high] = effect?.interval ?? [0, 0];
    expect(slices?.half_width?.now).toBeCloseTo((high - low) / 2, 9);
  });
});

describe('a sequential run', () => {
  test('says whether its last look decided it', () => {
    expect(analyse(SLICE_CASES.sequential()).pairs).toEqual({ planned: 40, complete: 22, decided: true });
    expect(analyse(SLICE_CASES['sequential-sessions']()).pairs).toMatchObject({ complete: 12, decided: false });
    const journal = SLICE_CASES.sequential();
    const earlier = { ...journal, trials: journal.trials.slice(0, 36) };
    expect(analyse(earlier)).toMatchObject({ state: 'incomplete', pairs: { complete: 18, decided: false } });
    expect(analyse(sessions()).pairs.decided).toBe(false);
  });
});
