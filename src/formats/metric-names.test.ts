import { expect, test } from 'vitest';
import { MetricNames } from './metric-names.ts';

test('names are lower-case words, and none is there twice', () => {
  const names = new MetricNames(['elapsed']);
  const printed = [
    'Hit Rate',
    'hit-rate',
    'hit_rate_2',
    'hit/rate',
    'elapsed',
    'cpu/event=0x3c/',
    '±',
    '__proto__',
    '',
  ];
  expect(printed.map((name) => names.of(name))).toEqual([
    'hit_rate',
    'hit_rate_2',
    'hit_rate_2_2',
    'hit_rate_3',
    'elapsed_2',
    'cpu_event_0x3c',
    'unnamed',
    'proto',
    'unnamed_2',
  ]);
});
