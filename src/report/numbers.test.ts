import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changeScale,
  counted,
  decimalsFor,
  formatDuration,
  formatInterval,
  formatLevel,
  formatNumber,
  formatP,
  formatShare,
  formatSigned,
  formatTime,
  formatValue,
  percentScale,
} from './numbers.ts';

function shown(change: number, interval: readonly [number, number] | null): string {
  const scale = percentScale(change, interval);
  return `${formatSigned(change, scale)} ${interval === null ? 'exact' : formatInterval(interval, scale)}`;
}

describe('a change and its interval', () => {
  test.each<[number, readonly [number, number] | null, string]>([
    [0.0132, [0.0105, 0.0158], '+1.32 % [+1.05 %, +1.58 %]'],
    [0.0132, [-0.0133, 0.0397], '+1.3 % [-1.3 %, +4.0 %]'],
    [0.2, [-0.05, 0.5], '+20 % [-5 %, +50 %]'],
    [-0.00001234, [-0.00001239, -0.00001229], '-0.0012340 % [-0.0012390 %, -0.0012290 %]'],
    // Half a width of 0.0996 is 0.10 in two digits: two decimals, not three.
    [0.01, [0.009004, 0.010996], '+1.00 % [+0.90 %, +1.10 %]'],
    // An interval shows whether it excludes zero, as far as two more decimals do.
    [0.003, [0.00002, 0.006], '+0.300 % [+0.002 %, +0.600 %]'],
    [0.003, [-0.00002, 0.006], '+0.300 % [-0.002 %, +0.600 %]'],
    [0.003, [-0.00000002, 0.006], '+0.3000 % [0.0000 %, +0.6000 %]'],
    [0.3, [-0.002, 0.6], '+30.0 % [-0.2 %, +60.0 %]'],
    // What is rounded to zero has no sign.
    [-0.00002, [-0.006, 0.006], '0.00 % [-0.60 %, +0.60 %]'],
    [-0.001, [-0.6, 0.5], '0 % [-60 %, +50 %]'],
    [-1e-17, [-1e-16, 1e-16], '0.000000000 % [0.000000000 %, 0.000000000 %]'],
    [0, [-0.01, 0.01], '0.0 % [-1.0 %, +1.0 %]'],
    [0, null, '0 % exact'],
    [0, [0, 0], '0 % [0 %, 0 %]'],
    [0.01, null, '+1.00 % exact'],
    [0.000123456, null, '+0.0123 % exact'],
    [12.34, [11.8, 12.9], '+1234 % [+1180 %, +1290 %]'],
    [12.34, [3.1, 40.9], '+1230 % [+310 %, +4090 %]'],
    [1e6, [0.9e6, 1.1e6], '+1.00e+8 % [+9.00e+7 %, +1.10e+8 %]'],
    [Number.MAX_VALUE, [1, Number.MAX_VALUE], '+1.00e+308 % [+100 %, +1.00e+308 %]'],
    [-0.9999, [-0.99992, -0.99987], '-99.9900 % [-99.9920 %, -99.9870 %]'],
    // A positive quantity never loses all of itself.
    [-0.5, [-0.9996, 40], '-50.00 % [-99.96 %, +4000.00 %]'],
    [-0.99999, null, '-99.999 % exact'],
  ])('%d %j', (change, interval, text) => {
    expect(shown(change, interval)).toBe(text);
  });

  test('of a difference stands in its unit', () => {
    const scale = changeScale(1234, [1200, 1268], { factor: 1e-3, suffix: ' µs' });
    expect(formatSigned(1234, scale)).toBe('+1.234 µs');
    expect(formatInterval([1200, 1268], scale)).toBe('[+1.200 µs, +1.268 µs]');
  });

  test('never claims that everything went, and never prints more than the half width supports', () => {
    const ends = fc.tuple(fc.double({ min: -6, max: 6, noNaN: true }), fc.double({ min: 1e-4, max: 1, noNaN: true }));
    fc.assert(
      fc.property(ends, ([mean, half]) => {
        const interval = [Math.expm1(mean - half), Math.expm1(mean + half)] as const;
        const text = shown(Math.expm1(mean), interval);
        expect(text).not.toMatch(/-100(\.0*)? %|[+-]0(\.0*)? %|NaN|Infinity/);
        const decimals = new Set([...text.matchAll(/\d+(?:\.(\d+))? %/g)].map((match) => match[1]?.length ?? 0));
        expect(decimals.size).toBe(1);
      }),
    );
  });
});

test('decimals show two digits of a size', () => {
  expect([0.265, 2.65, 26.5, 265, 0.0996, 0.1].map((size) => decimalsFor(size))).toEqual([2, 1, 0, -1, 2, 2]);
  expect(decimalsFor(1e-300)).toBe(9);
});

test('values have no sign of their own', () => {
  const scale = { factor: 1e-6, decimals: 1, suffix: ' ms' };
  expect(formatValue(417_250_000, scale)).toBe('417.3 ms');
  expect(formatValue(-1, scale)).toBe('0.0 ms');
  expect(formatValue(-5_000_000, scale)).toBe('-5.0 ms');
});

test('numbers have no needless digits', () => {
  expect([0, 1, 0.5, 12345, 0.012345, 1e-9, 1e12].map((value) => formatNumber(value))).toEqual([
    ...['0', '1', '0.5', '12345', '0.0123', '1e-9', '1000000000000'],
  ]);
  expect(formatShare(0.05)).toBe('5 %');
  expect(formatShare(0.1875)).toBe('18.8 %');
  expect(formatShare(Number.MAX_VALUE)).toBe('1e+308 %');
});

test('levels have the digits that tell them apart', () => {
  expect([0.95, 0.9, 0.975, 1 - 0.05 / 3, 0.99995].map(formatLevel)).toEqual([
    ...['95 %', '90 %', '97.5 %', '98.3 %', '99.995 %'],
  ]);
});

test('probabilities, durations, times, counts', () => {
  expect([1, 0.0312, 0.00099, 0].map(formatP)).toEqual(['p = 1', 'p = 0.031', 'p < 0.001', 'p < 0.001']);
  expect([0.5, 48.23, 750, 11160].map(formatDuration)).toEqual(['0.5 s', '48.2 s', '12.5 min', '3.1 h']);
  expect(formatTime(Date.UTC(2024, 0, 2, 3, 4, 5))).toBe('2024-01-02 03:04:05 UTC');
  expect([counted(1, 'pair'), counted(0, 'pair')]).toEqual(['1 pair', '0 pairs']);
});
