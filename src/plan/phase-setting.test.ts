import { expect, test } from 'vitest';
import { readExperiment } from '../experiment/parse.ts';
import { phaseSetting, phasesOfOwn } from './phase-setting.ts';

const read = readExperiment(`
title: t
arms: {before: {}, after: {params: {mode: both}}, third: {}}
workload:
  command: [x, "{params.mode}", "{params.size}"]
  params: {mode: write, size: 100}
  env: {ASSAY_COUNTERS: hardware, LEVEL: 3}
  timeout: 10
  drop_caches: true
metrics:
  - {name: write, unit: ns}
  - {name: open, unit: ns}
  - {name: work, from: counters.instructions}
counters: hardware
design: {confirmation: {arms: [before, after]}}
counting: {tool: callgrind, params: {size: 3}, timeout: 100}
controls:
  again: {same: before}
  uncounted: {counters: off}
  reads: {params: {mode: read}, metrics: [open]}
  other: {command: [y, "{params.size}", "{params.more}"], params: {more: 1}}
comparisons:
  three: {arms: [before, after, third]}
  three-off: {arms: [before, after, third], counters: off}
`);
if (!read.ok) throw new Error(JSON.stringify(read.errors));
const { experiment } = read;
const inPhase = (phase: string) => {
  const { workload, metrics, params, counters, command, counting } = phaseSetting(experiment, phase);
  return {
    ...{ params, counters, command, counted: counting !== null, timeout: workload.timeout_ms },
    ...{ told: workload.env['ASSAY_COUNTERS'], drops: workload.drop_caches, read: metrics.map(({ name }) => name) },
  };
};
const COUNTED = ['cycles', 'branch_misses', 'cache_misses'];
const MAIN = {
  ...{ params: {}, counters: 'hardware', command: null, counted: false, timeout: 10_000 },
  ...{ told: 'hardware', drops: true, read: ['write', 'open', 'work', ...COUNTED] },
};

test.each(['warmup', 'screening', 'confirmation', 'again', 'three'])('%s is as the experiment says', (phase) => {
  expect(inPhase(phase)).toEqual(MAIN);
});

test.each(['uncounted', 'three-off'])('%s counts nothing, and tells the driver so', (phase) => {
  expect(inPhase(phase)).toEqual({ ...MAIN, counters: 'off', told: 'off', read: ['write', 'open'] });
});

test('other work has its parameters, its command and its metrics', () => {
  expect(inPhase('reads')).toEqual({ ...MAIN, params: { mode: 'read' }, read: ['open'] });
  expect(inPhase('other')).toEqual({
    ...MAIN,
    command: ['y', '{params.size}', '{params.more}'],
    params: { more: 1 },
  });
  expect(phasesOfOwn(experiment, 'before')).toEqual(['reads', 'other']);
  expect(phasesOfOwn(experiment, 'third')).toEqual([]);
});

test('counting reads no metrics, drops no caches and has limits of its own', () => {
  const counted = { counted: true, drops: false, read: [], timeout: 100_000, told: 'off' };
  expect(inPhase('counting')).toEqual({ ...MAIN, ...counted, params: { size: 3 }, counters: 'off' });
});
