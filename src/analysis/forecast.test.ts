import { expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import vectors from '../../test/reference/stat-vectors.json' with { type: 'json' };
import { makePlan } from '../plan/plan.ts';
import { analyse } from './analyse.ts';
import { forecast } from './forecast.ts';

const before = Array.from({ length: 16 }, (_, i) => 100 + (i % 3));
const after = before.map((value, i) => value * (1 + 0.01 * ((i * 7) % 5)));

test('without an earlier run everything is unknown, and the plan is counted', () => {
  const journal = journalOf({ values: { wall: { a: before, b: after } }, warmup: 1 });
  const plan = makePlan(journal.run.experiment, 1);
  const result = forecast(journal.run.experiment, plan, null);
  expect(result).toMatchObject({ trials: 34, pairs: 16, seconds: null });
  expect(result.detectable.map((row) => row.change)).toEqual([null]);
});

test('the spread of screening is taken at its upper 80 % bound, and the effect does not matter', () => {
  const n = 4;
  const factor = vectors.planning_sd_upper_80.find((row) => row.n === n)?.factor ?? Number.NaN;
  const journal = (shift: number) =>
    journalOf({
      values: { wall: { a: before, b: after } },
      screening: { wall: { a: [100, 100, 100, 100], b: [101, 102, 104, 101].map((value) => value * shift) } },
    });
  const planned = journal(1).run;
  const plan = makePlan(planned.experiment, 1);
  const calm = forecast(planned.experiment, plan, analyse(journal(1)));
  const shifted = forecast(planned.experiment, plan, analyse(journal(2)));
  const change = calm.detectable[0]?.change ?? Number.NaN;
  expect(shifted.detectable[0]?.change).toBeCloseTo(change, 12);
  expect(calm.detectable[0]?.from).toBe(n);
  // 16 pairs detect 0.75087 standard deviations at 80 % power (reference: 0.0037543582 at 0.005).
  const logs = [101, 102, 104, 101].map((value) => Math.log(value / 100));
  const mean = logs.reduce((sum, value) => sum + value, 0) / n;
  const sd = Math.sqrt(logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  const reference = vectors.minimum_detectable_effect.find((row) => row.log_sd === 0.005 && row.pairs === 16);
  const perSd = Math.log1p(reference?.effect ?? Number.NaN) / 0.005;
  expect(Math.log1p(change)).toBeCloseTo(perSd * factor * sd, 6);
  expect(calm.seconds).toBeGreaterThan(0);
});

test('of several builds the spread of builds counts, which pairs do not tell', () => {
  const values = { wall: { a: before, b: after } };
  const planned = journalOf({ values, builds: 4 });
  const { experiment } = planned.run;
  const plan = makePlan(experiment, 1);
  const [unknown] = forecast(experiment, plan, analyse(journalOf({ values }))).detectable;
  expect(unknown).toMatchObject({ change: null, unit_of_spread: 'build', from: null });
  const earlier = analyse(planned);
  const [known] = forecast(experiment, plan, earlier).detectable;
  expect(known).toMatchObject({ unit_of_spread: 'build', from: 4 });
  const means = earlier.comparisons[0]?.effect?.builds?.means.map(({ change }) => Math.log1p(change)) ?? [];
  const mean = means.reduce((sum, value) => sum + value, 0) / 4;
  const sd = Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3);
  const factor = vectors.planning_sd_upper_80.find((row) => row.n === 4)?.factor ?? Number.NaN;
  // The noncentrality with which 3 degrees of freedom have 80 % power at 5 % (SciPy), times s/√4.
  expect(Math.log1p(known?.change ?? Number.NaN)).toBeCloseTo((4.255898687 * sd * factor) / 2, 6);
});
