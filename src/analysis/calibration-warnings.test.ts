import { expect, test } from 'vitest';
import { calibrationFound, rateFound } from '../../test/calibration-found.ts';
import { journalOf } from '../../test/journal-builder.ts';
import { analyse } from './analyse.ts';
import { calibrationWarnings } from './calibration-warnings.ts';

const codes = (...args: Parameters<typeof calibrationFound>) =>
  calibrationWarnings(calibrationFound(...args)).map(({ code, metric }) => [code, metric]);

test('what is nominal needs no warning', () => {
  expect(codes({}, {})).toEqual([]);
  // 5 of 40 are many, and chance makes as many.
  expect(codes({}, { excluded_zero: rateFound(5, 40) })).toEqual([]);
});

test('zero excluded too often', () => {
  const [warning] = calibrationWarnings(calibrationFound({}, { excluded_zero: rateFound(9, 40) }));
  expect(warning).toMatchObject({ code: 'calibration-excludes-zero', metric: 'write' });
  expect(warning?.message).toBe(
    '9 of 40 A/A runs (10.8 % to 38.5 %) of the calibration excluded zero: more often than the 5 % that chance alone makes.',
  );
});

test('few runs, and runs without an effect', () => {
  expect(codes({ runs: 6 }, { excluded_zero: rateFound(0, 4) })).toEqual([
    ['calibration-few-runs', null],
    ['calibration-no-effect', 'write'],
  ]);
});

test('a known cost that is missed or not covered', () => {
  const known = {
    arm: 'b',
    unix_ms: 0,
    cost: 0.01,
    change: 0.004,
    found: rateFound(10, 40),
    covered: rateFound(20, 40),
    predicted: 0.9,
    sd: 0.03,
  };
  const [missed] = calibrationWarnings(calibrationFound({}, { known }));
  expect(missed?.message).toContain('(a pair spreads 3.05 % with it, 1.21 % there)');
  expect(codes({}, { known })).toEqual([
    ['calibration-missed-cost', 'write'],
    ['calibration-coverage', 'write'],
  ]);
  expect(codes({}, { known: { ...known, found: rateFound(36, 40), covered: rateFound(37, 40) } })).toEqual([]);
  expect(codes({}, { known: { ...known, covered: null, cost: null, predicted: null } })).toEqual([]);
});

test('a run that cites such a calibration warns of it, where the metric decides there', () => {
  const calibration = calibrationFound({}, { excluded_zero: rateFound(9, 40) });
  const values = { write: { a: [1, 2, 3, 4], b: [2, 3, 1, 4] } };
  const warned = (primary: boolean) =>
    analyse(journalOf({ values, calibration, metrics: { write: { primary } } })).warnings.map(({ code }) => code);
  expect(warned(true)).toContain('calibration-excludes-zero');
  expect(warned(false)).not.toContain('calibration-excludes-zero');
  const messages = analyse(journalOf({ values, calibration, sequential: { min: 2, max: 4 } })).warnings;
  expect(messages.find(({ code }) => code === 'calibration-excludes-zero')?.message).toMatch(
    /by another rule than this/,
  );
  expect(
    analyse(journalOf({ values, calibration }))
      .warnings.map(({ message }) => message)
      .join(),
  ).not.toMatch(/rule/);
});
