import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Metric, MetricSource } from '../experiment/experiment.ts';
import { extractMetrics, extractValue, type RawOutput } from './extract.ts';
import type { LaunchAccount } from './launch.ts';

const ACCOUNTING = { method: 'wait4', resolution: 1000, scope: 'the trial' };
const ACCOUNT: LaunchAccount = {
  outcome: { kind: 'exited', code: 0 },
  wall_ns: 50_000_000,
  cpu_ns: 40_000_000,
  max_rss_bytes: 3_000_000,
  leftovers: 0,
  counters: null,
  accounting: { wall: ACCOUNTING, cpu: ACCOUNTING, max_rss: ACCOUNTING },
  started_boot_ns: 1,
  ended_boot_ns: 2,
  started_unix_ms: 3,
  settled_ns: 0,
};

function raw(parts: Partial<RawOutput> = {}): RawOutput {
  return { stdout: '', stderr: '', files: {}, account: ACCOUNT, ...parts };
}

function metric(from: MetricSource, more: Partial<Metric> = {}): Metric {
  return {
    name: 'read_ns',
    unit: 'ns',
    better: 'lower',
    primary: true,
    per: null,
    kind: 'ratio',
    optional: false,
    from,
    threshold: 0,
    margin: null,
    ...more,
  };
}

const RESULT: MetricSource = { kind: 'result', pointer: '/metrics/read_ns' };
const PATTERN: MetricSource = { kind: 'pattern', stream: 'stderr', pattern: 'ops: (\\S+)' };
const file = (read: (MetricSource & { kind: 'file' })['read']): MetricSource => ({
  kind: 'file',
  path: 'out/log',
  read,
});
const WHOLE = file({ kind: 'whole' });

