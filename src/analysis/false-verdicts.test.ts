import { expect, test } from 'vitest';
import { balancedOrders, metricOf, trialOf } from '../../test/journal-builder.ts';
import { FEWER } from '../../test/statistical/random.ts';
import { seededDraw } from '../plan/order.ts';
import { startProgress } from '../plan/progress.ts';
import { measureOf } from './measure.ts';
import { samplesOf } from './sample.ts';
import { judge } from './verdict.ts';

const LEVEL = 0.95;
const PAIRS = 16;
const BLOCKS = balancedOrders(['a', 'b'], PAIRS);
const FIXED = { blocks: BLOCKS, builds: 1, sequential: null };

const draw = seededDraw(20240102, 0);
const uniform = () => (draw(2 ** 30) + 0.5) / 2 ** 30;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** Whether a run of two arms that are alike has a primary metric that is called slower or faster. */
function falseVerdict(metrics: readonly string[]): boolean {
  const limits = { rules: [], max_repeats: 0, max_gap_ms: null, sessions: false };
  const phases = [{ phase: 'confirmation', blocks: BLOCKS }];
  const progress = startProgress({ seed: 1, sequential: null, phases }, limits);
  for (let slot = 0, next = progress.next(); next.kind === 'trial'; slot += 1, next = progress.next()) {
    const values = Object.fromEntries(metrics.map((name) => [name, Math.exp(0.01 * normal())]));
    progress.record(trialOf({ ...next.planned, attempt: next.attempt }, slot, values));
  }
  const contrasts = metrics.map(
    (name) => ({ metric: metricOf(name), arm: 'b', reference: 'a', noun: 'pair' }) as const,
  );
  const candidates = samplesOf(contrasts, progress.attempts()).map((sample) => ({
    contrast: sample.contrast,
    measured: measureOf(sample, FIXED),
  }));
  return judge(candidates, LEVEL, false).some(({ verdict }) => verdict.kind === 'slower' || verdict.kind === 'faster');
}

function falseRate(runs: number, metrics: readonly string[]): number {
  return Array.from({ length: runs }, () => falseVerdict(metrics)).filter(Boolean).length / runs;
}

/** Three standard deviations of a rate of 5 %. */
const noise = (runs: number) => 3 * Math.sqrt((0.05 * 0.95) / runs);

test('alike arms are called slower or faster in 5 % of the runs', () => {
  const runs = 10_000 / FEWER;
  expect(Math.abs(falseRate(runs, ['x']) - 0.05)).toBeLessThan(noise(runs));
});

test('at most 5 % of the runs call any of three primary metrics slower or faster', () => {
  const runs = 5000 / FEWER;
  const rate = falseRate(runs, ['x', 'y', 'z']);
  expect(rate).toBeLessThan(0.05 + noise(runs));
  // Three tests without Holm's procedure would be wrong in 14 %, ten times too careful ones in 0.5 %.
  expect(rate).toBeGreaterThan(0.05 - 1.5 * noise(runs));
});
