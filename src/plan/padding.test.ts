import { expect, test } from 'vitest';
import { environmentPadding } from './padding.ts';

const trial = (block: number, position: number) => ({ phase: 'confirmation', block, position, arm: 'a' }) as const;

test('is drawn for each trial and attempt, the same for ever, and none where none is asked for', () => {
  const drawn = Array.from({ length: 400 }, (_, index) => environmentPadding(7, trial(index, 1), 2, 1, 4096));
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...drawn)).toBeLessThanOrEqual(4096);
  expect(new Set(drawn).size).toBeGreaterThan(350);
  const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
  // Uniform: the mean of 400 has a standard deviation of 59.
  expect(Math.abs(mean - 2048)).toBeLessThan(300);
  expect(environmentPadding(7, trial(1, 1), 2, 1, 4096)).toBe(drawn[1]);
  expect(environmentPadding(7, trial(1, 2), 2, 1, 4096)).not.toBe(drawn[1]);
  expect(environmentPadding(7, trial(1, 1), 2, 2, 4096)).not.toBe(drawn[1]);
  expect(environmentPadding(7, trial(1, 1), 3, 1, 4096)).not.toBe(drawn[1]);
  expect(environmentPadding(7, trial(1, 1), 2, 1, 0)).toBe(0);
});
