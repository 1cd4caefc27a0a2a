import { describe, expect, it } from 'vitest';
import { messageOf, soundReading, toolOutput, valuesOf } from '../../test/reading.ts';
import { readDbBench } from './db-bench.ts';
import type { ToolResult } from './reading.ts';

const sample = (name: string): string => toolOutput(`db_bench/${name}.txt`);
const read = (text: string) => soundReading(readDbBench(text));
const named = (text: string, name: string) => read(text).results.filter((result) => result.name === name);
const metric = (result: ToolResult, name: string) => valuesOf(result)[name];
const warningOf = (text: string, code: string) => messageOf(readDbBench(text), code);
const only = (text: string): ToolResult => {
  const [result, ...others] = read(text).results;
  if (result === undefined || others.length > 0) throw new Error('not one result');
  return result;
};

describe('results of db_bench', () => {
  it('are read in the forms of all versions', () => {
    const { results } = read(sample('forms-hand-written'));
    expect(results.map((result) => [result.name, result.failure, valuesOf(result)])).toEqual([
      [
        'overwrite',
        null,
        {
          ops_per_second: 506329,
          time_per_operation: 7900,
          elapsed: 10e9,
          operations: 5063290,
          bytes_per_second: 56 * 2 ** 20,
        },
      ],
      [
        'readrandom',
        null,
        {
          ops_per_second: 250000,
          time_per_operation: 4000,
          elapsed: 4e9,
          operations: 1000000,
          bytes_per_second: 29045555.2,
          hit_rate: 0.632,
        },
      ],
      [
        'multireadrandom',
        null,
        { ops_per_second: 100000, time_per_operation: 10000, elapsed: 1e9, operations: 100000, hit_rate: 0.9999 },
      ],
      ['fillseq', null, { ops_per_second: 810372, time_per_operation: 1234, bytes_per_second: 93952409.6 }],
      ['compact', null, { time_per_operation: 2878433000 }],
      ['fillrandom', 'it was skipped (--use_existing_db is true)', {}],
    ]);
    expect(results[0]?.settings).toEqual({
      threads: '4',
      entries: '1000000',
      key_bytes: '20',
      value_bytes: '400',
      compression: 'LZ4',
      seed: '1641328309',
      rocksdb: '7.9.0',
    });
    expect(results[4]?.absent).toEqual([
      {
        name: 'ops_per_second',
        reason: 'it is printed as 0, rounded down: time_per_operation has what was measured',
      },
    ]);
  });

  it('of one benchmark that ran several times are as many results', () => {
    const rates = named(sample('everything'), 'overwrite').map((result) => metric(result, 'ops_per_second'));
    expect(rates).toEqual([74271, 80149, 71949]);
  });

  it('are not those of warm-ups', () => {
    const line = (rate: number) =>
      `fillseq      :       1.234 micros/op ${rate} ops/sec 2.000 seconds 900 operations;\n`;
    const text = `Warming up benchmark by running 2 times\n${line(1)}${line(2)}Running benchmark for 2 times\n${line(300)}${line(400)}`;
    expect(named(text, 'fillseq').map((result) => metric(result, 'ops_per_second'))).toEqual([300, 400]);
  });

  it('have latencies of each kind of operation', () => {
    const [fill] = named(sample('everything'), 'fillseq');
    expect(fill === undefined ? null : valuesOf(fill)).toMatchObject({
      mean: 17550.6,
      min: 4000,
      max: 19121000,
      p50: 5240,
      p75: 5900,
      p99: 72700,
      p99_9: 3233330,
      p99_99: 12770000,
      samples: 16000,
    });
    const [mixed] = named(sample('kinds-of-operations'), 'readrandomwriterandom');
    expect(mixed === undefined ? null : valuesOf(mixed)).toMatchObject({ read_p99: 8290, write_p99: 34000 });
    expect(mixed?.absent).toEqual([{ name: 'read_min', reason: 'it is printed as 0 microseconds, rounded down' }]);
  });
});

