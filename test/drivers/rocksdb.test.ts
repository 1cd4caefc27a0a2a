/** The RocksDB driver, compiled against the installed library: its protocol, and that each of its checks can fail. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCallgrind } from '../../src/formats/callgrind.ts';
import {
  COMPILATION_MS,
  compile,
  compileEach,
  DRIVERS,
  FLAGS,
  installedRocksdb,
  run,
  runSlices,
  runTrial,
  SOURCES,
} from './building.ts';

const BARE = fileURLToPath(new URL('.', import.meta.url));

/** Parameters with which a trial of each workload takes a moment. */
const SMALL: Record<string, readonly string[]> = {
  'write-batch-construct': ['--keys', '3000', '--families', '3'],
  'write-manual-wal': ['--writes', '4096', '--batches', '64'],
  'write-full': ['--keys', '3000', '--families', '3'],
  'backup-loop': ['--iterations', '3', '--keys', '300', '--families', '3'],
};

/** Those that work in slices, of this unit. */
const UNITS: Record<string, number> = { 'write-batch-construct': 256, 'write-manual-wal': 1, 'write-full': 256 };
const REQUESTS = ['slice 0 256', 'slice 256 512', 'slice 0 1024', 'finish'];
const ASKED = 256 + 768 + 1024;

const names = readdirSync(SOURCES).filter((name) => name.endsWith('.cc'));

