import { describe, expect, it } from 'vitest';
import { foundIn, resultNamed, resultsOf, warningCodes } from '../../test/tool-readings.ts';
import { readIibench } from './iibench.ts';

const HEADER =
  'ips,qps,rps,rmbps,wps,wmbps,rpq,rkbpq,wpi,wkbpi,csps,cpups,cspq,cpupq,dbgb1,dbgb2,rss,maxop,p50,p99,tag';
const row = (ips: number | string, qps: number | string, tag = 'my8044.c24r64') =>
  `${ips},${qps},12.5,0.5,900.0,25.0,0.125,4.5,0.250,6.5,90000,21.5,9.25,215,10.5,11.2,7.5,0.292,21435,19826,${tag}`;
const ALL = ['l.i0', 'l.x', 'l.i1', 'l.i2', 'qr100.L1', 'qp100.L2', 'qr500.L3', 'qp500.L4', 'qr1000.L5', 'qp1000.L6'];
const lines = (...written: string[]) => `${written.join('\n')}\n`;

describe('a summary of the Insert Benchmark', () => {
  it('has numbers by the names of columns; p50 and p99 are rates, and the maximum a time', () => {
    const result = resultNamed(readIibench(lines(HEADER, row(500, 4100))), 'my8044.c24r64');
    expect(foundIn(result)).toEqual({
      inserts_per_second: 500,
      queries_per_second: 4100,
      device_reads_per_second: 12.5,
      device_read_bytes_per_second: 524_288,
      device_writes_per_second: 900,
      device_written_bytes_per_second: 26_214_400,
      device_reads_per_operation: 0.125,
      device_read_bytes_per_operation: 4608,
      device_writes_per_insert: 0.25,
      device_written_bytes_per_insert: 6656,
      context_switches_per_second: 90_000,
      host_cpu: 21.5,
      context_switches_per_operation: 9.25,
      host_cpu_time_per_operation: 215_000,
      database_size_1: 10.5,
      database_size_2: 11.2,
      rss: 7.5,
      max: 292_000_000,
      rate_p50: 21_435,
      rate_p99: 19_826,
    });
    expect(result.metrics.find(({ name }) => name === 'rate_p99')).toMatchObject({ unit: '1/s', better: 'higher' });
  });

  it.each([',', '\t', '  '])('may have columns elsewhere, between %j', (between) => {
    const swapped = HEADER.replace('ips,qps,rps,rmbps', 'ips,rmbps,rps,qps');
    const cells = row(500, 4100).replace('500,4100,12.5,0.5', '500,0.5,12.5,4100');
    expect(foundIn(resultNamed(readIibench(lines(swapped, cells).replaceAll(',', between)), 'my8044.c24r64'))).toEqual(
      foundIn(resultNamed(readIibench(lines(HEADER, row(500, 4100))), 'my8044.c24r64')),
    );
  });

  it('of a whole run has its steps in their order', () => {
    const text = lines(HEADER, ...ALL.map((_, index) => row(1000 + index, 100)));
    expect(resultsOf(readIibench(text)).map(({ name, settings }) => [name, settings['step']])).toEqual(
      ALL.map((step) => [`${step} my8044.c24r64`, step]),
    );
  });

  it('in which a step is missing gives no numbers under the name of another', () => {
    const text = lines(HEADER, ...ALL.slice(1).map((_, index) => row(1000 + index, 100)));
    for (const { failure, metrics } of resultsOf(readIibench(text))) {
      expect(metrics).toEqual([]);
      expect(failure).toBe('its step is not named, and cannot be told by its place: steps of the run are missing');
    }
    // A step that failed has its line, and shifts nothing.
    const failed = lines(
      HEADER,
      ...ALL.map((_, index) => (index === 4 ? `,0${','.repeat(19)}t` : row(1000 + index, 1, 't'))),
    );
    const results = resultsOf(readIibench(failed));
    expect(results[4]).toMatchObject({
      name: 'qr100.L1 t',
      failure: 'the step has no rates: it failed, or did not run',
      metrics: [],
    });
    expect(results[5]).toMatchObject({ name: 'qp100.L2 t', failure: null });
  });

  it('of steps that are named has rows by their names, whichever are missing', () => {
    const named = (...steps: string[]) =>
      lines(...steps.flatMap((step) => [step, HEADER, row(2000, 7), '-', row(2000, 8, 'pg17')]));
    const both = readIibench(named('l.i0', 'qr100.L1', 'qp1000.L6'));
    const fewer = readIibench(named('l.i0', 'qp1000.L6'));
    expect(resultsOf(fewer).map(({ name }) => name)).toEqual([
      'l.i0 my8044.c24r64',
      'l.i0 pg17',
      'qp1000.L6 my8044.c24r64',
      'qp1000.L6 pg17',
    ]);
    for (const result of resultsOf(fewer)) expect(resultNamed(both, result.name)).toEqual(result);
  });

  it.each([
    ['qr100.L1 dop8', 760, null],
    ['qr100.L1 dop8', 759, 'it inserted 759 rows/s where 800 were asked for: below 95 %'],
    ['# qp1000.L6 dop1', 949, 'it inserted 949 rows/s where 1000 were asked for: below 95 %'],
    // One client is the least that there is.
    ['qr100.L1', 94, 'it inserted 94 rows/s where 100 were asked for: below 95 %'],
    ['l.i1 dop8', 1, null],
  ])('of %s with %d inserts/s has the failure %j', (step, ips, failure) => {
    expect(resultsOf(readIibench(lines(step, HEADER, row(ips, 100))))[0]?.failure).toBe(failure);
  });

  it('warns where nothing says how many clients were to insert', () => {
    expect(warningCodes(readIibench(lines('qr100.L1', HEADER, row(300, 100))))).toEqual(['clients-unknown']);
    expect(warningCodes(readIibench(lines('qr100.L1', HEADER, row(300, 100, 'a.dop2'))))).toEqual([]);
  });

  it('has no number for what is missing, or 0 once rounded', () => {
    const text = lines(HEADER, row(500, 0).replace(',7.5,', ',NA,').replace(',12.5,', ',,'));
    expect(foundIn(resultNamed(readIibench(text), 'my8044.c24r64'))).toMatchObject({
      queries_per_second: 'it is printed as 0: rounded down, or nothing was done',
      rss: 'the row has none',
      device_reads_per_second: 'the row has none',
    });
  });

  it('leaves out rows that were cut', () => {
    const reading = readIibench(`${lines(HEADER, row(1, 1, 'a'), row(2, 2).slice(0, 30))}${row(3, 3, 'my80')}`);
    expect(resultsOf(reading).map(({ name }) => name)).toEqual(['a']);
    expect(warningCodes(reading)).toEqual(['unreadable-line', 'unreadable-line']);
  });

  it.each([
    ['', 'it has no row that can be read below a header that begins with ips'],
    [lines(HEADER), 'it has no row that can be read below a header that begins with ips'],
    ['l.i0\n1,2,3\n', 'line 2 is no header, which begins with ips'],
    [row(1, 1), 'line 1 is no header, which begins with ips'],
    [lines('ips,qps,tag', '1,2,a'), 'line 1 has no column maxop'],
    [lines(HEADER.replace('qps,rps', 'qps,qps'), row(1, 1)), 'line 1 has a column twice'],
    [lines(`ips${',a'.repeat(400)}`), 'line 1 has more than 256 columns'],
  ])('is refused: %#', (text, reason) => {
    expect(readIibench(text)).toEqual({ ok: false, reason });
  });
});
