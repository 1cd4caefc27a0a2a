import { describe, expect, it } from 'vitest';
import type { Metric, ToolSource } from '../experiment/experiment.ts';
import { readExperiment } from '../experiment/parse.ts';
import { TOOLS } from '../formats/tools.ts';
import { extractMetrics, extractValue, type RawOutput } from './extract.ts';
import { readerWarnings } from './tool-output.ts';

/** Written by hand in the form of benchmark.sh. */
function report(...rows: readonly (readonly [ops: string, p99: string, test: string])[]): string {
  return ['ops_sec\tp99\ttest', ...rows.map((row) => row.join('\t')), ''].join('\n');
}

const THREE = report(['1000', '5', 'fillseq.v4.s0'], ['10', '7', 'readrandom.t2'], ['30', '9', 'readrandom.t2']);

function raw(parts: Partial<RawOutput>): RawOutput {
  return { stdout: '', stderr: '', files: {}, account: {} as RawOutput['account'], ...parts };
}

function source(parts: Partial<ToolSource> = {}): ToolSource {
  const text = { kind: 'stream', stream: 'stdout' } as const;
  const place = { tool: 'benchmark_sh', text, result: 'fillseq.v4.s0', metric: 'ops_per_second' } as const;
  return { kind: 'tool', ...place, repeats: null, ...parts };
}

function metric(from: ToolSource, more: Partial<Metric> = {}): Metric {
  const own = { name: 'm', unit: '1/s', better: 'higher', primary: true, per: null, kind: 'ratio' } as const;
  return { ...own, optional: false, from, threshold: 0, margin: null, ...more };
}

function read(from: ToolSource, output: Partial<RawOutput>, more: Partial<Metric> = {}) {
  const { values, failure } = extractMetrics([metric(from, more)], raw(output));
  return failure === null ? values['m'] : failure.message;
}

describe('a metric of another tool', () => {
  it('is the number of the result, from stdout, stderr or a file', () => {
    expect(read(source(), { stdout: THREE })).toBe(1000);
    expect(read(source({ text: { kind: 'stream', stream: 'stderr' } }), { stderr: THREE })).toBe(1000);
    const file = source({ text: { kind: 'file', path: 'report.tsv' } });
    expect(read(file, { files: { 'report.tsv': THREE } })).toBe(1000);
    expect(read(file, { files: { 'report.tsv': { missing: 'does not exist' } } })).toBe(
      'the file "report.tsv" does not exist',
    );
  });

  it('is of a result that is there once, unless `repeats` says what of several is meant', () => {
    const of = (repeats: ToolSource['repeats']) =>
      read(source({ result: 'readrandom.t2', repeats }), { stdout: THREE });
    expect(of(null)).toBe(
      'stdout has 2 results "readrandom.t2": say with `repeats` what of them is meant (mean, median, min or max)',
    );
    expect([of('mean'), of('median'), of('min'), of('max')]).toEqual([20, 20, 10, 30]);
  });

  it('that is not there fails the trial with the names of those that are, unless it is optional', () => {
    const none = source({ result: 'overwrite' });
    expect(read(none, { stdout: THREE })).toBe(
      'stdout has no result "overwrite": it has "fillseq.v4.s0", "readrandom.t2"',
    );
    expect(read(none, { stdout: THREE }, { optional: true })).toBeNull();
    const many = report(...Array.from({ length: 1000 }, (_, at) => ['1', '1', `test.t${at + 1}`] as const));
    expect(read(none, { stdout: many })).toMatch(
      /^stdout has no result "overwrite": it has "test\.t1", .* and 990 more$/,
    );
  });

  it('that its result lacks fails with the reason of the reader', () => {
    expect(read(source({ metric: 'max' }), { stdout: THREE }, { unit: 'ns' })).toBe(
      'the result "fillseq.v4.s0" in stdout has no max: the row has no pmax',
    );
    expect(read(source({ metric: 'colour' }), { stdout: THREE })).toBe(
      'the result "fillseq.v4.s0" in stdout has no colour of benchmark.sh of RocksDB: it has ops_per_second, p99',
    );
  });

  it('of a result that failed fails, optional or not', () => {
    for (const optional of [false, true]) {
      expect(read(source(), { stdout: report(['failed', '', 'fillseq.v4.s0']) }, { optional })).toBe(
        'the result "fillseq.v4.s0" in stdout failed: the job failed',
      );
    }
  });

  it('fails where the output is none of the tool', () => {
    expect(read(source(), { stdout: 'hello\n' }, { optional: true })).toMatch(
      /^stdout is no output of benchmark\.sh of RocksDB that can be read: /,
    );
  });

  it('is in the unit of the reader: another is not taken', () => {
    expect(read(source({ metric: 'p99' }), { stdout: THREE }, { unit: 'ns' })).toBe(5000);
    expect(read(source({ metric: 'p99' }), { stdout: THREE }, { unit: 'us' })).toBe(
      'p99 of benchmark_sh is in ns, and the experiment says `unit: us`',
    );
  });

  it('can be a value that must be equal in all trials', () => {
    expect(extractValue(source(), raw({ stdout: THREE }))).toEqual({ kind: 'json', value: 1000 });
  });

  it('is read from a text that is parsed once, however many metrics there are', () => {
    const output = raw({ stdout: THREE });
    const { read: parse } = TOOLS.benchmark_sh;
    let parses = 0;
    const tool = TOOLS.benchmark_sh as { read: typeof parse };
    tool.read = (text) => {
      parses += 1;
      return parse(text);
    };
    try {
      const metrics = ['ops_per_second', 'p99'].map((name) => metric(source({ metric: name }), { name, unit: '1/s' }));
      extractMetrics(metrics, output);
      readerWarnings(metrics, output);
    } finally {
      tool.read = parse;
    }
    expect(parses).toBe(1);
  });
});

