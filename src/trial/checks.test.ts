import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Check } from '../experiment/experiment.ts';
import { runChecks } from './checks.ts';
import type { RawOutput } from './extract.ts';
import type { LaunchOutcome } from './launch.ts';

const ACCOUNTING = { method: 'wait4', resolution: 1000, scope: 'the trial' };

function raw(stdout: string, outcome: LaunchOutcome = { kind: 'exited', code: 0 }, stderr = ''): RawOutput {
  const account = {
    outcome,
    wall_ns: 1,
    cpu_ns: null,
    max_rss_bytes: null,
    leftovers: 0,
    counters: null,
    accounting: { wall: ACCOUNTING, cpu: ACCOUNTING, max_rss: ACCOUNTING },
    started_boot_ns: 1,
    ended_boot_ns: 2,
    started_unix_ms: 3,
    settled_ns: 0,
  };
  return { stdout, stderr, files: {}, account };
}

const EXIT_OK = { name: 'exit code', ok: true, detail: '0' };

describe('the exit code', () => {
  it('must be 0 unless said otherwise', () => {
    expect(runChecks([], raw(''))).toEqual([EXIT_OK]);
    expect(runChecks([{ kind: 'exit_code', code: 3 }], raw('', { kind: 'exited', code: 3 }))).toMatchObject([
      { ok: true },
    ]);
    expect(runChecks([{ kind: 'exit_code', code: 3 }], raw(''))).toMatchObject([{ ok: false }]);
  });

  it.each<[LaunchOutcome, string]>([
    [{ kind: 'exited', code: 1 }, 'exit code 1 (expected exit code 0)'],
    [{ kind: 'signalled', signal: 'SIGSEGV' }, 'ended by SIGSEGV (expected exit code 0)'],
    [{ kind: 'timeout' }, 'ended by the timeout (expected exit code 0)'],
  ])('%j', (outcome, detail) => {
    expect(runChecks([], raw('', outcome))).toEqual([{ name: 'exit code', ok: false, detail }]);
  });
});

describe("the driver's checks", () => {
  const driver = (...names: string[]): Check[] => [{ kind: 'driver', names }];
  const line = (checks: unknown) => `${JSON.stringify({ checks })}\n`;
  const of = (checks: readonly Check[], stdout: string) => runChecks(checks, raw(stdout)).slice(1);

  it('are reported and count, asked for or not', () => {
    const stdout = line({ verified: { ok: true, detail: '10 keys' }, count: { ok: false, detail: '9 of 10' } });
    for (const checks of [[], driver(), driver('verified')]) {
      expect(of(checks, stdout)).toEqual([
        { name: 'driver: verified', ok: true, detail: '10 keys' },
        { name: 'driver: count', ok: false, detail: '9 of 10' },
      ]);
    }
  });

  it('must exist where they are named', () => {
    const missing = { name: 'driver: verified', ok: false, detail: 'the driver did not report this check' };
    expect(of(driver('verified'), line({ other: { ok: true } }))).toEqual([
      { name: 'driver: other', ok: true, detail: '' },
      missing,
    ]);
    expect(of(driver('verified', 'verified'), line({}))).toEqual([missing]);
    expect(of(driver('toString'), line({}))).toMatchObject([{ ok: false }]);
  });

  it('must be at least one where any is asked for', () => {
    expect(of(driver(), line({}))).toMatchObject([{ name: 'driver: checks', ok: false }]);
    expect(of([], line({}))).toEqual([]);
  });

  it('need a result line where they are asked for', () => {
    expect(of(driver(), 'hello')).toMatchObject([{ name: 'driver: result line', ok: false }]);
    expect(of([], 'hello')).toEqual([]);
  });

  it('do not pass because they are reported badly', () => {
    expect(of([], '{"checks":{"verified":{"ok":"no"}}}')).toMatchObject([{ name: 'driver: result line', ok: false }]);
    expect(of([], '{"metrics":{"x":nan},"checks":{"verified":{"ok":false}}}')).toMatchObject([{ ok: false }]);
  });

  it('are nothing that another program prints', () => {
    expect(of([], '{"metrics":["a"]}')).toEqual([]);
    expect(of([], '{"hello":"world"}')).toEqual([]);
  });
});

