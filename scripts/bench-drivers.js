/**
 * What a driver's timed loop takes beside the same loop in a bare program: pairs of fresh processes by Assay itself. How many
 * instructions both execute is a test (test/drivers/rocksdb.test.ts), since a count does not depend on the machine's noise.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'drivers', 'rocksdb');
const FLAGS = ['-std=c++17', '-O3', '-DNDEBUG'];
/** The workloads that are measured, and no others: they need not be compiled. */
const MAIN = `#include "../driver_main.h"
#include "workloads.h"
int main(int argc, char** argv) {
  return assay::DriverMain(argc, argv, {WriteManualWal(), WriteBatchConstruct()}, [](assay::Trial&) {});
}
`;

/** The driver's region takes its time from other names than the bare loop: a pattern reads either. */
const EXPERIMENT = (driver, bare, pairs) => `title: a timed loop beside a bare one
arms:
  bare: {command: ${JSON.stringify(bare)}}
  driver: {command: ${JSON.stringify(driver)}}
workload: {timeout: 10m}
metrics: [{name: loop, unit: ns, per: /operations, from: {stdout: '"(?:loop|write|construct)_ns": ([0-9]+)'}}]
design: {warmup: 1, confirmation: {pairs: ${pairs}}}
`;

/** Compiles the driver and the bare programs into `directory`; why not, where the library or a compiler is missing. */
export function compileDrivers(directory) {
  const flags = spawnSync('pkg-config', ['--cflags', '--libs', 'rocksdb'], { encoding: 'utf8' });
  if (flags.status !== 0) return 'pkg-config finds no rocksdb';
  const libraries = flags.stdout.trim().split(/\s+/);
  const main = join(directory, 'main.cc');
  writeFileSync(main, MAIN);
  const workloads = ['write-manual-wal', 'write-batch-construct', 'verification'].map((name) => `${name}.cc`);
  const programs = [
    ['driver', ['-I', sources, main, ...workloads.map((name) => join(sources, name))]],
    ...['bare-manual-wal', 'bare-batch-construct'].map((name) => [name, [join(root, 'test', 'drivers', `${name}.cc`)]]),
  ];
  for (const [name, words] of programs) {
    execFileSync('g++', [...FLAGS, ...words, ...libraries, '-o', join(directory, name)]);
  }
  return null;
}

/**
 * The ratio of the driver's time to the bare loop's for each workload, with its 95 % interval.
 * @returns a list of `{name, ratio, interval, pairs}`, or why nothing was measured
 */
export function driverLoops(scratch, small) {
  const directory = join(scratch, 'drivers');
  mkdirSync(directory);
  const missing = compileDrivers(directory);
  if (missing !== null) return missing;
  const pairs = small ? 4 : 16;
  const [writes, keys] = small ? ['50000', '100000'] : ['300000', '2000000'];
  const at = (name) => join(directory, name);
  const db = '{trial.dir}/db';
  const loops = [
    ['write-manual-wal', ['--writes', writes], [at('bare-manual-wal'), db, writes, '1024']],
    ['write-batch-construct', ['--keys', keys], [at('bare-batch-construct'), db, keys]],
  ];
  return loops.map(([name, parameters, bare]) => {
    const file = at(`${name}.yaml`);
    writeFileSync(file, EXPERIMENT([at('driver'), name, '--dir', db, ...parameters], bare, pairs));
    const args = [join(root, 'bin', 'assay.js'), 'run', file, '--out', at(name), '--quiet'];
    const ended = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (ended.status !== 0 && ended.status !== 1) throw new Error(`assay run: ${ended.stdout}${ended.stderr}`);
    const [loop] = JSON.parse(readFileSync(join(at(name), 'results.json'), 'utf8')).comparisons;
    return { name, ratio: 1 + loop.change, interval: loop.interval.map((end) => 1 + end), pairs: loop.pairs };
  });
}
