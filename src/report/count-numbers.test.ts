import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countChangeScale,
  countDecimals,
  differenceDecimals,
  formatCount,
  formatSignedCount,
  printedRange,
} from './count-numbers.ts';
import { formatSigned } from './numbers.ts';

test.each([
  ['whole numbers', [12, 12], [1022, 1034], 0],
  ['exact decimals', [12.004, 12.004], [1022, 1034.004], 3],
  ['an endless quotient', [12, 12], [1022 + 1 / 3, 1034 + 1 / 3], 1],
  ['a small endless quotient', [1 / 300, 1 / 300], [4, 4 + 1 / 300], 5],
  ['no difference of endless quotients', [0, 0], [1022 + 1 / 3, 1022 + 1 / 3], 1],
  ['a range of tenths', [11.9, 12.1], [1000, 1000.1, 1012, 1012.1], 1],
  ['a range of hundreds', [1200, 2345], [5_000_000, 5_001_200], -2],
  ['a range whose end is near zero', [12, 1011], [500, 1511], -1],
  ['a range about zero', [-3, 1011], [500, 1511], -2],
  ['whole numbers that differ by one', [0, 1], [10, 11], 0],
] as const)('%s', (_, range, values, decimals) => {
  expect(countDecimals(range, values)).toBe(decimals);
});

test('a difference that is exact is printed as it is, whatever stands beside it', () => {
  expect(formatSignedCount(12, differenceDecimals(12, 1))).toBe('+12');
  expect(formatSignedCount(1 / 3, differenceDecimals(1 / 3, 2))).toBe('+0.33');
});

test('ends are rounded outward, numbers that are alike to the nearest', () => {
  expect(printedRange({ lowest: 11.94, highest: 12.01 }, 1)).toEqual({ lowest: 11.9, highest: 12.1 });
  expect(printedRange({ lowest: 11.96, highest: 11.96 }, 1)).toEqual({ lowest: 12, highest: 12 });
  expect(printedRange({ lowest: 1234, highest: 5678 }, -2)).toEqual({ lowest: 1200, highest: 5700 });
  expect(printedRange({ lowest: 11.9, highest: 12.1 }, 1)).toEqual({ lowest: 11.9, highest: 12.1 });
});

test('large counts have no exponent, and zero no sign', () => {
  expect(formatCount(24_689_123_004, 0)).toBe('24689123004');
  expect(formatCount(-0.04, 1)).toBe('0.0');
  expect(formatSignedCount(-0.04, 1)).toBe('0.0');
  expect(formatSignedCount(-4, 0)).toBe('-4');
});

test('a change has the digits of its range, and what is left of a count does not read as none', () => {
  expect(formatSigned(0.0117416, countChangeScale(0.0117416, [0.0116, 0.0119]))).toBe('+1.174 %');
  expect(formatSigned(0.0117416, countChangeScale(0.0117416, [0.0117416, 0.0117416]))).toBe('+1.17 %');
  expect(formatSigned(0, countChangeScale(0, [0, 0]))).toBe('0 %');
  expect(formatSigned(-0.9999, countChangeScale(-0.9999, [-1, -0.9]))).toBe('-99.99 %');
});

test('what is printed of a range holds it, and is no finer than a tenth of it', () => {
  const whole = fc.integer({ min: 0, max: 1e9 });
  fc.assert(
    fc.property(
      whole,
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 1, max: 1e5 }),
      (from, width, operations) => {
        const range = { lowest: from / operations, highest: (from + width) / operations };
        const decimals = countDecimals([range.lowest, range.highest], [range.lowest, range.highest]);
        const printed = printedRange(range, decimals);
        expect(printed.lowest).toBeLessThanOrEqual(range.lowest);
        expect(printed.highest).toBeGreaterThanOrEqual(range.highest);
        expect(printed.lowest === 0).toBe(range.lowest === 0);
      },
    ),
    { seed: 11 },
  );
});
