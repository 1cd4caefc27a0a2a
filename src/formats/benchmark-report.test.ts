import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../test/draws.ts';
import { type BenchmarkReport, parseBenchmarkReport } from './benchmark-report.ts';

fc.configureGlobal({ seed: 1908 });

/** Written by hand in the form of benchmark.sh, with the columns of 7.9. */
const HEADER = [
  'ops_sec mb_sec lsm_sz blob_sz c_wgb w_amp c_mbps c_wsecs c_csecs b_rgb b_wgb usec_op p50 p99 p99.9 p99.99 pmax uptime stall% Nstall',
  'u_cpu s_cpu rss test date version job_id githash',
]
  .join(' ')
  .replaceAll(' ', '\t');

function row(ops: string, test: string, date = '2026-01-01T10:00:00'): string {
  const middle = '80.1 2GB 0GB 1.5 NA 25.5 6 5 0 0 2.5 2.1 5 9 30 700 60 0.0 0 0.1 0.0 0.2'.replaceAll(' ', '\t');
  return `${ops}\t${middle}\t${test}\t${date}\t7.9.1\t\tabc0123456`;
}

const failedRow = (test: string) => `failed${'\t'.repeat(23)}${test}`;

function rowsOf(report: BenchmarkReport) {
  if (!report.ok) throw new Error(report.reason);
  return report.rows;
}

describe('a report of benchmark.sh', () => {
  it('has rows with numbers by the names of their columns', () => {
    const report = parseBenchmarkReport(`# a comment\n${HEADER}\n${row('1000', 'readwhilewriting.t4')}\n`);
    expect(report).toMatchObject({
      ok: true,
      faults: [],
      rows: [{ line: 3, test: 'readwhilewriting.t4', threads: 4, failed: false, date: '2026-01-01T10:00:00' }],
    });
    const { values } = rowsOf(report)[0] ?? {};
    expect(values?.get('ops_sec')).toBe(1000);
    expect(values?.get('p99.9')).toBe(9);
    expect(values?.get('stall%')).toBe(0);
    // NA, sizes with a unit and empty cells are no numbers.
    for (const name of ['w_amp', 'lsm_sz', 'job_id', 'test']) expect(values?.has(name)).toBe(false);
  });

  it('has blocks, each with a header of its own, whose columns may stand elsewhere', () => {
    const text = [
      HEADER,
      row('1000', 'fillseq.wal_disabled.v400'),
      '',
      'ops_sec\ttest\tp99',
      '7\treadrandom.t2\t8.5',
      '',
    ];
    for (const end of ['\n', '\r\n']) {
      const rows = rowsOf(parseBenchmarkReport(text.join(end)));
      expect(
        rows.map(({ test, threads, values }) => [test, threads, values.get('ops_sec'), values.get('p99')]),
      ).toEqual([
        ['fillseq.wal_disabled.v400', null, 1000, 5],
        ['readrandom.t2', 2, 7, 8.5],
      ]);
    }
  });

  it('tells a failed job from a slow one', () => {
    const [row] = rowsOf(parseBenchmarkReport(`${HEADER}\n${failedRow('overwrite.t1.s0')}\n`));
    expect(row).toMatchObject({ test: 'overwrite.t1.s0', failed: true, values: new Map() });
  });

  it.each([
    [row('0', 'readrandom.t1'), 'has ops_sec 0: rounded down, or nothing was done'],
    [row('fast', 'readrandom.t1'), 'has no number in the column ops_sec'],
    [row('-5', 'readrandom.t1'), 'has no number in the column ops_sec'],
    [row('1e999', 'readrandom.t1'), 'has no number in the column ops_sec'],
  ])('has no rate where %j has none', (line, message) => {
    const report = parseBenchmarkReport(`${HEADER}\n${line}\n`);
    expect(rowsOf(report)[0]?.values.has('ops_sec')).toBe(false);
    expect(report).toMatchObject({ faults: [{ line: 2, message }] });
  });

  it.each([
    [row('9', 'readrandom.t1').slice(0, 60), 'ends before the name of its test is over'],
    [`9${'\t'.repeat(23)}overwritea`, 'ends before the name of its test is over'],
    [`${row('9', 'readrandom.t1')}\t1`, 'has 29 columns where its header has 28'],
    [row('9', ''), 'has no name of a test in the column test'],
    [row('9', '\u001b[2J'), 'has no name of a test in the column test'],
  ])('leaves out the line %j', (line, message) => {
    const report = parseBenchmarkReport(`${HEADER}\n${row('8', 'readrandom.t1')}\n${line}`);
    expect(report).toMatchObject({ ok: true, rows: [{ line: 2 }], faults: [{ line: 3, message }] });
  });

  it('takes a row whose empty last cells were trimmed', () => {
    const trimmed = row('9', 'readrandom.t1').replace(/\t\tabc0123456$/, '');
    expect(rowsOf(parseBenchmarkReport(`${HEADER}\n${trimmed}\n`))[0]?.values.get('ops_sec')).toBe(9);
  });

  it.each([
    ['', 'it has no header that begins with ops_sec'],
    ['# nothing\n\n', 'it has no header that begins with ops_sec'],
    ['readrandom : 4.000 micros/op\n', 'line 1 is not the header, which begins with ops_sec and has tabs'],
    ['{"jobs": []}', 'line 1 is not the header, which begins with ops_sec and has tabs'],
    [HEADER.replaceAll('\t', ' '), 'line 1 is not the header, which begins with ops_sec and has tabs'],
    [HEADER.replace('test', 'tset'), 'line 1 has no column test'],
    [HEADER.replace('p99.99', 'p99.9'), 'line 1 has a column twice'],
    [`${HEADER}\n`, 'it has no row that can be read'],
    [`${HEADER}\n1\t2\n`, 'it has no row that can be read'],
    ['ops_sec\t'.repeat(300), 'line 1 has more than 256 columns'],
  ])('is not %j', (text, reason) => expect(parseBenchmarkReport(text)).toEqual({ ok: false, reason }));

  it('is read or refused whatever it holds, and gives only finite numbers that are not negative', () => {
    const piece = fc.oneof(
      fc.constantFrom(HEADER, row('1000', 'readrandom.t1'), failedRow('x'), '\n', '\t', '\r\n', '#', 'ops_sec\ttest'),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.double().map(String),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('', '\n', '\t'), (pieces, between) => {
        const report = parseBenchmarkReport(pieces.join(between));
        if (!report.ok) expect(report.reason).not.toBe('');
        for (const { values } of report.ok ? report.rows : []) {
          for (const value of values.values()) expect(Number.isFinite(value) && value >= 0).toBe(true);
        }
      }),
      { numRuns: draws(500) },
    );
  });
});
