import { describe, expect, test } from 'vitest';
import { type JournalOptions, journalOf } from '../../test/journal-builder.ts';
import { calibrationOf } from '../../test/plan-sources.ts';
import vectors from '../../test/reference/stat-vectors.json' with { type: 'json' };
import { gitSource } from '../../test/report-cases-beside.ts';
import { makePlan } from '../plan/plan.ts';
import { detect, metricsAsked, reachWithin } from './detection.ts';
import { NO_SOURCES, type PlanSources } from './spread.ts';
import { sequenceCriticalValue } from './stats/confidence-sequence.ts';
import { powerBeyond } from './stats/power.ts';

const VALUES = { write: { a: [1, 2], b: [2, 3] } };
/** So many degrees of freedom that the upper bound is the spread itself, to four digits. */
const CERTAIN = 1e9;

function planned(options: Partial<JournalOptions>) {
  const { experiment } = journalOf({ values: VALUES, ...options }).run;
  return { experiment, plan: makePlan(experiment, 1) };
}

const spreading = (sd: number): PlanSources => ({ ...NO_SOURCES, calibration: calibrationOf(sd, CERTAIN) });

function found(options: Partial<JournalOptions>, sd: number, change: number) {
  const { experiment, plan } = planned(options);
  return detect(experiment, plan, spreading(sd), { kind: 'ratio', change });
}

/** The pairs of the one row. */
function pairs(options: Partial<JournalOptions>, sd: number, change: number): number {
  const answer = found(options, sd, change).rows[0]?.answer;
  return answer?.kind === 'pairs' ? answer.size.pairs : Number.NaN;
}

describe('how many pairs find a change', () => {
  test.each(vectors.pairs_needed.filter(({ power }) => power === 0.8))(
    '$effect at $log_sd: $pairs, and half of them in each order',
    ({ effect, log_sd, pairs: needed }) => {
      expect(pairs({}, log_sd, effect)).toBe(2 * Math.ceil(needed / 2));
    },
  );

  test('what the plan finds as it stands is the power of as many pairs', () => {
    const row = vectors.pairs_needed.find(({ log_sd, pairs: count }) => log_sd === 0.02 && count === 34);
    const values = { write: { a: Array(34).fill(1), b: Array(34).fill(2) } };
    const { experiment } = journalOf({ values }).run;
    const { rows } = detect(experiment, makePlan(experiment, 1), spreading(0.02), { kind: 'ratio', change: 0.01 });
    expect(rows[0]?.power).toBeCloseTo(row?.achieved_power ?? Number.NaN, 4);
  });

  test('a change must lie beyond the threshold, and the distance from it is what counts', () => {
    const decision = { threshold: 0.01 };
    for (const change of [0.01, 0.005]) {
      const { rows, all } = found({ decision }, 0.02, change);
      expect({ answer: rows[0]?.answer, power: rows[0]?.power, all }).toEqual({
        ...{ answer: { kind: 'within_threshold', threshold: 0.01 }, power: 0, all: null },
      });
    }
    // ln(1.02/1.01) is nearly 1 %.
    expect(pairs({ decision }, 0.02, 0.02)).toBe(pairs({}, 0.02, 1.02 / 1.01 - 1));
  });

  test('of two primary metrics each is tested at half of α', () => {
    const both = { write: VALUES.write, read: VALUES.write };
    expect(pairs({ values: both }, 0.02, 0.01)).toBe(pairs({ decision: { level: 0.975 } }, 0.02, 0.01));
    const one = { metrics: { read: { primary: false } } };
    expect(pairs({ values: both, ...one }, 0.02, 0.01)).toBe(pairs({}, 0.02, 0.01));
    // Nothing is known of the other: what suffices for both is not either.
    expect(found({ values: both }, 0.02, 0.01).all).toBeNull();
  });

  test('blocks of three arms come in sixes', () => {
    const values = { write: { a: [1, 2], b: [2, 3], c: [1, 3] } };
    const { rows, all } = found({ values }, 0.02, 0.01);
    expect(rows.map(({ arm }) => arm)).toEqual(['b', 'c']);
    expect((all?.pairs ?? Number.NaN) % 6).toBe(0);
    expect(all?.pairs).toBeGreaterThan(34);
  });

  test('a run that may end early has 80 % at its last look, and ends well before', () => {
    const sequential = { min: 8, max: 64 };
    const needed = pairs({ sequential }, 0.02, 0.01);
    const power = (n: number) => powerBeyond((k) => sequenceCriticalValue(k, 1, 0.05), Math.log1p(0.01), 0.02, n);
    expect(power(needed)).toBeGreaterThanOrEqual(0.8);
    expect(power(needed - 2)).toBeLessThan(0.8);
    expect(needed).toBeGreaterThan(2 * pairs({}, 0.02, 0.01));
    const answer = found({ sequential }, 0.02, 0.01).rows[0]?.answer;
    const ends = answer?.kind === 'pairs' ? answer.ends_after : null;
    expect(ends).toBeGreaterThan(8);
    expect(ends).toBeLessThan(0.8 * needed);
    // Within the margin the run may end as equivalent: nothing is said of when.
    const within = found({ sequential, decision: { margin: 0.02 } }, 0.02, 0.01).rows[0];
    expect(within).toMatchObject({ within_margin: true, answer: { kind: 'pairs', ends_after: null } });
  });

  test('more pairs than an experiment can have are no answer', () => {
    expect(found({}, 5, 0.001).rows[0]?.answer).toEqual({ kind: 'too_many', most: 10_000, of: 'pair' });
    const [row] = found({ sources: { a: gitSource('a'), b: gitSource('b') }, builds: 4 }, 0.02, 0.01).rows;
    expect(row?.answer).toEqual({ kind: 'unknown' });
  });

  test('time is that of the pairs, and of all that the plan has beside them', () => {
    const { all } = found({ warmup: 3 }, 0.02, 0.01);
    expect(all).toMatchObject({ pairs: 34, seconds: { confirmation: 68, total: 74 } });
  });
});

