import { expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import { sourcesOf } from '../../test/plan-sources.ts';
import { makePlan } from '../plan/plan.ts';
import { analyse } from './analyse.ts';
import type { Effect } from './analysis.ts';
import { forecast } from './forecast.ts';

/** Standard errors from zero at which a two-sided t test at 5 % with one degree of freedom has 80 % power (mpmath). */
const ONE_DEGREE = 16.33400886;
/** The same with 15 degrees of freedom. */
const FIFTEEN_DEGREES = 2.99786258;

type Options = Parameters<typeof journalOf>[0];

function effectOf(options: Options): Effect {
  const effect = analyse(journalOf(options)).comparisons[0]?.effect;
  if (effect == null) throw new Error('no effect');
  return effect;
}

test('a stratified estimate has the power of n − 2 degrees of freedom', () => {
  // AB BA BA, and a fourth pair without a value: one AB, two BA.
  const logs = [0.01, 0.02, 0.05];
  const effect = effectOf({
    values: { time: { before: [1, 1, 1, 1], after: [...logs.map(Math.exp), null] } },
    metrics: { time: { optional: true } },
  });
  expect(effect.stratified).toBe(true);
  // Pooled: s² = (0.015² · 2)/1; standard error ½ s √(1 + ½).
  const standardError = 0.5 * Math.sqrt(2) * 0.015 * Math.sqrt(1.5);
  expect(Math.log1p(effect.detectable ?? 0) / standardError).toBeCloseTo(ONE_DEGREE, 5);
});

test('where an interval is kept as wide as a quantum, a change must clear that as well', () => {
  const before = Array.from({ length: 16 }, () => 1000);
  const after = before.map((value, i) => value + (i % 2));
  const effect = effectOf({
    values: { max_rss: { before, after } },
    metrics: { max_rss: { kind: 'difference', unit: 'bytes' } },
    change: (trial) => ({
      ...trial,
      account: {
        ...trial.account,
        accounting: { ...trial.account.accounting, max_rss: { method: 'wait4', resolution: 4, scope: 'all' } },
      },
    }),
  });
  const standardError = Math.sqrt(((16 / 15) * 0.25) / 16);
  expect(effect.interval).toEqual([0.5 - 4, 0.5 + 4]);
  expect(effect.detectable).toBeCloseTo(4 + FIFTEEN_DEGREES * standardError, 5);
});

test('a plan counts the threshold, and all primary comparisons', () => {
  const before = Array.from({ length: 16 }, () => 100);
  const after = before.map((value, i) => value + (i % 4));
  const planned = (options: Partial<Options>) => {
    const journal = journalOf({ values: { x: { before, after }, y: { before, after: before } }, ...options });
    const { experiment } = journal.run;
    const found = forecast(experiment, makePlan(experiment, 1), sourcesOf(journal)).detectable[0]?.change;
    return Math.log1p(found ?? Number.NaN);
  };
  const alone = { y: { primary: false } };
  const plain = planned({ metrics: alone });
  expect(planned({ metrics: alone, decision: { threshold: 0.05 } })).toBeCloseTo(Math.log(1.05) + plain, 9);
  // Two primary metrics at 95 % are tested like one at 97.5 %.
  expect(planned({})).toBeCloseTo(planned({ metrics: alone, decision: { level: 0.975 } }), 9);
  expect(planned({})).toBeGreaterThan(plain);
});
