import { describe, expect, it } from 'vitest';
import { foundIn, outcomesOf, resultNamed, resultsOf, sampleOf, warningCodes } from '../../test/tool-readings.ts';
import { readSplinterdb } from './splinterdb.ts';

const INSERTS = `splinter_perf_inserts() starting num_insert_threads=2, num_threads=2, num_inserts=1000 ...

Total time=1s, per-splinter per-thread insert time per tuple 1500 ns
splinter total insertion rate: 661234 insertions/second
splinter bandwidth: 101 megabytes/second
splinter max insert latency: 12 msec
`;
const LOOKUPS = `splinter_perf_lookups() starting num_lookup_threads=4, max_async_inflight=64 ...

Total time=0s, per-splinter per-thread lookup time per tuple 900 ns
splinter total lookup rate: 1034482 lookups/second
50% lookups were async
max lookup latency ns (sync=91000, async=120000)
`;
const range = (
  size: string,
  rate: number,
) => `splinter_perf_range_lookups() starting for ${size}: num_range_threads=1 ...

Total time=0s for ${size} lookup, per-splinter per-thread range time per tuple 7000 ns
splinter total range lookups: 9000, range rate: ${rate} ops/second, tuple rate: ${50 * rate} tuples/second
`;
const RUN = `${INSERTS}${LOOKUPS}${range('Small range', 142_857)}${range('Medium range', 9000)}${range('Large range', 70)}`;

/** As older versions print it, which begin a step without a word. */
const OLDER = `per-splinter per-thread insert time per tuple 1500 ns
splinter total insertion rate: 661234 insertions/second
splinter max insert latency: 0 msec

per-splinter per-thread lookup time per tuple 900 ns
splinter total lookup rate: 1034482 lookups/second
splinter total range rate: 142857 ops/second
splinter total range rate: 9000 ops/second
splinter total range rate: 70 ops/second
`;

const namesOf = (text: string) => resultsOf(readSplinterdb(text)).map(({ name }) => name);

