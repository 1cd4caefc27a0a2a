import { expect, test } from 'vitest';
import type { Counting } from './experiment.ts';
import { readExperiment } from './parse.ts';

function countingOf(counting: string, more = ''): Counting | null {
  const read = readExperiment(`
title: t
arms: {a: {}, b: {}}
workload: {command: [x, "{params.keys}"], params: {keys: 1000}}
${more}
counting: ${counting}
`);
  if (!read.ok) throw new Error(read.errors.map(({ message }) => message).join());
  return read.experiment.counting;
}

const DEFAULT: Counting = {
  tool: 'callgrind',
  repeats: 2,
  region: null,
  params: {},
  per: null,
  timeout_ms: 3_600_000,
};

test('one word is enough', () => {
  expect(countingOf('callgrind')).toEqual(DEFAULT);
  expect(countingOf('{tool: callgrind}')).toEqual(DEFAULT);
});

test('every field arrives', () => {
  const fields = "repeats: 3, region: 'timed_*', params: {keys: 20}, per: /facts/keys, timeout: 10m";
  expect(countingOf(`{tool: callgrind, ${fields}}`)).toEqual({
    ...DEFAULT,
    repeats: 3,
    region: 'timed_*',
    params: { keys: 20 },
    per: { pointer: '/facts/keys' },
    timeout_ms: 600_000,
  });
});

test('operations are those of the first primary metric, as long as the parameters are the same', () => {
  const metrics = 'metrics: [{name: size, unit: B, per: 5}, {name: write, unit: ns, per: 1000, primary: true}]';
  expect(countingOf('callgrind', metrics)?.per).toBe(1000);
  expect(countingOf('callgrind', 'metrics: [{name: size, unit: B, per: 5}]')?.per).toBe(5);
  expect(countingOf('{tool: callgrind, per: 7}', metrics)?.per).toBe(7);
  expect(countingOf('{tool: callgrind, params: {keys: 9}}', 'metrics: [{name: size, unit: B}]')?.per).toBeNull();
  expect(() => countingOf('{tool: callgrind, params: {keys: 9}}', metrics)).toThrow(
    'other than the 1000 operations of `write`: say where the result line has how many',
  );
});

test('where the first primary metric says where its operations are, counted trials say so too, whatever their parameters', () => {
  const metrics = 'metrics: [{name: write, unit: ns, per: /operations}]';
  expect(countingOf('callgrind', metrics)?.per).toEqual({ pointer: '/operations' });
  expect(countingOf('{tool: callgrind, params: {keys: 9}}', metrics)?.per).toEqual({ pointer: '/operations' });
  expect(countingOf('{tool: callgrind, params: {keys: 9}, per: 9}', metrics)?.per).toBe(9);
});

test("the region and the operations of Assay's own drivers are known", () => {
  const read = readExperiment(`
title: t
arms: {a: {prefix: /a}, b: {prefix: /b}}
workload: {driver: rocksdb, command: ["{arm.driver}", write-full, --dir, "{trial.dir}", --keys, "{params.keys}"], params: {keys: 9}}
metrics: [{name: write_ns, unit: ns, per: 9}]
counting: {tool: callgrind, params: {keys: 3}}
`);
  const counting = { region: 'assay_timed_*', per: { pointer: '/operations' } };
  expect(read.ok && read.experiment.counting).toMatchObject(counting);
});
