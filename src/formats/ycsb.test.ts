import { describe, expect, it } from 'vitest';
import { foundIn, outcomesOf, resultNamed, resultsOf, sampleOf, warningCodes } from '../../test/tool-readings.ts';
import { readYcsb } from './ycsb.ts';

const RUN = `YCSB Client 0.17.0
Loading workload...
Starting test.
2026-01-01 10:00:00:000 0 sec: 0 operations; est completion in 0 second
DBWrapper: report latency for each error is false and specific error codes to track for latency are: []
[OVERALL], RunTime(ms), 12500
[OVERALL], Throughput(ops/sec), 80.0
[TOTAL_GCS_G1_Young_Generation], Count, 2
[TOTAL_GC_TIME], Time(ms), 8
[TOTAL_GC_TIME_%], Time(%), 0.064
[READ], Operations, 480
[READ], AverageLatency(us), 123.5
[READ], MinLatency(us), 2
[READ], MaxLatency(us), 45055
[READ], 50thPercentileLatency(us), 100
[READ], 95thPercentileLatency(us), 410
[READ], 99.9PercentileLatency(us), 20015
[READ], Return=OK, 480
[CLEANUP], Operations, 1
[CLEANUP], AverageLatency(us), 1.0
[CLEANUP], MinLatency(us), 1
[CLEANUP], MaxLatency(us), 1
[CLEANUP], 95thPercentileLatency(us), 1
[UPDATE], Operations, 520
[UPDATE], AverageLatency(us), 7.5
[UPDATE], MinLatency(us), 0
[UPDATE], MaxLatency(us), 99
[UPDATE], 95thPercentileLatency(ms), 2
[UPDATE], Return=OK, 520
`;

const GO = `***************** properties *****************
"recordcount"="1000"
**********************************************
READ   - Takes(s): 9.9, Count: 100, OPS: 10.1, Avg(us): 900, Min(us): 1, Max(us): 2, 95th(us): 3, 99th(us): 4
Run finished, takes 20.5s
READ   - Takes(s): 20.4, Count: 9980, OPS: 489.2, Avg(us): 250, Min(us): 90, Max(us): 14031, 50th(us): 221, 90th(us): 377, 99.99th(us): 9000
UPDATE - Takes(s): 20.4, Count: 20, OPS: 1.0, Avg(us): 300, Min(us): 120, Max(us): 2000000, 95th(us): 0, 99th(us): 0
`;