describe('what is found in a given time', () => {
  test('as many pairs as fit after the warm-up, in both orders equally often', () => {
    const { experiment, plan } = planned({ warmup: 3 });
    // 6 s of warm-up, then 17 pairs of 2 s.
    const reach = reachWithin(experiment, plan, spreading(0.02), 41);
    const known = vectors.minimum_detectable_effect.find(({ log_sd, pairs: n }) => log_sd === 0.02 && n === 16);
    expect(reach.size).toMatchObject({ pairs: 16, seconds: { confirmation: 32, total: 38 } });
    expect(reach.rows[0]?.change).toBeCloseTo(known?.effect ?? Number.NaN, 5);
  });

  test('where nothing fits, or nobody knows how long a pair takes, there is no size', () => {
    const { experiment, plan } = planned({ warmup: 3 });
    expect(reachWithin(experiment, plan, spreading(0.02), 9)).toMatchObject({ size: null, rest_seconds: 6 });
    expect(reachWithin(experiment, plan, NO_SOURCES, 600)).toMatchObject({ size: null, pair_seconds: null });
  });

  test('no more than an experiment can have', () => {
    const { experiment, plan } = planned({});
    expect(reachWithin(experiment, plan, spreading(0.02), 1e6)).toMatchObject({
      ...{ size: { pairs: 10_000 }, capped: true },
    });
  });
});

describe('what a change is asked of', () => {
  const asked = (kinds: readonly ('ratio' | 'difference')[], value: number, percent: boolean) => {
    const names = kinds.map((_, index) => `m${index}`);
    const values = Object.fromEntries(names.map((name) => [name, VALUES.write]));
    const metrics = Object.fromEntries(names.map((name, index) => [name, { kind: kinds[index] ?? 'ratio' }]));
    return metricsAsked(journalOf({ values, metrics }).run.experiment, { value, percent });
  };

  test.each([
    [['ratio'], 0.01, true, { kind: 'ratio', change: 0.01 }],
    [['ratio'], 0.01, false, { kind: 'ratio', change: 0.01 }],
    [['difference'], 2, false, { kind: 'difference', change: 2 }],
    [['ratio', 'difference'], 0.5, false, { kind: 'difference', change: 0.5 }],
    [['difference', 'ratio'], 0.5, true, { kind: 'ratio', change: 0.5 }],
  ] as const)('of %j, %d (in per cent: %j)', (kinds, value, percent, answer) => {
    expect(asked(kinds, value, percent)).toEqual(answer);
  });

  test('what fits no primary metric is a mistake, and how to write it is said', () => {
    expect(asked(['ratio'], 2, false)).toMatchObject({ remedy: 'Write a percentage: --detect 2%.' });
    expect(asked(['difference'], 0.01, true)).toMatchObject({ message: expect.stringContaining('m0 is a difference') });
  });
});
