/**
 * Do as many pairs as a plan asks for find what they should? `ASSAY_TEST_FULL=1 npx vitest run test/statistical --reporter=verbose` prints
 * every measured figure; docs/methods.md quotes them. The seeds are fixed: the figures repeat.
 */
import { expect, it } from 'vitest';
import { detect } from '../../src/analysis/detection.ts';
import { NO_SOURCES } from '../../src/analysis/spread.ts';
import { sequenceCriticalValue } from '../../src/analysis/stats/confidence-sequence.ts';
import { intervalOf, meanEstimate, sequentialEstimate } from '../../src/analysis/stats/estimate.ts';
import { upperSd } from '../../src/analysis/stats/power.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { type JournalOptions, journalOf } from '../journal-builder.ts';
import { calibrationOf } from '../plan-sources.ts';
import { FEWER, LOOSER, percentage, sample, seeded } from './random.ts';

const RUNS = 5000 / FEWER;
/** In points: three standard errors of 80 % in 5,000 runs. */
const CHANCE = 1.7 * LOOSER;
const CHANGE = 0.01;

/** What a plan says where the spread is known as well as can be. */
function planned(options: Partial<JournalOptions>, sd: number) {
  const { experiment } = journalOf({ values: { write: { a: [1, 2], b: [2, 3] } }, ...options }).run;
  const sources = { ...NO_SOURCES, calibration: calibrationOf(sd, 1e9) };
  const [row] = detect(experiment, makePlan(experiment, 1), sources, { kind: 'ratio', change: CHANGE }).rows;
  if (row?.answer.kind !== 'pairs') throw new Error('a number of pairs');
  return { pairs: row.answer.size.pairs, ends_after: row.answer.ends_after };
}

it('a fixed number of pairs', async ({ annotate }) => {
  for (const [sd, threshold] of [
    [0.005, 0],
    [0.02, 0],
    [0.02, 0.004],
  ] as const) {
    const { pairs } = planned({ decision: { threshold } }, sd);
    const random = seeded(1000 * sd + 1e5 * threshold);
    const found = percentage(RUNS, () => {
      const estimate = meanEstimate(sample(pairs, () => Math.log1p(CHANGE) + sd * random.normal()));
      return estimate !== null && intervalOf(estimate, 0.95)[0] > Math.log1p(threshold);
    });
    await annotate(
      `s = ${100 * sd} %, threshold ${100 * threshold} %: ${pairs} pairs find 1 % in ${found.toFixed(1)} %`,
    );
    expect(found).toBeGreaterThan(80 - CHANCE);
    // Two pairs fewer would not have done, but for the few where each is much.
    expect(found).toBeLessThan(pairs < 10 ? 99 : 84 + CHANCE);
  }
});

it('the most of a run that may end early', async ({ annotate }) => {
  const sd = 0.02;
  const { pairs, ends_after } = planned({ sequential: { min: 8, max: 64 } }, sd);
  const random = seeded(1976);
  const runs = RUNS / 5;
  let ended = 0;
  let ever = 0;
  const last = percentage(runs, () => {
    const values = sample(pairs, () => Math.log1p(CHANGE) + sd * random.normal());
    const excludes = (n: number): boolean => {
      const estimate = sequentialEstimate(values.slice(0, n), 1);
      return estimate !== null && intervalOf(estimate, 0.95)[0] > 0;
    };
    let n = 8;
    while (n < pairs && !excludes(n)) n += 2;
    ended += n / runs;
    ever += excludes(n) ? 100 / runs : 0;
    return excludes(pairs);
  });
  await annotate(
    `${pairs} pairs find 1 % at the last look in ${last.toFixed(1)} %, at any in ${ever.toFixed(1)} %, after ${ended.toFixed(1)} pairs (said: ${ends_after?.toFixed(1)})`,
  );
  expect(last).toBeGreaterThan(80 - CHANCE * Math.sqrt(5));
  expect(last).toBeLessThan(83 + CHANCE * Math.sqrt(5));
  expect(ever).toBeGreaterThanOrEqual(last);
  expect(ended / (ends_after ?? Number.NaN)).toBeGreaterThan(0.9);
  expect(ended / (ends_after ?? Number.NaN)).toBeLessThan(1.1);
});

it('the bound of the spread of a run that may end early, which is a little too low: a look with little spread ends it sooner', async ({
  annotate,
}) => {
  const [least, most] = [6, 64];
  const limits = sample(most + 1, (n) => sequenceCriticalValue(n, 1, 0.05));
  const factors = sample(most + 1, (n) => (n < 2 ? null : upperSd(1, n - 1, 0.8)) ?? Number.NaN);
  for (const shift of [0, 0.5, 1, 2]) {
    const random = seeded(1945 + 10 * shift);
    const above = percentage(RUNS, () => {
      let [n, mean, squares, sd] = [0, 0, 0, 0];
      do {
        n += 1;
        const off = shift + random.normal() - mean;
        mean += off / n;
        squares += off * off * ((n - 1) / n);
        sd = Math.sqrt(squares / Math.max(1, n - 1));
      } while (n < most && (n < least || n % 2 === 1 || Math.abs(mean) * Math.sqrt(n) <= (limits[n] ?? 0) * sd));
      return (factors[n] ?? Number.NaN) * sd >= 1;
    });
    await annotate(`change of ${shift} s: above the true spread in ${above.toFixed(1)} %`);
    expect(above).toBeGreaterThan(74 - CHANCE);
    expect(above).toBeLessThan(80 + CHANCE);
  }
});
