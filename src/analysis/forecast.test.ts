import { expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import { sourcesOf } from '../../test/plan-sources.ts';
import vectors from '../../test/reference/stat-vectors.json' with { type: 'json' };
import { gitSource } from '../../test/report-cases-beside.ts';
import { SLICES } from '../../test/session-slices.ts';
import { makePlan } from '../plan/plan.ts';
import { forecast } from './forecast.ts';
import { NO_SOURCES } from './spread.ts';
import { standardDeviation } from './stats/moments.ts';
import { detectableShift, upperSd } from './stats/power.ts';

const before = Array.from({ length: 16 }, (_, i) => 100 + (i % 3));
const after = before.map((value, i) => value * (1 + 0.01 * ((i * 7) % 5)));

test('without an earlier run everything is unknown, and the plan is counted', () => {
  const journal = journalOf({ values: { wall: { a: before, b: after } }, warmup: 1 });
  const plan = makePlan(journal.run.experiment, 1);
  const result = forecast(journal.run.experiment, plan, NO_SOURCES);
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
  const calm = forecast(planned.experiment, plan, sourcesOf(journal(1)));
  const shifted = forecast(planned.experiment, plan, sourcesOf(journal(2)));
  const change = calm.detectable[0]?.change ?? Number.NaN;
  expect(shifted.detectable[0]?.change).toBeCloseTo(change, 12);
  expect(calm.detectable[0]?.spread.source).toMatchObject({ from: 'screening', values: n, unit: 'pair' });
  // 16 pairs detect 0.75087 standard deviations at 80 % power (reference: 0.0037543582 at 0.005).
  const logs = [101, 102, 104, 101].map((value) => Math.log(value / 100));
  const mean = logs.reduce((sum, value) => sum + value, 0) / n;
  const sd = Math.sqrt(logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  const reference = vectors.minimum_detectable_effect.find((row) => row.log_sd === 0.005 && row.pairs === 16);
  const perSd = Math.log1p(reference?.effect ?? Number.NaN) / 0.005;
  expect(Math.log1p(change)).toBeCloseTo(perSd * factor * sd, 6);
  expect(calm.seconds).toBeGreaterThan(0);
});

const BUILD_SOURCES = {
  a: gitSource('a'),
  b: gitSource('b'),
};

/** 16 pairs in four builds, of which one differs. */
function builtJournal(builds: number) {
  const layout = [0, 0.01, -0.004, 0.002];
  const built = before.map((value, i) => value * Math.exp((layout[i % 4] ?? 0) + ((i * 7) % 5) / 1000));
  return journalOf({ values: { wall: { a: before, b: built } }, sources: BUILD_SOURCES, builds });
}

test('with several builds the spread is that of builds, and where none is known nothing is said', () => {
  const { experiment } = builtJournal(4).run;
  const plan = makePlan(experiment, 1);
  const [unknown] = forecast(experiment, plan, sourcesOf(builtJournal(1))).detectable;
  expect(unknown).toMatchObject({ change: null, spread: { sd: null, source: null } });
  const earlier = sourcesOf(builtJournal(4));
  const [known] = forecast(experiment, plan, earlier).detectable;
  expect(known).toMatchObject({ spread: { source: { from: 'confirmation', unit: 'build', values: 4 } } });
  // As many builds of as many pairs: s of the means at its upper bound, four values.
  const means =
    earlier.earlier?.analysis.comparisons[0]?.effect?.builds?.means.map(({ change }) => Math.log1p(change)) ?? [];
  const sd = upperSd(standardDeviation(means) ?? Number.NaN, 3, 0.8) ?? Number.NaN;
  const shift = detectableShift(sd, 4, 0.8, 0.05) ?? Number.NaN;
  expect(Math.log1p(known?.change ?? Number.NaN)).toBeCloseTo(shift, 9);
  // More builds find less; more pairs in each help only as far as pairs of one build differ.
  const eight = builtJournal(8).run.experiment;
  expect(forecast(eight, makePlan(eight, 1), earlier).detectable[0]?.change).toBeLessThan(known?.change ?? 0);
});

test('builds are counted, and take what they took', () => {
  const { run, prepared } = builtJournal(4);
  const plan = makePlan(run.experiment, 1);
  const arms = prepared?.arms ?? [];
  const afterwards = (made: typeof arms) => {
    const { earlier } = sourcesOf(builtJournal(4));
    return { ...NO_SOURCES, earlier: earlier && { ...earlier, prepared: made } };
  };
  expect(forecast(run.experiment, plan, NO_SOURCES).builds).toEqual({ count: 8, seconds: null });
  const took = (seconds: Readonly<Record<string, string>>) =>
    arms.map((one) => {
      const own = seconds[one.arm];
      return own === undefined ? one : { ...one, provenance: { build_seconds: own } };
    });
  expect(forecast(run.experiment, plan, afterwards(took({ a: '100.5', b: '50' }))).builds).toEqual({
    count: 8,
    seconds: 602,
  });
  for (const b of [undefined, '', 'soon', '-1']) {
    const made = took(b === undefined ? { a: '100.5' } : { a: '100.5', b });
    expect(forecast(run.experiment, plan, afterwards(made)).builds).toEqual({ count: 8, seconds: null });
  }
  const commands = journalOf({ values: { wall: { a: before, b: after } } }).run.experiment;
  expect(forecast(commands, makePlan(commands, 1), NO_SOURCES).builds).toBeNull();
});

test('halves of a session run at the same time: it takes its time once', () => {
  // The second half starts 0.1 s after the first, and a session every 2 s.
  const journal = journalOf({
    values: { wall: { a: before, b: after } },
    change: (trial, index) => {
      const started_unix_ms = Math.floor(index / 2) * 2000 + (index % 2) * 100;
      return { ...trial, account: { ...trial.account, started_unix_ms } };
    },
  });
  const { design } = journal.run.experiment;
  const experiment = { ...journal.run.experiment, design: { ...design, slices: SLICES } };
  const plan = makePlan(experiment, 1);
  const sources = sourcesOf({ ...journal, run: { ...journal.run, experiment } });
  const { seconds, trials } = forecast(experiment, plan, sources);
  expect({ seconds, trials }).toEqual({ seconds: 32, trials: 32 });
});

test('a pair takes as long as both of its trials, however differently long these are', () => {
  let start = 0;
  const journal = journalOf({
    values: { wall: { a: before, b: after } },
    change: (trial) => {
      const started_unix_ms = start;
      start += trial.arm === 'a' ? 1000 : 3000;
      return { ...trial, account: { ...trial.account, started_unix_ms } };
    },
  });
  const { experiment } = journal.run;
  const found = forecast(experiment, makePlan(experiment, 1), sourcesOf(journal));
  expect(found.time.pair_seconds).toBe(4);
  expect(found.seconds).toBe(64);
});
