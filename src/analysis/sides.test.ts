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

  test('is no ablation against a source with another patch', () => {
    const against = { rebuilt: 'after', 'no-size': 'rebuilt', 'no-publish': 'no-size' };
    expect(of(run({ sides: [{ ...SIDE, against }] }), 'no-publish')).toMatchObject({
      ...{ role: 'other', rebuilt_reference: false, contribution: null },
    });
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

describe('an ablation', () => {
  const after = { before: near(100, 1), after: near(103, 2), rebuilt: near(103, 3) };
  const ablated = (time: Record<string, number[]>, options: Partial<JournalOptions> = {}) =>
    of(run({ sides: [{ ...SIDE, values: { time } }], ...options }), 'no-size');

  test('supports a contribution where it is decided against a decided change', () => {
    expect(ablated({ ...after, 'no-size': near(102, 4) }).contribution).toBe('supports');
    expect(ablated({ ...after, 'no-size': near(104, 4) }).contribution).toBe('same-way');
    expect(ablated({ ...after, 'no-size': near(103, 4) }).contribution).toBe('open');
    // No change was found that the part could contribute to.
    const none = { before: near(103, 1), after: near(103, 2), rebuilt: near(103, 3), 'no-size': near(102, 4) };
    expect(ablated(none).contribution).toBe('same-way');
    // Equivalent, and measurably so in a direction, is decided too.
    const within = { decision: { margin: 0.05 } };
    expect(ablated({ ...after, 'no-size': near(102, 4) }, within)).toMatchObject({
      ...{ verdict: { kind: 'equivalent', measurably: 'faster' }, contribution: 'supports' },
    });
    expect(ablated({ ...after, 'no-size': near(103, 4) }, within)).toMatchObject({
      ...{ verdict: { kind: 'equivalent', measurably: null }, contribution: 'open' },
    });
  });

  test('is held against the change in the same blocks, and in the confirmation where these have none', () => {
    const slower = { time: { before: near(100, 6), after: near(103, 7) } };
    const same = { before: near(103, 1), after: near(103, 2), rebuilt: near(103, 3), 'no-size': near(102, 4) };
    expect(ablated(same, { values: slower }).contribution).toBe('same-way');
    const { before: _, ...rest } = same;
    expect(ablated(rest, { values: slower }).contribution).toBe('supports');
  });

  test('supports nothing in a run that is invalid', () => {
    const invalid = ablated(
      { ...after, 'no-size': near(102, 4) },
      {
        change: (trial, index) => (index === 3 ? { ...trial, failure: { kind: 'timeout', timeout_ms: 1 } } : trial),
        end: { kind: 'trial_failed' },
      },
    );
    expect(invalid).toMatchObject({ verdict: { kind: 'invalid' }, contribution: null, layout: null });
  });

  test('stands beside what a rebuild moves: of a control, and in its own blocks', () => {
    const time = { ...after, 'no-size': near(102, 4) };
    expect(ablated(time).layout).toMatchObject({ beyond: true });
    const moved = { ...after, rebuilt: near(104.5, 3), 'no-size': near(103.5, 4) };
    expect(ablated(moved).layout).toMatchObject({ beyond: false });
    const control: SideOptions = {
      ...{ name: 'layout', control: { kind: 'rebuild' } },
      values: { time: { after: near(103, 2), other: near(105, 3) } },
    };
    const analysis = run({ sides: [{ ...SIDE, values: { time } }, control] });
    expect(of(analysis, 'no-size').layout).toMatchObject({ floor: analysis.layout_floor['time'], beyond: false });
    expect(of(analysis, 'after').layout).toMatchObject({ beyond: true });
    // A rebuild is what the others are held against.
    const own = of(run({ sides: [{ ...SIDE, values: { time: moved } }] }), 'rebuilt');
    expect(own).toMatchObject({ role: 'rebuild', verdict: { kind: 'slower' }, layout: null });
    // What stands in these blocks is no floor of the confirmation.
    expect(run({ sides: [{ ...SIDE, values: { time: moved } }] }).layout_floor).toEqual({});
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

  test('is of the blocks that have all of its parts, and of this arm alone', () => {
    const gap = { ...VALUES.time, 'no-publish': VALUES.time['no-publish'].map((value, i) => (i === 2 ? null : value)) };
    const [short] = side(run({ sides: [{ ...SIDE, values: { time: gap } }] })).remainders;
    expect(short).toMatchObject({ ablations: ['no-size', 'no-publish'], blocks: N - 1 });
    const sources = { ...SOURCES, 'no-publish': git({ of: 'before', copy: 1 }, 'publish.patch') };
    const against = { rebuilt: 'after', 'no-size': 'rebuilt' };
    const [own] = side(run({ sources, sides: [{ ...SIDE, against }] })).remainders;
    expect(own?.ablations).toEqual(['no-size']);
  });

  test('is not narrower than the quanta of its parts, and none of what is too coarse', () => {
    const whole = (list: readonly number[]) => list.map((value) => Math.round(value / 4) * 4096);
    const values = (scale: number) => ({
      max_rss: Object.fromEntries(
        Object.entries(VALUES.time).map(([arm, list]) => [arm, whole(list.map((x) => x * scale))]),
      ),
    });
    const find = (scale: number) =>
      side(run({ values: values(scale), sides: [{ ...SIDE, values: values(scale) }] })).remainders[0];
    const fine = find(100);
    // Three effects of 4 KiB each in about 10 MB.
    const [low, high] = fine?.interval ?? [0, 0];
    const half = (Math.log1p(high) - Math.log1p(low)) / 2;
    const floors = side(run({ values: values(100), sides: [{ ...SIDE, values: values(100) }] }))
      .comparisons.filter(({ role }) => role === 'stock' || role === 'ablation')
      .map(({ effect }) => Math.log1p(4096 / Math.min(effect?.means.arm ?? 0, effect?.means.reference ?? 0)));
    expect(floors).toHaveLength(3);
    expect(half).toBeGreaterThanOrEqual(floors.reduce((sum, floor) => sum + floor, 0) - 1e-12);
    expect(find(1)).toBeUndefined();
  });

  test('is not defined without a stock comparison in the same blocks, nor without an ablation', () => {
    const { before: _, ...rest } = VALUES.time;
    const without = { ...SIDE, values: { time: rest } };
    expect(side(run({ sides: [without] })).remainders).toEqual([]);
    const { 'no-size': __, 'no-publish': ___, ...stock } = VALUES.time;
    expect(side(run({ sides: [{ ...SIDE, values: { time: stock } }] })).remainders).toEqual([]);
  });
});
