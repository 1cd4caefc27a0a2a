/** Arms from sources, in slices, through the real program: revisions with a driver in C++, several builds, controls; a driver of Assay's. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrialRecord } from '../../src/journal/records.ts';
import type { Results } from '../../src/report/results-schema.ts';
import { expectComplete } from '../complete-run.ts';
import { openRig, processesWith, type Rig } from '../rig.ts';
import { tinyRepository } from '../tiny-repository.ts';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const HEADER = readFileSync(fileURLToPath(new URL('../../drivers/slices.h', import.meta.url)), 'utf8');
/** An operation is COST additions; what was added up is known. */
const SOURCE = `#include "slices.h"
int main(int argc, char** argv) {
  uint64_t sum = 0, done = 0;
  if (!assay::IsServing(argc, argv)) return 2;
  assay::Slices slices;
  slices.unit = 16;
  slices.work = [&](uint64_t operations) {
    for (uint64_t i = 0; i < operations * COST; i++) {
      sum += i;
      __asm__ volatile("" : "+r"(sum));
    }
    done += operations;
  };
  const std::optional<uint64_t> all = assay::Serve(slices);
  return all ? assay::PrintResult(*all, {{"count", done == *all, ""}}) : 1;
}
`;
const BUILD = '["c++ -std=c++17 -O2 -DCOST=$(cat cost) -o bench bench.cc"]';

const results = (): Results => JSON.parse(rig.read('run/results.json'));
const phase = (name: string): TrialRecord[] => rig.journal('run').trials.filter((trial) => trial.phase === name);

async function expectVerified(): Promise<void> {
  expect((await rig.assay(['bundle', 'run', '--output', 'run.tar.gz'])).code).toBe(0);
  const verified = await rig.assay(['verify', 'run.tar.gz']);
  expect(verified.stdout).not.toMatch(/failed/);
  expect(verified.stdout).toMatch(/^trials +verified/m);
  expect(verified.code).toBe(0);
}

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('in slices', () => {
  test('revisions, each built three times, with an A/A and a rebuild beside them', async () => {
    const engine = tinyRepository(join(rig.directory, 'engine'));
    engine.commit('The first', { cost: '100', 'bench.cc': SOURCE, 'slices.h': HEADER });
    engine.commit('Does more', { cost: '200' });
    rig.write(
      'experiment.yaml',
      `
title: revisions in turns
arms:
  before: {git: {repo: engine, rev: HEAD~1}, build: ${BUILD}}
  after: {git: {repo: engine, rev: HEAD}, build: ${BUILD}}
workload: {command: ["{arm.dir}/bench"]}
checks: [{driver: [count]}]
design: {slices: {length: 200us, session: 40ms}, confirmation: {sessions: 12}, builds: 3, seed: 4}
controls:
  again: {same: before, sessions: 2}
  layout: {rebuild: after, sessions: 2}
`,
    );
    const env = { ASSAY_CACHE: rig.ownCache() };
    const { code, stderr, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
    expect(stderr).toBe('');
    expect([1, 3]).toContain(code);
    expectComplete(rig.journal('run'));
    const { prepared, trials } = rig.journal('run');
    expect(trials.filter(({ failure }) => failure !== null)).toEqual([]);
    expect(prepared?.arms.map(({ arm, build }) => `${arm} ${build}`)).toEqual([
      ...['before 0', 'before 1', 'before 2', 'after 0', 'after 1', 'after 2', 'before-again 0', 'after-rebuilt 0'],
    ]);
    // The unit of the interval is the pair of builds: three of them, four sessions each.
    const wall = results().comparisons.find(({ metric }) => metric === 'wall');
    expect(wall?.pairs).toBe(12);
    expect(wall?.companions?.builds?.means.map(({ build, pairs }) => [build, pairs])).toEqual(
      [1, 2, 3].map((k) => [k, 4]),
    );
    expect(wall?.change).toBeGreaterThan(0.3);
    expect(phase('confirmation').map(({ session }) => session === null)).toEqual(Array(24).fill(false));
    expect(new Set(phase('again').map(({ arm }) => arm))).toEqual(new Set(['before', 'before-again']));
    expect(new Set(phase('layout').map(({ arm }) => arm))).toEqual(new Set(['after', 'after-rebuilt']));
    for (const name of ['again', 'layout']) {
      expect(phase(name).map(({ session }) => session?.leader.length ?? 0)).toEqual(Array(4).fill(expect.any(Number)));
    }
    expect(new Set(results().controls.map(({ name }) => name))).toEqual(new Set(['again', 'layout']));
    expect(stdout).toMatch(/^wall /m);
    expect(processesWith(rig.directory)).toEqual([]);
    await expectVerified();
  }, 300_000);

  test('two settings of a driver of Assay, which counts in them', async () => {
    rig.write(
      'experiment.yaml',
      `
title: protection bytes in turns
arms: {none: {pkg-config: rocksdb, params: {protection: 0}}, eight: {pkg-config: rocksdb, params: {protection: 8}}}
workload:
  driver: rocksdb
  command: ['{arm.driver}', write-batch-construct, --dir, '{trial.dir}/db', --keys, '400000', --protection-bytes-per-key, '{params.protection}']
metrics: [{name: construct, from: slice}, {name: stalls, from: slice.stalls}]
checks: [{driver: any}]
counters: software
design: {slices: {length: 300us, session: 60ms}, confirmation: {sessions: 4}, seed: 4}
`,
    );
    const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    expect(stderr).not.toMatch(/defect/);
    expect([0, 1]).toContain(code);
    const { trials } = rig.journal('run');
    expect(trials.filter(({ failure }) => failure !== null)).toEqual([]);
    const { comparisons, counters } = results();
    const construct = comparisons.find(({ metric }) => metric === 'construct');
    expect(construct?.pairs).toBe(4);
    expect(construct?.means?.arm).toBeGreaterThan(0);
    expect(construct?.slices?.quads).toBeGreaterThanOrEqual(4);
    // Where the kernel lets nobody count, the report says so.
    if (counters?.counted === 0) expect(counters.reason).toMatch(/perf_event_open/);
    else {
      const clock = comparisons.find(({ metric }) => metric === 'task_clock');
      expect(clock?.slices).not.toBeNull();
      // Around a slice there is little more than what is timed.
      expect((clock?.means?.reference ?? 0) / (construct?.means?.reference ?? 1)).toBeGreaterThan(0.5);
    }
    await expectVerified();
  }, 600_000);
});
