/** Orders of arms within blocks: counterbalanced, drawn from the seed (docs/methods.md, "Order"). */
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Order } from '../experiment/experiment.ts';

/** A whole number from 0 to n − 1. */
export type Draw = (n: number) => number;

/**
 * A stream of draws that the seed fixes for ever: a plan can be made again from the seed in its journal. The stream has
 * a name, so that the order of one phase does not depend on how many pairs another phase has.
 */
export function seededDraw(seed: number, stream: number): Draw {
  const generator = xoroshiro128plus(seed ^ Math.imul(stream + 1, 0x9e3779b1));
  return (n) => uniformInt(generator, 0, n - 1);
}

/** The items in an order that is drawn (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], draw: Draw): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = draw(last + 1);
    const moved = result[last] as T;
    result[last] = result[other] as T;
    result[other] = moved;
  }
  return result;
}

/**
 * Orders of `count` pairs (an even number) of the arms a and b: groups of four pairs, two AB and two BA in an order
 * that is drawn; a last group of two has one of each. A drift that is slow against a group cancels out of the mean, and
 * no fixed alternation can beat against a periodic disturbance.
 */
export function pairOrders(a: string, b: string, count: number, draw: Draw): string[][] {
  const orders: string[][] = [];
  while (orders.length < count) {
    const each = Math.min(4, count - orders.length) / 2;
    const group = [...Array<string[]>(each).fill([a, b]), ...Array<string[]>(each).fill([b, a])];
    orders.push(...shuffled(group, draw));
  }
  return orders;
}

/**
 * Orders of `count` pairs (an even number) that go through `builds` builds in turn: in every 2 · builds pairs each build
 * has AB once and BA once. A first round has as many AB as BA, or one more of either, in an order that is drawn; the
 * second is its opposite. What is left at the end comes in groups as `pairOrders` has them.
 */
export function repeatedPairOrders(a: string, b: string, count: number, builds: number, draw: Draw): string[][] {
  const orders: string[][] = [];
  while (orders.length + 2 * builds <= count) {
    const first = draw(2) === 0 ? [a, b] : [b, a];
    const round = shuffled(
      Array.from({ length: builds }, (_, index) => (index % 2 === 0 ? first : first.toReversed())),
      draw,
    );
    orders.push(...round, ...round.map((order) => order.toReversed()));
  }
  return [...orders, ...pairOrders(a, b, count - orders.length, draw)];
}

/** The first items of all lists, which are of one length, then the second of all, and so on. */
export function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  return (lists[0] ?? []).flatMap((_, index) => lists.map((list) => list[index] as T));
}

/**
 * Orders of `count` blocks (an even number) of k arms: an order that is drawn, then its reverse, and so on. Every arm stands as far from
 * the beginning in the one as from the end in the other, so that a drift that is straight over two blocks cancels out of their mean; what
 * follows what is balanced within the two blocks only as far as it is turned round.
 */
export function mirroredOrders(arms: readonly string[], count: number, draw: Draw): string[][] {
  const orders: string[][] = [];
  while (orders.length < count) {
    const order = shuffled(arms, draw);
    orders.push(order, order.toReversed());
  }
  return orders;
}

/** Blocks that belong together in a design of k arms: their number is a multiple of this. */
export function designPeriod(k: number, order: Order): number {
  return k === 2 || order === 'mirrored' ? 2 : williamsPeriod(k);
}

/** Blocks that a Williams design of k arms needs to be balanced: k where k is even, else 2k (Williams 1949). */
export function williamsPeriod(k: number): number {
  return k % 2 === 0 ? k : 2 * k;
}

/**
 * Orders of `count` blocks (a multiple of williamsPeriod) of k arms: Williams squares (Williams 1949), in which every
 * arm stands at every position equally often and follows every other arm equally often. Which arm takes which place in
 * the square, and the order of its rows, are drawn anew for each square.
 */
export function williamsOrders(arms: readonly string[], count: number, draw: Draw): string[][] {
  const k = arms.length;
  const zigzag = Array.from({ length: k }, (_, i) => (i % 2 === 1 ? (i + 1) / 2 : (k - i / 2) % k));
  const orders: string[][] = [];
  while (orders.length < count) {
    const places = shuffled(arms, draw);
    const rows = places.map((_, shift) => zigzag.map((step) => places[(step + shift) % k] as string));
    const square = k % 2 === 0 ? rows : [...rows, ...rows.map((row) => row.toReversed())];
    orders.push(...shuffled(square, draw));
  }
  return orders;
}