describe('what was misread before', () => {
  it('rocksdb 12544: time of one thread and rate of all agree for 32 threads', () => {
    const text = 'readrandom   :    1023.937 micros/op 31248 ops/sec 60.000 seconds 1874880 operations;    3.5 MB/s\n';
    expect(only(text).settings).toEqual({ threads: 'about 32' });
    expect(warningOf(text, 'several-threads')).toBe(
      'several threads worked: readrandom (about 32); time_per_operation is that of one thread, ops_per_second that of all together',
    );
  });

  it('rocksdb 10124: MB/s are those with that unit, not what stands in the seventh column', () => {
    const text =
      'overwrite    :     136.640 micros/op 468343 ops/sec 1800.001 seconds 843017464 operations;   51.0 MB/s\n';
    expect(metric(only(text), 'bytes_per_second')).toBe(51 * 2 ** 20);
  });

  it('rocksdb 9886: what was measured is 0.05 s, however long the process lived', () => {
    const text =
      'readrandom   :       5.000 micros/op 200000 ops/sec 0.050 seconds 10000 operations; (10000 of 10000 found)\n';
    expect(warningOf(text, 'short-measurement')).toBe(
      'less than a second was measured, however long the process lived: readrandom (0.05 s)',
    );
  });

  it('rocksdb 9733: the second of two equal reads finds everything in memory', () => {
    const text = [
      'DB path: [/tmp/rocksdbtest/dbbench]',
      'readrandom   :      46.212 micros/op 21618 ops/sec;    2.4 MB/s (1000 of 1000 found)',
      '',
      'DB path: [/tmp/rocksdbtest/dbbench]',
      'readrandom   :      21.963 micros/op 45450 ops/sec;    5.0 MB/s (1000 of 1000 found)',
      '',
    ].join('\n');
    expect(warningOf(text, 'warm-cache')).toBe(
      'the same was read again, and may have been in memory by then: readrandom in one process (21618, then 45450 ops/sec)',
    );
    const filledBetween = text.replace(/\n\n/, '\nfillseq      :       1.234 micros/op 810372 ops/sec;   89.6 MB/s\n');
    expect(warningOf(filledBetween, 'warm-cache')).toBeUndefined();
  });

  it('rocksdb 9737: so does a second process with the same seed', () => {
    const run = (seed: string, rate: number) =>
      `Set seed to ${seed} because --seed was 0\nreadrandom   :      46.212 micros/op ${rate} ops/sec;    2.4 MB/s (10 of 10 found)\n`;
    expect(warningOf(run('7', 21618) + run('7', 45450), 'warm-cache')).toContain(
      'readrandom with the seed 7 (21618, then',
    );
    expect(warningOf(run('7', 21618) + run('8', 45450), 'warm-cache')).toBeUndefined();
    expect(warningOf(sample('twice'), 'warm-cache')).toContain(
      'in processes whose seeds are not printed (301204, then',
    );
  });

  it('rocksdb 6664: 56 of 100 keys were found', () => {
    const text = 'readrandom   :       4.000 micros/op 250000 ops/sec;    1.1 MB/s (56 of 100 found)\n';
    expect(metric(only(text), 'hit_rate')).toBe(0.56);
    expect(warningOf(text, 'keys-missing')).toContain('readrandom (56 of 100 found)');
  });

  it('rocksdb 11445: a missing newline ties the block cache to the stalls', () => {
    const [database] = named(sample('tree-hand-written'), 'database');
    expect(database === undefined ? null : valuesOf(database)).toMatchObject({ stall_delays: 3, stall_stops: 1 });
  });

  it('rocksdb 9882: of two runs, ± is what Student says', () => {
    const run = (rate: number) =>
      `fillseq      :       4.970 micros/op ${rate} ops/sec 5.000 seconds 1000000 operations;\n`;
    const text = `${run(201578)}${run(198824)}fillseq [AVG    2 runs] : 200201 (± 2698) ops/sec; 0.005 ms/op\nfillseq [MEDIAN 2 runs] : 200201 ops/sec\n`;
    expect(warningOf(text, 'narrow-interval')).toContain("fillseq (± 2698 of 2 runs is ± 17496 by Student's t)");
    expect(warningOf(text.slice(text.indexOf('fillseq ', 9)), 'narrow-interval')).toContain(
      'whose results are not all there',
    );
    expect(named(text, 'fillseq')).toHaveLength(2);
  });
});

describe('the state of the database', () => {
  it('is that of its last print, by the names of columns, without intervals', () => {
    const [database] = named(sample('tree-hand-written'), 'database');
    if (database === undefined) throw new Error('no database');
    expect(database.settings).toEqual({ after: 'overwrite' });
    expect(valuesOf(database)).toEqual({
      // 4.00 GB / 2.00 GB: the 1.5 GB of flushes are in the four already.
      write_amplification: 2,
      ingested: 2 * 2 ** 30,
      compaction_written: 4 * 2 ** 30,
      compaction_read: 3 * 2 ** 30,
      compaction_time: 51.2e9,
      compaction_cpu: 40.1e9,
      compactions: 33,
      tree_size: 1.5 * 2 ** 30,
      tree_files: 12,
      l0_size: 64 * 2 ** 20,
      l0_files: 2,
      l1_size: 1546188227,
      l1_files: 10,
      stall_time: 4.12e9,
      stall_share: 0.041,
      stall_delays: 3,
      stall_stops: 1,
      buffer_manager_stops: 2,
      uptime: 100e9,
    });
  });

  it('tells the amplification of a small database by its rates, and exactly by the counters', () => {
    const [database] = named(sample('everything'), 'database');
    const [statistics] = named(sample('everything'), 'statistics');
    if (database === undefined || statistics === undefined) throw new Error('not there');
    expect(metric(database, 'write_amplification')).toBeCloseTo(7.03 / 6.13, 9);
    expect(metric(statistics, 'write_amplification')).toBeCloseTo((6229762 + 4652072) / 9485480, 12);
    expect(database.absent.map(({ name }) => name)).toEqual(['ingested', 'compaction_written', 'compaction_read']);
    // Stalls as they were counted before RocksDB 8.1: five times, writers waited for a memtable.
    expect(valuesOf(database)).toMatchObject({ stall_delays: 0, stall_stops: 5, l2_files: 6 });
  });

  it('is there once for each database', () => {
    const text = sample('tree-hand-written');
    const older = text.replaceAll('100.0 total', '40.0 total');
    const count = (whole: string) => named(whole, 'database').length;
    expect([count(older + text), count(text + older), count(text + text)]).toEqual([1, 2, 1]);
  });

  it('has no amplification where nothing is told of what was put, or rounding hides it', () => {
    const text = sample('tree-hand-written');
    const [whole] = named(text.slice(0, text.indexOf('** DB Stats')), 'database');
    expect(whole?.absent).toContainEqual({
      name: 'write_amplification',
      reason: 'what was put into the database is not printed',
    });
    const small = text
      .replace('2.00 GB, 20.48 MB/s', '0.01 GB, 0.02 MB/s')
      .replace('4.00 GB write, 40.96', '0.02 GB write, 0.04');
    expect(named(small, 'database')[0]?.absent.map(({ name }) => name)).toContain('write_amplification');
  });
});

