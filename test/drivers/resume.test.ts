/** The workload `resume` of the RocksDB driver, against the installed library: what it recovers from, and its checks. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMPILATION_MS, compile, compileEach, FLAGS, installedRocksdb, runTrial, SOURCES } from './building.ts';

/** A driver with this workload alone: the others need not be compiled. */
const MAIN = `#include "../driver_main.h"
#include "workloads.h"
int main(int argc, char** argv) { return assay::DriverMain(argc, argv, {Resume()}, [](assay::Trial&) {}); }
`;

const SMALL = ['resume', '--warmup', '2', '--recoveries', '10'];
const RECOVERIES = 12;

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('resume', () => {
  let directory = '';
  let driver = '';
  let libraries: string[] = [];
  let trials = 0;

  const object = (name: string) => join(directory, `${name}.o`);

  function trial(program: string, args: readonly string[]) {
    trials += 1;
    return runTrial(program, [...SMALL, ...args], join(directory, `trial-${trials}`));
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'assay-resume-'));
    driver = join(directory, 'driver');
    libraries = await installedRocksdb();
    const main = join(directory, 'main.cc');
    writeFileSync(main, MAIN);
    await compileEach([
      [...FLAGS, '-I', SOURCES, '-c', main, '-o', object('main')],
      ...['resume', 'verification'].map((name) => [...FLAGS, '-c', join(SOURCES, `${name}.cc`), '-o', object(name)]),
    ]);
    await compile([...['main', 'resume', 'verification'].map(object), ...libraries, '-o', driver]);
  }, COMPILATION_MS);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const SOFT = {
    severities: `kSoftError × ${RECOVERIES}`,
    background_errors: `kFlushNoWAL × ${RECOVERIES}`,
    flush_reasons: expect.stringMatching(/^kErrorRecoveryRetryFlush/),
  };
  /** RocksDB 7.8 reports each failed sync twice. */
  const HARD = {
    severities: `kHardError × ${RECOVERIES}`,
    background_errors: expect.stringMatching(/^kFlush × \d+$/),
    flush_reasons: expect.stringMatching(/^kErrorRecovery × /),
  };

  test.each([
    ['--fault sst', SOFT],
    ['--fault wal-sync', HARD],
    ['--fault sst --families 1 --cpu 0', SOFT],
    ['--fault sst --atomic-flush true --families 3', { ...SOFT, injected_errors: 3 * RECOVERIES }],
    ['--fault wal-sync --atomic-flush true', HARD],
    ['--fault sst --open-transactions 2', SOFT],
    ['--fault wal-sync --open-transactions 2', HARD],
    ['--fault sst --backlog 2', { ...SOFT, backlog_failed: 0 }],
    ['--fault wal-sync --backlog 2', HARD],
    ['--fault wal-sync --atomic-flush true --backlog 1 --open-transactions 1', HARD],
  ])('%s', async (options, facts) => {
    const found = await trial(driver, options.split(' '));
    expect(found).toMatchObject({
      code: 0,
      failed: [],
      operations: 10,
      facts: { recoveries: RECOVERIES, injected_errors: RECOVERIES, ...facts },
    });
    expect(found.facts['resume_ns']).toHaveLength(10);
  });

  test('the metrics are nearest ranks of the measured recoveries, and their sum', async () => {
    const { metrics, facts } = await trial(driver, []);
    const each = (facts['resume_ns'] as number[]).toSorted((a, b) => a - b);
    expect(metrics).toEqual({
      resume_total_ns: each.reduce((sum, ns) => sum + ns),
      resume_p50_ns: each[4],
      resume_p95_ns: each[9],
      resume_p99_ns: each[9],
      resume_max_ns: each[9],
    });
    expect(each[0]).toBeGreaterThan(0);
  });

  test('nothing of the recoveries before the measured ones is counted', async () => {
    const args = ['resume', '--warmup', '99', '--recoveries', '1', '--counters', 'software'];
    const { counters, operations } = await runTrial(driver, args, join(directory, 'counted'));
    expect(operations).toBe(1);
    if (counters === null || 'unsupported' in counters) throw new Error(JSON.stringify(counters));
    // In nearly every recovery the thread waits for another: a hundred would be 80 and more.
    expect(counters.events['context_switches']).toBeLessThan(40);
  });

  test('what the library cannot do is said', async () => {
    const found = await trial(driver, ['--fault', 'wal-sync', '--families', '1']);
    // From 9.3 on the log is synced in a database with transactions, whatever the number of families.
    if (found.code === 0) return;
    expect(found).toMatchObject({ code: 1, failed: ['completed'] });
    expect(found.checks['completed']?.detail).toMatch(/^unsupported: a flush of this library does not sync the log/);
  });

  /** By fault and options: the checks that fail, and no others. */
  const FAULTS: readonly (readonly [string, string, string])[] = [
    ['failed_status', '', 'statuses completed'],
    ['missing_error', '', 'injected_errors background_errors severity flush_reason'],
    ['other_error', '--fault wal-sync', 'background_errors severity flush_reason'],
    ['nothing_unprepared', '', 'unprepared'],
    ['lost_write', '', 'entries contents reopened_contents'],
    ['wrong_value', '', 'contents reopened_contents'],
    ['sealed_backwards', '', 'sealed_sequences'],
    ['table_backwards', '', 'table_sequences live_tables reopened_tables'],
    ['flush_at_close', '', 'closed_unflushed'],
    ['late_write', '', 'reopened_contents'],
    ['lost_wal', '', 'reopened_sequence reopened_contents'],
    ['late_commit', '--open-transactions 1', 'open_transactions'],
    ['idle_writers', '--backlog 1', 'backlog'],
  ];
  const EVERYTHING = ['--backlog', '1', '--open-transactions', '1'];

  describe('faults', () => {
    test.each(FAULTS)('%s %s', { timeout: COMPILATION_MS }, async (fault, options, expected) => {
      const program = join(directory, fault);
      const flags = ['-std=c++17', `-DASSAY_FAULT=${fault}`];
      await compile([...flags, '-c', join(SOURCES, 'resume.cc'), '-o', object(fault)]);
      await compile([...['main', fault, 'verification'].map(object), ...libraries, '-o', program]);
      const found = await trial(program, options === '' ? [] : options.split(' '));
      expect(found.failed.toSorted()).toEqual(expected.split(' ').toSorted());
      expect(found.code).toBe(1);
    });

    test('each check is made to fail by one of them', async () => {
      const failing = new Set(FAULTS.flatMap(([, , checks]) => checks.split(' ')));
      const found = await trial(driver, EVERYTHING);
      expect(found.failed).toEqual([]);
      expect(Object.keys(found.checks).filter((check) => !failing.has(check))).toEqual([]);
    });
  });
});
