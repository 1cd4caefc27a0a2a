import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Counters, counterReader, noiseBetween } from './noise.ts';

const SECOND = 1e9;
function counters(at_ns: number, busy: number, steal: number, frequency_hz: number | null = null): Counters {
  return { at_ns, ticks: { busy, steal }, frequency_hz, own_ns: 0 };
}

describe('noiseBetween', () => {
  it('gives rates over the time that passed', () => {
    // 2 s: 300 ticks are 3 s of CPU, of which the subject used 1.9 s; 10 ticks of steal are 0.1 s.
    const noise = noiseBetween(counters(0, 1000, 50, 3e9), counters(2 * SECOND, 1300, 60, 2e9), 1.9e9);
    expect(noise.other_cpu).toBeCloseTo(0.55, 12);
    expect(noise.steal).toBeCloseTo(0.05, 12);
    expect(noise.frequency_hz).toBe(2.5e9);
  });

  it("does not count Assay's own work", () => {
    const after = { ...counters(SECOND, 60, 0), own_ns: 0.2e9 };
    expect(noiseBetween(counters(0, 0, 0), after, 0.3e9).other_cpu).toBeCloseTo(0.1);
  });

  it('has no rates without counters, or without time between them', () => {
    const nothing = { steal: null, other_cpu: null, frequency_hz: null };
    expect(noiseBetween(counters(5, 0, 0), counters(5, 1, 1), 0)).toEqual(nothing);
    expect(noiseBetween({ ...counters(0, 0, 0), ticks: null }, counters(SECOND, 1, 1), 0)).toEqual(nothing);
  });

  it('does not know the work of others without that of the subject', () => {
    expect(noiseBetween(counters(0, 0, 0), counters(SECOND, 100, 5), null)).toMatchObject({
      other_cpu: null,
      steal: 0.05,
    });
  });

  it('takes one frequency where the other is missing', () => {
    expect(noiseBetween(counters(0, 0, 0, null), counters(SECOND, 0, 0, 2e9), 0).frequency_hz).toBe(2e9);
  });

  it('is never negative, whatever counters do', () => {
    const any = fc.record({
      at_ns: fc.integer({ min: 0, max: 1e12 }),
      ticks: fc.record({ busy: fc.nat(), steal: fc.nat() }),
      frequency_hz: fc.constant(null),
      own_ns: fc.nat(),
    });
    fc.assert(
      fc.property(any, any, fc.nat({ max: 2 ** 31 - 1 }), (before, after, cpu) => {
        const { steal, other_cpu } = noiseBetween(before, after, cpu);
        for (const rate of [steal, other_cpu]) expect(rate === null || (rate >= 0 && Number.isFinite(rate))).toBe(true);
      }),
    );
  });
});

describe('counterReader', () => {
  let root: string;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  beforeAll(() => {
    root = `${mkdtempSync(join(tmpdir(), 'assay-noise-'))}/`;
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('reads nothing where nothing is', () => {
    expect(counterReader(0, `${root}none/`)()).toMatchObject({ ticks: null, frequency_hz: null });
  });

  it('takes busy time of all CPUs, steal and frequency of the pinned one', () => {
    write(
      'proc/stat',
      'cpu  10 1 2 500 30 3 4 9 0 0\ncpu0 6 1 1 250 15 3 2 2 0 0\ncpu1 4 0 1 250 15 0 2 7 0 0\nintr 5\n',
    );
    write('proc/cpuinfo', 'processor : 0\ncpu MHz : 2000\nflags : fpu\n\nprocessor : 1\ncpu MHz : 2000\nflags : fpu\n');
    expect(counterReader(1, root)()).toMatchObject({ ticks: { busy: 20, steal: 7 }, frequency_hz: null });
    expect(counterReader(null, root)().ticks).toEqual({ busy: 20, steal: 9 });
    expect(counterReader(5, root)().ticks).toBeNull();
    write('sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq', '3100000\n');
    expect(counterReader(1, root)().frequency_hz).toBe(3.1e9);
    expect(counterReader(0, root)().frequency_hz).toBeNull();
    write(
      'proc/cpuinfo',
      'processor : 0\ncpu MHz : 2000.5\nflags : fpu aperfmperf\n\nprocessor : 1\ncpu MHz : 3000.5\n',
    );
    expect(counterReader(0, root)().frequency_hz).toBe(2.0005e9);
    expect(counterReader(null, root)().frequency_hz).toBe(2.5005e9);
  });

  it.runIf(process.platform === 'linux')('sees this machine work', () => {
    const read = counterReader(null);
    const before = read();
    const end = process.hrtime.bigint() + 300_000_000n;
    while (process.hrtime.bigint() < end);
    const after = read();
    // This very loop is Assay's own work.
    const all = noiseBetween({ ...before, own_ns: after.own_ns }, after, 0).other_cpu ?? -1;
    const others = noiseBetween(before, after, 0).other_cpu ?? -1;
    expect(all).toBeGreaterThan(0);
    expect(others).toBeGreaterThanOrEqual(0);
    expect(others).toBeLessThan(all);
  });
});