describe('counters of the process', () => {
  it('have units by their names', () => {
    const [statistics] = named(sample('everything'), 'statistics');
    const units = Object.fromEntries(statistics?.metrics.map(({ name, unit, value }) => [name, [value, unit]]) ?? []);
    expect(units).toMatchObject({
      block_cache_miss: [4967, 'count'],
      bytes_written: [9485480, 'bytes'],
      stall: [20710000, 'ns'],
      db_get_p99: [29471.698, 'ns'],
      db_get_max: [12047000, 'ns'],
      db_get_samples: [32000, 'count'],
      bytes_per_read_mean: [100, 'bytes'],
    });
    expect(units).not.toHaveProperty('compression_times_p50');
  });
});

describe('what broke', () => {
  it.each([
    ['killed', 'unfinished-benchmark', 'a benchmark was begun without a result'],
    ['everything', 'assertions-enabled', 'db_bench was built with assertions, which cost time'],
    ['skipped', 'tool-error', 'db_bench reports an error: "db_bench: ./tools/db_bench_tool.cc:4131:'],
    ['everything', 'one-operation', 'compact'],
    ['forms-hand-written', 'rounded-rate', 'compact (2.878433 s/op)'],
  ])('in the sample %s is the warning %s', (name, code, message) => {
    expect(warningOf(sample(name), code)).toContain(message);
  });

  it('is a failure of what did nothing, was skipped, or is not known', () => {
    const failures = (name: string) => read(sample(name)).results.map((result) => [result.name, result.failure]);
    expect(failures('nothing-done')).toEqual([['readrandom', 'no operation was done']]);
    expect(only(sample('nothing-done')).metrics).toEqual([]);
    expect(failures('skipped')).toEqual([['fillseq', 'it was skipped (--use_existing_db is true)']]);
    expect(failures('unknown-benchmark')).toEqual([
      ['fillrandom', null],
      ['nosuch', 'db_bench does not know this benchmark'],
    ]);
    const none = 'readrandom   :       4.000 micros/op 250000 ops/sec;    1.1 MB/s (0 of 100 found)\n';
    expect([only(none).failure, only(none.replace('readrandom ', 'readmissing')).failure]).toEqual([
      'none of 100 keys was found',
      null,
    ]);
  });

  it.each([
    ['', 'it has no line of a result of db_bench'],
    ['{"jobs": []}', 'it has no line of a result of db_bench'],
    ['Keys:       16 bytes each (+ 0 bytes user-defined timestamp)\n', 'it ends before the first result'],
    ['DB path: [/data/db]\n', 'it ends before the first result'],
    ['fillseq      :       1.234 micros/op 8103', 'it has no line of a result of db_bench'],
    ['fillseq [AVG 3 runs] : 800000 (± 12000) ops/sec\n', 'it has means over runs, and not the results of the runs'],
    ["unknown benchmark 'a\u001b[2Jb'\n", 'it has no result: db_bench does not know the benchmark a [2Jb'],
  ])('is refused: %j', (text, reason) => expect(readDbBench(text)).toEqual({ ok: false, reason }));

  it('is refused where the disk was full before the first result, with what db_bench said', () => {
    const reading = readDbBench(sample('disk-full'));
    expect(reading.ok ? '' : reading.reason).toMatch(/^it has no result: "db_bench: .*Assertion.*"$/);
  });

  it('takes no number for a rate that was divided by no time', () => {
    const text =
      'readrandom   :       0.000 micros/op -9223372036854775808 ops/sec 0.000 seconds 5 operations;    inf MB/s\n';
    expect(valuesOf(only(text))).toEqual({ operations: 5 });
  });

  it('takes no percentile from a line that was cut', () => {
    const text = sample('everything');
    const cut = text.slice(0, text.indexOf('P99: 72.70') + 'P99: 7'.length);
    expect(only(cut).metrics.map(({ name }) => name)).not.toContain('p99');
  });
});
