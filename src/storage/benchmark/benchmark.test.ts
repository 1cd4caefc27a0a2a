import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importResults } from '../import-results.ts';
import { benchmarkWorkload } from './flags.ts';
import { databaseOf, planSteps, rebuildingSteps, stepKey } from './plan.ts';
import { stepColumns } from './step-columns.ts';
import type { StepRecord } from './step-record.ts';
import { STEP_NAMES, stepArguments, testName } from './steps.ts';
import { benchmarkTable } from './table.ts';
import { timeLeft } from './time-left.ts';
import { flagFault, setupFault, setupName } from './wanted.ts';

const GIB = 2 ** 30;
const MACHINE = { cores: 4, cpus: 8, memory_bytes: 31 * GIB, memory_limit_bytes: null };
const WISHES = { small: false, keys: {}, cache_bytes: null, background_jobs: null, flags: {} };
const byrx = benchmarkWorkload('byrx', MACHINE, WISHES);
const iobuf = benchmarkWorkload('iobuf', MACHINE, WISHES);

const flagValue = ({ flags }: typeof byrx, wanted: string) => flags.find(({ name }) => name === wanted)?.value;

describe('flags of a workload', () => {
  it('follow from the machine, and each says why', () => {
    expect(flagValue(byrx, 'max_background_jobs')).toBe('4');
    expect(flagValue(byrx, 'cache_size')).toBe(String(24 * GIB));
    expect([byrx.keys, iobuf.keys]).toEqual([40e6, 1e9]);
    expect(flagValue(byrx, 'num')).toBe('40000000');
    for (const { because } of [...byrx.flags, ...iobuf.flags]) expect(because).not.toBe('');
  });

  it('give way to what is asked for, once', () => {
    const wishes = {
      ...WISHES,
      background_jobs: 3,
      cache_bytes: 5,
      flags: { bloom_bits: '16', rate_limiter_bytes_per_sec: '9' },
    };
    const asked = benchmarkWorkload('iobuf', MACHINE, wishes);
    expect(
      asked.flags.filter(({ because }) => because === 'as was asked for').map(({ name, value }) => [name, value]),
    ).toEqual([
      ['cache_size', '5'],
      ['max_background_jobs', '3'],
      ['bloom_bits', '16'],
      ['rate_limiter_bytes_per_sec', '9'],
    ]);
    expect(asked.flags.filter(({ name }) => name === 'bloom_bits')).toHaveLength(1);
  });

  it('say with --small that nothing is IO-bound', () => {
    const small = benchmarkWorkload('iobuf', MACHINE, { ...WISHES, small: true });
    expect(Number(flagValue(small, 'cache_size')) * 10).toBe(small.keys * 420);
    expect(small.flags.find(({ name }) => name === 'cache_size')?.because).toContain('STILL FITS INTO MEMORY');
  });
});

