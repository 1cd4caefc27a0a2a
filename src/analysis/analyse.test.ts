import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf, trialOf } from '../../test/journal-builder.ts';
import type { RanTrial } from '../../test/ran.ts';
import vectors from '../../test/reference/stat-vectors.json' with { type: 'json' };
import { analyse } from './analyse.ts';
import type { Analysis, Comparison, Effect } from './analysis.ts';

/** The only comparison, or the one of a metric and an arm. */
function comparisonOf(analysis: Analysis, metric?: string, arm?: string): Comparison {
  const found = analysis.comparisons.filter(
    (comparison) => (metric ?? comparison.metric) === comparison.metric && (arm ?? comparison.arm) === comparison.arm,
  );
  const [comparison] = found;
  if (comparison === undefined || found.length !== 1) throw new Error(`${found.length} comparisons`);
  return comparison;
}

function compare(
  before: (number | null)[],
  after: (number | null)[],
  options: Partial<JournalOptions> = {},
): Comparison {
  return comparisonOf(analyse(journalOf({ values: { time: { before, after } }, ...options })));
}

function effectOf(comparison: Comparison): Effect {
  if (comparison.effect === null) throw new Error('no effect');
  return comparison.effect;
}

function codes(analysis: Analysis): string[] {
  return analysis.warnings.map((warning) => warning.code);
}

/** n values around `centre`, with a spread that repeats. */
function around(centre: number, n: number, spread: number, step = 5): number[] {
  return Array.from({ length: n }, (_, i) => centre * (1 + spread * (((i * step) % n) / n - 0.5)));
}

describe('reference values, from the journal to the effect', () => {
  test.each(vectors.paired_log_ratio)('$name', (row) => {
    const comparison = compare(row.before, row.after);
    const effect = effectOf(comparison);
    const near = (actual: number, expected: number | undefined) =>
      expect(actual / (expected ?? Number.NaN)).toBeCloseTo(1, 9);
    expect(comparison.pairs).toBe(row.n);
    near(effect.change * 100, row.change_pct);
    near((effect.interval?.[0] ?? 0) * 100, row.ci_pct[0]);
    near((effect.interval?.[1] ?? 0) * 100, row.ci_pct[1]);
    near(effect.sd, row.log_sd);
    near((effect.throughput_change ?? 0) * 100, row.throughput_change_pct);
    near(effect.smallest_pair * 100, row.min_pair_pct);
    near(effect.largest_pair * 100, row.max_pair_pct);
    near(effect.means.reference, row.mean_before);
    near(effect.means.arm, row.mean_after);
    expect(effect.directions.up).toBe(row.after_slower);
    expect(effect.directions.tied).toBe(row.ties);
    expect(effect.interval_level).toBe(0.95);
    expect(effect.plain_interval).toBeNull();
  });

  test.each(vectors.order_effect)('order effect', (row) => {
    const ab = row.ab.map((d, i) => ({ d, order: ['before', 'after'], i: 2 * i }));
    const ba = row.ba.map((d, i) => ({ d, order: ['after', 'before'], i: 2 * i + 1 }));
    const pairs = [...ab, ...ba].sort((a, b) => a.i - b.i);
    const comparison = compare(
      pairs.map(() => 1),
      pairs.map(({ d }) => Math.exp(d)),
      { orders: pairs.map(({ order }) => order) },
    );
    const { order_effect, change } = effectOf(comparison);
    expect(order_effect?.gamma).toBeCloseTo(row.gamma, 12);
    expect(order_effect?.interval[0]).toBeCloseTo(row.ci[0] ?? Number.NaN, 12);
    expect(order_effect?.interval[1]).toBeCloseTo(row.ci[1] ?? Number.NaN, 12);
    expect(order_effect?.p_value).toBeCloseTo(row.p, 12);
    expect(Math.log1p(change)).toBeCloseTo(row.effect, 12);
  });

  test('equal ratios have equal ranks, up or down', () => {
    // Three sizes ln 1.1, one ln 1.2: sums of ranks up to 2 come in 4 of 16 ways.
    const effect = effectOf(compare([10, 11, 20, 10], [11, 10, 22, 12]));
    expect(effect.wilcoxon_p).toBe(0.5);
  });

  test.each(vectors.minimum_detectable_effect)(
    'detectable effect with $pairs pairs',
    ({ log_sd, pairs, effect, alpha, power }) => {
      expect([alpha, power]).toEqual([0.05, 0.8]);
      // Half of the pairs up, half down: n values of this deviation have the spread log_sd.
      const d = Array.from(
        { length: pairs },
        (_, i) => (i % 2 === 0 ? 1 : -1) * log_sd * Math.sqrt((pairs - 1) / pairs),
      );
      const comparison = compare(
        d.map(() => 1),
        d.map((x) => Math.exp(x)),
      );
      expect((effectOf(comparison).detectable ?? 0) / effect).toBeCloseTo(1, 5);
    },
  );
});

