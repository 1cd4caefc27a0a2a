import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf, type SideOptions } from '../../test/journal-builder.ts';
import type { ArmSource } from '../experiment/experiment.ts';
import { analyse } from './analyse.ts';
import type { Analysis, SideComparison, SideSummary } from './analysis.ts';
import { exitCode } from './outcome.ts';
import { intervalOf, meanEstimate } from './stats/estimate.ts';

const N = 10;

/** A spread of ±0.1 % that repeats. */
function near(centre: number, turn: number): number[] {
  return Array.from({ length: N }, (_, i) => centre * (1 + 0.001 * Math.sin(1.7 * i + turn)));
}

function git(again: { of: string; copy: number } | null, patch: string | null = null): ArmSource {
  return {
    ...{ kind: 'git', repo: '.', rev: 'abc', submodules: false, patch, build: [], build_env: {} },
    ...{ build_timeout_ms: 1, again },
  };
}

const VALUES = {
  time: {
    before: near(100, 1),
    after: near(103, 2),
    rebuilt: near(103, 3),
    'no-size': near(102, 4),
    'no-publish': near(103, 5),
  },
};

const SIDE: SideOptions = {
  name: 'five',
  values: VALUES,
  against: { rebuilt: 'after', 'no-size': 'rebuilt', 'no-publish': 'rebuilt' },
};

const SOURCES = {
  before: git(null),
  after: git(null),
  rebuilt: git({ of: 'after', copy: 1 }),
  'no-size': git({ of: 'after', copy: 2 }, 'size.patch'),
  'no-publish': git({ of: 'after', copy: 3 }, 'publish.patch'),
};

function run(options: Partial<JournalOptions> = {}): Analysis {
  return analyse(
    journalOf({
      values: { time: { before: near(100, 6), after: near(100, 7) } },
      sides: [SIDE],
      sources: SOURCES,
      ...options,
    }),
  );
}

function side(analysis: Analysis): SideSummary {
  const [summary] = analysis.sides;
  if (summary === undefined) throw new Error('no side');
  return summary;
}

function of(analysis: Analysis, arm: string): SideComparison {
  const found = side(analysis).comparisons.find((comparison) => comparison.arm === arm);
  if (found === undefined) throw new Error(`no ${arm}`);
  return found;
}

function logs(arm: keyof typeof VALUES.time, reference: keyof typeof VALUES.time): number[] {
  return VALUES.time[arm].map((value, i) => Math.log(value / (VALUES.time[reference][i] ?? 1)));
}

describe('a side comparison', () => {
  test('compares each arm with its own reference, with a spread of its own', () => {
    const analysis = run();
    expect(side(analysis).comparisons.map(({ arm, reference, role }) => [arm, reference, role])).toEqual([
      ['after', 'before', 'stock'],
      ['rebuilt', 'after', 'rebuild'],
      ['no-size', 'rebuilt', 'ablation'],
      ['no-publish', 'rebuilt', 'ablation'],
    ]);
    const { effect } = of(analysis, 'no-publish');
    const estimate = meanEstimate(logs('no-publish', 'rebuilt'));
    expect(effect?.change).toBeCloseTo(Math.expm1(estimate?.value ?? 0), 12);
    const [low = 0] = estimate === null ? [] : intervalOf(estimate, effect?.interval_level ?? 0);
    expect(effect?.interval?.[0]).toBeCloseTo(Math.expm1(low), 12);
    expect(of(analysis, 'no-size').rebuilt_reference).toBe(true);
    expect(side(analysis).blocks).toEqual({ planned: N, complete: N });
  });

  test('has Holm over its own primary contrasts', () => {
    const levels = side(run()).comparisons.map(({ effect }) => effect?.interval_level ?? 0);
    expect(Math.max(...levels)).toBeCloseTo(1 - 0.05 / 4, 12);
    expect(run().comparisons[0]?.effect?.interval_level).toBe(0.95);
  });

  test('decides nothing', () => {
    const analysis = run();
    expect(of(analysis, 'after').verdict.kind).toBe('slower');
    expect(analysis.comparisons[0]?.verdict.kind).toBe('inconclusive');
    expect(exitCode(analysis, { requireConclusive: false })).toBe(0);
    expect(analysis.comparisons).toEqual(run({ sides: [] }).comparisons);
  });

  test('is told apart where its program is the same', () => {
    const same = { ...SIDE, values: { time: { before: near(100, 1), copy: near(100, 2) } }, against: {} };
    const analysis = run({ sides: [same], sources: { copy: { kind: 'same', of: 'before' } } });
    expect(of(analysis, 'copy')).toMatchObject({ role: 'other', same_code: true });
  });

  test('loses its verdicts where too much of it was rejected, and the run does not', () => {
    const analysis = run({
      rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
      max_repeats: 0,
      change: (trial) =>
        trial.phase === 'five' && trial.block <= 3 ? { ...trial, noise: { ...trial.noise, steal: 0.1 } } : trial,
    });
    expect(of(analysis, 'after').verdict).toMatchObject({ kind: 'invalid' });
    expect(side(analysis).remainders).toEqual([]);
    expect(analysis.state).toBe('complete');
    expect(analysis.warnings.map(({ message }) => message)).toContain(
      'In five: 3 of 10 planned blocks are missing: rejected with every repeat, or failed.',
    );
  });

  test('shows nothing before the plan was run to its end', () => {
    const summary = side(run({ end: { kind: 'signal', signal: 'SIGINT' } }));
    expect(summary.comparisons.every(({ effect }) => effect === null)).toBe(true);
    expect(summary.remainders).toEqual([]);
  });
});

describe('the unresolved remainder', () => {
  test('is the stock effect and those of the ablations, added in each block', () => {
    const [remainder] = side(run()).remainders;
    const sums = logs('after', 'before').map(
      (stock, i) => stock + (logs('no-size', 'rebuilt')[i] ?? 0) + (logs('no-publish', 'rebuilt')[i] ?? 0),
    );
    const estimate = meanEstimate(sums);
    expect(remainder).toMatchObject({ metric: 'time', arm: 'after', ablations: ['no-size', 'no-publish'], blocks: N });
    expect(remainder?.change).toBeCloseTo(Math.expm1(estimate?.value ?? 0), 12);
    const [low = 0] = estimate === null ? [] : intervalOf(estimate, 0.95);
    expect(remainder?.interval[0]).toBeCloseTo(Math.expm1(low), 12);
  });

  test('is not defined without a stock comparison in the same blocks, nor without an ablation', () => {
    const { before: _, ...rest } = VALUES.time;
    const without = { ...SIDE, values: { time: rest } };
    expect(side(run({ sides: [without] })).remainders).toEqual([]);
    const { 'no-size': __, 'no-publish': ___, ...stock } = VALUES.time;
    expect(side(run({ sides: [{ ...SIDE, values: { time: stock } }] })).remainders).toEqual([]);
  });
});
