import { describe, expect, it } from 'vitest';
import { foundIn, outcomesOf, resultNamed, resultsOf, sampleOf, warningCodes } from '../../test/tool-readings.ts';
import { readSysbench } from './sysbench.ts';

const only = (text: string) => {
  const [result, second] = resultsOf(readSysbench(text));
  if (result === undefined || second !== undefined) throw new Error('one result is expected');
  return result;
};

/** The end of what 1.0 prints of a test. */
const SQL = `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 4
Initializing random number generator from current time


Initializing worker threads...

Threads started!

SQL statistics:
    queries performed:
        read:                            222040
        write:                           63440
        other:                           31720
        total:                           317200
    transactions:                        15860  (1585.25 per sec.)
    queries:                             317200 (31705.06 per sec.)
    ignored errors:                      0      (0.00 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          10.0000s
    total number of events:              15860

Latency (ms):
         min:                                    1.61
         avg:                                    2.52
         max:                                   33.05
         95th percentile:                        3.49
         sum:                                39980.12

Threads fairness:
    events (avg/stddev):           3965.0000/14.35
    execution time (avg/stddev):   9.9950/0.00

`;

/** Of 0.4, whose names differ and which writes the unit behind the number; and of 0.5. */
const OLD = `sysbench 0.4.12:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 1

Doing OLTP test.

OLTP test statistics:
    queries performed:
        read:                            1400
        write:                           500
        other:                           200
        total:                           2100
    transactions:                        100    (50.00 per sec.)
    deadlocks:                           0      (0.00 per sec.)
    read/write requests:                 1900   (950.00 per sec.)
    other operations:                    200    (100.00 per sec.)

Test execution summary:
    total time:                          2.0000s
    total number of events:              100
    total time taken by event execution: 1.8930
    per-request statistics:
         min:                                 15.32ms
         avg:                                 18.93ms
         max:                                 33.03ms
         approx.  95 percentile:              24.97ms

Threads fairness:
    events (avg/stddev):           100.0000/0.00
`;
const HALF_OLD = OLD.replace('0.4.12', '0.5')
  .replace('Test execution summary', 'General statistics')
  .replace('per-request statistics', 'response time')
  .replace('    deadlocks:  ', '    ignored errors:  ');

describe('what sysbench prints', () => {
  it('of 1.0 has rates, and latencies in milliseconds', () => {
    const result = only(SQL);
    expect(result).toMatchObject({ name: 'sql', settings: { sysbench: '1.0.20', threads: '4' }, failure: null });
    expect(foundIn(result)).toEqual({
      events: 15_860,
      total_time: 10e9,
      events_per_second: 1586,
      transactions_per_second: 1585.25,
      queries_per_second: 31_705.06,
      min: 1_610_000,
      mean: 2_520_000,
      max: 33_050_000,
      p95: 3_490_000,
    });
    expect(warningCodes(readSysbench(SQL))).toEqual([]);
  });

  it.each([
    ['0.4.12', OLD],
    ['0.5', HALF_OLD],
  ])('of %s is read by the names of that time', (version, text) => {
    const result = only(text);
    expect(result).toMatchObject({ name: 'sql', settings: { sysbench: version, threads: '1' }, failure: null });
    expect(foundIn(result)).toEqual({
      events: 100,
      total_time: 2e9,
      events_per_second: 50,
      transactions_per_second: 50,
      queries_per_second: 950,
      min: 15_320_000,
      mean: 18_930_000,
      max: 33_030_000,
      p95: 24_970_000,
    });
  });

  it('has a percentile below the minimum of its only event: flagged, and no number (sysbench 486)', () => {
    const text = SQL.replace('15860\n', '1\n')
      .replace('1.61', '241.47')
      .replace('33.05', '241.47')
      .replace('3.49', '240.02');
    expect(foundIn(only(text))).toMatchObject({
      min: 241_470_000,
      max: 241_470_000,
      p95: '240.02 ms is below the minimum of 241.47 ms',
    });
    expect(warningCodes(readSysbench(text))).toContain('percentile-out-of-bounds');
  });

  it('has a percentile where the histogram ends: it is larger than that (sysbench 242)', () => {
    const text = SQL.replace('33.05', '180000.00').replace('  3.49', '100000.00');
    expect(foundIn(only(text))).toMatchObject({
      max: 180_000_000_000,
      p95: '> 100000 ms, where the histogram ends',
    });
  });

  it('has a rate that nothing reaches: it is no rate (sysbench 14)', () => {
    const text = SQL.replace('1585.25 per sec', '18446842801212211200.00 per sec');
    expect(foundIn(only(text))).toMatchObject({
      transactions_per_second: '15860  (18446842801212211200.00 per sec.) is impossible',
      queries_per_second: 31_705.06,
    });
    const line = '[  10s] threads: 16, tps: 18446842801212211200.00, reads/s: 29888.72\n';
    const while_ = SQL.replace('SQL statistics:', `${line}[  20s] threads: 16, tps: 2134.50\nSQL statistics:`);
    expect(warningCodes(readSysbench(while_))).toEqual(['impossible-rate']);
    const alone = 'CPU speed:\n    events per second:     18446842801212211200.00\n';
    expect(foundIn(only(SQL.replace('SQL statistics:\n', alone)))['cpu_events_per_second']).toMatch(/ is impossible$/);
    // One that is far from count / time is none either, however small.
    expect(foundIn(only(SQL.replace('31705.06', '98765.00')))['queries_per_second']).toMatch(/ is impossible$/);
  });

  it.each([
    [SQL.replace('15860\n', '0\n'), 'no event was finished'],
    [
      SQL.replace('SQL stat', 'FATAL: unable to connect\nFATAL: `thread_init` failed\nSQL stat'),
      'sysbench said: unable to connect',
    ],
    [SQL.slice(0, SQL.indexOf('General')), 'it ended before its statistics'],
  ])('failed', (text, failure) => {
    expect(only(text).failure).toBe(failure);
  });

  it('without events has no latency, whatever is printed', () => {
    const none = SQL.replace('15860\n', '0\n').replace('1.61', '18446744073709.55');
    for (const name of ['min', 'mean', 'max', 'p95']) expect(foundIn(only(none))[name]).toBe('no event was finished');
  });

  it('has no 0 for what it rounded down', () => {
    const found = foundIn(only(SQL.replace('2.52', '0.00').replace('1585.25', '0.00')));
    const reason = 'it is printed as 0: rounded down, or nothing was done';
    expect(found).toMatchObject({ mean: reason, transactions_per_second: reason });
  });

  it('warns of errors that were ignored, and of what sysbench warns of', () => {
    const text = SQL.replace('errors:                      0', 'errors:                      7').replace(
      'Threads started',
      'WARNING: Both event and time limits are disabled\nThreads started',
    );
    expect(warningCodes(readSysbench(text))).toEqual(['tool-message', 'ignored-errors']);
  });

  it('is one result for each execution', () => {
    expect(resultsOf(readSysbench(SQL + OLD)).map(({ settings }) => settings['sysbench'])).toEqual([
      '1.0.20',
      '0.4.12',
    ]);
  });

  it('does not read a number that may have been cut', () => {
    const found = foundIn(only(SQL.slice(0, SQL.indexOf('15860\n\nLatency') + 3)));
    expect(found['events']).toBe('it is not printed');
    expect(found['events_per_second']).toBe('it has no total time');
  });

  it.each(['', 'transactions: 15860 (1585.25 per sec.)\n', 'my sysbench 1.0\n', 'sysbench\n'])(
    'is refused: %j',
    (text) => {
      expect(readSysbench(text)).toEqual({
        ok: false,
        reason: 'it has no line that begins with sysbench and a version',
      });
    },
  );
});

