import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf, type SideOptions, trialOf } from '../../test/journal-builder.ts';
import type { ArmSource } from '../experiment/experiment.ts';
import type { CodeComparison } from '../journal/records.ts';
import { analyse } from './analyse.ts';
import type { Analysis, ControlResult } from './analysis.ts';
import { exitCode } from './outcome.ts';
import { meanEstimate } from './stats/estimate.ts';

/** Spread of ±0.2 % that repeats, and averages to nothing. */
const WOBBLE = [0.002, -0.001, -0.002, 0.001, 0.0015, -0.0015, 0.0005, -0.0005];

function near(centre: number, turn = 0): number[] {
  return WOBBLE.map((_, i) => centre * Math.exp(WOBBLE[(i + turn) % WOBBLE.length] ?? 0));
}

const CLAIM = { before: near(100), after: near(105, 3) };
const SAME: SideOptions = {
  name: 'aa',
  control: { kind: 'same' },
  values: { time: { before: near(100), 'before-again': near(100, 3) } },
};

function run(options: Partial<JournalOptions> = {}): Analysis {
  return analyse(journalOf({ values: { time: CLAIM }, ...options }));
}

function only(analysis: Analysis, metric = 'time'): ControlResult {
  const found = analysis.controls.filter((control) => control.metric === metric);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} controls`);
  return found[0];
}

const code = (analysis: Analysis) => exitCode(analysis, { requireConclusive: false });

function git(again: { of: string; copy: number } | null, patch: string | null = null): ArmSource {
  return {
    ...{ kind: 'git', repo: '.', rev: 'abc', submodules: false, patch, build: [], build_env: {} },
    ...{ build_timeout_ms: 1, again },
  };
}

describe('A/A', () => {
  test('passes where it shows nothing, at the level of its step', () => {
    const analysis = run({ sides: [SAME] });
    const control = only(analysis);
    expect(control).toMatchObject({ name: 'aa', kind: 'same', outcome: 'passed', pairs: 8, planned_pairs: 8 });
    expect(control.effect?.interval_level).toBeCloseTo(0.99, 12);
    expect(control.p_value).toBeGreaterThan(0.01);
    expect(analysis.state).toBe('complete');
    expect(code(analysis)).toBe(1);
    // It is in no number of the confirmation.
    expect(analysis.comparisons).toEqual(run().comparisons);
  });

  test('fails beyond chance, and with it the run', () => {
    const analysis = run({
      sides: [{ ...SAME, values: { time: { before: near(100), 'before-again': near(102, 3) } } }],
    });
    expect(only(analysis).outcome).toBe('failed');
    expect(analysis.state).toBe('invalid');
    expect(analysis.problems).toHaveLength(1);
    expect(analysis.problems[0]).toMatch(
      /^the control aa failed: time of before-again against before differs, by \+2 % \[\+1\.\d+ %, \+2\.\d+ %\] at 99 %, and both sides are the same artefact$/,
    );
    expect(analysis.comparisons[0]?.verdict.kind).toBe('invalid');
    expect(code(analysis)).toBe(3);
  });

  test('that is beyond chance at 5 % alone does not fail', () => {
    const shifted = near(100, 3).map((value) => value * 1.0016);
    const analysis = run({ sides: [{ ...SAME, values: { time: { before: near(100), 'before-again': shifted } } }] });
    const { p_value, outcome } = only(analysis);
    expect(p_value).toBeGreaterThan(0.01);
    expect(p_value).toBeLessThan(0.06);
    expect(outcome).toBe('passed');
  });

  test('says nothing where its interval is wider than what is claimed', () => {
    const analysis = run({
      values: { time: { before: near(100), after: near(100.2, 0) } },
      sides: [SAME],
    });
    expect(analysis.comparisons[0]?.verdict.kind).toBe('slower');
    expect(only(analysis)).toMatchObject({
      outcome: 'uninformative',
      reason: expect.stringMatching(/^its 95 % interval is 0\.\d+ % wide, and the effect that is claimed is 0\.2 %$/),
    });
    expect(analysis.warnings.map((warning) => warning.code)).toContain('uninformative-control');
    expect(analysis.state).toBe('complete');
  });

  test('is held against the claim at the level of the run, and against that of its own metric', () => {
    // 2.36 · s/√8 to either side at 95 %, 3.5 at 99 %: the claim lies between the two widths.
    const claim = { before: near(100), after: near(100.45, 3) };
    const control = only(run({ values: { time: claim }, sides: [SAME] }));
    expect(run({ values: { time: claim } }).comparisons[0]?.verdict.kind).toBe('slower');
    const [low = 0, high = 0] = control.effect?.interval ?? [];
    expect(high - low).toBeGreaterThan(0.0045);
    expect(control.outcome).toBe('passed');
    // A smaller claim of another metric is none of its business.
    const other = { before: near(100), after: near(100.2, 0) };
    const values = { time: CLAIM, other };
    const { controls, comparisons } = run({
      values,
      sides: [{ ...SAME, values: { time: SAME.values['time'] ?? {} } }],
    });
    expect(comparisons.map(({ verdict }) => verdict.kind)).toEqual(['slower', 'slower']);
    expect(controls.find(({ metric }) => metric === 'time')?.outcome).toBe('passed');
  });

  test('without a result counts in the family, which is as large as the experiment made it', () => {
    const values = { time: CLAIM, other: CLAIM };
    const missing = [null, null, null, null, null, null, null, null];
    const sides = [{ ...SAME, values: { ...SAME.values, other: { before: near(100), 'before-again': missing } } }];
    const analysis = run({ values, metrics: { other: { optional: true } }, sides });
    expect(only(analysis, 'other')).toMatchObject({ outcome: 'none', tested: true, p_value: null });
    expect(only(analysis).effect?.interval_level).toBeCloseTo(1 - 0.01 / 2, 12);
    expect(analysis.warnings.map(({ code: kind }) => kind)).toContain('control-without-result');
  });

  test('is one of a family: all primary metrics of all controls', () => {
    const values = { time: CLAIM, space: CLAIM, other: CLAIM };
    const same = { before: near(100), 'before-again': near(100, 3) };
    const analysis = run({
      values,
      metrics: { other: { primary: false } },
      sides: [
        { ...SAME, values: { time: same, space: same, other: { before: near(100), 'before-again': near(130) } } },
        { ...SAME, name: 'aa2', values: { time: same, space: same, other: same } },
      ],
    });
    const tested = analysis.controls.filter(({ p_value }) => p_value !== null);
    expect(tested).toHaveLength(4);
    for (const { effect } of tested) expect(effect?.interval_level).toBeCloseTo(1 - 0.01 / 4, 12);
    // A metric that is not primary is shown, however far it moves.
    const shown = analysis.controls.filter(({ metric }) => metric === 'other');
    expect(shown.map(({ outcome, reason }) => [outcome, reason])).toEqual(
      Array(2).fill(['none', 'not primary: shown, not tested']),
    );
    expect(shown[0]?.effect?.change).toBeGreaterThan(0.25);
    expect(analysis.state).toBe('complete');
  });

  test('has no result before the plan was run to its end', () => {
    const analysis = run({ sides: [SAME], end: { kind: 'signal', signal: 'SIGINT' } });
    expect(only(analysis)).toMatchObject({ outcome: 'none', effect: null, p_value: null });
    expect(analysis.layout_floor).toEqual({});
  });
});

describe('a rebuild', () => {
  const rebuild = (factor: number): SideOptions => ({
    name: 'rebuild',
    control: { kind: 'rebuild' },
    values: { time: { after: near(105), again: near(105 * factor, 3) } },
  });
  const sources = { after: git(null), again: git({ of: 'after', copy: 1 }) };

  test('gives the layout floor, and never fails', () => {
    const analysis = run({ sides: [rebuild(0.97)] });
    const control = only(analysis);
    expect(control).toMatchObject({ outcome: 'floor', p_value: null, same_code: false });
    const [low = 0] = control.effect?.interval ?? [];
    expect(control.effect?.interval_level).toBe(0.95);
    expect(low).toBeLessThan(-0.03);
    expect(analysis.layout_floor).toEqual({ time: -low });
    expect(analysis.state).toBe('complete');
  });

  test('is told beside the verdict, which stays: an effect beyond the floor, and one that is not', () => {
    const beyond = run({ sides: [rebuild(0.97)] }).comparisons[0];
    expect(beyond?.verdict.kind).toBe('slower');
    expect(beyond?.layout?.beyond).toBe(true);
    const within = run({ sides: [rebuild(1.06)] });
    expect(within.comparisons[0]?.verdict.kind).toBe('slower');
    expect(within.comparisons[0]?.layout).toMatchObject({ beyond: false });
    expect(code(within)).toBe(1);
    // Nothing is claimed: a floor says nothing.
    const nothing = run({ values: { time: { before: near(100), after: near(100, 3) } }, sides: [rebuild(1.06)] });
    expect(nothing.comparisons[0]?.layout).toBeNull();
  });

  test('an effect in the other direction is held against the same floor', () => {
    const faster = (factor: number) =>
      run({ values: { time: { before: near(100), after: near(100 * factor, 3) } }, sides: [rebuild(1.03)] });
    expect(faster(0.95).comparisons[0]).toMatchObject({ verdict: { kind: 'faster' }, layout: { beyond: true } });
    expect(faster(0.98).comparisons[0]).toMatchObject({ verdict: { kind: 'faster' }, layout: { beyond: false } });
  });

  test('is told of where the change lies beyond the floor, and its interval does not', () => {
    const wide = near(100, 3).map((value, i) => 1.05 * value * (1 + (i % 2 === 0 ? 0.02 : -0.02)));
    const [comparison] = run({
      values: { time: { before: near(100), after: wide } },
      sides: [rebuild(1.04)],
    }).comparisons;
    const { floor = 1, beyond } = comparison?.layout ?? {};
    expect(comparison?.effect?.change).toBeGreaterThan(floor);
    expect(beyond).toBe(false);
  });

  test('of several the one that moved the metric furthest gives the floor, whatever their order', () => {
    const [small, large] = [rebuild(1.01), { ...rebuild(0.96), name: 'again' }];
    const { effect } = run({ sides: [large] }).controls[0] ?? {};
    const floor = -(effect?.interval?.[0] ?? 0);
    expect(floor).toBeGreaterThan(0.04);
    for (const sides of [
      [small, large],
      [large, small],
    ]) {
      const analysis = run({ sides });
      expect(analysis.layout_floor).toEqual({ time: floor });
      expect(Math.max(...analysis.controls.map((control) => control.floor ?? 0))).toBe(floor);
    }
  });

  test('is no floor where the interval covers several builds itself', () => {
    expect(run({ sides: [rebuild(0.97)], builds: 4 }).comparisons[0]?.layout).toBeNull();
  });

  test('of the same machine code is an A/A, and no floor', () => {
    const sameText: CodeComparison = {
      ...{ arm: 'again', reference: 'after', file: 'executable', arm_path: 'x', reference_path: 'x' },
      ...{ same_file: false, same_text: true, same_data: false, symbols: 'all', functions: null },
      ...{ differing: [], rest: 0, named: [], disassemblies: [] },
    };
    const analysis = run({ sides: [rebuild(1)], sources, attribution: [sameText] });
    expect(only(analysis)).toMatchObject({ outcome: 'passed', same_code: true });
    expect(only(analysis).p_value).not.toBeNull();
    expect(analysis.layout_floor).toEqual({});
    const failed = run({
      sides: [rebuild(1.03)],
      sources,
      attribution: [{ ...sameText, arm: 'after', reference: 'again' }],
    });
    expect(failed.state).toBe('invalid');
    const other = run({ sides: [rebuild(1.03)], sources, attribution: [{ ...sameText, same_text: false }] });
    expect(only(other).outcome).toBe('floor');
    // The program is the same, and a library that it comes with is not.
    const library = { ...sameText, file: 'library' as const, same_text: false };
    expect(only(run({ sides: [rebuild(1.03)], sources, attribution: [sameText, library] })).outcome).toBe('floor');
  });

  test('is the same by the digests of its files too', () => {
    const journal = journalOf({ values: { time: CLAIM }, sides: [rebuild(1)], sources });
    if (journal.prepared === null) throw new Error('not prepared');
    const files = [{ path: '{arm.dir}/bench', sha256: 'a'.repeat(64), bytes: 1 }];
    const arms = journal.prepared.arms.map((arm) => ({ ...arm, files }));
    expect(only(analyse({ ...journal, prepared: { ...journal.prepared, arms } })).same_code).toBe(true);
  });
});

describe('the confirmation without counters', () => {
  const uncounted = (factor: number): SideOptions => ({
    name: 'uncounted',
    control: { kind: 'uncounted' },
    values: { time: { before: near(100, 1), after: near(105 * factor, 5) } },
  });

  test('is compared with the effect of the confirmation, not with zero', () => {
    const analysis = run({ sides: [uncounted(1)], counters: 'hardware' });
    const control = only(analysis);
    expect(control.outcome).toBe('passed');
    expect(control.effect?.change).toBeCloseTo(0.05, 4);
    expect(control.effect?.interval_level).toBe(0.95);
    const logs = (values: Record<'before' | 'after', number[]>) =>
      meanEstimate(values.after.map((value, i) => Math.log(value / (values.before[i] ?? 1))));
    const on = logs(CLAIM);
    const off = logs({ before: near(100, 1), after: near(105, 5) });
    expect(control.difference?.change).toBeCloseTo(Math.expm1((off?.value ?? 0) - (on?.value ?? 0)), 12);
    const [low = 0, high = 0] = control.difference?.interval ?? [];
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });

  const logs = ({ before, after }: { readonly before: readonly number[]; readonly after: readonly number[] }) =>
    after.map((value, i) => Math.log(value / (before[i] ?? 1)));

  test('has the error of both sets of pairs, and the degrees of freedom of the smaller', () => {
    const off = { before: near(100, 1).slice(0, 4), after: near(106, 5).slice(0, 4) };
    const { difference } = only(run({ sides: [{ ...uncounted(1), values: { time: off } }], counters: 'hardware' }));
    const [few, many] = [meanEstimate(logs(off)), meanEstimate(logs(CLAIM))];
    if (few === null || many === null) throw new Error('no estimate');
    const error = Math.hypot(few.standardError, many.standardError);
    // t of 3 degrees of freedom, two-sided at 1 %.
    const half = 5.840909309733355 * error;
    expect(difference?.interval_level).toBeCloseTo(0.99, 12);
    expect(Math.log1p(difference?.interval[0] ?? 0)).toBeCloseTo(few.value - many.value - half, 9);
    expect(Math.log1p(difference?.interval[1] ?? 0)).toBeCloseTo(few.value - many.value + half, 9);
  });

  test('is compared build by build: the layout of a build is in both sets', () => {
    const layout = [1, 1.03, 0.98, 1.01, 1, 1.03, 0.98, 1.01];
    const by = (values: readonly number[]) => values.map((value, i) => value * (layout[i] ?? 1));
    const values = { time: { before: near(100), after: by(near(105, 3)) } };
    const off = (factor: number): SideOptions => ({
      ...uncounted(1),
      values: { time: { before: near(100, 1), after: by(near(105 * factor, 5)) } },
    });
    const find = (factor: number) => only(run({ values, sides: [off(factor)], builds: 4, counters: 'hardware' }));
    const passed = find(1);
    expect(passed).toMatchObject({ outcome: 'passed', kind: 'uncounted' });
    expect(find(1.03).outcome).toBe('failed');
    const means = (of: readonly number[]) => [0, 1, 2, 3].map((build) => ((of[build] ?? 0) + (of[build + 4] ?? 0)) / 2);
    const [on, without] = [means(logs(values.time)), means(logs(off(1).values['time'] as typeof CLAIM))];
    const difference = meanEstimate(without.map((mean, i) => mean - (on[i] ?? 0)));
    if (difference === null) throw new Error('no difference');
    const [low = 0] = passed.difference?.interval ?? [];
    expect(Math.log1p(low)).toBeCloseTo(difference.value - 5.840909309733355 * difference.standardError, 9);
  });

  test('says nothing where rejected pairs of the confirmation decide', () => {
    const noisy = (trial: Parameters<NonNullable<JournalOptions['change']>>[0]) =>
      trial.phase === 'confirmation' && trial.block === 1 ? { ...trial, noise: { ...trial.noise, steal: 0.1 } } : trial;
    const after = near(105, 3).map((value, i) => (i === 0 ? value * 1.3 : value));
    const analysis = run({
      values: { time: { before: near(100), after } },
      rules: [{ fact: 'steal', when: 'above', limit: 0.02 }],
      ...{ max_repeats: 0, change: noisy, sides: [uncounted(1.02)], counters: 'hardware' },
    });
    expect(only(analysis)).toMatchObject({
      outcome: 'uninformative',
      reason: 'the outcome would be another if the rejected pair is kept',
    });
  });

  test('fails where counting changes the effect', () => {
    const analysis = run({ sides: [uncounted(1.02)], counters: 'hardware' });
    expect(only(analysis).outcome).toBe('failed');
    expect(analysis.problems[0]).toMatch(
      /^the control uncounted failed: the effect without counters differs from that with them, time of after against before, by \+2 %/,
    );
  });

  test('has no metrics of counters, and its trials are no trials that lack them', () => {
    const counter = { primary: false, from: { kind: 'counter', name: 'instructions' } } as const;
    const analysis = analyse(
      journalOf({
        values: { time: CLAIM, instructions: CLAIM },
        metrics: { instructions: counter },
        counters: 'hardware',
        sides: [uncounted(1)],
        change: (trial) => ({
          ...trial,
          counters:
            trial.phase === 'uncounted'
              ? null
              : { kind: 'hardware', scope: 'process', events: {}, enabled_ns: 1, running_ns: 1 },
        }),
      }),
    );
    expect(analysis.controls.map(({ metric }) => metric)).toEqual(['time']);
    expect(analysis.warnings.map((warning) => warning.code)).not.toContain('missing-counters');
  });
});

describe('what cannot have changed', () => {
  test('work: fails where it did', () => {
    const sides: SideOptions[] = [
      { name: 'reads', control: { kind: 'unchanged' }, values: { time: { before: near(9), after: near(9.5) } } },
    ];
    expect(run({ sides }).problems[0]).toContain('the change cannot have touched this work');
  });

  test('work: metrics that the control names are tested though they are not primary', () => {
    const read = { before: near(9), after: near(9.5, 3) };
    const sides = (metrics: readonly string[] | null): SideOptions[] => [
      { name: 'reads', control: { kind: 'unchanged' }, metrics, values: { read } },
    ];
    const options = {
      values: { time: CLAIM, read: { before: near(9), after: near(9, 3) } },
      metrics: { read: { primary: false } },
    };
    const named = run({ ...options, sides: sides(['read']) });
    expect(only(named, 'read')).toMatchObject({ outcome: 'failed', primary: false, tested: true });
    expect(named.state).toBe('invalid');
    const all = run({ ...options, sides: sides(null) });
    expect(only(all, 'read')).toMatchObject({ outcome: 'none', tested: false });
    expect(all.state).toBe('complete');
  });

  test('a metric that is not primary has the primary ones to vouch for', () => {
    const noisy = near(9, 3).map((value, i) => value * (1 + (i % 2 === 0 ? 0.08 : -0.08)));
    const read = { before: near(9), after: noisy };
    const options = { unchanged: [{ name: 'reads', metric: 'read' }], metrics: { read: { primary: false } } };
    expect(only(run({ ...options, values: { time: CLAIM, read } }), 'read').outcome).toBe('uninformative');
    const larger = { before: near(100), after: near(150, 3) };
    expect(only(run({ ...options, values: { time: larger, read } }), 'read').outcome).toBe('passed');
    // Of several claims the smallest is the one that it would have to see.
    const both = { time: larger, other: CLAIM, read };
    expect(only(run({ ...options, values: both }), 'read').outcome).toBe('uninformative');
  });

  test('a metric of the confirmation: tested though it is not primary', () => {
    const read = { before: near(9), after: near(9, 3) };
    const options = { unchanged: [{ name: 'reads', metric: 'read' }], metrics: { read: { primary: false } } };
    const passed = run({ ...options, values: { time: CLAIM, read } });
    expect(only(passed, 'read')).toMatchObject({ kind: 'metric', name: 'reads', outcome: 'passed', primary: false });
    const failed = run({ ...options, values: { time: CLAIM, read: { ...read, after: near(9.5) } } });
    expect(failed.state).toBe('invalid');
  });
});

describe('rejected pairs of a control', () => {
  const rules = [{ fact: 'steal', when: 'above', limit: 0.02 }] as const;
  const noisy =
    (phase: string, blocks: readonly number[]) => (trial: Parameters<NonNullable<JournalOptions['change']>>[0]) =>
      trial.phase === phase && blocks.includes(trial.block)
        ? { ...trial, noise: { ...trial.noise, steal: 0.1 } }
        : trial;

  test('are repeated, and are those of the control alone', () => {
    const appended = ['before', 'before-again'].map((arm, position) =>
      trialOf({ phase: 'aa', block: 1, position: position + 1, arm, attempt: 2 }, 90 + position, { time: 100 }),
    );
    const analysis = run({ rules, sides: [{ ...SAME, appended }], change: noisy('aa', [1]) });
    expect(analysis.rejections.total).toBe(0);
    expect(analysis.rejections_beside).toMatchObject([{ phase: 'aa', total: 2, pair_share: 1 / 8 }]);
    expect(only(analysis)).toMatchObject({ pairs: 8, outcome: 'passed' });
    expect(analysis.state).toBe('complete');
  });

  test('make the run invalid where they are too many', () => {
    const analysis = run({ rules, max_repeats: 0, sides: [SAME], change: noisy('aa', [1, 2]) });
    expect(analysis.problems).toEqual([
      '25 % of the planned pairs of the control aa were rejected at least once, and more than 20 % make a run invalid',
    ]);
  });

  test('must not decide the outcome', () => {
    const again = near(100, 3).map((value, i) => (i === 0 ? value * 1.2 : value * 1.004));
    const sides = [{ ...SAME, values: { time: { before: near(100), 'before-again': again } } }];
    const analysis = run({ rules, max_repeats: 0, sides, change: noisy('aa', [1]) });
    expect(only(analysis)).toMatchObject({
      outcome: 'uninformative',
      reason: 'the outcome would be another if the rejected pair is kept',
    });
  });

  test('of one control can decide over another: the steps are one procedure', () => {
    const values = (factor: number) => ({ time: { before: near(100), 'before-again': near(100 * factor, 3) } });
    const noisyOnly = { ...SAME, name: 'first', values: values(1.02) };
    noisyOnly.values.time['before-again'][0] = 140;
    // By itself at 99.5 % it includes zero, at 99 % it does not.
    const second = { ...SAME, name: 'second', values: values(1.00268) };
    const rejecting = { rules, max_repeats: 0, change: noisy('first', [1]) };
    const analysis = run({ ...rejecting, sides: [noisyOnly, second] });
    const [first, other] = analysis.controls;
    expect(first?.outcome).toBe('uninformative');
    expect(other).toMatchObject({
      outcome: 'uninformative',
      reason: 'the outcome would be another if the rejected pairs of other controls are kept',
    });
    expect(analysis.state).toBe('complete');
  });
});