describe('what YCSB prints', () => {
  it('has a result for each kind of operation, and OVERALL', () => {
    const reading = readYcsb(RUN);
    expect(resultsOf(reading).map(({ name, failure }) => [name, failure])).toEqual([
      ['OVERALL', null],
      ['READ', null],
      ['CLEANUP', null],
      ['UPDATE', null],
    ]);
    expect(foundIn(resultNamed(reading, 'OVERALL'))).toEqual({
      ops_per_second: 80,
      run_time: 12.5e9,
      gc_time: 8e6,
    });
    expect(foundIn(resultNamed(reading, 'READ'))).toEqual({
      operations: 480,
      mean: 123_500,
      min: 2000,
      max: 45_055_000,
      p50: 100_000,
      p95: 410_000,
      p99_9: 20_015_000,
    });
    expect(foundIn(resultNamed(reading, 'UPDATE'))).toMatchObject({
      min: 'it is printed as 0: rounded down, or nothing was done',
      p95: 2_000_000,
    });
    expect(warningCodes(reading)).toEqual([]);
  });

  it('has no latencies of no operations (YCSB 546)', () => {
    const text = RUN.replace('[READ], Operations, 480', '[READ], Operations, 0')
      .replace('123.5', 'NaN')
      .replace('MinLatency(us), 2\n', 'MinLatency(us), 9.223372036854776E18\n')
      .replace('MaxLatency(us), 45055', 'MaxLatency(us), 0');
    const result = resultNamed(readYcsb(text), 'READ');
    expect(result.failure).toBe('no operation was done');
    const none = 'no operation was done';
    expect(foundIn(result)).toEqual({
      operations: 0,
      mean: none,
      min: none,
      max: none,
      p50: none,
      p95: none,
      p99_9: none,
    });
  });

  it.each(['NaN', '9.223372036854776E18', '-1', 'Infinity', 'fast'])(
    'takes %s for no latency of operations that were done',
    (printed) => {
      const found = foundIn(
        resultNamed(readYcsb(RUN.replace('AverageLatency(us), 123.5', `AverageLatency(us), ${printed}`)), 'READ'),
      );
      expect(typeof found['mean']).toBe('string');
    },
  );

  it.each([
    ['[READ], Return=ERROR, 20', 'operations returned 20 ERROR', ['failed-operations']],
    ['[READ], Return=NOT_FOUND, 20', null, ['failed-operations']],
    [
      '[READ], Return=NOT_FOUND, 3\n[READ], Return=UNEXPECTED_STATE, 2',
      'operations returned 3 NOT_FOUND, 2 UNEXPECTED_STATE',
      ['failed-operations'],
    ],
    ['[READ], Return=ERROR, 0', null, []],
  ])('with %s has the failure %j', (line, failure, codes) => {
    const reading = readYcsb(RUN.replace('[READ], Return=OK, 480', `[READ], Return=OK, 460\n${line}`));
    expect(resultNamed(reading, 'READ').failure).toBe(failure);
    expect(warningCodes(reading)).toEqual(codes);
  });

  it('does not read a number that may have been cut', () => {
    const cut = readYcsb(RUN.slice(0, RUN.indexOf('45055') + 3));
    expect(foundIn(resultNamed(cut, 'READ'))).toEqual({
      operations: 480,
      mean: 123_500,
      min: 2000,
      max: 'it is not printed',
    });
  });

  it('has failed operations as a result that failed', () => {
    const text = `${RUN}[READ-FAILED], Operations, 20\n[READ-FAILED], AverageLatency(us), 9.0\n`;
    expect(resultNamed(readYcsb(text), 'READ-FAILED').failure).toBe('these operations failed');
  });

  it('leaves out histograms, and takes the first of what is there twice', () => {
    const text = RUN.replace(
      '[READ], Return',
      '[READ], 0, 12\n[READ], >1000, 3\n[READ], Operations, 1\n[READ], Return',
    );
    expect(foundIn(resultNamed(readYcsb(text), 'READ'))).toEqual(foundIn(resultNamed(readYcsb(RUN), 'READ')));
  });

  it('of go-ycsb has what it prints after it has finished, not sums so far', () => {
    const reading = readYcsb(GO);
    expect(foundIn(resultNamed(reading, 'READ'))).toEqual({
      operations: 9980,
      ops_per_second: 489.2,
      mean: 250_000,
      min: 90_000,
      max: 14_031_000,
      p50: 221_000,
      p90: 377_000,
      p99_99: 9_000_000,
    });
    // Its histogram of milliseconds ends at 1024, beyond which it prints 0.
    expect(foundIn(resultNamed(reading, 'UPDATE'))['p95']).toBe(
      'it is printed as 0: rounded down, or nothing was done',
    );
    const failed = `${GO}READ_ERROR - Takes(s): 1.0, Count: 3, OPS: 3.0, Avg(us): 1, Min(us): 1, Max(us): 1, 95th(us): 1\n`;
    expect(resultNamed(readYcsb(failed), 'READ_ERROR').failure).toBe('these operations failed');
  });

  it.each([
    ['', 'it has no line [OVERALL]: the run had not finished'],
    [RUN.slice(0, RUN.indexOf('[OVERALL]')), 'it has no line [OVERALL]: the run had not finished'],
    ['[READ], Operations, 480\n', 'it has no line [OVERALL]: the run had not finished'],
    [GO.slice(0, GO.indexOf('Run finished')), 'go-ycsb had not finished when it ended'],
    [GO.slice(0, GO.indexOf('20.5s') + 6), 'go-ycsb had not finished when it ended'],
  ])('is refused where it ended early: %#', (text, reason) => {
    expect(readYcsb(text)).toEqual({ ok: false, reason });
  });
});

describe('what YCSB printed', () => {
  const read = (name: string) => readYcsb(sampleOf('ycsb', `${name}.txt`));

  it.each([
    ['load', ['OVERALL', 'CLEANUP', 'INSERT']],
    ['run', ['OVERALL', 'READ', 'CLEANUP', 'UPDATE']],
    ['histogram', ['OVERALL', 'READ', 'CLEANUP', 'UPDATE']],
  ])('as %s has results', (name, results) => {
    expect(outcomesOf(read(name))).toEqual(results.map((result) => [result, null]));
    expect(warningCodes(read(name))).toEqual([]);
  });

  it('has its numbers', () => {
    expect(foundIn(resultNamed(read('run'), 'OVERALL'))).toEqual({
      ops_per_second: 3478.26086956522,
      run_time: 575_000_000,
      gc_time: 'it is printed as 0: rounded down, or nothing was done',
    });
    expect(foundIn(resultNamed(read('run'), 'READ'))).toEqual({
      operations: 985,
      mean: 65_831.4720812183,
      min: 'it is printed as 0: rounded down, or nothing was done',
      max: 64_095_000,
      p50: 'it is printed as 0: rounded down, or nothing was done',
      p95: 1000,
      p99: 4000,
    });
  });

  it('with errors has operations that failed', () => {
    expect(outcomesOf(read('errors'))).toEqual([
      ['OVERALL', null],
      ['READ', 'operations returned 31 NOT_FOUND, 24 ERROR'],
      ['CLEANUP', null],
      ['UPDATE', null],
      ['READ-FAILED', 'these operations failed'],
    ]);
    expect(warningCodes(read('errors'))).toEqual(['failed-operations']);
  });

  it('with a thread that died failed, whatever the rate', () => {
    const failure = 'Exception in thread "Thread-1" java.lang.AssertionError: oops. should not get here.';
    expect(outcomesOf(read('thread-died'))).toEqual([['OVERALL', failure]]);
    const quiet = sampleOf('ycsb', 'thread-died.txt').replace('Exception in thread', 'Something in');
    expect(outcomesOf(readYcsb(quiet))).toEqual([['OVERALL', 'no operation was done']]);
  });

  it('is refused where it was killed', () => {
    expect(read('killed-refused')).toMatchObject({ ok: false });
  });
});