describe('what sysbench 1.0.20 printed', () => {
  const read = (name: string) => readSysbench(sampleOf('sysbench', `${name}.txt`));

  it.each([
    ['cpu', 'cpu', null, []],
    ['memory', 'memory', null, []],
    ['fileio', 'fileio', null, []],
    ['mutex', 'test', null, []],
    ['sql', 'sql', null, ['ignored-errors']],
    ['one-event', 'cpu', null, ['percentile-out-of-bounds']],
    ['killed', 'cpu', 'it ended before its statistics', []],
    ['database-died', 'test', 'it ended before its statistics', []],
    [
      'file-missing',
      'fileio',
      "sysbench said: Cannot open file 'test_file.2' errno = 2 (No such file or directory)",
      ['tool-message'],
    ],
    [
      'disk-full',
      'fileio',
      'sysbench said: Failed to write file! file: 3 pos: 1048576 errno = 28 (No space left on device)',
      [],
    ],
  ])('as %s has the outcome %s, %j', (sample, name, failure, codes) => {
    expect(outcomesOf(read(sample))).toEqual([[name, failure]]);
    expect(warningCodes(read(sample))).toEqual(codes);
  });

  it('has its numbers', () => {
    expect(foundIn(resultNamed(read('fileio'), 'fileio'))).toEqual({
      events: 11_994,
      total_time: 2_007_200_000,
      events_per_second: 5975.48824232762,
      reads_per_second: 3446.65,
      writes_per_second: 2298.1,
      fsyncs_per_second: 231.1,
      read_bytes_per_second: 53.85 * 2 ** 20,
      written_bytes_per_second: 35.91 * 2 ** 20,
      min: 'it is printed as 0: rounded down, or nothing was done',
      mean: 170_000,
      max: 42_990_000,
      p95: 10_000,
    });
    expect(foundIn(resultNamed(read('memory'), 'memory'))).toMatchObject({
      memory_ops_per_second: 1_029_984.65,
      transferred_bytes_per_second: 1005.84 * 2 ** 20,
    });
    expect(foundIn(resultNamed(read('sql'), 'sql'))).toMatchObject({
      transactions_per_second: 185.79,
      queries_per_second: 3832.03,
      p95: 20_740_000,
    });
    expect(foundIn(resultNamed(read('one-event'), 'cpu'))).toMatchObject({
      cpu_events_per_second: 0.27,
      max: 3_699_000_000,
      p95: '3706.08 ms is above the maximum of 3699 ms',
    });
  });
});
