import fc from 'fast-check';
import { expect, test } from 'vitest';
import { designPeriod, mirroredOrders, pairOrders, seededDraw, williamsOrders, williamsPeriod } from './order.ts';

const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 });

test('pairs come in groups of four with two of each order, a last group of two with one of each', () => {
  fc.assert(
    fc.property(seed, fc.integer({ min: 1, max: 40 }), (seed, half) => {
      const orders = pairOrders('a', 'b', 2 * half, seededDraw(seed, 2)).map((order) => order.join(''));
      expect(orders).toHaveLength(2 * half);
      for (let start = 0; start < orders.length; start += 4) {
        const group = orders.slice(start, start + 4);
        expect(group.filter((order) => order === 'ab')).toHaveLength(group.length / 2);
        expect(group.filter((order) => order === 'ba')).toHaveLength(group.length / 2);
      }
    }),
  );
});

test('all six orders of a group of four occur, about equally often', () => {
  const counts = new Map<string, number>();
  for (let seed = 0; seed < 6000; seed++) {
    const key = pairOrders('a', 'b', 4, seededDraw(seed, 2)).join('|');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  // Binomial(6000, 1/6): five standard deviations are 144.
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(144);
});

test('Williams orders: every arm at every position, and after every other arm, equally often', () => {
  fc.assert(
    fc.property(seed, fc.integer({ min: 3, max: 9 }), fc.integer({ min: 1, max: 3 }), (seed, k, squares) => {
      const arms = Array.from({ length: k }, (_, i) => `arm${i}`);
      const count = squares * williamsPeriod(k);
      const orders = williamsOrders(arms, count, seededDraw(seed, 2));
      expect(orders).toHaveLength(count);
      const positions = new Map<string, number>();
      const successions = new Map<string, number>();
      const tally = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
      for (const order of orders) {
        expect(new Set(order).size).toBe(k);
        order.forEach((arm, position) => {
          tally(positions, `${arm}@${position}`);
          if (position > 0) tally(successions, `${order[position - 1]}>${arm}`);
        });
      }
      expect(new Set(positions.values())).toEqual(new Set([count / k]));
      expect(positions.size).toBe(k * k);
      expect(new Set(successions.values())).toEqual(new Set([count / k]));
      expect(successions.size).toBe(k * (k - 1));
    }),
  );
});

test('mirrored orders: every second block is the one before it turned round, and every two arms run in both orders', () => {
  fc.assert(
    fc.property(seed, fc.integer({ min: 3, max: 9 }), fc.integer({ min: 1, max: 4 }), (seed, k, twos) => {
      const arms = Array.from({ length: k }, (_, i) => `arm${i}`);
      const orders = mirroredOrders(arms, 2 * twos, seededDraw(seed, 2));
      expect(orders).toHaveLength(2 * twos);
      for (let at = 0; at < orders.length; at += 2) {
        expect([...(orders[at] ?? [])].sort()).toEqual(arms);
        expect(orders[at + 1]).toEqual([...(orders[at] ?? [])].reverse());
      }
    }),
  );
  const drawn = new Set(
    Array.from({ length: 60 }, (_, i) => mirroredOrders(['a', 'b', 'c'], 2, seededDraw(i, 2))[0]?.join('')),
  );
  expect(drawn.size).toBe(6);
  expect([designPeriod(2, 'mirrored'), designPeriod(5, 'mirrored'), designPeriod(5, 'balanced')]).toEqual([2, 2, 10]);
});

test('a seed gives the same order for ever', () => {
  expect(pairOrders('a', 'b', 8, seededDraw(42, 2)).map((order) => order.join(''))).toMatchInlineSnapshot(`
    [
      "ab",
      "ab",
      "ba",
      "ba",
      "ba",
      "ba",
      "ab",
      "ab",
    ]
  `);
  expect(williamsOrders(['a', 'b', 'c'], 6, seededDraw(42, 2)).map((order) => order.join(''))).toMatchInlineSnapshot(`
    [
      "cab",
      "bca",
      "abc",
      "acb",
      "cba",
      "bac",
    ]
  `);
});
