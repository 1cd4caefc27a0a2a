import { describe, expect, it } from 'vitest';
import { foundIn, outcomesOf, resultNamed, resultsOf, sampleOf, warningCodes } from '../../test/tool-readings.ts';
import { readJmh } from './jmh.ts';

const entry = (more: object = {}, primary: object = {}) => ({
  jmhVersion: '1.37',
  benchmark: 'org.example.Put.batch',
  mode: 'thrpt',
  threads: 2,
  forks: 2,
  measurementIterations: 3,
  measurementTime: '1 s',
  primaryMetric: {
    score: 20,
    scoreError: 'NaN',
    scoreConfidence: ['NaN', 'NaN'],
    scoreUnit: 'ops/ms',
    rawData: [
      [9, 10, 11],
      [29, 30, 31],
    ],
    ...primary,
  },
  secondaryMetrics: {},
  ...more,
});
const output = (...entries: object[]) => JSON.stringify(entries);
const NAME = 'org.example.Put.batch';

describe('what JMH writes as JSON', () => {
  it('gives a result for each fork, with its iterations', () => {
    const reading = readJmh(output(entry()));
    expect(resultsOf(reading).map((result) => [result.name, result.settings['fork'], foundIn(result)])).toEqual([
      [NAME, '1', { ops_per_second: 10_000, iteration_1: 9000, iteration_2: 10_000, iteration_3: 11_000 }],
      [NAME, '2', { ops_per_second: 30_000, iteration_1: 29_000, iteration_2: 30_000, iteration_3: 31_000 }],
    ]);
    expect(resultsOf(reading)[0]?.settings).toMatchObject({ mode: 'thrpt', threads: '2', jmhVersion: '1.37' });
    expect(warningCodes(reading)).toEqual([]);
  });

  it.each([
    ['thrpt', 'ops/s', 'ops_per_second', '1/s', 'higher', 7],
    ['thrpt', 'ops/us', 'ops_per_second', '1/s', 'higher', 7e6],
    ['thrpt', 'ops/min', 'ops_per_second', '1/s', 'higher', 0.116666666666667],
    ['avgt', 'us/op', 'time_per_operation', 'ns', 'lower', 7000],
    ['avgt', 'ns/op', 'time_per_operation', 'ns', 'lower', 7],
    ['ss', 's/op', 'single_shot_time', 'ns', 'lower', 7e9],
    ['thrpt', 'furlongs', 'ops_per_second', 'furlongs', null, 7],
  ])('of mode %s in %s is %s', (mode, scoreUnit, name, unit, better, value) => {
    const [result] = resultsOf(readJmh(output(entry({ mode }, { scoreUnit, rawData: [[7]] }))));
    expect(result?.metrics[0]).toEqual({ name, unit, better, value });
  });

  it('of sample has percentiles of each fork, by nearest rank', () => {
    const rawDataHistogram = [
      [
        [[1.5, 98]],
        [
          [2.5, 1],
          [40, 1],
        ],
      ],
      [[[3, 1]]],
    ];
    const secondaryMetrics = { 'batch·p0.50': { score: 1, scoreUnit: 'us/op', rawData: [[1], [1]] } };
    const text = output(
      entry({ mode: 'sample', secondaryMetrics }, { scoreUnit: 'us/op', rawData: undefined, rawDataHistogram }),
    );
    expect(resultsOf(readJmh(text)).map(foundIn)).toEqual([
      {
        sampled_time: 1895,
        p50: 1500,
        p90: 1500,
        p95: 1500,
        p99: 2500,
        p99_9: 40_000,
        p99_99: 40_000,
        max: 40_000,
        samples: 100,
      },
      expect.objectContaining({ sampled_time: 3000, p50: 3000, p99_99: 3000, max: 3000, samples: 1 }),
    ]);
  });

  it('has parameters in its name, for another value is another benchmark, and in its settings', () => {
    const params = { size: '100', keys: 'random', odd: [] };
    expect(resultsOf(readJmh(output(entry({ params }))))[1]).toMatchObject({
      name: `${NAME} (size=100, keys=random, odd=?)`,
      settings: { size: '100', keys: 'random', fork: '2' },
    });
  });

  it('has its mode in its name where it ran in several', () => {
    const reading = readJmh(
      output(entry(), entry({ mode: 'avgt' }, { scoreUnit: 'us/op' }), entry({ benchmark: 'b' })),
    );
    const [name, other] = [`${NAME} [thrpt]`, `${NAME} [avgt]`];
    expect(resultsOf(reading).map((result) => result.name)).toEqual([name, name, other, other, 'b', 'b']);
  });

  it('has secondary metrics of each fork', () => {
    const secondaryMetrics = {
      '·gc.alloc.rate.norm': {
        score: 48,
        scoreUnit: 'B/op',
        rawData: [
          [47, 49],
          ['NaN', 'NaN'],
        ],
      },
      'gc.alloc.rate': {
        score: 1,
        scoreUnit: 'MB/sec',
        rawData: [
          [1, 1],
          [2, 2],
        ],
      },
      'gc.time': { score: 5, scoreUnit: 'ms', rawData: [[2, 3]] },
      get: { score: 5, scoreUnit: 'ops/ms', rawData: [[2], [4]] },
    };
    const [first, second] = resultsOf(readJmh(output(entry({ secondaryMetrics }))));
    expect(first?.metrics).toContainEqual({ name: 'gc_alloc_rate_norm', unit: 'bytes/op', better: 'lower', value: 48 });
    expect(first?.metrics).toContainEqual({ name: 'gc_alloc_rate', unit: 'bytes/s', better: null, value: 2 ** 20 });
    expect(first?.metrics).toContainEqual({ name: 'gc_time', unit: 'ns', better: null, value: 2.5e6 });
    expect(second === undefined ? {} : foundIn(second)).toMatchObject({
      gc_alloc_rate_norm: 'this fork has no number of it',
      gc_time: 'this fork has no number of it',
      get: 4000,
    });
  });

  it('writes NaN as text, which is no number', () => {
    const text = output(
      entry(
        {},
        {
          rawData: [
            ['NaN', 10],
            ['NaN', '+INF'],
          ],
        },
      ),
    );
    expect(resultsOf(readJmh(text)).map(({ failure }) => failure)).toEqual([null, 'this fork measured nothing']);
    expect(resultsOf(readJmh(text)).map(foundIn)).toEqual([
      { ops_per_second: 10_000, iteration_1: 'it is not a number', iteration_2: 10_000 },
      {
        ops_per_second: 'no iteration has a number',
        iteration_1: 'it is not a number',
        iteration_2: 'it is not a number',
      },
    ]);
  });

  it.each([
    [{ forks: 0 }, { rawData: [[1]] }, ['no-fork']],
    [{ forks: 1 }, { rawData: [[1]] }, ['one-fork']],
    [{ forks: 3 }, {}, ['forks-missing']],
    [{}, { rawData: [] }, ['no-raw-data']],
  ])('warns where forks are few: %j %j', (more, primary, codes) => {
    expect(warningCodes(readJmh(output(entry(more, primary))))).toEqual(codes);
  });

  it('without raw data has its score alone', () => {
    expect(foundIn(resultNamed(readJmh(output(entry({}, { rawData: [] }))), NAME))).toEqual({ ops_per_second: 20_000 });
    const none = resultNamed(readJmh(output(entry({}, { rawData: [], score: 'NaN' }))), NAME);
    expect(foundIn(none)).toEqual({ ops_per_second: 'it is not a number' });
  });

  it.each([
    ['', 'it is no JSON, or was cut'],
    [output(entry()).slice(0, -3), 'it is no JSON, or was cut'],
    ['{}', 'it is no list of benchmarks'],
    ['[\n]', 'it has no benchmark: all of them failed, or none was chosen'],
    ['[{"command": "ls"}]', 'it has an entry without benchmark and primaryMetric'],
    ['[null]', 'it has an entry without benchmark and primaryMetric'],
  ])('is refused where it is none: %j', (text, reason) => {
    expect(readJmh(text)).toEqual({ ok: false, reason });
  });

  it('is refused where it is deeper than memory should be', () => {
    expect(readJmh('['.repeat(2e6))).toEqual({ ok: false, reason: 'it holds more than 1000000 values' });
  });
});

