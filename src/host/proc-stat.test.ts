import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseChildren, parseCpuTicks, parseLoad, parsePressure, parseProcess, processName } from './proc-stat.ts';

it('reads counters of CPUs, also of old kernels that count less', () => {
  const ticks = parseCpuTicks(
    'cpu  3643 5 1864 125731 116 7 30 8 2 1\ncpu0 1469 0 819 63372 4 0 9 3 0 0\nintr 203133 0\ncpu1 9 9\n',
  );
  expect([...ticks]).toEqual([
    [null, { busy: 3643 + 5 + 1864 + 7 + 30, steal: 8 }],
    [0, { busy: 1469 + 819 + 9, steal: 3 }],
  ]);
  expect(parseCpuTicks('cpu  1 2 3 4\n').get(null)).toEqual({ busy: 6, steal: 0 });
  expect(parseCpuTicks('cpu  1 x 3\n').size).toBe(0);
  expect(parseCpuTicks('').size).toBe(0);
});

const STAT = '42 (a) b (c) R 7 42 42 0 -1 4194560 100 0 0 0 11 22 3 4 20 0 1 0 98765 1000 20 18446744073709551615';

it('reads one process', () => {
  expect(parseProcess(STAT)).toEqual({ pid: 42, parent: 7, ticks: 33, started: '98765' });
  expect(processName(STAT)).toBe('a) b (c');
  expect(parseProcess('42 (a) R 7')).toBeNull();
  expect(parseProcess('')).toBeNull();
  expect(parseChildren(STAT)).toBe(3 + 4);
  expect(parseChildren('42 (a) R 7')).toBeNull();
});

it('reads load and pressure', () => {
  expect(parseLoad('0.08 0.04 0.01 1/95 5905\n')).toBe(0.08);
  expect(parseLoad('')).toBeNull();
  expect(parsePressure('some avg10=12.50 avg60=1.44 avg300=0.76 total=1\n')).toBe(0.125);
  expect(parsePressure('full avg10=1.00 avg60=0 avg300=0 total=1\n')).toBeNull();
});

it('never throws', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseCpuTicks(text);
      parseProcess(text);
      parseChildren(text);
      processName(text);
      parseLoad(text);
      parsePressure(text);
    }),
  );
});
