import { describe, expect, it } from 'vitest';
import type { LaunchRequest } from './launch.ts';
import { checkRequest, encodeCancel, encodeLaunch, errorName, parseAccount, signalName } from './native-protocol.ts';

const request: LaunchRequest = {
  argv: ['/bin/echo', 'ö', ''],
  cwd: '/tmp',
  env: { A: 'b=c' },
  stdin: null,
  stdout: '/tmp/out',
  stderr: '/tmp/err',
  cpu: null,
  fixed_layout: false,
  real_time: false,
  memory_group: null,
  counters: null,
  timeout_ms: 1.5,
  grace_ms: 0,
  max_output_bytes: 10,
  settle: true,
};

const line =
  'id=4 outcome=exited step=- value=3 wall=1000 cpu=2000 rss=4096 leftovers=1 boot0=5 boot1=6 unix=7 settled=8 counters=0';

describe('requests', () => {
  it('are a length in bytes and fields that end with NUL', () => {
    expect(encodeCancel('12')).toEqual(Buffer.from('\x0a\0\0\0cancel\x0012\0', 'latin1'));
    const bytes = encodeLaunch('1', request);
    expect(bytes.readUInt32LE(0)).toBe(bytes.length - 4);
    const fields = bytes.toString('utf8', 4).split('\0');
    const files = ['/tmp', '/dev/null', '/tmp/out', '/tmp/err'];
    expect(fields).toEqual([
      'launch',
      '1',
      '1',
      '-1',
      '0',
      '0',
      '0',
      '2',
      '0',
      '10',
      ...files,
      '',
      '3',
      ...request.argv,
      'A=b=c',
      '',
    ]);
  });

  it('name the file of the control group that the subject joins', () => {
    const fields = encodeLaunch('1', { ...request, memory_group: '/sys/fs/cgroup/x' })
      .toString('utf8', 4)
      .split('\0');
    expect(fields[14]).toBe('/sys/fs/cgroup/x/cgroup.procs');
    expect(() => checkRequest({ ...request, memory_group: 'x' })).toThrow('absolute');
  });

  it('keep endless timeouts within the launcher’s 64 bits', () => {
    const fields = encodeLaunch('1', { ...request, timeout_ms: Number.MAX_VALUE })
      .toString('utf8', 4)
      .split('\0');
    expect(BigInt(fields[7] ?? 'missing') * 1_000_000n).toBeLessThan(2n ** 62n);
  });

  it('are refused where no system could start them', () => {
    expect(() => checkRequest(request)).not.toThrow();
    for (const changes of [
      { argv: ['/bin/echo', 'a\0'] },
      { env: { 'A\0': '' } },
      { env: { 'A=': '' } },
      { env: { '': 'x' } },
      { argv: ['echo'] },
      { cwd: 'relative' },
      { timeout_ms: Number.NaN },
      { cpu: -1 },
    ]) {
      expect(() => encodeLaunch('1', { ...request, ...changes } as LaunchRequest)).toThrow();
    }
  });
});

describe('answers', () => {
  it('become accounts', () => {
    expect(parseAccount(line, '4', 16384)).toMatchObject({
      outcome: { kind: 'exited', code: 3 },
      wall_ns: 1000,
      cpu_ns: 2000,
      max_rss_bytes: 4096,
      leftovers: 1,
      accounting: { max_rss: { method: 'wait4', resolution: 16384 } },
      started_boot_ns: 5,
      ended_boot_ns: 6,
      started_unix_ms: 7,
      settled_ns: 8,
    });
  });

  it('have every outcome', () => {
    const outcome = (text: string) => parseAccount(line.replace(/outcome=.* wall/, `${text} wall`), '4', 4096).outcome;
    expect(outcome('outcome=signalled step=- value=9')).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(outcome('outcome=timeout step=- value=15')).toEqual({ kind: 'timeout' });
    expect(outcome('outcome=cancelled step=- value=0')).toEqual({ kind: 'cancelled' });
    expect(outcome('outcome=output_limit step=stderr value=0')).toEqual({ kind: 'output_limit', stream: 'stderr' });
    const missing = { kind: 'not_started', step: 'exec', code: 'ENOENT' };
    expect(outcome('outcome=not_started step=exec value=2')).toEqual(missing);
  });

  it('have what was counted, or why nothing was', () => {
    const counted = (text: string) => parseAccount(line.replace('counters=0', text), '4', 4096).counters;
    const events = 'event0=5 event1=6 event2=7 event3=8 enabled=10 running=9';
    expect(parseAccount(line, '4', 4096).counters).toBeNull();
    expect(counted(`counters=1 refused=0 event=0 ${events}`)).toEqual({
      kind: 'hardware',
      events: { cycles: 5, instructions: 6, branch_misses: 7, cache_misses: 8 },
      enabled_ns: 10,
      running_ns: 9,
    });
    expect(counted(`counters=2 refused=13 event=1 paranoid=3 ${events}`)).toEqual({
      kind: 'software',
      unsupported: expect.stringMatching(/EACCES, kernel.perf_event_paranoid is 3/),
    });
    expect(() => counted('counters=1 refused=0 event=0 event0=5')).toThrow(/no number/);
  });

  it('may come from a machine that has been up for years', () => {
    const old = line.replace('boot0=5', 'boot0=94608000123456789');
    expect(parseAccount(old, '4', 4096).started_boot_ns).toBe(Number(94608000123456789n));
  });

  it('are refused when they are damaged or of another launch', () => {
    for (const bad of [
      '',
      line.replace('id=4', 'id=5'),
      line.replace('exited', 'vanished'),
      line.replace('wall=1000', 'wall=-1'),
      line.replace('wall=1000', 'wall=94608000123456789'),
      line.replace('cpu=2000 ', ''),
    ]) {
      expect(() => parseAccount(bad, '4', 4096)).toThrow(/launcher/);
    }
  });

  it('name signals and errors, or number those without a name', () => {
    expect(signalName(11)).toBe('SIGSEGV');
    expect(signalName(40)).toBe('signal 40');
    expect(errorName(13)).toBe('EACCES');
    expect(errorName(9999)).toBe('errno 9999');
  });
});
