import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf, trialOf } from '../../test/journal-builder.ts';
import type { RanTrial } from '../../test/ran.ts';
import { analyse } from './analyse.ts';
import type { Analysis } from './analysis.ts';
import { exitCode } from './outcome.ts';

const VALUES = { time: { before: Array(8).fill(1), after: [1.1, 1.11, 1.12, 1.1, 1.09, 1.1, 1.12, 1.11] } };
const STEAL = { fact: 'steal', when: 'above', limit: 0.02 } as const;

function run(options: Partial<JournalOptions> = {}): Analysis {
  return analyse(journalOf({ values: VALUES, ...options }));
}

function noisy(trial: RanTrial): RanTrial {
  return { ...trial, noise: { ...trial.noise, steal: 0.031 } };
}

function verdicts(analysis: Analysis): string[] {
  return analysis.comparisons.map(({ verdict }) => verdict.kind);
}

const code = (analysis: Analysis, requireConclusive = false) => exitCode(analysis, { requireConclusive });

describe('a failure', () => {
  test('makes the run invalid: effects are shown, verdicts are not', () => {
    const analysis = run({
      change: (trial, index) => (index === 4 ? { ...trial, failure: { kind: 'timeout', timeout_ms: 600_000 } } : trial),
      end: { kind: 'trial_failed' },
    });
    expect(analysis.state).toBe('invalid');
    expect(analysis.problems).toEqual(['after in pair 3 failed: timeout after 10 min']);
    expect(verdicts(analysis)).toEqual(['invalid']);
    expect(analysis.comparisons[0]?.effect).not.toBeNull();
    expect(analysis.comparisons[0]?.pairs).toBe(7);
    expect(code(analysis)).toBe(3);
  });

  test('is a failure in warm-up, in screening and in an interrupted pair too', () => {
    for (const phase of ['warmup', 'screening']) {
      const analysis = run({
        warmup: 1,
        screening: VALUES,
        change: (trial) =>
          trial.phase === phase ? { ...trial, failure: { kind: 'signal', signal: 'SIGSEGV' } } : trial,
      });
      expect(analysis.state).toBe('invalid');
    }
  });

  test('is never rejected away', () => {
    const analysis = run({
      rules: [STEAL],
      change: (trial, index) =>
        index === 4 ? { ...noisy(trial), failure: { kind: 'timeout', timeout_ms: 1 } } : trial,
    });
    expect(analysis.state).toBe('invalid');
    expect(analysis.rejections.total).toBe(0);
  });

  test('that ended the run early shows no effect either', () => {
    const analysis = run({
      planned: 16,
      change: (trial, index) => (index === 15 ? { ...trial, failure: { kind: 'timeout', timeout_ms: 1 } } : trial),
      end: { kind: 'trial_failed' },
    });
    expect(analysis.state).toBe('invalid');
    expect(analysis.comparisons[0]?.effect).toBeNull();
  });

  test('by SIGKILL says what a limit of memory does, where there is one', () => {
    const change = (trial: RanTrial, index: number) =>
      index === 4 ? { ...trial, failure: { kind: 'signal', signal: 'SIGKILL' } as const } : trial;
    const [limited] = run({ change, workload: { memory_limit_bytes: 2 ** 26 } }).problems;
    expect(limited).toContain('ended by SIGKILL (what needs more than its memory limit of 64 MiB is killed so)');
    expect(run({ change }).problems[0]).not.toContain('memory limit');
  });

  test('of many names the first five', () => {
    const analysis = run({ change: (trial) => ({ ...trial, failure: { kind: 'signal', signal: 'SIGKILL' } }) });
    expect(analysis.problems).toHaveLength(6);
    expect(analysis.problems.at(-1)).toBe('11 more trials failed');
    expect(analysis.comparisons[0]?.verdict).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('and 5 more problems'),
    });
  });
});

describe('a check of equality', () => {
  const checks = [{ kind: 'equal', name: 'rows', from: { kind: 'result', pointer: '/facts/rows' } }] as const;
  const rows = (value: (trial: RanTrial) => string) => (trial: RanTrial) => ({
    ...trial,
    checks: [{ name: 'equal: rows', ok: true, detail: value(trial) }],
  });

  test('holds over all trials of all arms', () => {
    expect(run({ checks, warmup: 1, change: rows(() => '100') }).state).toBe('complete');
  });

  test('makes the run invalid where a value differs, and names both trials', () => {
    const analysis = run({ checks, change: rows(({ block, arm }) => (block > 2 && arm === 'after' ? '101' : '100')) });
    expect(analysis.state).toBe('invalid');
    expect(analysis.problems).toEqual([
      'the check rows wants the same value in all trials, and found 100 (before in pair 1) and 101 (after in pair 3)',
    ]);
    expect(analysis.checks).toMatchObject({ made: 16, failed: 6, names: ['equal: rows'] });
  });

  test('sees warm-up and rejected trials too', () => {
    expect(run({ checks, warmup: 1, change: rows(({ phase }) => phase) }).state).toBe('invalid');
  });
});