describe('what the reader says of the output', () => {
  it('is told once for each text, as a sentence that begins with the tool', () => {
    const metrics = [metric(source()), metric(source({ metric: 'p99' }))];
    const warnings = readerWarnings(metrics, raw({ stdout: report(['0', '5', 'fillseq.v4.s0']) }));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.message).toBe(
      'benchmark.sh of RocksDB: line 2 has ops_sec 0: rounded down, or nothing was done.',
    );
  });

  it('is bounded', () => {
    const zeros = report(...Array.from({ length: 1000 }, () => ['0', '5', 'fillseq.v4.s0'] as const));
    expect(readerWarnings([metric(source())], raw({ stdout: zeros }))).toHaveLength(20);
  });
});

describe('from: TOOL.RESULT.METRIC', () => {
  const parsed = (line: string) => {
    const text = `title: t\narms: {a: {command: [./a]}, b: {command: [./b]}}\nmetrics:\n  - ${line}\n`;
    const read = readExperiment(text);
    if (!read.ok) throw new Error(read.errors.map(({ message }) => message).join('\n'));
    return read.experiment.metrics[0];
  };

  it('names the tool first and the metric last, and takes unit and direction from the reader', () => {
    const { from, unit, better } = parsed('{name: rate, from: benchmark_sh.fillseq.v4.s0.ops_per_second}');
    expect({ from, unit, better }).toEqual({ from: source(), unit: '1/s', better: 'higher' });
    expect(parsed('{name: rate, from: benchmark_sh.fillseq.v4.s0.ops_per_second, better: lower}').better).toBe('lower');
  });

  it('is a map where more is to be said', () => {
    const { from } = parsed(
      '{name: x, from: {tool: benchmark_sh, result: readrandom.t2, metric: p99, file: out/report.tsv, repeats: median}}',
    );
    const text = { kind: 'file', path: 'out/report.tsv' } as const;
    expect(from).toEqual(source({ text, result: 'readrandom.t2', metric: 'p99', repeats: 'median' }));
    const { from: stderr } = parsed(
      '{name: x, from: {tool: callgrind, result: total, metric: instructions, stderr: true}}',
    );
    expect(stderr).toMatchObject({ text: { kind: 'stream', stream: 'stderr' } });
  });
});