describe('what JMH wrote', () => {
  const read = (name: string) => readJmh(sampleOf('jmh', `${name}.json`));

  it('has forks, their iterations and what the profiler counted', () => {
    const results = resultsOf(read('throughput'));
    const [small, large] = ['org.example.Ring.copy (size=64)', 'org.example.Ring.copy (size=1024)'];
    expect(results.map(({ name }) => name)).toEqual([small, small, large, large]);
    expect(foundIn(resultNamed(read('throughput'), small))).toEqual({
      ops_per_second: 1_854_502.86135213,
      iteration_1: 350_810.807607338,
      iteration_2: 863_015.990979893,
      iteration_3: 4_349_681.78546917,
      gc_alloc_rate: 136_957_411.281821,
      gc_alloc_rate_norm: 80.0321327778238,
      gc_count: 0,
      gc_time: 'this fork has no number of it',
    });
  });

  it('has modes apart', () => {
    const results = resultsOf(read('modes')).map(({ name, metrics }) => [name, metrics[0]?.name, metrics.length]);
    const name = 'org.example.Ring.copy (size=64)';
    expect(results).toEqual([
      ...Array(2).fill([`${name} [avgt]`, 'time_per_operation', 3]),
      ...Array(2).fill([`${name} [sample]`, 'sampled_time', 9]),
      ...Array(2).fill([`${name} [ss]`, 'single_shot_time', 3]),
    ]);
  });

  it('leaves out benchmarks that failed, without a word', () => {
    expect(outcomesOf(read('one-failed'))).toEqual([['org.example.Ring.fail (size=64)', null]]);
    expect(read('none-refused')).toMatchObject({ ok: false });
  });
});
