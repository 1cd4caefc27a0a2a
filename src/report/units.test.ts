import { expect, test } from 'vitest';
import { metricOf } from '../../test/journal-builder.ts';
import type { Comparison } from '../analysis/analysis.ts';
import { directionWords, formatBytes, formatQuantity, unitFor } from './units.ts';

const plain = (text: string): string => text;

test.each([
  ['ns', 999, 1, ' ns'],
  ['ns', 1000, 1e-3, ' µs'],
  ['ns', 417_000_000, 1e-6, ' ms'],
  ['ns', 3e12, 1e-9, ' s'],
  ['ns', 0, 1, ' ns'],
  ['bytes', 1023, 1, ' B'],
  ['bytes', -(2 ** 20), 2 ** -20, ' MiB'],
  ['bytes/s', 6_107_955, 2 ** -20, ' MiB/s'],
  ['ratio', 1.7, 1, ''],
  ['ops/s', 1e9, 1, ' ops/s'],
  ['constructor', 1e9, 1, ' constructor'],
  ['', 5, 1, ''],
])('%s as large as %d', (unit, largest, factor, suffix) => {
  expect(unitFor(unit, largest, null, plain)).toEqual({ factor, suffix });
});

test('a value per operation says so', () => {
  expect(unitFor('ns', 1500, 1000, plain).suffix).toBe(' µs/op');
});

test('quantities by themselves', () => {
  expect(formatBytes(1_600_000)).toBe('1.53 MiB');
  expect(formatQuantity(500_000, 'ns')).toBe('500 µs');
});

function words(name: string, unit: string, better: 'lower' | 'higher') {
  const metric = metricOf(name, { unit, better });
  return directionWords({ metric: name, unit, better } as Comparison, metric);
}

test('words follow the unit and the better direction', () => {
  expect(words('write', 'ns', 'lower')).toEqual({ slower: 'slower', faster: 'faster' });
  expect(words('max_rss', 'bytes', 'lower')).toEqual({ slower: 'worse (more memory)', faster: 'better (less memory)' });
  expect(words('written', 'bytes', 'lower')).toEqual({ slower: 'worse (more bytes)', faster: 'better (fewer bytes)' });
  expect(words('rate', 'ops/s', 'higher')).toEqual({
    slower: 'worse (fewer operations a second)',
    faster: 'better (more operations a second)',
  });
  expect(words('amplification', '', 'lower')).toEqual({ slower: 'worse (higher)', faster: 'better (lower)' });
  expect(words('hit_rate', '', 'higher')).toEqual({ slower: 'worse (lower)', faster: 'better (higher)' });
});