describe('counted trials', () => {
  const checks = [{ kind: 'equal', name: 'rows', from: { kind: 'result', pointer: '/facts/rows' } }] as const;

  /** A run of 8 pairs, then two counted trials of each arm, of which a check of equality found these values. */
  function counted(rows: readonly string[], failed = false): Analysis {
    const journal = journalOf({ values: VALUES, checks });
    const orders = [
      ['before', 'after'],
      ['after', 'before'],
    ];
    const places = orders.flatMap((arms, index) =>
      arms.map((arm, at) => ({ phase: 'counting' as const, block: index + 1, position: at + 1, arm })),
    );
    const trials = places.map((place, index) => {
      const trial = trialOf(place, 100 + index * 1000, {});
      const checked = [{ name: 'equal: rows', ok: true, detail: rows[index] ?? '' }];
      const failure = failed && index === 3 ? ({ kind: 'counting', message: 'no profile' } as const) : null;
      return { ...trial, checks: checked, failure, account: { ...trial.account, wall_ns: 1e12, leftovers: 0 } };
    });
    const plan = {
      ...journal.run.plan,
      phases: [...journal.run.plan.phases, { phase: 'counting' as const, blocks: orders }],
    };
    const timed = journal.trials.map((trial) => ({
      ...trial,
      checks: [{ name: 'equal: rows', ok: true, detail: '100' }],
    }));
    return analyse({ ...journal, run: { ...journal.run, plan }, trials: [...timed, ...trials] });
  }

  test('change neither the effect nor the time of the timed ones, and are in no pair', () => {
    const analysis = counted(['5', '5', '5', '5']);
    expect(analysis.state).toBe('complete');
    expect(analysis.comparisons).toEqual(run({ checks }).comparisons);
    expect(analysis.warnings).toEqual(run({ checks }).warnings);
    expect(analysis.trial_seconds).toBe(run().trial_seconds);
    expect(analysis.trials.slice(16).map(({ included, reason }) => [included, reason])).toEqual(
      Array(4).fill([false, 'counting']),
    );
  });

  test('have equal values among themselves', () => {
    expect(counted(['5', '5', '5', '6']).problems).toEqual([
      'the check rows wants the same value in all trials that are counted, and found 5 (before in count 1) and 6 (before in count 2)',
    ]);
  });

  test('that fail make the run invalid', () => {
    const analysis = counted(['5', '5', '5', '5'], true);
    expect(analysis.problems).toEqual(['before in count 2 failed: no count: no profile']);
    expect(verdicts(analysis)).toEqual(['invalid']);
  });
});

test('a changed executable makes the run invalid', () => {
  const analysis = run({ end: { kind: 'changed', arm: 'after', path: './after' } });
  expect(analysis.problems).toEqual(['./after, which after runs, changed while the run went on']);
  expect(code(analysis)).toBe(3);
});

test('a trial that the plan did not call for makes the run invalid', () => {
  const stray = trialOf({ phase: 'confirmation', block: 9, position: 1, arm: 'after' }, 30, { time: 1 });
  const analysis = run({ appended: [stray] });
  expect(analysis.state).toBe('invalid');
  expect(analysis.trials.at(-1)).toMatchObject({ included: false, reason: 'not due by the plan' });
});

describe('rejections', () => {
  test('take the pair along, and are told with their reason', () => {
    const analysis = run({
      rules: [STEAL],
      max_repeats: 0,
      change: (trial, index) => (index === 2 ? noisy(trial) : trial),
    });
    expect(analysis.trials.slice(0, 5).map(({ included, reason }) => [included, reason])).toEqual([
      [true, ''],
      [true, ''],
      [false, 'rejected: steal 3.1% > 2%'],
      [false, 'partner rejected'],
      [true, ''],
    ]);
    expect(analysis.rejections).toEqual({
      total: 1,
      by_arm: { before: 0, after: 1 },
      pair_share: 1 / 8,
      p_value: 1,
      rows: [{ block: 2, attempt: 1, arm: 'after', fact: 'steal', value: 0.031, limit: 0.02 }],
    });
    expect(analysis.pairs).toEqual({ planned: 8, complete: 7, decided: false });
    expect(analysis.warnings.map((warning) => warning.code)).toContain('missing-pairs');
  });

  test('do nothing without rules', () => {
    const analysis = run({ change: noisy });
    expect(analysis.rejections.total).toBe(0);
    expect(analysis.trials.every(({ included }) => included)).toBe(true);
  });

  test('of more than 20 % of the planned pairs make the run invalid, 20 % do not', () => {
    const n = 10;
    const values = { time: { before: Array(n).fill(1), after: Array.from({ length: n }, (_, i) => 1.1 + i / 1000) } };
    const rejecting = (blocks: number[]) =>
      analyse(
        journalOf({
          values,
          rules: [STEAL],
          max_repeats: 0,
          change: (trial) => (blocks.includes(trial.block) ? noisy(trial) : trial),
        }),
      );
    expect(rejecting([1, 2]).state).toBe('complete');
    const three = rejecting([1, 2, 3]);
    expect(three.state).toBe('invalid');
    expect(three.problems[0]).toContain('30 % of the planned pairs');
  });

  test('leave the verdict inconclusive where it would be another with them kept', () => {
    const keeping = (after: number) =>
      run({
        values: { time: { before: Array(8).fill(1), after: [1.01, after, 1.011, 1.012, 1.009, 1.01, 1.012, 1.011] } },
        rules: [STEAL],
        max_repeats: 0,
        change: (trial) => (trial.block === 2 && trial.arm === 'after' ? noisy(trial) : trial),
      });
    expect(keeping(1.01).comparisons[0]?.verdict).toEqual({ kind: 'slower' });
    expect(keeping(0.9).comparisons[0]?.verdict).toEqual({
      kind: 'inconclusive',
      reason: 'the verdict would be another if the rejected pair is kept',
    });
    // The effect that is shown is the one without them all the same.
    expect(keeping(0.9).comparisons[0]?.effect?.change).toBe(keeping(1.01).comparisons[0]?.effect?.change);
  });

  test('of one arm alone are found by an exact test', () => {
    const n = 40;
    const analysis = analyse(
      journalOf({
        values: { time: { before: Array(n).fill(1), after: Array.from({ length: n }, (_, i) => 1.1 + i / 1000) } },
        rules: [STEAL],
        max_repeats: 0,
        change: (trial) => (trial.block <= 8 && trial.arm === 'after' ? noisy(trial) : trial),
      }),
    );
    expect(analysis.rejections.p_value).toBeCloseTo(2 ** -7, 12);
    expect(analysis.warnings.map((warning) => warning.code)).toContain('unequal-rejection');
  });
});

