import { describe, expect, test } from 'vitest';
import { intervalOf, meanEstimate } from './estimate.ts';
import { differenceOf } from './welch.ts';

function estimate(values: readonly number[]) {
  const found = meanEstimate(values);
  if (found === null) throw new Error('no estimate');
  return found;
}

describe('the difference of two estimates', () => {
  const a = estimate([27.5, 21, 19, 23.6, 17, 17.9]);
  const b = estimate([27.1, 22, 20.8, 23.4, 23.4, 23.5, 25.8]);

  test('has the degrees of freedom of Welch and Satterthwaite', () => {
    const va = a.standardError ** 2;
    const vb = b.standardError ** 2;
    const { value, standardError, df } = differenceOf(a, b);
    expect(value).toBeCloseTo(a.value - b.value, 12);
    expect(standardError).toBeCloseTo(Math.sqrt(va + vb), 12);
    expect(df).toBeCloseTo((va + vb) ** 2 / (va ** 2 / 5 + vb ** 2 / 6), 10);
    expect(df).toBeGreaterThan(5);
    expect(df).toBeLessThan(11);
  });

  test('of two alike has the degrees of freedom of both', () => {
    expect(differenceOf(a, a).df).toBeCloseTo(10, 12);
  });

  test('turned round is the negative, and not narrower than both quanta', () => {
    const [low, high] = intervalOf(differenceOf(a, b), 0.95);
    const [otherLow, otherHigh] = intervalOf(differenceOf(b, a), 0.95);
    expect([low, high]).toEqual([-otherHigh, -otherLow]);
    const coarse = { value: 1, standardError: 0, df: 3, minimumHalfWidth: 0.5 };
    expect(intervalOf(differenceOf(coarse, coarse), 0.95)).toEqual([-1, 1]);
    expect(differenceOf(coarse, coarse).df).toBe(6);
  });
});