describe('what went wrong for the users of other tools', () => {
  test('1: differences 1, 2, 3 have the interval [-0.48, 4.48] and are not significant', () => {
    const comparison = compare([10, 10, 10], [11, 12, 13], { metrics: { time: { kind: 'difference' } } });
    const [row] = vectors.paired_difference;
    expect(effectOf(comparison).change).toBeCloseTo(row?.mean ?? 0, 12);
    expect(effectOf(comparison).interval?.[0]).toBeCloseTo(row?.ci[0] ?? 0, 9);
    expect(effectOf(comparison).interval?.[1]).toBeCloseTo(row?.ci[1] ?? 0, 9);
    expect(comparison.verdict.kind).toBe('inconclusive');
  });

  test('2: peeking shows nothing: a run that is not at its end has no effect, no values and no verdict', () => {
    const values = { time: { before: around(1, 8, 0.001), after: around(2, 8, 0.001) } };
    for (const options of [
      { planned: 16, end: null },
      { planned: 16, end: { kind: 'signal', signal: 'SIGINT' } as const },
      { planned: 16 },
      { end: null },
      { end: { kind: 'disk_space', message: 'full' } as const },
    ]) {
      const analysis = analyse(journalOf({ values, ...options }));
      const comparison = comparisonOf(analysis);
      expect(analysis.state).toBe('incomplete');
      expect(comparison).toMatchObject({ effect: null, pairs: 0, values: { length: 0 }, verdict: { kind: 'none' } });
    }
    expect(analyse(journalOf({ values })).state).toBe('complete');
  });

  test('3: a metric missing on one side has no effect and says so; pairs without a partner are left out and counted', () => {
    const missing = analyse(journalOf({ values: { time: { before: [1, 2, 3, 4], after: [null, null, null, null] } } }));
    expect(comparisonOf(missing)).toMatchObject({ effect: null, pairs: 0 });
    expect(comparisonOf(missing).verdict).toEqual({
      kind: 'none',
      reason: 'time is missing on one side: after has no value',
    });
    const half = analyse(journalOf({ values: { time: { before: [1, 1.1, 1.2, 1], after: [1, null, 1.3, 1.1] } } }));
    expect(comparisonOf(half).pairs).toBe(3);
    expect(half.warnings.find((warning) => warning.code === 'unmatched')?.message).toBe(
      'Left out: 1 pair without a value of after.',
    );
  });

  test('5: zeros, one pair and constants give neither NaN nor a change out of nothing', () => {
    expect(compare([0, 0], [0, 0]).verdict).toMatchObject({ kind: 'none' });
    expect(compare([0, 1], [3, 1]).verdict).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('before has the value 0'),
    });
    expect(compare([1, 1], [1, -3]).effect).toBeNull();
    expect(compare([1], [2]).verdict).toEqual({
      kind: 'none',
      reason: 'one pair is not enough: an interval needs at least two',
    });
    expect(compare([1, 1, 1, 1], [1, 1, 1, 1.0000001]).verdict.kind).toBe('inconclusive');
    expect(compare([1, 1, 1, 1], [1, 1, 1, 1]).verdict.kind).toBe('none');
    const counts = { metrics: { time: { unit: 'operations' } } };
    expect(compare([1, 1, 1, 1], [1, 1, 1, 1], counts).verdict.kind).toBe('inconclusive');
    // A difference needs no logarithm.
    expect(effectOf(compare([0, 0], [1, 2], { metrics: { time: { kind: 'difference' } } })).change).toBe(1.5);
  });

  test('6: the pair is the unit: screening is never pooled with the confirmation', () => {
    const values = { time: { before: around(1, 4, 0.01), after: around(1.5, 4, 0.01, 3) } };
    const alone = analyse(journalOf({ values }));
    const screened = analyse(
      journalOf({ values, screening: { time: { before: [1, 1, 1], after: [9, 8, 7] } }, warmup: 2 }),
    );
    expect(comparisonOf(screened)).toEqual(comparisonOf(alone));
    expect(screened.screening).toHaveLength(1);
    expect(screened.screening[0]).not.toHaveProperty('change');
  });

  test('8: a cold first trial stays out of the effect and is reported as an order effect', () => {
    // Whatever runs first takes 10 % longer; the arms are alike.
    const orders = [0, 1, 1, 0, 1, 0, 0, 1].map((flip) => (flip ? ['after', 'before'] : ['before', 'after']));
    const noise = [0.001, -0.002, 0.0015, 0.0005, -0.001, 0.002, -0.0005, -0.0015];
    const analysis = analyse(
      journalOf({
        values: {
          time: {
            before: orders.map(([first]) => (first === 'before' ? 1.1 : 1)),
            after: orders.map(([first], i) => (first === 'after' ? 1.1 : 1) * (1 + (noise[i] ?? 0))),
          },
        },
        orders,
      }),
    );
    const effect = effectOf(comparisonOf(analysis));
    expect(Math.abs(effect.change)).toBeLessThan(0.001);
    expect(effect.order_effect?.gamma).toBeCloseTo(-Math.log(1.1), 2);
    expect(codes(analysis)).toContain('order-effect');
    expect(comparisonOf(analysis).verdict.kind).toBe('inconclusive');
  });

  test('15: no difference found is not equivalent: that takes a margin, and the rest names what could have been seen', () => {
    const before = around(1, 16, 0.02);
    const after = around(1, 16, 0.02, 3);
    const open = compare(before, after);
    expect(open.verdict).toEqual({ kind: 'inconclusive', reason: 'the interval does not exclude zero' });
    expect(effectOf(open).detectable).toBeGreaterThan(0.001);
    const wide = compare(before, after, { decision: { margin: 0.05 } });
    expect(wide.verdict).toEqual({ kind: 'equivalent', measurably: null });
    const narrow = compare(before, after, { decision: { margin: 0.0001 } });
    expect(narrow.verdict).toEqual({
      kind: 'inconclusive',
      reason: 'the interval does not exclude zero, and not within ±0.01 %',
    });
  });
});