describe('extractMetrics', () => {
  it.each([
    ['wall', 50_000_000],
    ['cpu', 40_000_000],
    ['max_rss', 3_000_000],
  ] as const)('takes %s from the account', (name, value) => {
    expect(extractMetrics([metric({ kind: 'system', name })], raw())).toEqual({
      values: { read_ns: value },
      operations: {},
      failure: null,
    });
  });

  it.each<[string, MetricSource, Partial<RawOutput>, number]>([
    ['the result line', RESULT, { stdout: 'x\n{"metrics":{"read_ns":12.5}}\n' }, 12.5],
    [
      'any member of the result line',
      { kind: 'result', pointer: '/jobs/0/iops' },
      { stdout: '{"jobs":[{"iops":7}]}' },
      7,
    ],
    ['a pattern', PATTERN, { stdout: 'ops: 1', stderr: 'ops: 2.5e3\nops: 2.5e3' }, 2500],
    ['a whole file', WHOLE, { files: { 'out/log': ' 42\n' } }, 42],
    ['a pointer into a file', file({ kind: 'pointer', pointer: '/a' }), { files: { 'out/log': '{"a":\n3}' } }, 3],
    [
      'a pattern over a file',
      file({ kind: 'pattern', pattern: '^n=(\\d+)$' }),
      { files: { 'out/log': 'm=1\nn=8\n' } },
      8,
    ],
  ])('reads %s', (_, from, parts, value) => {
    const found = { values: { read_ns: value }, operations: {}, failure: null };
    expect(extractMetrics([metric(from)], raw(parts))).toEqual(found);
  });

  it('divides by the count of operations', () => {
    const found = extractMetrics([metric({ kind: 'system', name: 'wall' }, { per: 1000 })], raw());
    expect(found.values).toEqual({ read_ns: 50_000 });
  });

  const WALL: MetricSource = { kind: 'system', name: 'wall' };
  const PER = { per: { pointer: '/facts/keys' } };

  it('divides by the operations that the trial itself did', () => {
    const stdout = '{"operations": 5, "facts": {"keys": 1000, "half": 0.5}}';
    const metrics = [metric(WALL, PER), { ...metric(WALL, { per: { pointer: '/operations' } }), name: 'declared' }];
    expect(extractMetrics(metrics, raw({ stdout }))).toEqual({
      values: { read_ns: 50_000, declared: 10_000_000 },
      operations: { '/facts/keys': 1000, '/operations': 5 },
      failure: null,
    });
    // What is declared is known, whatever the metrics are divided by.
    expect(extractMetrics([metric(WALL)], raw({ stdout })).operations).toEqual({ '/operations': 5 });
  });

  const here = 'the result line, at "/facts/keys", has';
  it.each([
    ['hello', 'stdout has no line that is one JSON object'],
    ['{"facts": {}}', 'the result line has nothing at "/facts/keys"'],
    ['{"facts": {"keys": 0}}', `${here} 0 where a whole number from 1 to 2^53 should stand`],
    ['{"facts": {"keys": -3}}', `${here} -3 where a whole number from 1 to 2^53 should stand`],
    ['{"facts": {"keys": 2.5}}', `${here} 2.5 where a whole number from 1 to 2^53 should stand`],
    ['{"facts": {"keys": "7"}}', `${here} "7" where a whole number from 1 to 2^53 should stand`],
    ['{"facts": {"keys": null}}', `${here} null where a whole number from 1 to 2^53 should stand`],
    ['{"facts": {"keys": 1e300}}', `${here} 1e+300 where a whole number from 1 to 2^53 should stand`],
  ])('fails where the operations are not known: %s', (stdout, reason) => {
    const failure = { metric: 'read_ns', message: `its operations are not known: ${reason}` };
    for (const optional of [false, true]) {
      const found = extractMetrics([metric(WALL, { ...PER, optional })], raw({ stdout }));
      expect(found).toEqual({ values: {}, operations: {}, failure });
    }
  });

  it('needs no operations for a value that is not there', () => {
    const found = extractMetrics([metric(RESULT, { ...PER, optional: true })], raw({ stdout: '{}' }));
    expect(found).toEqual({ values: { read_ns: null }, operations: {}, failure: null });
  });

  it.each<[string, MetricSource, Partial<RawOutput>, string]>([
    ['no result line', RESULT, { stdout: 'hello' }, 'stdout has no line that is one JSON object'],
    ['another metric', RESULT, { stdout: '{"metrics":{"x":1}}' }, 'the result line has nothing at "/metrics/read_ns"'],
    ['no match', PATTERN, { stderr: 'x' }, 'nothing in stderr matches "ops: (\\\\S+)"'],
    [
      'a missing file',
      WHOLE,
      { files: { 'out/log': { missing: 'is a symbolic link' } } },
      'the file "out/log" is a symbolic link',
    ],
    ['a file that was not kept', WHOLE, {}, 'the file "out/log" was not kept'],
  ])('fails on %s, unless the metric is optional', (_, from, parts, message) => {
    const failure = { metric: 'read_ns', message };
    expect(extractMetrics([metric(from)], raw(parts))).toEqual({ values: {}, operations: {}, failure });
    expect(extractMetrics([metric(from, { optional: true })], raw(parts))).toEqual({
      values: { read_ns: null },
      operations: {},
      failure: null,
    });
  });

  it.each<[string, MetricSource, Partial<RawOutput>, RegExp]>([
    [
      'a NaN in quotes',
      RESULT,
      { stdout: '{"metrics":{"read_ns":"NaN"}}' },
      /read_ns": expected a finite number, found "NaN"$/,
    ],
    ['a bare NaN', RESULT, { stdout: '{"metrics":{"read_ns":NaN}}' }, /is not JSON \(which has no NaN/],
    ['a number that overflows', RESULT, { stdout: '{"metrics":{"read_ns":1e999}}' }, /found Infinity/],
    [
      'text elsewhere in the line',
      { kind: 'result', pointer: '/facts/a' },
      { stdout: '{"facts":{"a":"12"}}' },
      /^the result line, at "\/facts\/a", has "12" where a finite number should stand$/,
    ],
    [
      'overflow elsewhere in the line',
      { kind: 'result', pointer: '/facts/a' },
      { stdout: '{"facts":{"a":-1e999}}' },
      /has -Infinity/,
    ],
    ['NaN in text', PATTERN, { stderr: 'ops: nan' }, /^stderr has "nan" where a finite number should stand$/],
    ['a decimal comma', PATTERN, { stderr: 'ops: 100,00' }, /"100,00"/],
    ['an empty file', WHOLE, { files: { 'out/log': '' } }, /^the file "out\/log" has "" where/],
    ['a file that is no JSON', file({ kind: 'pointer', pointer: '' }), { files: { 'out/log': '{' } }, /is not JSON/],
    ['escapes of a terminal', PATTERN, { stderr: 'ops: \u001b[2J' }, /"\\u001b\[2J"/],
  ])('fails on %s, optional or not', (_, from, parts, message) => {
    for (const optional of [false, true]) {
      const found = extractMetrics([metric(from, { optional })], raw(parts));
      const failure = { metric: 'read_ns', message: expect.stringMatching(message) };
      expect(found).toEqual({ values: {}, operations: {}, failure });
    }
  });

  it('says what the machine does not account for', () => {
    const account = {
      ...ACCOUNT,
      cpu_ns: null,
      accounting: { ...ACCOUNT.accounting, cpu: { ...ACCOUNTING, method: 'none' } },
    };
    const cpu = metric({ kind: 'system', name: 'cpu' });
    expect(extractMetrics([cpu], raw({ account })).failure?.message).toMatch(/does not account for cpu \(none\)/);
    expect(extractMetrics([{ ...cpu, optional: true }], raw({ account })).values).toEqual({ read_ns: null });
  });

  it('reads the others when one fails, and names the first that failed', () => {
    const found = extractMetrics(
      [
        metric(WHOLE, { name: 'a' }),
        metric(PATTERN, { name: 'b' }),
        metric({ kind: 'system', name: 'wall' }, { name: '__proto__' }),
      ],
      raw(),
    );
    expect(found.failure?.metric).toBe('a');
    expect(Object.entries(found.values)).toEqual([['__proto__', 50_000_000]]);
  });

  it('never throws, and values are finite', () => {
    const text = fc.string({
      unit: fc.constantFrom('{', '}', '"metrics"', '"read_ns"', ':', '1', 'e999', 'ops: ', '\n', '-', '.', ' '),
    });
    const metrics = [RESULT, PATTERN, WHOLE, file({ kind: 'pointer', pointer: '/a' })].map((from, i) =>
      metric(from, { name: `m${i}` }),
    );
    fc.assert(
      fc.property(text, text, text, (stdout, stderr, log) => {
        const found = extractMetrics(metrics, raw({ stdout, stderr, files: { 'out/log': log } }));
        for (const value of Object.values(found.values)) expect(value).toSatisfy(Number.isFinite);
      }),
    );
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        (stdout) => void extractMetrics(metrics, raw({ stdout, stderr: stdout })),
      ),
    );
  });
});

describe('extractValue', () => {
  it('gives values of any type', () => {
    const stdout = '{"facts":{"keys":["a"]}}';
    expect(extractValue({ kind: 'result', pointer: '/facts/keys' }, raw({ stdout }))).toEqual({
      kind: 'json',
      value: ['a'],
    });
    expect(extractValue({ kind: 'pattern', stream: 'stdout', pattern: '"(k\\w+)"' }, raw({ stdout }))).toEqual({
      kind: 'text',
      text: 'keys',
    });
  });

  it('does not take a path for a part of an object', () => {
    const source = { kind: 'file', path: 'toString', read: { kind: 'whole' } } as const;
    expect(extractValue(source, raw())).toMatchObject({ kind: 'absent' });
  });

  it('gives a reason for a pattern that is none', () => {
    const source = { kind: 'pattern', stream: 'stdout', pattern: '(' } as const;
    expect(extractValue(source, raw())).toMatchObject({ kind: 'broken' });
  });
});
