import { describe, expect, test } from 'vitest';
import { differenceOf } from './difference.ts';
import { intervalOf, meanEstimate } from './estimate.ts';

function estimate(values: readonly number[]) {
  const found = meanEstimate(values);
  if (found === null) throw new Error('no estimate');
  return found;
}

describe('the difference of two estimates', () => {
  const a = estimate([27.5, 21, 19, 23.6, 17, 17.9]);
  const b = estimate([27.1, 22, 20.8, 23.4, 23.4, 23.5, 25.8]);

  test('has both errors, and the degrees of freedom of the smaller sample', () => {
    // By NumPy.
    const { value, standardError, df } = differenceOf(a, b);
    expect(value).toBeCloseTo(21 - 166 / 7, 12);
    expect(standardError).toBeCloseTo(1.8097393355356552, 12);
    expect([df, differenceOf(b, a).df]).toEqual([5, 5]);
  });

  test('turned round is the negative, and not narrower than both quanta', () => {
    const [low, high] = intervalOf(differenceOf(a, b), 0.95);
    const [otherLow, otherHigh] = intervalOf(differenceOf(b, a), 0.95);
    expect([low, high]).toEqual([-otherHigh, -otherLow]);
    const coarse = { value: 1, standardError: 0, df: 3, minimumHalfWidth: 0.5 };
    expect(intervalOf(differenceOf(coarse, coarse), 0.95)).toEqual([-1, 1]);
  });
});
