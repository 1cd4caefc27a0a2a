import { describe, expect, it } from 'vitest';
import { messageOf, reasonsOf, soundReading, toolOutput, valuesOf } from '../../test/reading.ts';
import { readGoogleBenchmark } from './google-benchmark.ts';

const REPETITIONS = toolOutput('google_benchmark/repetitions.json');
const text = (...benchmarks: object[]) => JSON.stringify({ context: {}, benchmarks });
const only = (entry: object) => {
  const [first] = soundReading(
    readGoogleBenchmark(text({ name: 'A', run_type: 'iteration', iterations: 5, ...entry })),
  ).results;
  if (first === undefined) throw new Error('no result');
  return first;
};

describe('output of Google Benchmark', () => {
  it('has repetitions, and not what was computed of them', () => {
    const { results } = soundReading(readGoogleBenchmark(REPETITIONS));
    expect(results.map(({ name, failure }) => [name, failure])).toEqual([
      ['Copy/8', null],
      ['Copy/8', null],
      ['Threads/threads:2', null],
      ['Threads/threads:2', null],
      ['Fails', 'it failed: "no such file"'],
      ['Fails', 'it failed: "no such file"'],
    ]);
    const [copy, , threads, , fails] = results;
    expect(copy?.settings).toEqual({ threads: '1', label: 'plain' });
    expect(threads?.settings).toEqual({ threads: '2' });
    expect(fails?.metrics).toEqual([]);
  });

  it('has times in ns, and counters of the user under their names', () => {
    const [first] = soundReading(readGoogleBenchmark(REPETITIONS)).results;
    const printed = JSON.parse(REPETITIONS.replaceAll(': NaN', ': null')).benchmarks[0];
    expect(first === undefined ? null : [valuesOf(first), reasonsOf(first)]).toEqual([
      {
        real_time: Number((printed.real_time * 1000).toPrecision(15)),
        cpu_time: Number((printed.cpu_time * 1000).toPrecision(15)),
        iterations: printed.iterations,
        items_per_second: Number(printed.items_per_second.toPrecision(15)),
        bytes_per_second: Number(printed.bytes_per_second.toPrecision(15)),
        flushes: 3,
        hit_rate: 0.5,
      },
      { nothing: 'it is no number' },
    ]);
  });

  it.each([
    ['ns', 1.5],
    ['us', 1500],
    ['ms', 1.5e6],
    ['s', 1.5e9],
  ])('takes its times in %s', (time_unit, ns) => {
    expect(valuesOf(only({ time_unit, real_time: 1.5, cpu_time: 1.5 }))).toMatchObject({ real_time: ns, cpu_time: ns });
  });

  it.each([
    [{ time_unit: 'constructor', real_time: 1 }, 'its unit constructor is not known'],
    [{ time_unit: 'ns', real_time: 0 }, 'it is printed as 0: rounded down, or nothing was done'],
    [{ time_unit: 'ns' }, 'it is not printed'],
  ])('has no time where it says %j', (entry, reason) => expect(reasonsOf(only(entry))['real_time']).toBe(reason));

  it('keeps counters apart whose names would be one', () => {
    const result = only({ real_time: 1, cpu_time: 1, 'Hit Rate': 1, 'hit-rate': 2, 'real time': 3 });
    expect(valuesOf(result)).toMatchObject({ hit_rate: 1, hit_rate_2: 2, real_time: 1, real_time_2: 3 });
  });

  it('knows means by their names where versions did not say what they are', () => {
    const old = text(
      { name: 'A/8', real_time: 1 },
      { name: 'A/8_mean', real_time: 2 },
      { name: 'A/8_BigO', cpu_time: 2 },
    );
    expect(soundReading(readGoogleBenchmark(old)).results.map(({ name }) => name)).toEqual(['A/8']);
  });

  it('warns of a debug build of the library, of a frequency that moves, and of benchmarks without repetitions', () => {
    expect(messageOf(readGoogleBenchmark(REPETITIONS), 'debug-library')).toContain('built for debugging');
    const moving = text({ name: 'A', real_time: 1 }, { name: 'B_mean', run_name: 'B', run_type: 'aggregate' });
    const reading = readGoogleBenchmark(moving.replace('"context":{}', '"context":{"cpu_scaling_enabled":true}'));
    expect(messageOf(reading, 'cpu-scaling')).toBe('the frequency of the CPU was not fixed');
    expect(messageOf(reading, 'summary-only')).toBe('only means over repetitions are there of B');
  });

  it('has failures where a benchmark was skipped', () => {
    expect(only({ skipped: true, skip_message: 'no disk' }).failure).toBe('it was skipped: "no disk"');
  });

  it.each([
    [REPETITIONS.slice(0, -20), 'it is no JSON, or was cut'],
    ['{"results": []}', 'it is no output of Google Benchmark, which has context and benchmarks'],
    [text(), 'it has no benchmark'],
    [text({ run_type: 'iteration' }), 'benchmark 1 has no name'],
    [
      toolOutput('google_benchmark/aggregates-only.json'),
      'it has means over repetitions, and not the repetitions themselves',
    ],
  ])('is not %#', (whole, reason) => expect(readGoogleBenchmark(whole)).toEqual({ ok: false, reason }));
});