describe('the estimate', () => {
  const rejectFirst = (trial: RanTrial): RanTrial =>
    trial.block === 1 ? { ...trial, noise: { ...trial.noise, steal: 0.5 } } : trial;
  const rules = [{ fact: 'steal', when: 'above', limit: 0.02 }] as const;

  test('averages both orders on their own where rejections left them unequal', () => {
    // Pair 1 is AB, rejected and not repeated: 7 pairs are left, 3 AB and 4 BA.
    const n = 8;
    const before = Array.from({ length: n }, () => 1);
    const orders = [0, 1, 1, 0, 0, 1, 1, 0].map((flip) => (flip ? ['after', 'before'] : ['before', 'after']));
    const d = [9, 0.01, 0.02, 0.11, 0.13, 0.015, 0.025, 0.12];
    const comparison = compare(before, d.map(Math.exp), { orders, rules, max_repeats: 0, change: rejectFirst });
    const effect = effectOf(comparison);
    const ab = (0.11 + 0.13 + 0.12) / 3;
    const ba = (0.01 + 0.02 + 0.015 + 0.025) / 4;
    expect(comparison.pairs).toBe(7);
    expect(effect.stratified).toBe(true);
    expect(Math.log1p(effect.change)).toBeCloseTo((ab + ba) / 2, 12);
    // Pooled variance with 5 degrees of freedom; t = 2.570582.
    const squares =
      [0.11, 0.13, 0.12].reduce((s, x) => s + (x - ab) ** 2, 0) +
      [0.01, 0.02, 0.015, 0.025].reduce((s, x) => s + (x - ba) ** 2, 0);
    const half = (2.5705818366147395 * Math.sqrt(squares / 5) * Math.sqrt(1 / 3 + 1 / 4)) / 2;
    expect(Math.log1p(effect.interval?.[1] ?? 0)).toBeCloseTo((ab + ba) / 2 + half, 9);
  });

  test('is the plain mean at equal counts', () => {
    expect(effectOf(compare([1, 1, 1, 1], [2, 3, 2, 4])).stratified).toBe(false);
  });

  test('has no effect where all pairs that are left ran in one order', () => {
    const change = (trial: RanTrial): RanTrial =>
      trial.block === 2 || trial.block === 3 ? { ...trial, noise: { ...trial.noise, steal: 0.5 } } : trial;
    const comparison = compare([1, 1, 1, 1], [2, 3, 2, 4], { rules, max_repeats: 0, change });
    expect(comparison.effect).toBeNull();
  });

  test('is exact, without an interval, where both arms are constant', () => {
    const same = compare([5, 5, 5, 5], [6, 6, 6, 6], { metrics: { time: { kind: 'difference', unit: 'files' } } });
    expect(effectOf(same)).toMatchObject({
      change: 1,
      interval: null,
      order_effect: null,
      trend: null,
      detectable: null,
    });
    expect(same.verdict).toEqual({ kind: 'slower' });
    const ratio = analyse(journalOf({ values: { time: { before: [5, 5], after: [6, 6] } } }));
    expect(effectOf(comparisonOf(ratio)).interval).toBeNull();
    expect(codes(ratio)).toContain('constant-values');
  });

  test('is never narrower than one quantum of the accounting', () => {
    const change = (trial: RanTrial): RanTrial => ({
      ...trial,
      account: {
        ...trial.account,
        accounting: { ...trial.account.accounting, cpu: { method: 'ticks', resolution: 10e6, scope: 'children' } },
      },
    });
    const values = { cpu: { before: [2e9, 2e9, 2e9, 2e9], after: [2.01e9, 2.01e9, 2.01e9, 2.01e9] } };
    const difference = comparisonOf(analyse(journalOf({ values, change, metrics: { cpu: { kind: 'difference' } } })));
    expect(effectOf(difference).interval).toEqual([0, 20e6]);
    expect(difference.verdict.kind).toBe('inconclusive');
    const ratio = comparisonOf(analyse(journalOf({ values, change })));
    expect(effectOf(ratio).interval?.[0]).toBeLessThanOrEqual(0);
    expect(ratio.verdict.kind).toBe('inconclusive');
    // Per operation the quantum is smaller too.
    const per = comparisonOf(
      analyse(
        journalOf({
          values: { cpu: { before: [2e6, 2e6], after: [2.05e6, 2.05e6] } },
          change,
          metrics: { cpu: { per: 1000, kind: 'difference' } },
        }),
      ),
    );
    expect(effectOf(per).interval?.[0]).toBeCloseTo(0.05e6 - 1e4, 3);
    expect(per.verdict.kind).toBe('slower');
  });

  test('of a metric coarser than 1 % of its mean is shown, without a verdict', () => {
    const change = (trial: RanTrial): RanTrial => ({
      ...trial,
      account: {
        ...trial.account,
        accounting: { ...trial.account.accounting, cpu: { method: 'ticks', resolution: 10e6, scope: 'children' } },
      },
    });
    const values = { cpu: { before: [50e6, 50e6], after: [90e6, 90e6] } };
    const analysis = analyse(journalOf({ values, change }));
    expect(comparisonOf(analysis).effect).not.toBeNull();
    expect(comparisonOf(analysis).verdict).toEqual({
      kind: 'none',
      reason: 'cpu is known only in steps of 10 ms, which is 20 % of its mean',
    });
    expect(codes(analysis)).toContain('coarse-metric');
    const fine = { cpu: { before: [1.001e9, 1.001e9], after: [2e9, 2e9] } };
    expect(comparisonOf(analyse(journalOf({ values: fine, change }))).verdict.kind).toBe('slower');
  });

  test('does not change with the names of the arms, and each arm of three is compared with the reference alone', () => {
    const a = around(1, 6, 0.02);
    const b = around(1.1, 6, 0.02, 7);
    const c = around(1.2, 6, 0.02, 11);
    const three = analyse(journalOf({ values: { time: { a, b, c } } }));
    const orders = journalOf({ values: { time: { a, b, c } } }).run.plan.phases[0]?.blocks.map((order) =>
      order.filter((arm) => arm !== 'b'),
    );
    const two = analyse(journalOf({ values: { time: { a, c } }, ...(orders === undefined ? {} : { orders }) }));
    expect(three.comparisons.map(({ arm, reference }) => [arm, reference])).toEqual([
      ['b', 'a'],
      ['c', 'a'],
    ]);
    expect(effectOf(comparisonOf(three, 'time', 'c')).change).toBe(effectOf(comparisonOf(two, 'time', 'c')).change);
    expect(
      analyse(journalOf({ values: { time: { a, b, c } }, reference: 'c' })).comparisons.map(({ arm }) => arm),
    ).toEqual(['a', 'b']);
  });

  test('follows pairs in the order in which they ran, repeats last', () => {
    const n = 4;
    const journal = journalOf({
      values: { time: { before: Array.from({ length: n }, () => 1), after: [1.1, 1.2, 1.3, 1.4] } },
      rules,
      change: (trial) =>
        trial.block === 2 && trial.position === 1 ? { ...trial, noise: { ...trial.noise, steal: 0.031 } } : trial,
      appended: [
        trialOf({ phase: 'confirmation', block: 2, position: 1, arm: 'after', attempt: 2 }, 20, { time: 1.21 }),
        trialOf({ phase: 'confirmation', block: 2, position: 2, arm: 'before', attempt: 2 }, 21, { time: 1 }),
      ],
    });
    const values = [...comparisonOf(analyse(journal)).values];
    expect(values.map(({ block, attempt, arm }) => [block, attempt, arm])).toEqual([
      [1, 1, 1.1],
      [3, 1, 1.3],
      [4, 1, 1.4],
      [2, 2, 1.21],
    ]);
    expect(values.map(({ reference_first }) => reference_first)).toEqual([true, false, true, false]);
  });
});

describe('the screening', () => {
  test('shows spread and its upper 80 % bound, and what a pair costs', () => {
    const d = [0.01, 0.02, 0.03];
    const { screening } = analyse(
      journalOf({
        values: { time: { before: [1, 1], after: [1, 1] } },
        screening: { time: { before: [1, 1, 1], after: d.map(Math.exp) } },
      }),
    );
    expect(screening[0]).toMatchObject({ metric: 'time', arm: 'after', pairs: 3 });
    expect(screening[0]?.sd).toBeCloseTo(0.01, 12);
    expect(screening[0]?.sd_upper_80).toBeCloseTo(0.01 * (vectors.planning_sd_upper_80[0]?.factor ?? 0), 9);
    // Two trials of 0.5 s, half a second between them, 1 ms of settling.
    expect(screening[0]?.pair_seconds).toBeCloseTo(1.501, 9);
  });
});
