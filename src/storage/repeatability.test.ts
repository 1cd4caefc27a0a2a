import { describe, expect, it } from 'vitest';
import { detectableShift } from '../analysis/stats/power.ts';
import { comparisonAt, driftOf, rankSetUps, rankSteps } from './repeatability.ts';
import type { Series } from './result-series.ts';
import { compareSpreads } from './told-apart.ts';
import { studyVariance } from './variance.ts';

function series(setup: string, step: string, values: readonly number[], workload = 'byrx', threads = 1): Series {
  return { setup, workload, threads, step, values, missing: 0, beside: [] };
}

function study(all: readonly Series[]) {
  const steps = [...new Set(all.map(({ step }) => step))];
  return studyVariance(all, { steps, deviation: 'sample', limit: 0.03, level: 0.95 });
}

/** Around 100, with this sample coefficient. */
const around = (cv: number): number[] => [100 - 100 * cv, 100, 100 + 100 * cv];

describe('ranks', () => {
  const variance = study([
    series('a', 'read', around(0.01)),
    series('a', 'write', around(0.02)),
    series('b', 'read', around(0.05)),
    series('b', 'write', around(0.03)),
    series('c', 'read', [7]),
    series('c', 'write', around(0.001)),
    series('a', 'read', around(0.04), 'iobuf'),
    series('a', 'write', around(0), 'iobuf'),
  ]);

  it('steps by their mean coefficient, with the largest and where it is', () => {
    const close = (value: number) => expect.closeTo(value, 12);
    expect(rankSteps(variance)).toEqual([
      {
        ...{ step: 'read', mean_cv: close(0.1 / 3), coefficients: 3 },
        largest: expect.objectContaining({ setup: 'b', workload: 'byrx', threads: 1, cv: close(0.05) }),
      },
      {
        ...{ step: 'write', mean_cv: close(0.051 / 4), coefficients: 4 },
        largest: expect.objectContaining({ setup: 'b', cv: close(0.03) }),
      },
    ]);
  });

  it('set-ups by their largest in any workload; what was not measured everywhere has none', () => {
    const ranks = rankSetUps(variance, 16);
    expect(ranks.map(({ setup, max_cv }) => [setup, max_cv])).toEqual([
      ['a', expect.closeTo(0.04, 12)],
      ['b', null],
      ['c', null],
    ]);
    expect(ranks[0]?.mean_cv).toBeCloseTo(0.07 / 4, 12);
    expect(ranks[0]?.worst).toMatchObject({ step: 'read', workload: 'iobuf' });
    expect(ranks[0]?.worst?.interval?.low).toBeLessThan(0.04);
  });

  it('tells what pairs could see: √2 times the coefficient, and more where the spread is badly known', () => {
    const comparison = comparisonAt(0.02, 3, 16);
    expect(comparison?.pair_sd).toBeCloseTo(0.02 * Math.SQRT2, 12);
    expect(comparison?.detectable).toBeCloseTo(Math.expm1(detectableShift(0.02 * Math.SQRT2, 16, 0.8, 0.05) ?? 0), 12);
    // √(2/χ²(0.2, 2)) is 2.12 and √(15/χ²(0.2, 15)) is 1.21; a change grows a little faster than its logarithm.
    expect((comparison?.detectable_upper ?? 0) / (comparison?.detectable ?? 1)).toBeCloseTo(2.15, 1);
    expect((comparisonAt(0.02, 16, 16)?.detectable_upper ?? 0) / (comparison?.detectable ?? 1)).toBeCloseTo(1.21, 1);
    expect(comparisonAt(0, 3, 16)).toBeNull();
    expect(comparisonAt(1000, 2, 2)).toBeNull();
  });
});

describe('drift', () => {
  it('is the mean change from first to last, with its interval over set-ups', () => {
    const [drift] = driftOf(
      study([
        series('a', 'read', [100, 105, 110]),
        series('b', 'read', [100, 110, 121]),
        series('c', 'read', [100, 100, 90]),
        series('d', 'read', [100]),
      ]),
    );
    expect(drift).toMatchObject({
      step: 'read',
      cells: 3,
      order: { cells: 3, rising: 2, falling: 0, by_chance: 1 },
    });
    expect(drift?.change).toBeCloseTo(Math.cbrt(1.1 * 1.21 * 0.9) - 1, 12);
    expect(drift?.interval?.[0]).toBeLessThan(0);
    expect(drift?.interval?.[1]).toBeGreaterThan(0.2);
  });

  it('has no interval from one set-up, and is none without repetitions', () => {
    expect(driftOf(study([series('a', 'read', [100, 110])]))).toEqual([
      { step: 'read', cells: 1, change: expect.closeTo(0.1, 12), interval: null, order: null },
    ]);
    expect(driftOf(study([series('a', 'read', [100])]))).toEqual([]);
  });

  it('counts an order only where there are three repetitions', () => {
    const [drift] = driftOf(study([series('a', 'read', [100, 110]), series('b', 'read', [100, 90, 80])]));
    expect(drift).toMatchObject({ cells: 2, order: { cells: 1, rising: 0, falling: 1, by_chance: 1 / 3 } });
  });
});

describe('two set-ups', () => {
  const steps = ['s1', 's2', 's3', 's4', 's5'];
  const setup = (name: string, cv: number, workloads: readonly string[], threads = 4) =>
    workloads.flatMap((workload) => steps.map((step) => series(name, step, around(cv), workload, threads)));

  it('are told apart by many steps, not by few, and only at one number of threads', () => {
    const both = ['byrx', 'iobuf'];
    const [ratio, ...others] = compareSpreads(
      study([...setup('a', 0.04, both), ...setup('b', 0.01, both), ...setup('c', 0.5, both, 8)]),
    );
    expect(others).toEqual([]);
    expect(ratio).toMatchObject({ threads: 4, setups: ['a', 'b'], steps: 10, told_apart: true });
    expect(ratio?.ratio).toBeCloseTo(4, 2);
    expect(ratio?.interval[0]).toBeGreaterThan(1);
    const few = [...setup('a', 0.04, ['byrx']), ...setup('b', 0.02, ['byrx'])];
    expect(compareSpreads(study(few))).toMatchObject([{ steps: 5, told_apart: false }]);
    expect(compareSpreads(study(few.filter(({ step }) => step < 's3')))).toEqual([]);
  });

  it('are compared in the steps in which both have a spread', () => {
    const all = [...setup('a', 0.04, ['byrx']), ...setup('b', 0.02, ['byrx'])];
    const still = all.map((one) => (one.setup === 'b' && one.step === 's1' ? { ...one, values: [5, 5, 5] } : one));
    expect(compareSpreads(study(still))).toMatchObject([{ steps: 4 }]);
  });
});