describe.runIf(process.env['ASSAY_TEST_FULL'] === '1')('the RocksDB driver', () => {
  let directory = '';
  let driver = '';
  let libraries: string[] = [];
  let trials = 0;

  const object = (name: string) => join(directory, `${name}.o`);

  function trial(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    trials += 1;
    return runTrial(program, args, join(directory, `trial-${trials}`), env);
  }

  function slices(program: string, args: readonly string[], requests: readonly string[] = REQUESTS) {
    trials += 1;
    return runSlices(program, args, join(directory, `trial-${trials}`), requests);
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'assay-driver-'));
    driver = join(directory, 'driver');
    libraries = await installedRocksdb();
    await compileEach(names.map((name) => [...FLAGS, '-c', join(SOURCES, name), '-o', object(name)]));
    await compile([...names.map(object), ...libraries, '-o', driver]);
  }, COMPILATION_MS);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('it compiles as C++20 too, and without type information', { timeout: COMPILATION_MS }, async () => {
    const sources = names.map((name) => join(SOURCES, name));
    await compile(['-std=c++20', ...FLAGS.slice(1), '-fno-rtti', '-fsyntax-only', ...sources]);
  });

  test('its sources are formatted', async () => {
    const headers = readdirSync(DRIVERS).filter((name) => name.endsWith('.h'));
    const files = [...readdirSync(SOURCES).map((name) => join('rocksdb', name)), ...headers, 'fixture/fixture.cc'];
    const bare = readdirSync(BARE).filter((name) => name.endsWith('.cc'));
    const paths = [...files.map((name) => join(DRIVERS, name)), ...bare.map((name) => join(BARE, name))];
    expect(await run('clang-format', ['--dry-run', '-Werror', ...paths])).toMatchObject({ code: 0, stderr: '' });
  });

  describe('the command line', () => {
    test('help names workloads, and parameters with units and defaults', async () => {
      const general = await run(driver, ['--help']);
      expect(general.code).toBe(0);
      for (const name of Object.keys(SMALL)) {
        expect(general.stdout).toContain(`\n${name}\n`);
      }
      const one = await run(driver, ['write-batch-construct', '--help']);
      expect(one).toMatchObject({ code: 0, stderr: '' });
      expect(one.stdout).toMatch(/--value-bytes bytes\n.*\(default: 16\)/);
      expect(one.stdout).toMatch(/--dir DIR\n.*\(required\)/);
      expect(one.stdout).toContain('Not a claim about: complete DB::Write performance');
    });

    test.each([
      [[], 'No workload is named'],
      [['write-manual-val'], 'no workload "write-manual-val" (did you mean write-manual-wal?)'],
      [['write-full'], '--dir is missing'],
      [['write-full', '--dir', 'DIR', '--kyes', '5'], 'no parameter "--kyes" (did you mean --keys?)'],
      [['write-full', '--dir', 'DIR', '--keys'], '--keys needs a value'],
      [['write-full', '--dir', 'DIR', '--keys', '5', '--keys=5'], '--keys is given twice'],
      [['write-full', '--dir', 'DIR', '--keys', '-5'], '--keys is a whole number from 1 to 100000000, not "-5"'],
      [['write-full', '--dir', 'DIR', '--keys', '5k'], 'not "5k"'],
      [['write-full', '--dir', 'DIR', '--keys='], 'not ""'],
      [['write-full', '--dir', 'DIR', '--keys', '99999999999999999999'], 'not "99999999999999999999"'],
      [['write-manual-wal', '--dir', 'DIR', '--sync', 'ture'], 'one of true, false, not "ture" (did you mean true?)'],
      [['write-batch-construct', '--dir', 'DIR', '--protection-bytes-per-key', '4'], 'one of 0, 8, not "4"'],
      [['write-full', '--dir', '/dev/null/x'], 'The directory "/dev/null/x" cannot be used'],
      [['write-full', '--dir', '/'], 'The directory "/" is not empty'],
    ])('%j is refused', async (args, message) => {
      const ended = await run(
        driver,
        args.map((word) => (word === 'DIR' ? join(directory, 'refused') : word)),
      );
      expect(ended).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toContain(message);
      expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    });

    test('names with control characters do not reach the terminal', async () => {
      const place = join(directory, 'a "quoted"\n\x1b[31m\x9b31m\u00e9');
      mkdirSync(join(place, 'db'), { recursive: true });
      const refused = await run(driver, ['write-full', '--dir', place]);
      const shown = `${directory}/a \\"quoted\\"\\u000a\\u001b[31m\\u009b31m\u00e9`;
      expect(refused.stderr).toBe(`driver: The directory "${shown}" is not empty: each trial needs a fresh one.\n`);
    });
  });

  describe('trials', () => {
    test('write-batch-construct', async () => {
      const found = await trial(driver, ['write-batch-construct', '--keys', '5000']);
      expect(found).toMatchObject({ code: 0, failed: [], operations: 5000, facts: { keys: 5000, batches: 20 } });
      expect(found.facts).toMatchObject({
        timed: expect.stringContaining('Not '),
        not_a_claim_about: expect.arrayContaining([expect.any(String)]),
      });
      expect(found.metrics['construct_ns']).toBeGreaterThan(0);
      expect(found.facts['parameters']).toMatchObject({ families: 20, batch: 256, 'protection-bytes-per-key': '0' });
    });

    test('write-batch-construct with checksums in batches', async () => {
      const args = ['write-batch-construct', '--keys=1000', '--protection-bytes-per-key=8'];
      expect(await trial(driver, args)).toMatchObject({ code: 0, failed: [] });
    });

    test('write-manual-wal, whose log has 32 bytes a record', async () => {
      const found = await trial(driver, ['write-manual-wal', '--writes', '5000', '--cpu', '0']);
      expect(found).toMatchObject({
        ...{ code: 0, failed: [], operations: 5000 },
        facts: { wal_bytes: 160_000, pinned_cpu: 0 },
      });
      expect(found.metrics['write_ns']).toBeGreaterThan(0);
    });

    test('write-manual-wal with fewer writes than batches, and sync', async () => {
      const args = ['write-manual-wal', '--writes', '10', '--sync', 'true'];
      expect(await trial(driver, args)).toMatchObject({ code: 0, failed: [] });
    });

    // 256 families are flushed, closed and opened again, each with an fsync or more.
    test.each(['20', '256'])(
      'write-full over %s families',
      async (families) => {
        const found = await trial(driver, ['write-full', '--keys', '5000', '--families', families]);
        expect(found).toMatchObject({ code: 0, failed: [], operations: 5000, facts: { batches: 20 } });
      },
      300_000,
    );

    test('backup-loop', async () => {
      const found = await trial(driver, ['backup-loop', '--iterations', '3', '--keys', '1000']);
      expect(found).toMatchObject({ code: 0, failed: [], operations: 3 });
      const each = found.facts['iteration_ns'] as number[];
      expect(each).toHaveLength(3);
      expect(found.metrics['backup_ns']).toBe(each.reduce((sum, ns) => sum + ns));
    });

    test('a trial that cannot be done fails a check, no more', async () => {
      const found = await trial(driver, ['write-full', '--keys', '5', '--cpu', '1023']);
      expect(found).toMatchObject({ code: 1, failed: ['completed'] });
      expect(found.checks['completed']?.detail).toMatch(/^cannot pin the thread to CPU 1023: /);
    });
  });

  describe('slices', () => {
    test.each(Object.entries(UNITS))('%s, with all checks of a trial at the end', async (workload, unit) => {
      const args = [workload, ...(SMALL[workload] ?? [])];
      const found = slices(driver, args);
      expect(found).toMatchObject({ code: 0, failed: [], operations: ASKED });
      const plain = await trial(driver, args);
      expect(Object.keys(found.checks)).toEqual(Object.keys(plain.checks));
      const [ready, ...answers] = found.answers;
      expect(ready).toMatch(new RegExp(`^ready 1 unit=${unit} most=(3000|4096)$`));
      expect(answers.map((answer) => answer.replace(/^(done \d+) .* /, '$1 '))).toEqual(
        ['256', '512', '1024'].map((count) => `done ${count} idle`),
      );
    });

    test('events of each slice alone, and of all of them', () => {
      const found = slices(driver, ['write-manual-wal', '--writes=4096', '--counters', 'software']);
      const clocks = found.answers.slice(1).map((answer) => Number(/ task_clock=(\d+)/.exec(answer)?.[1]));
      if (found.counters === null || 'unsupported' in found.counters) throw new Error(JSON.stringify(found.counters));
      expect(clocks.every((each) => each > 0)).toBe(true);
      expect(found.counters.events['task_clock']).toBe(clocks.reduce((sum, each) => sum + each));
    });

    test('nothing at all, and the end of requests', () => {
      for (const workload of Object.keys(UNITS)) {
        expect(slices(driver, [workload, ...(SMALL[workload] ?? [])], ['finish'])).toMatchObject({
          code: 0,
          failed: [],
        });
      }
      expect(() => slices(driver, ['write-full', '--keys', '3000'], ['slice 0 256'])).toThrow(
        /no result line|no line/i,
      );
    });

    test('a workload that cannot says so', async () => {
      const ended = await run(driver, ['backup-loop', '--dir', join(directory, 'refused'), '--serve']);
      expect(ended).toMatchObject({ code: 2, stderr: 'driver: does not work in slices: backup-loop.\n' });
    });
  });

  describe('counters', () => {
    const small = ['write-manual-wal', ...(SMALL['write-manual-wal'] ?? [])];

    test('software events of the measured thread in the timed region alone', async () => {
      const { counters, metrics, failed } = await trial(driver, [...small, '--counters', 'software']);
      expect(failed).toEqual([]);
      if (counters === null || 'unsupported' in counters) throw new Error(JSON.stringify(counters));
      expect(Object.keys(counters.events)).toEqual(['task_clock', 'context_switches', 'page_faults', 'cpu_migrations']);
      expect(counters.running_ns).toBe(counters.enabled_ns);
      expect(counters.events['task_clock']).toBeGreaterThan(0);
      // A thread cannot run for longer than the region lasts, but for the calls that switch the events.
      expect(counters.events['task_clock']).toBeLessThan((metrics['write_ns'] ?? 0) + 1e6);
    });

    test('several regions add up', async () => {
      const args = ['backup-loop', '--iterations', '4', '--keys', '1000', '--counters', 'software'];
      const { counters, facts } = await trial(driver, args);
      if (counters === null || 'unsupported' in counters) throw new Error(JSON.stringify(counters));
      const times = facts['iteration_ns'] as number[];
      expect(counters.events['task_clock']).toBeLessThan(times.reduce((sum, ns) => sum + ns) + 4e6);
      // In each of them the thread waits for others.
      expect(counters.events['context_switches']).toBeGreaterThanOrEqual(times.length);
    });

    test('hardware events, or why there are none', async () => {
      const { counters, failed } = await trial(driver, [...small, '--counters', 'hardware']);
      expect(failed).toEqual([]);
      expect(counters?.kind).toBe('hardware');
      if (counters === null || 'unsupported' in counters) {
        expect(counters?.unsupported).toMatch(/no hardware counter for cycles|perf_event_open is forbidden/);
      } else expect(counters.events['instructions']).toBeGreaterThan(4096);
    });

    test('the variable says it too, and the parameter wins', async () => {
      expect((await trial(driver, small)).counters).toBeNull();
      expect((await trial(driver, small, { ASSAY_COUNTERS: 'software' })).counters?.kind).toBe('software');
      const off = await trial(driver, [...small, '--counters=off'], { ASSAY_COUNTERS: 'software' });
      expect(off.counters).toBeNull();
      const wrong = await run(driver, [...small, '--dir', join(directory, 'refused')], { ASSAY_COUNTERS: 'sofware' });
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean software?') });
    });
  });

  /** By workload and fault: the checks that fail, and no others. */
  const FAULTS: readonly (readonly [string, string, string])[] = [
    ['write-batch-construct', 'wrong_headers', 'library'],
    ['write-batch-construct', 'failed_status', 'statuses completed'],
    ['write-batch-construct', 'lost_write', 'batches sequence contents reopened_sequence reopened_contents'],
    ['write-batch-construct', 'wrong_batch', 'batches'],
    ['write-batch-construct', 'wrong_value', 'contents reopened_contents'],
    ['write-batch-construct', 'written_twice', 'sequence reopened_sequence'],
    ['write-batch-construct', 'late_write', 'reopened_sequence'],
    ['write-batch-construct', 'unflushed_family', 'reopened_contents'],
    ['write-manual-wal', 'failed_status', 'statuses completed'],
    ['write-manual-wal', 'lost_write', 'wal_size entries sequence reopened_entries reopened_sequence'],
    ['write-manual-wal', 'written_twice', 'wal_size entries sequence reopened_entries reopened_sequence'],
    ['write-manual-wal', 'wrong_key', 'contents reopened_contents'],
    ['write-manual-wal', 'flush_in_region', 'wal_size entries flushes reopened_entries reopened_flushes'],
    ['write-manual-wal', 'sealed_in_region', 'entries immutable flushes'],
    ['write-manual-wal', 'unflushed_wal', 'wal_size'],
    ['write-manual-wal', 'lost_wal', 'reopened_entries reopened_sequence reopened_contents'],
    ['write-manual-wal', 'flush_on_recovery', 'reopened_entries reopened_flushes'],
    ['write-manual-wal', 'sealed_on_recovery', 'reopened_entries reopened_immutable reopened_flushes'],
    ['write-full', 'failed_status', 'statuses completed'],
    ['write-full', 'lost_write', 'entries sequence contents reopened_entries reopened_sequence reopened_contents'],
    ['write-full', 'wrong_value', 'contents reopened_contents'],
    ['write-full', 'late_write', 'reopened_entries reopened_sequence'],
    ['write-full', 'flush_in_region', 'entries flushes reopened_entries reopened_flushes'],
    ['backup-loop', 'failed_status', 'statuses completed'],
    ['backup-loop', 'lost_write', 'restored_sequence restored_contents'],
    ['backup-loop', 'wrong_value', 'restored_contents'],
    ['backup-loop', 'written_twice', 'restored_sequence'],
    ['backup-loop', 'lost_backup', 'backups'],
    ['backup-loop', 'corrupt_backup', 'verified completed'],
  ];

  describe('faults', () => {
    test.each(FAULTS)('%s with %s', { timeout: COMPILATION_MS }, async (workload, fault, expected) => {
      const source = fault === 'wrong_headers' ? 'main.cc' : `${workload}.cc`;
      const changed = join(directory, `${workload}-${fault}.o`);
      const program = join(directory, `${workload}-${fault}`);
      await compile(['-std=c++17', `-DASSAY_FAULT=${fault}`, '-c', join(SOURCES, source), '-o', changed]);
      const others = names.filter((name) => name !== source).map(object);
      await compile([changed, ...others, ...libraries, '-o', program]);
      const found = await trial(program, [workload, ...(SMALL[workload] ?? [])]);
      expect(found.failed.toSorted()).toEqual(expected.split(' ').toSorted());
      expect(found.code).toBe(1);
      if (!(workload in UNITS)) return;
      const sliced = slices(program, [workload, ...(SMALL[workload] ?? [])]);
      expect({ code: sliced.code, failed: sliced.failed.toSorted() }).toEqual({
        code: 1,
        failed: found.failed.toSorted(),
      });
    });

    test('each check is made to fail by one of them', { timeout: COMPILATION_MS }, async () => {
      const failing = new Set(FAULTS.flatMap(([, , checks]) => checks.split(' ')));
      for (const [workload, args] of Object.entries(SMALL)) {
        const found = await trial(driver, [workload, ...args]);
        expect(found.failed).toEqual([]);
        expect(Object.keys(found.checks).filter((check) => !failing.has(check))).toEqual([]);
      }
    });
  });

  /** Workload, its parameters, the program that is its loop alone, and the arguments of that. */
  const LOOPS = [
    ['write-manual-wal', ['--writes', '20000'], 'bare-manual-wal', ['20000', '1024']],
    ['write-batch-construct', ['--keys', '20000'], 'bare-batch-construct', ['20000']],
  ] as const;

  test.each(LOOPS)(
    'the timed loop of %s executes as many instructions as one with nothing around it',
    {
      timeout: COMPILATION_MS,
    },
    async (workload, parameters, bare, args) => {
      const program = join(directory, bare);
      await compile([...FLAGS, join(BARE, `${bare}.cc`), ...libraries, '-o', program]);
      const place = join(directory, 'counted');
      const own = await instructions(`assay_timed_${workload.replaceAll('-', '_')}`, place, [
        ...[driver, workload, ...parameters, '--dir', join(place, 'db')],
      ]);
      const alone = await instructions('bare_loop', place, [program, join(place, 'db'), ...args]);
      process.stdout.write(`${workload}, instructions of driver / bare loop: ${own} / ${alone} = ${own / alone}\n`);
      expect(Math.abs(own / alone - 1)).toBeLessThanOrEqual(0.02);
    },
  );
});

/** Counted between call and return of the function `region`; the fresh directory `place` is removed after it. */
async function instructions(region: string, place: string, command: readonly string[]): Promise<number> {
  mkdirSync(place);
  const profile = join(place, 'profile');
  const callgrind = ['--tool=callgrind', `--callgrind-out-file=${profile}`, `--toggle-collect=${region}`];
  const once = ['-R', 'valgrind', '--command-line-only=yes', '--fair-sched=yes', '--vgdb=no', '--combine-dumps=yes'];
  const { code, stderr } = await run('setarch', [...once, ...callgrind, ...command]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const parsed = parseCallgrind(readFileSync(profile, 'utf8'));
  rmSync(place, { recursive: true });
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.instructions;
}