describe('the status of a trial', () => {
  test('names warm-up, screening, interruptions, partners and failures', () => {
    const second = (changes: Partial<RanTrial>, position: number, attempt: number) =>
      trialOf(
        { phase: 'confirmation', block: 3, position, arm: position === 1 ? 'after' : 'before', attempt },
        40,
        VALUES_OF,
        changes,
      );
    const VALUES_OF = { time: 1 };
    const analysis = run({
      values: { time: { before: [1, 1], after: [1.1, 1.2] } },
      screening: { time: { before: [1], after: [1] } },
      warmup: 1,
      planned: 3,
      change: (trial) =>
        trial.phase === 'confirmation' && trial.block === 1 && trial.position === 1
          ? { ...trial, failure: { kind: 'check', check: 'count', message: 'wrong' } }
          : trial,
      appended: [second({}, 1, 1), second({}, 1, 2)],
      interruptions: [{ kind: 'interrupted', phase: 'confirmation', block: 3, attempt: 1, reason: 'resumed' }],
      end: null,
    });
    expect(analysis.trials.map(({ reason }) => reason)).toEqual([
      'screening',
      'screening',
      'warm-up',
      'warm-up',
      'failed: check count: wrong',
      'partner failed',
      '',
      '',
      'interrupted',
      'partner missing',
    ]);
  });
});

describe('11: exit codes', () => {
  const clear = { before: Array(8).fill(1), after: [1.1, 1.11, 1.12, 1.1, 1.09, 1.1, 1.12, 1.11] };
  const faster = { before: clear.after, after: clear.before };
  const open = { before: Array(8).fill(1), after: [1.1, 0.9, 1.12, 0.91, 0.92, 1.1, 0.9, 1.11] };

  test('0 fine, 1 slower, 4 inconclusive where asked, 3 before all of them', () => {
    expect(code(run({ values: { a: faster } }), true)).toBe(0);
    expect(code(run({ values: { a: clear } }))).toBe(1);
    expect(code(run({ values: { a: open } }))).toBe(0);
    expect(code(run({ values: { a: open } }), true)).toBe(4);
    expect(code(run({ values: { a: open, b: clear } }), true)).toBe(1);
    expect(code(run({ values: { a: open, b: clear }, end: { kind: 'changed', arm: 'after', path: 'x' } }), true)).toBe(
      3,
    );
    expect(code(run({ values: { a: clear }, end: null }))).toBe(3);
  });

  test('only primary metrics set them', () => {
    expect(code(run({ values: { a: faster, b: clear }, metrics: { b: { primary: false } } }))).toBe(0);
    expect(code(run({ values: { a: faster, b: open }, metrics: { b: { primary: false } } }), true)).toBe(0);
  });

  test('missing data of a primary metric is a failure and no regression', () => {
    const missing = { before: Array(8).fill(1), after: Array(8).fill(null) };
    expect(code(run({ values: { a: missing } }))).toBe(3);
    expect(code(run({ values: { a: clear, b: missing } }))).toBe(3);
    expect(code(run({ values: { a: faster, b: missing }, metrics: { b: { primary: false } } }))).toBe(0);
  });

  test('a look alone, without a confirmation, is no failure', () => {
    const analysis = run({ values: { a: { before: [], after: [] } }, screening: { a: clear } });
    expect(analysis.comparisons[0]?.verdict).toEqual({ kind: 'none', reason: 'no confirmation was planned' });
    expect(analysis.screening[0]?.pairs).toBe(8);
    expect(code(analysis)).toBe(0);
    expect(code(analysis, true)).toBe(4);
  });
});
