import { expect, test } from 'vitest';
import type { Check, Metric } from '../experiment/experiment.ts';
import { workOf } from './work.ts';

const check = (pattern: string): Check => ({ kind: 'pattern', stream: 'stderr', pattern, must: false });
const sizes = (stderr: number) => ({ stdout: 0, stderr, file: () => 0, total: stderr });

test('seconds grow with the text, the size of the pattern, and how many there are', () => {
  const seconds = (checks: readonly Check[], bytes = 1 << 20) => workOf({ metrics: [], checks })(sizes(bytes));
  const one = seconds([check('error')]);
  expect(seconds([check('error')], 2 << 20)).toBeCloseTo(2 * one, 6);
  expect(seconds([check('(?:a?){500}x')])).toBeGreaterThan(10 * one);
  expect(seconds(Array.from({ length: 100 }, () => check('(?:a?){500}x')))).toBeGreaterThan(60);
});

test('a usual trial takes next to nothing', () => {
  const metrics: Metric[] = [];
  expect(workOf({ metrics, checks: [check('(?i)corrupt')] })(sizes(4000))).toBeLessThan(0.01);
});
