import { expect, test } from 'vitest';
import { type Quad, sessionOf } from '../../test/session-slices.ts';
import { sliceCount, sliceValue } from './slice-metrics.ts';

/** Three quads: subject 0 takes 10 ns for an operation, subject 1 takes 20; each number of operations is another. */
const QUADS: readonly Quad[] = [
  { ns: [10, 20, 20, 10] },
  { leader: 1, operations: 64, ns: [20, 10, 10, 20] },
  { operations: 32, ns: [10, 20, 20, 10] },
];

test('the time of an operation is the median over the slices of that arm', () => {
  const session = sessionOf(QUADS, { cpu_ns: sessionOf(QUADS).wall_ns.map((ns) => ns / 2) });
  expect(sliceValue('wall', session, 0)).toBe(10);
  expect(sliceValue('wall', session, 1)).toBe(20);
  expect(sliceValue('cpu', session, 1)).toBe(10);
});

test('a slice is a stall where an operation took more than eight times the median of its arm', () => {
  const at = (ns: number) => sessionOf([...QUADS, { operations: 48, ns: [10, 20, ns, 10] }]);
  expect(sliceValue('stalls', at(160), 1)).toBe(0);
  expect(sliceValue('stalls', at(161), 1)).toBe(1);
  expect(sliceValue('stalls', at(161), 0)).toBe(0);
  const whole = 20 * (2 * 16 + 2 * 64 + 2 * 32 + 48) + 161 * 48;
  expect(sliceValue('stalled', at(161), 1)).toBeCloseTo((100 * 161 * 48) / whole, 12);
  expect(sliceValue('stalled', at(160), 1)).toBe(0);
});

test('switches are those of a thousand slices, of both kinds', () => {
  const session = sessionOf(QUADS, {
    voluntary_switches: [0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    involuntary_switches: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
  });
  expect(sliceValue('switches', session, 0)).toBeCloseTo(2000 / 6, 9);
  expect(sliceValue('switches', session, 1)).toBe(500);
});

test('without slices there is no value, and no zero', () => {
  const names = ['wall', 'cpu', 'stalls', 'stalled', 'switches'] as const;
  expect(names.map((name) => sliceValue(name, sessionOf([]), 0))).toEqual([null, null, null, null, null]);
  expect(sliceValue('stalled', sessionOf([{ ns: [0, 0, 0, 0] }]), 0)).toBeNull();
});

test('events are those of an operation: of a ratio in the typical slice, of a difference in all', () => {
  const [enabled, running] = [Array(12).fill(10), Array(12).fill(10)];
  // Subject 0 has slices 0, 3, 5, 6, 8 and 11, of 16, 64 and 32 operations.
  const cycles = [32, 0, 0, 32, 0, 128, 128, 0, 64, 0, 0, 6400];
  const session = sessionOf(QUADS, { counters: { enabled, running, cycles } });
  expect(sliceCount('cycles', session, 0, 'ratio')).toBe(2);
  expect(sliceCount('cycles', session, 0, 'difference')).toBeCloseTo((384 + 6400) / 224, 12);
  expect(sliceCount('cycles', session, 1, 'difference')).toBe(0);
  expect(sliceCount('instructions', session, 0, 'ratio')).toBeNull();
  const never = sessionOf(QUADS, { counters: { enabled, running: Array(12).fill(0), cycles } });
  expect(sliceCount('cycles', never, 0, 'difference')).toBeNull();
});