describe('the plan', () => {
  const plan = planSteps({ workloads: [byrx, iobuf], threads: [1, 4], repetitions: 3, seed: 5 });

  it('does everything once before it does anything again', () => {
    expect(plan).toHaveLength(60);
    expect(plan.slice(0, 6).map(stepKey)).toEqual([
      ...STEP_NAMES.map((step) => `byrx.nt1.1/${step}`),
      'byrx.nt4.1/fillseq',
    ]);
    expect(plan.map(({ repetition }) => repetition)).toEqual(plan.map(({ repetition }) => repetition).toSorted());
    expect(new Set(plan.map(stepKey)).size).toBe(60);
  });

  it('draws the keys of every step from seeds of its own', () => {
    const seeds = plan.map(({ seed }) => seed);
    expect(seeds.slice(1).every((seed, at) => seed - (seeds[at] ?? 0) >= 1000)).toBe(true);
  });

  it('makes a database again with the steps that write alone', () => {
    const overwrite = plan.find((one) => stepKey(one) === 'iobuf.nt4.2/overwrite');
    if (overwrite === undefined) throw new Error('no such step');
    expect(rebuildingSteps(plan, overwrite).map(stepKey)).toEqual([
      'iobuf.nt4.2/fillseq',
      'iobuf.nt4.2/fwdrangewhilewriting',
      'iobuf.nt4.2/readwhilewriting',
    ]);
    expect(new Set(plan.map(databaseOf)).size).toBe(12);
  });

  it('waits for compactions after what writes, and reads another workload of keys each time', () => {
    const commands = plan.slice(5, 10).map((step) => stepArguments(step, '/db', 600));
    expect(commands.map(([benchmarks]) => benchmarks)).toEqual([
      '--benchmarks=fillseq,flush,waitforcompaction,stats',
      '--benchmarks=readrandom,stats',
      '--benchmarks=seekrandomwhilewriting,flush,waitforcompaction,stats',
      '--benchmarks=readwhilewriting,flush,waitforcompaction,stats',
      '--benchmarks=overwrite,flush,waitforcompaction,stats',
    ]);
    expect(commands.map((words) => words.includes('--threads=4'))).toEqual([false, true, true, true, true]);
    expect(commands.map((words) => words.includes('--duration=600'))).toEqual([false, true, true, true, true]);
    expect(commands.map((words) => words.includes('--benchmark_write_rate_limit=2097152'))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  it('tells the time that is left from what ran, else from what was asked for', () => {
    expect(timeLeft(plan, new Map(), 600)).toEqual({ seconds: 48 * 600, atLeast: true });
    const first = plan.slice(0, 20).map((step) => [stepKey(step), { wall_ns: 100e9 }] as const);
    expect(timeLeft(plan, new Map(first), 600)).toEqual({ seconds: 40 * 100, atLeast: false });
    expect(timeLeft(plan, new Map(plan.map((step) => [stepKey(step), { wall_ns: 1 }])), 600).seconds).toBe(0);
  });
});

describe('the table of a place', () => {
  const record = (step: (typeof STEP_NAMES)[number], at: number, columns: Record<string, number>): StepRecord => ({
    key: `k${at}`,
    test: testName({ step, threads: 4 }),
    argv: [],
    started: `2026-01-0${at}T00:00:00`,
    ...{ wall_ns: 1, cpu_ns: null, max_rss_bytes: null, version: '7.8.3', cautions: [], columns },
  });

  it('is read back by variance import, with what stands beside the rates', () => {
    const text = benchmarkTable([
      record('fillseq', 1, { ops_sec: 10, write_amplification: 0.5 }),
      record('overwrite', 1, { ops_sec: 7, levels: 4 }),
      record('fillseq', 2, { levels: 9 }),
      record('fillseq', 3, { ops_sec: 12, stalled_share: 0 }),
    ]);
    const { series, warnings, found } = importResults(
      { root: 'r', paths: ['m5.nt4/sum.byrx.txt'], runs: [], read: () => ({ ok: true, text }) },
      { steps: null, metric: 'ops_sec', layout: null, workload: null, threads: null, mostSteps: 100 },
    );
    expect({ found, codes: warnings.map(({ code }) => code) }).toEqual({
      found: ['fillseq', 'overwrite'],
      codes: ['unreadable-line', 'failed-repetition'],
    });
    const place = { setup: 'm5', workload: 'byrx', threads: 4 };
    expect(series).toEqual([
      {
        ...{ ...place, step: 'fillseq', missing: 1, values: [10, 12] },
        beside: [{ write_amplification: 0.5 }, { stalled_share: 0 }],
      },
      { ...place, step: 'overwrite', missing: 0, values: [7], beside: [{ levels: 4 }] },
    ]);
  });
});

describe('the output of a step', () => {
  /** What the program that stands for db_bench in the tests prints, which is in its form. */
  const script = readFileSync(
    fileURLToPath(new URL('../../../test/fixtures/db-bench/db_bench', import.meta.url)),
    'utf8',
  );
  const printed = (/<<OUTPUT\n([\s\S]*)OUTPUT\n$/.exec(script)?.[1] ?? '')
    .replace(/\$\(printf[^)]*\)/, 'overwrite   ')
    .replaceAll(/\$(?:rate|operations)/g, '20000')
    .replace('$seconds', '1.000')
    .replace('$found', '')
    .replace('$num', '400000');
  const TASK = { keys: 400_000, duration_s: 1 };
  const stderr = 'RocksDB:    version 7.8.3\n... finished 100 ops\r';

  it('has rate, percentiles, tree, write amplification with flushes counted once, stalls and CPU', () => {
    expect(stepColumns('overwrite', TASK, { stdout: printed, stderr }, 2e9)).toEqual({
      ok: true,
      version: '7.8.3',
      cautions: ['Assertions are enabled; benchmarks unnecessarily slow'],
      columns: {
        ...{ ops_sec: 20_000, mb_sec: 8.1, usec_op: 49.5, pmax: 812 },
        ...{ p50: 3.2, p75: 4.4, p99: 12, 'p99.9': 40, 'p99.99': 310 },
        ...{ levels: 3, tree_size: Math.round(70.69 * 2 ** 20), write_amplification: 2, stalled_share: 0.25 },
        cpu_per_operation: 100_000,
      },
    });
  });

  it('has neither write amplification nor stalls of a step that does not write', () => {
    const reads = printed.replace('overwrite   ', 'readrandom  ');
    const read = stepColumns('readrandom', TASK, { stdout: reads, stderr }, 2e9);
    const columns = read.ok ? Object.keys(read.columns) : [];
    expect(columns).toEqual(expect.arrayContaining(['levels', 'tree_size', 'cpu_per_operation']));
    expect(columns.filter((name) => /amplification|stalled/.test(name))).toEqual([]);
  });

  it('has no CPU time where none is known, and no tree where none was printed', () => {
    const [result = ''] = printed.split('** Compaction Stats');
    const read = stepColumns('overwrite', TASK, { stdout: result, stderr: '' }, null);
    const columns = ['ops_sec', 'mb_sec', 'usec_op', 'p50', 'p75', 'p99', 'p99.9', 'p99.99', 'pmax'];
    expect(read.ok ? Object.keys(read.columns) : []).toEqual(columns);
    expect(read).toMatchObject({ ok: true, version: null, columns: { ops_sec: 20_000 } });
  });

  it('takes operations and time where the rate is small and rounded down', () => {
    const slow = printed.replace(
      '20000 ops/sec 1.000 seconds 20000 operations',
      '12 ops/sec 10.000 seconds 129 operations',
    );
    expect(stepColumns('overwrite', TASK, { stdout: slow, stderr: '' }, null)).toMatchObject({
      columns: { ops_sec: 12.9 },
    });
  });

  it.each([
    ['', 'its output cannot be read: it has no line of a result of db_bench'],
    [printed.replace('overwrite ', 'readrandom'), 'db_bench has printed no result of overwrite'],
    [
      printed.replace(/;.*MB\/s/, ';    8.1 MB/s (4 of 5 found)'),
      '4 of 5 keys were found, where each is in the database',
    ],
    [printed.replace('20000 operations', '1 operations'), 'no operation was done in its time'],
    [
      printed.replace(' 1.000 seconds 20000 operations', ''),
      'db_bench prints neither operations nor seconds, as it does since RocksDB 7.3',
    ],
    [printed.replace('20000 ops/sec', '90000 ops/sec'), '20000 operations in 1 s are no 90000 a second'],
    [printed.replace('1.000 seconds 20000', '0.500 seconds 10000'), 'it ended after 0.5 s, and was to run for 1 s'],
    [`${printed}${printed}`, 'db_bench has printed several results of overwrite'],
    [`${printed}put error: IO error: oh\n`, 'db_bench says: put error: IO error: oh'],
  ])('does not count where it is not whole (%#)', (stdout, reason) => {
    expect(stepColumns('overwrite', TASK, { stdout, stderr: '' }, null)).toEqual({ ok: false, reason });
  });

  it('counts a load of all pairs alone, in whatever time', () => {
    const load = printed
      .replace('overwrite ', 'fillseq   ')
      .replace('1.000 seconds 20000 operations', '0.250 seconds 5000 operations');
    expect(stepColumns('fillseq', { ...TASK, keys: 5000 }, { stdout: load, stderr: '' }, null)).toMatchObject({
      ok: true,
    });
    expect(stepColumns('fillseq', TASK, { stdout: load, stderr: '' }, null)).toEqual({
      ok: false,
      reason: '5000 of 400000 pairs were written',
    });
  });
});

describe('names', () => {
  it('of set-ups are found again as directories', () => {
    expect(['m5d.2xl.ht1.nvme', 'a'].map(setupFault)).toEqual([null, null]);
    for (const name of ['', 'a/b', '.a', 'm5.nt4', 'dop2', 'byrx', 'steps', 'x'.repeat(65), 'ä']) {
      expect([name, setupFault(name)]).not.toEqual([name, null]);
    }
    expect(setupName(8, 4, 32 * GIB, false)).toBe('8cpu.32g.ht1');
    expect(setupFault(setupName(4, 4, GIB / 2, true))).toBeNull();
  });

  it('of flags are not those of the steps', () => {
    expect(flagFault('bloom_bits')).toBeNull();
    expect(flagFault('db')).not.toBeNull();
  });
});
