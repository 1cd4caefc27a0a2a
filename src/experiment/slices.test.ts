import { expect, test } from 'vitest';
import { readExperiment } from './parse.ts';

const ARMS = 'arms: {a: {command: [./a]}, b: {command: [./b]}}';

function read(rest: string) {
  const result = readExperiment(`title: t\n${ARMS}\n${rest}`);
  if (!result.ok) throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.experiment;
}

test('slices that say nothing more have the defaults', () => {
  const { design, metrics, machine, counters } = read('design: {slices: true}');
  expect(design.slices).toEqual({
    slice_ns: 300_000,
    session_ns: 1_000_000_000,
    operations: null,
    prelude: 0.25,
    answer_timeout_ms: 60_000,
  });
  expect(design).toMatchObject({ warmup: 1, confirmation_pairs: 16, screening_pairs: 0 });
  expect(metrics.map(({ name, unit, kind, primary, from }) => ({ name, unit, kind, primary, from }))).toEqual([
    { name: 'wall', unit: 'ns', kind: 'ratio', primary: true, from: { kind: 'slice', name: 'wall' } },
    { name: 'cpu', unit: 'ns', kind: 'ratio', primary: false, from: { kind: 'slice', name: 'cpu' } },
    { name: 'stalls', unit: 'slices', kind: 'difference', primary: false, from: { kind: 'slice', name: 'stalls' } },
    { name: 'max_rss', unit: 'bytes', kind: 'ratio', primary: false, from: { kind: 'system', name: 'max_rss' } },
  ]);
  expect(machine.environment_padding).toBe(4096);
  expect(counters).toBe('off');
});

test('slices that say everything', () => {
  const slices = '{length: 2ms, session: 0.5, operations: 64, prelude: 0, answer_timeout: 2m}';
  const { design, sides, machine } = read(`
design: {slices: ${slices}, warmup: 3, screening: {sessions: 2}, confirmation: {sessions: 6}}
controls: {again: {same: a, sessions: 4}}
machine: {environment_padding: 0}`);
  expect(design.slices).toEqual({
    slice_ns: 2_000_000,
    session_ns: 500_000_000,
    operations: 64,
    prelude: 0,
    answer_timeout_ms: 120_000,
  });
  expect(design).toMatchObject({ warmup: 3, confirmation_pairs: 6, screening_pairs: 2 });
  expect(sides[0]?.blocks).toBe(4);
  expect(machine.environment_padding).toBe(0);
});

test('no slices are none', () => {
  expect(read('design: {slices: false}')).toEqual(read(''));
});

test('a driver of Assay does not count in slices unless it is told so', () => {
  const workload = 'workload: {driver: rocksdb, command: ["{arm.driver}"]}';
  const arms = 'arms: {a: {prefix: /x}, b: {prefix: /y}}';
  const of = (rest: string) => {
    const result = readExperiment(`title: t\n${arms}\n${workload}\n${rest}`);
    return result.ok ? result.experiment.counters : result.errors;
  };
  expect(of('')).toBe('hardware');
  expect(of('design: {slices: true}')).toBe('off');
});
