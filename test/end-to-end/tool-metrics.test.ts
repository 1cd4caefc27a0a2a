/** Metrics that a reader finds in what another tool prints: run, warned of, packed and verified. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Results } from '../../src/report/results-schema.ts';
import { benchmarkReport } from '../imported-runs.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

function write(result: string): void {
  const rows = (rate: number) => [rate, 0].map((one, at) => ({ test: `x.t${at + 1}`, rate: one, p99: rate / 10 }));
  rig.write('a.tsv', benchmarkReport(rows(100)));
  rig.write('b.tsv', benchmarkReport(rows(90)));
  rig.write(
    'experiment.yaml',
    `
title: another tool
arms: {a: {}, b: {}}
workload: {command: [sh, -c, 'cat "$1"; cp "$1" out.tsv', sh, '{experiment.dir}/{arm.name}.tsv']}
metrics:
  - {name: rate, from: benchmark_sh.${result}.ops_per_second, kind: difference}
  - {name: tail, from: {tool: benchmark_sh, result: x.t1, metric: p99, file: out.tsv}, kind: difference}
design: {confirmation: {pairs: 2}}
`,
  );
}

test('has the reader’s unit and direction, its warnings once, and is computed again from the raw output', async () => {
  write('x.t1');
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(stdout).toContain('worse (fewer a second)');
  expect(code).toBe(1);
  const { comparisons, warnings } = JSON.parse(rig.read('run/results.json')) as Results;
  expect(comparisons.map(({ metric, unit, better, change }) => ({ metric, unit, better, change }))).toEqual([
    { metric: 'rate', unit: '1/s', better: 'higher', change: -10 },
    { metric: 'tail', unit: 'ns', better: 'lower', change: -1000 },
  ]);
  expect(warnings.filter(({ code: kind }) => kind === 'unreadable-line').map(({ message }) => message)).toEqual([
    'benchmark.sh of RocksDB: line 3 has ops_sec 0: rounded down, or nothing was done. (In 4 of 4 trials.)',
  ]);
  expect((await rig.assay(['bundle', 'run'])).code).toBe(0);
  expect((await rig.assay(['verify', 'run.tar.gz'])).stdout).toMatch(/trials +verified/);
});

test('of a result that is not there fails the trial with the names of those that are', async () => {
  write('y');
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(code).toBe(3);
  expect(stdout.replace(/\s+/g, ' ')).toContain('failed: metric rate: stdout has no result "y": it has "x.t1", "x.t2"');
});
