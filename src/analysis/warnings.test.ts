import { describe, expect, test } from 'vitest';
import { countOf, type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import type { RanTrial } from '../../test/ran.ts';
import type { Metric } from '../experiment/experiment.ts';
import type { TrialNoise } from '../host/machine.ts';
import { analyse } from './analyse.ts';
import type { Warning } from './analysis.ts';

const N = 16;
/** Neither trend nor correlation nor order. */
const NOISE = [3, -1, -2, 1, -3, 2, 2, -3, 1, -2, -1, 3, 0, 1, -1, 0].map((x) => x / 1000);
const QUIET = { before: Array<number>(N).fill(1), after: NOISE.map((x) => Math.exp(0.01 + x)) };

function warningsOf(options: Partial<JournalOptions> = {}): readonly Warning[] {
  return analyse(journalOf({ values: { time: QUIET }, ...options })).warnings;
}

function codes(options: Partial<JournalOptions> = {}): string[] {
  return warningsOf(options).map(({ code }) => code);
}

function messageOf(code: string, options: Partial<JournalOptions>): string {
  const found = warningsOf(options).filter((warning) => warning.code === code);
  expect(found).toHaveLength(1);
  return found[0]?.message ?? '';
}

function withNoise(noise: (trial: RanTrial) => Partial<TrialNoise>): Partial<JournalOptions> {
  return { change: (trial) => ({ ...trial, noise: { ...trial.noise, ...noise(trial) } }) };
}

test('a clean run has none', () => {
  expect(warningsOf()).toEqual([]);
});

test('each says what would help, in a whole sentence', () => {
  const all = [
    ...warningsOf({ machine: { file_system: 'tmpfs' }, overhead_ns: 1e9 }),
    ...warningsOf(withNoise(() => ({ steal: 0.5, other_cpu: 2 }))),
    ...warningsOf({ values: { time: { before: [1, 1], after: [1, 2] } } }),
  ];
  expect(all.length).toBeGreaterThan(4);
  for (const { message, remedy, code } of all) {
    expect(message).toMatch(/^[A-Z0-9].*\.$/);
    expect(remedy).toMatch(/^[A-Z].*\.$/);
    expect(code).toMatch(/^[a-z-]+$/);
  }
});

describe('about a comparison', () => {
  const time = (d: readonly number[]) => ({
    values: { time: { before: d.map(() => 1), after: d.map((x) => Math.exp(x)) } },
  });

  test('an order effect', () => {
    const order = [1, -1, -1, 1];
    const later = NOISE.map((x, i) => x + 0.01 * (order[i % 4] ?? 0));
    expect(messageOf('order-effect', time(later))).toMatch(/^What ran later in a pair measured \+1\.\d* % against/);
    expect(codes(time(NOISE))).not.toContain('order-effect');
  });

  test('autocorrelation beyond 2/√n', () => {
    const slow = NOISE.map((x, i) => x / 4 + 0.01 * Math.sin((2 * Math.PI * i) / N));
    expect(codes(time(slow))).toContain('autocorrelation');
    expect(messageOf('autocorrelation', time(slow))).toContain('±0.5');
  });

  test('an order effect is no correlation', () => {
    const orders = NOISE.map((_, i) => (Math.floor(i / 2) % 2 === 0 ? ['before', 'after'] : ['after', 'before']));
    const ordered = NOISE.map((x, i) => x + (Math.floor(i / 2) % 2 === 0 ? 0.05 : -0.05));
    const options = { ...time(ordered), orders };
    expect(codes(options)).toContain('order-effect');
    const alone = analyse(journalOf({ ...time(NOISE), orders })).comparisons[0]?.effect?.autocorrelation?.lag1;
    const beside = analyse(journalOf(options)).comparisons[0]?.effect?.autocorrelation?.lag1;
    expect(beside).toBeCloseTo(alone ?? Number.NaN, 9);
  });

  test('a trend over the run', () => {
    const rising = NOISE.map((x, i) => x + 0.002 * i);
    expect(messageOf('trend', time(rising))).toMatch(/by \+0\.2\d* % a pair/);
  });

  test('means that point in opposite directions', () => {
    // Twice as large once, a little smaller otherwise.
    const before = Array<number>(N).fill(1);
    const after = before.map((_, i) => (i === 5 ? 2 : 0.95));
    expect(messageOf('opposite-means', { values: { time: { before, after } } })).toMatch(/^Geometric and arithmetic/);
  });

  test('names its arm where there are more than two', () => {
    const values = { time: { a: QUIET.before, b: QUIET.after, c: QUIET.after.map((x, i) => x * Math.exp(0.01 * i)) } };
    const trend = warningsOf({ values }).find(({ code }) => code === 'trend');
    expect(trend?.message).toMatch(/^The effect moves over the run, by \S+ % a block \(p = \S+\), for c against a\.$/);
  });

  test('too few pairs to see any of these', () => {
    const few = (n: number) => ({
      values: { time: { before: QUIET.before.slice(0, n), after: NOISE.slice(0, n).map((_, i) => 1 + i / 10) } },
    });
    expect(codes(few(4))).toEqual(['few-pairs']);
    expect(codes(few(6))).not.toContain('few-pairs');
  });
});

describe('about the run', () => {
  test('a trial shorter than 100 empty commands', () => {
    expect(codes({ overhead_ns: 5e6 })).not.toContain('short-trial');
    expect(messageOf('short-trial', { overhead_ns: 5.1e6 })).toBe(
      'An empty command takes 5.1 ms, more than 1 % of a trial of 500 ms.',
    );
  });

  test('so few builds that they may all be of one kind', () => {
    expect(messageOf('few-builds', { builds: 4 })).toMatch(/^4 builds of each arm say little/);
    expect(codes({ builds: 5 })).not.toContain('few-builds');
    expect(codes({})).not.toContain('few-builds');
  });

  test('what the launcher cannot do', () => {
    const limitations = [{ message: 'CPU time is coarse.', remedy: 'Install a C compiler.' }];
    expect(warningsOf({ limitations })).toEqual([{ code: 'launcher', metric: null, ...limitations[0] }]);
    const more = [...limitations, { message: 'So is memory.', remedy: 'Install a C compiler.' }];
    expect(warningsOf({ limitations: more }).map(({ message }) => message)).toEqual([
      'CPU time is coarse. So is memory.',
    ]);
  });

  test('a file system that is none of a device', () => {
    expect(messageOf('file-system', { machine: { file_system: 'tmpfs' } })).toContain('memory');
    expect(messageOf('file-system', { machine: { file_system: 'overlay' } })).toContain('copies');
    expect(codes({ machine: { file_system: null } })).toEqual([]);
  });

  test('builds whose pairs are not balanced, or not equally many', () => {
    const told = 'The builds have 6, 5, 5 complete pairs, and each has the same weight in the change.';
    const planned = 'The order of arms is not balanced within each of the 3 builds: 16 pairs are no multiple of 6.';
    const unbalanced = warningsOf({ builds: 3 }).filter(({ code }) => code === 'unbalanced-builds');
    expect(unbalanced).toEqual([
      {
        code: 'unbalanced-builds',
        metric: null,
        message: `${planned} ${told}`,
        remedy: 'Run a multiple of 6 pairs, so that an effect of the order cancels out in each build.',
      },
    ]);
    expect(codes({ builds: 4 })).toEqual(['few-builds']);
    // Until it is over, what is missing may still come.
    expect(messageOf('unbalanced-builds', { builds: 3, planned: 20, end: null })).not.toContain('complete');
    expect(codes({ builds: 4, planned: 24, end: null })).not.toContain('unbalanced-builds');
    const rejected = {
      builds: 4,
      rules: [{ fact: 'steal', when: 'above', limit: 0.05 }],
      max_repeats: 0,
      change: (trial: RanTrial) => (trial.block === 2 ? { ...trial, noise: { ...trial.noise, steal: 0.5 } } : trial),
    } as const;
    const [left] = warningsOf(rejected).filter(({ code }) => code === 'unbalanced-builds');
    expect(left?.message).toBe(
      'The builds have 4, 3, 4, 4 complete pairs, and each has the same weight in the change.',
    );
    expect(left?.remedy).toMatch(/^Run on a quieter machine/);
  });

  test('earlier runs of the same experiment', () => {
    const earlier = [
      { name: 'one', started_unix_ms: Date.UTC(2024, 0, 1, 9, 30), finished: true },
      { name: 'two', started_unix_ms: Date.UTC(2024, 0, 1, 10), finished: false },
    ];
    expect(messageOf('earlier-runs', { earlier })).toBe(
      '2 earlier runs of the same experiment stand beside this one: one (2024-01-01 09:30 UTC), two (2024-01-01 10:00 UTC, not finished).',
    );
  });

  test('processes left behind', () => {
    const change = (trial: RanTrial) =>
      trial.block <= 8 && trial.arm === 'after' ? { ...trial, account: { ...trial.account, leftovers: 3 } } : trial;
    expect(messageOf('leftovers', { change })).toBe('8 trials of after left processes behind, which were killed.');
  });

  describe('what values are divided by', () => {
    const did = (counts: (trial: RanTrial) => Readonly<Record<string, number>>): Partial<JournalOptions> => ({
      change: (trial) => ({ ...trial, operations: counts(trial) }),
    });
    const per = (value: Metric['per']): Partial<JournalOptions> => ({ metrics: { time: { per: value } } });

    test('a number that is not what the driver says that it did', () => {
      const declared = did(() => ({ '/operations': 2000 }));
      expect(warningsOf({ ...per(2000), ...declared })).toEqual([]);
      expect(warningsOf(per(1000))).toEqual([]);
      expect(warningsOf(declared)).toEqual([]);
      expect(warningsOf({ ...per(1000), ...declared })).toEqual([
        {
          code: 'other-operations',
          metric: null,
          message: 'NOT PER OPERATION: time is divided by 1000, but the driver says that a trial did 2000 operations.',
          remedy:
            'Write per: /operations in the experiment; where something else is meant, let per say where the result line has that.',
        },
      ]);
    });

    test('such a number in one arm only, and for several metrics', () => {
      const values = { time: QUIET, cycles: QUIET, rest: QUIET };
      const metrics = { time: { per: 1000 }, cycles: { per: 1000, primary: false }, rest: { primary: false } };
      const declared = did(({ arm, block }) => ({ '/operations': arm === 'before' ? 1000 : 1999 + (block % 2) }));
      expect(messageOf('other-operations', { values, metrics, ...declared })).toBe(
        'NOT PER OPERATION: time, cycles are divided by 1000, but the driver says that a trial did 1999 to 2000 operations.',
      );
    });

    test('a trial that failed, or has no value, says nothing', () => {
      const failure = { kind: 'signal', signal: 'SIGSEGV' } as const;
      const change = (trial: RanTrial) => ({ ...trial, operations: { '/operations': 7 } });
      expect(codes({ ...per(1000), change: (trial) => ({ ...change(trial), failure }) })).not.toContain(
        'other-operations',
      );
      const none = (trial: RanTrial) => ({ ...change(trial), metrics: { time: null } });
      expect(codes({ ...per(1000), change: none })).not.toContain('other-operations');
    });

    test('counted trials that are divided by another number', () => {
      const twice = [countOf({ put: 90 }, 9), countOf({ put: 90 }, 9)];
      const counting = { counts: { before: twice, after: twice }, counting: { per: 9 } };
      const journal = journalOf({ values: { time: QUIET }, ...counting });
      const trials = journal.trials.map((trial) => ({ ...trial, operations: { '/operations': 10 } }));
      expect(analyse({ ...journal, trials }).warnings.map(({ message }) => message)).toEqual([
        'NOT PER OPERATION: instructions is divided by 9, but the driver says that a trial did 10 operations.',
      ]);
    });

    test('trials that did not do equally many', () => {
      const pointer = { pointer: '/facts/keys' };
      expect(warningsOf({ ...per(pointer), ...did(() => ({ '/facts/keys': 50 })) })).toEqual([]);
      const unequal = did(({ arm, block }) => ({ '/facts/keys': arm === 'before' ? 50 : block === 3 ? 60 : 70 }));
      expect(messageOf('unequal-operations', { ...per(pointer), ...unequal })).toBe(
        'Not every trial did as many operations (/facts/keys): before 50, after 60 to 70. Values per operation of more and of less work are compared.',
      );
      // Nothing was divided by it.
      expect(codes({ ...per(50), ...unequal })).toEqual([]);
    });
  });

  test('a busy machine, and who keeps it busy', () => {
    const change = (trial: RanTrial): RanTrial => ({
      ...trial,
      noise: { ...trial.noise, other_cpu: 0.45 },
      state: { load_1m: 1, cpu_pressure: null, busiest: [{ name: 'indexer', cpu: 0.4 }] },
    });
    expect(messageOf('busy-machine', { change })).toBe(
      'Other processes kept 0.45 CPUs busy during the trials, most of all indexer.',
    );
    expect(
      messageOf(
        'steal',
        withNoise(() => ({ steal: 0.03 })),
      ),
    ).toContain('3 %');
  });

  test('a frequency that differs between the arms', () => {
    const options = withNoise(({ arm }) => ({ frequency_hz: arm === 'after' ? 2.8e9 : 3e9 }));
    expect(messageOf('frequency', options)).toBe('The CPU ran at 2.8 GHz under after and at 3 GHz under before.');
    expect(codes(withNoise(({ arm }) => ({ frequency_hz: arm === 'after' ? 2.99e9 : 3e9 })))).toEqual([]);
  });

  test('a rule about a fact that the machine does not report', () => {
    const rules = [{ fact: 'steal', when: 'above', limit: 0.1 }] as const;
    const options = { ...withNoise(() => ({ steal: null })), rules };
    expect(messageOf('rule-without-fact', options)).toContain('32 of 32 trials');
    expect(codes({ rules })).toEqual([]);
  });
});

describe('about what is compared', () => {
  const journal = journalOf({ values: { time: QUIET } });
  const withFiles = (files: (arm: string) => { path: string; sha256: string; bytes: number }[]) => {
    if (journal.prepared === null) throw new Error('the builder prepares arms');
    const arms = journal.prepared.arms.map((arm) => ({ ...arm, command: ['/bin/kv'], files: files(arm.arm) }));
    return analyse({ ...journal, prepared: { ...journal.prepared, arms } }).warnings;
  };

  test('a program against itself is named', () => {
    const [warning] = withFiles(() => [{ path: '/bin/kv', sha256: 'a', bytes: 1 }]);
    expect(warning?.code).toBe('same-subject');
    expect(warning?.message).toBe(
      'after and before run the same files with the same arguments: this compares a program with itself.',
    );
  });

  test('two builds of one name are two programs', () => {
    expect(withFiles((arm) => [{ path: '/bin/kv', sha256: arm, bytes: 1 }])).toEqual([]);
  });
});

test('a time that does not vary has been rounded, and decides nothing; a count may be constant', () => {
  const values = { before: Array<number>(N).fill(3100), after: Array<number>(N).fill(3110) };
  const verdictOf = (unit: string) =>
    analyse(journalOf({ values: { x: values }, metrics: { x: { unit } } })).comparisons[0]?.verdict;
  expect(verdictOf('us')).toMatchObject({ kind: 'none', reason: expect.stringContaining('rounded') });
  expect(verdictOf('instructions')).toEqual({ kind: 'slower' });
});
