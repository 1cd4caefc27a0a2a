/** What is compared, beside itself with a known cost added: how a trial, a slice and a counted trial of it are made. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileDrivers } from '../bench-drivers.js';

const drivers = fileURLToPath(new URL('../../drivers', import.meta.url));

/** Of 1,000 steps of an operation. */
const STEPS_PER_PERCENT = 10;

function experimentOf({ title, arms, command, params, from, design, counting }) {
  return `title: ${title}
arms: ${JSON.stringify(arms)}
workload: ${JSON.stringify({ command, params, timeout: '10m' })}
metrics: [{name: work, primary: true, ${from.slice(1, -1)}}]
checks: [{driver: any}]
design: ${design}
machine: {cpu: 1}
${counting === undefined ? '' : `counting: ${counting}\n`}`;
}

/** The fixture driver: nothing but memory and arithmetic, and an added cost that is known by its instructions. */
export function fixture(scratch, small) {
  const driver = join(scratch, 'fixture');
  execFileSync('c++', ['-std=c++17', '-O3', join(drivers, 'fixture', 'fixture.cc'), '-o', driver]);
  const operations = small ? 10_000 : 250_000;
  const kOf = (cost) => String(Math.round(cost * 100 * STEPS_PER_PERCENT));
  return {
    costs: small ? [0, 0.02] : [0, 0.005, 0.01, 0.02],
    slices: small ? '{session: 50ms}' : 'true',
    trial_metric: '{from: /metrics/work_ns, unit: ns}',
    region: 'assay_timed_fixture',
    counted_operations: 125,
    command: (cost) =>
      [driver, '--operations', operations, '--added-cost', kOf(cost), '--verify', '0'].map((word) => String(word)),
    experiment: ({ cost, operations: timed = operations, ...request }) =>
      experimentOf({
        title: 'the fixture driver beside itself with a cost',
        arms: { without: { params: { k: 0 } }, with: { params: { k: Number(kOf(cost)) } } },
        command: [driver, '--operations', '{params.operations}', '--added-cost', '{params.k}'],
        params: { operations: timed },
        ...request,
      }),
  };
}

/** RocksDB's batches, with the system's library on both sides: there is no cost to add, so that only false verdicts show. */
export function batches(scratch, small) {
  const missing = compileDrivers(scratch);
  if (missing !== null) throw new Error(missing);
  return {
    costs: [0],
    slices: small ? '{session: 50ms}' : 'true',
    trial_metric: '{from: /metrics/construct_ns, unit: ns}',
    experiment: (request) =>
      experimentOf({
        title: 'write-batch-construct beside itself',
        arms: { one: {}, other: {} },
        command: [
          join(scratch, 'driver'),
          'write-batch-construct',
          '--dir',
          '{trial.dir}/db',
          '--keys',
          '{params.keys}',
        ],
        params: { keys: small ? 20_000 : 500_000 },
        ...request,
      }),
  };
}
