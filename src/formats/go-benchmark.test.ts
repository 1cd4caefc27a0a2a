import { describe, expect, it } from 'vitest';
import { messageOf, reasonsOf, soundReading, toolOutput, valuesOf } from '../../test/reading.ts';
import { readGoBenchmark } from './go-benchmark.ts';

const sample = (name: string) => readGoBenchmark(toolOutput(`go_benchmark/${name}.txt`));
const results = (name: string) => soundReading(sample(name)).results;
const only = (line: string) => {
  const [first] = soundReading(readGoBenchmark(line)).results;
  if (first === undefined) throw new Error('no result');
  return first;
};

describe('output of go test -bench', () => {
  it('has a result for each line, with the units of Go and those of the benchmark', () => {
    const found = results('memory');
    expect(found.map(({ name }) => name)).toEqual([
      ...Array(3).fill('BenchmarkAppend'),
      ...Array(3).fill('BenchmarkSizes/n=8'),
      ...Array(3).fill('BenchmarkSizes/n=64'),
      ...Array(3).fill('BenchmarkLast'),
    ]);
    expect(found[0]?.settings).toEqual({
      gomaxprocs: '2',
      package: 'example.org/store',
      goos: 'linux',
      goarch: 'amd64',
      cpu: 'CPU',
    });
    expect(found[0]?.metrics).toEqual([
      { name: 'iterations', unit: 'count', better: null, value: 20000 },
      { name: 'time_per_operation', unit: 'ns', better: 'lower', value: 752 },
      { name: 'bytes_per_second', unit: 'bytes/s', better: 'higher', value: 85.1e6 },
      { name: 'bytes_per_operation', unit: 'bytes', better: 'lower', value: 64 },
      { name: 'allocations_per_operation', unit: 'count', better: 'lower', value: 1 },
    ]);
    expect(found[3]?.metrics.slice(2, 4)).toEqual([
      { name: 'p99_ns', unit: 'p99-ns', better: null, value: 12.5 },
      { name: 'widgets_op', unit: 'widgets/op', better: null, value: 8 },
    ]);
  });

  it('keeps GOMAXPROCS in the names where -cpu asked for several', () => {
    expect(results('processors').map(({ name }) => name)).toEqual([
      'BenchmarkAppend',
      'BenchmarkAppend-2',
      'BenchmarkLast',
      'BenchmarkLast-2',
    ]);
  });

  it('has what failed, was skipped, panicked, or was killed as failures', () => {
    expect(results('failures').map(({ name, failure, metrics }) => [name, failure, metrics.length])).toEqual([
      ['example.org/store.BenchmarkAppend', null, 5],
      ['example.org/store.BenchmarkAppend', null, 5],
      ['example.org/store.BenchmarkSizes/n=8', null, 4],
      ['example.org/store.BenchmarkSizes/n=8', null, 4],
      ['example.org/store.BenchmarkSizes/n=64', null, 4],
      ['example.org/store.BenchmarkSizes/n=64', null, 4],
      // It printed lines of its own between its name and its numbers.
      ['example.org/store.BenchmarkChatty', null, 2],
      ['example.org/store.BenchmarkChatty', null, 2],
      ['example.org/store.BenchmarkFails', 'it failed', 0],
      ['example.org/store.BenchmarkLast', null, 2],
      ['example.org/store.BenchmarkLast', null, 2],
      ['example.org/store/other.BenchmarkAppend', null, 2],
      ['example.org/store/other.BenchmarkAppend', null, 2],
      ['example.org/store/other.BenchmarkPanics', 'it has no result', 0],
    ]);
    expect(soundReading(sample('failures')).warnings.map(({ message }) => message)).toEqual([
      'go test reports an error: "FAIL example.org/store 0.252s"',
      'go test reports an error: "BenchmarkPanics-2 panic: assignment to entry in nil map"',
      'go test reports an error: "FAIL example.org/store/other 0.078s"',
    ]);
    expect(results('verbose').map(({ name, failure }) => [name, failure])).toEqual([
      ['BenchmarkAppend', null],
      ['BenchmarkSizes/n=8', null],
      ['BenchmarkSizes/n=64', null],
      ['BenchmarkSkipped', 'it was skipped'],
    ]);
    expect(results('killed').map(({ name, failure }) => [name, failure])).toEqual([
      ['BenchmarkAppend-2', 'it has no result'],
    ]);
    expect(messageOf(sample('verbose'), 'tool-error')).toBeUndefined();
  });

  it('takes no number that is none, is rounded to 0, or may have been cut', () => {
    const line = 'BenchmarkA 	 10 	 0.0000 ns/op	 NaN ops/s	 -2.5 change	 -3 B/op	 7 widgets/o';
    expect(valuesOf(only(line))).toEqual({ iterations: 10 });
    expect(reasonsOf(only(line))).toEqual({
      time_per_operation: 'it is printed as 0: rounded down, or nothing was done',
      ops_s: 'NaN is no number',
      change: '-2.5 is out of range',
      bytes_per_operation: '-3 is out of range',
    });
    expect(valuesOf(only(`${line}\n`))).toHaveProperty('widgets_o', 7);
    expect(valuesOf(only('BenchmarkA 10 5 ns/op 3 B/op'))).toMatchObject({
      time_per_operation: 5,
      bytes_per_operation: 3,
    });
  });

  it.each([
    ['PASS\nok  \texample.org/store\t0.1s\n', 'it has no line of a Go benchmark'],
    ['Benchmarking 10 things 5 ns/op\n', 'it has no line of a Go benchmark'],
    ['Benchmark results: fine\n', 'it has no line of a Go benchmark'],
    [toolOutput('go_benchmark/broken-build.txt'), 'go test reports an error: "FAIL example.org/store [setup failed]"'],
  ])('is not %j', (text, reason) => expect(readGoBenchmark(text)).toEqual({ ok: false, reason }));
});