describe("what SplinterDB's driver_test prints", () => {
  it('has a result for each step; ranges are told apart by their order', () => {
    const found = resultsOf(readSplinterdb(RUN)).map((result) => [result.name, result.settings, foundIn(result)]);
    expect(found).toEqual([
      ['insert', { threads: '2' }, { ops_per_second: 661_234, time_per_operation: 1500, max: 12_000_000 }],
      ['lookup', { threads: '4' }, { ops_per_second: 1_034_482, time_per_operation: 900, max: 120_000 }],
      ['range_small', { threads: '1' }, { ops_per_second: 142_857, tuples_per_second: 7_142_850 }],
      ['range_medium', { threads: '1' }, { ops_per_second: 9000, tuples_per_second: 450_000 }],
      ['range_large', { threads: '1' }, { ops_per_second: 70, tuples_per_second: 3500 }],
    ]);
  });

  it('of older versions is the same, but for what they do not print', () => {
    const found = resultsOf(readSplinterdb(OLDER)).map((result) => [result.name, foundIn(result)]);
    expect(found).toEqual([
      [
        'insert',
        {
          ops_per_second: 661_234,
          time_per_operation: 1500,
          max: 'it is printed as 0: rounded down, or too short to be timed',
        },
      ],
      ['lookup', { ops_per_second: 1_034_482, time_per_operation: 900 }],
      ['range_small', { ops_per_second: 142_857 }],
      ['range_medium', { ops_per_second: 9000 }],
      ['range_large', { ops_per_second: 70 }],
    ]);
  });

  it('has ranges in the order of each run, where there are several', () => {
    const once = ['insert', 'lookup', 'range_small', 'range_medium', 'range_large'];
    for (const text of [RUN, OLDER]) expect(namesOf(text + text)).toEqual([...once, ...once]);
    // One that was cut within the ranges does not shift those of the next.
    expect(namesOf(RUN.slice(0, RUN.indexOf(range('Medium range', 9000))) + RUN)).toEqual([
      ...once.slice(0, 3),
      ...once,
    ]);
  });

  it('has deletions, which it calls insertions, and lookups of what was deleted', () => {
    const text = `splinter total insertion rate: 500 insertions/second
splinter total deletion rate: 400 insertions/second
splinter total lookup rate: 300 lookups/second
`;
    expect(namesOf(text)).toEqual(['insert', 'delete', 'lookup_deleted']);
    expect(namesOf(text + text)).toEqual(['insert', 'delete', 'lookup_deleted', 'insert', 'delete', 'lookup_deleted']);
    expect(namesOf(text + OLDER)[4]).toBe('lookup');
  });

  it('always warns that writes are without durability', () => {
    for (const text of [RUN, OLDER, INSERTS]) expect(warningCodes(readSplinterdb(text))).toEqual(['no-durability']);
  });

  it('ended by a signal, as with very few inserts (splinterdb 398), is a step that failed', () => {
    const text = 'splinter_perf_inserts() starting num_insert_threads=1, num_threads=1, num_inserts=1 ...\n';
    expect(resultsOf(readSplinterdb(text))).toEqual([
      {
        name: 'insert',
        settings: { threads: '1' },
        failure: 'it began, and ended without a rate',
        metrics: [],
        absent: [],
      },
    ]);
  });

  it('has the assertion that ended it', () => {
    const text = `${INSERTS}splinter_perf_lookups() starting num_lookup_threads=1 ...
Assertion failed at src/trunk.c:12:trunk_get(): "node != NULL".
`;
    expect(resultsOf(readSplinterdb(text)).map(({ failure }) => failure)).toEqual([
      null,
      'Assertion failed at src/trunk.c:12:trunk_get(): "node != NULL".',
    ]);
  });

  it('has no rate of 0, which is a time of 0', () => {
    const [result] = resultsOf(readSplinterdb('splinter total insertion rate: 0 insertions/second\n'));
    expect(result).toMatchObject({ metrics: [], absent: [{ name: 'ops_per_second' }] });
  });

  it('has no rate of rounds that are timed from the first on', () => {
    const rate = 'splinter total insertion rate: 500 insertions/second\n';
    const text = `${rate}Beginning repeat round 0\n${rate}`;
    expect(resultsOf(readSplinterdb(text)).map(({ failure }) => failure)).toEqual([
      null,
      'its rate is that of all rounds so far',
    ]);
  });

  it('does not read a line that may have been cut', () => {
    expect(resultsOf(readSplinterdb(RUN.slice(0, RUN.indexOf('661234') + 3)))[0]?.failure).toBe(
      'it began, and ended without a rate',
    );
    expect(readSplinterdb('splinter_perf_inserts() starting num_insert_threads=1').ok).toBe(false);
  });

  it.each(['', 'Running driver_test\n', 'splinter total insertion rate: many insertions/second\n'])(
    'is refused: %j',
    (text) => {
      expect(readSplinterdb(text)).toEqual({
        ok: false,
        reason: 'it has no step of splinter_test --perf, and no rate',
      });
    },
  );
});

describe('what driver_test printed', () => {
  const read = (name: string) => readSplinterdb(sampleOf('splinterdb', `${name}.txt`));

  it('has its numbers', () => {
    expect(resultsOf(read('perf')).map((result) => [result.name, foundIn(result)['ops_per_second']])).toEqual([
      ['insert', 46_390],
      ['lookup', 93_510],
      ['range_small', 23_474],
      ['range_medium', 4270],
      ['range_large', 34],
    ]);
    expect(foundIn(resultNamed(read('perf'), 'lookup'))).toEqual({
      ops_per_second: 93_510,
      time_per_operation: 21_388,
      max: 83_036_793,
    });
    expect(foundIn(resultNamed(read('perf'), 'range_large'))['tuples_per_second']).toBe(2_992_417);
  });

  it('of runs that a division by zero or a kill ended has the steps until then', () => {
    const cut = 'it began, and ended without a rate';
    expect(outcomesOf(read('no-inserts'))).toEqual([['insert', cut]]);
    expect(outcomesOf(read('few-inserts')).slice(3)).toEqual([
      ['range_medium', null],
      ['range_large', cut],
    ]);
    expect(outcomesOf(read('killed'))).toEqual([
      ['insert', null],
      ['lookup', null],
    ]);
    expect(read('disk-full-refused')).toMatchObject({ ok: false });
  });
});