describe('a value that must be equal', () => {
  const equal = (pointer: string): Check[] => [{ kind: 'equal', name: 'keys', from: { kind: 'result', pointer } }];
  const check = (pointer: string, facts: unknown) => runChecks(equal(pointer), raw(JSON.stringify({ facts })))[1];

  it('is given as one text for the same value', () => {
    expect(check('/facts/keys', { keys: 10 })).toEqual({ name: 'equal: keys', ok: true, detail: '10' });
    expect(check('/facts', { b: 1, a: 2 })).toEqual(check('/facts', { a: 2, b: 1 }));
    expect(check('/facts/keys', { keys: '10' })?.detail).toBe('"10"');
  });

  it('must exist', () => {
    expect(check('/facts/keys', {})).toMatchObject({ ok: false, detail: expect.stringContaining('has nothing at') });
  });

  it('must not have been rounded', () => {
    expect(check('/facts/keys', { keys: 2 ** 60 })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('2^53'),
    });
  });

  it('is compared by its digest where it is long', () => {
    const one = check('/facts/keys', { keys: 'x'.repeat(1000) })?.detail;
    expect(one).toMatch(/^sha256:[0-9a-f]{64} \(1002 characters\)$/);
    expect(check('/facts/keys', { keys: `${'x'.repeat(999)}y` })?.detail).not.toBe(one);
  });

  it('comes from text too, without control characters', () => {
    const checks: Check[] = [
      { kind: 'equal', name: 'sum', from: { kind: 'pattern', stream: 'stdout', pattern: 'sum=(.*)' } },
    ];
    expect(runChecks(checks, raw('sum=\u001bx\n'))[1]).toEqual({ name: 'equal: sum', ok: true, detail: '"\\u001bx"' });
  });
});

describe('a pattern', () => {
  const of = (must: boolean, text: string) => {
    return runChecks([{ kind: 'pattern', stream: 'stderr', pattern: 'corrupt', must }], raw('', undefined, text))[1];
  };

  it('must or must not occur', () => {
    expect(of(true, 'is corrupt')).toEqual({ name: 'stderr matches "corrupt"', ok: true, detail: 'found' });
    expect(of(true, 'fine')).toMatchObject({ ok: false, detail: 'not found' });
    expect(of(false, 'fine')).toEqual({ name: 'stderr does not match "corrupt"', ok: true, detail: 'not found' });
    expect(of(false, 'is corrupt')).toMatchObject({ ok: false, detail: 'found' });
  });

  it('that cannot be answered passes neither way', () => {
    for (const must of [true, false]) {
      for (const [pattern, length] of [
        ['(', 1],
        ['(?:x{1,1000})[yz]', 3_000_000],
      ] as const) {
        const checks: Check[] = [{ kind: 'pattern', stream: 'stdout', pattern, must }];
        expect(runChecks(checks, raw('x'.repeat(length)))[1]).toMatchObject({ ok: false });
      }
    }
  });
});

it('never throws on any output', () => {
  const checks: Check[] = [
    { kind: 'driver', names: ['a'] },
    { kind: 'equal', name: 'e', from: { kind: 'result', pointer: '/facts/x' } },
    { kind: 'pattern', stream: 'stdout', pattern: 'a+b', must: true },
  ];
  const soup = fc.string({
    unit: fc.constantFrom('{', '}', '"checks"', '"facts"', '"x"', ':', '1', '[', ']', '\n', 'a', ','),
  });
  fc.assert(fc.property(soup, (stdout) => void runChecks(checks, raw(stdout))));
});
