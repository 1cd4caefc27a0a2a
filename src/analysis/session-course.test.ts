import { describe, expect, test } from 'vitest';
import { type Quad, sessionOf } from '../../test/session-slices.ts';
import { sessionCourse } from './session-course.ts';

/** Quads led by the first and the second in turns; the first takes 100 ns an operation, the second 110 ns. */
function quads(count: number, change: (quad: number) => Partial<Quad> = () => ({})): readonly Quad[] {
  return Array.from({ length: count }, (_, at): Quad => {
    const jitter = at % 5;
    const [lead, other] = at % 2 === 0 ? [100 + jitter, 110 + jitter] : [110 + jitter, 100 + jitter];
    return { leader: at % 2 === 0 ? 0 : 1, ns: [lead, other, other, lead], ...change(at) };
  });
}

describe('the course of a session', () => {
  test('has each slice with its arm, in the order in which they ran', () => {
    const course = sessionCourse(sessionOf(quads(2)), 'wall');
    expect(course?.slices).toBe(8);
    expect(course?.every).toBe(1);
    expect(course?.subjects[0].within).toEqual([
      { number: 1, ns: 100 },
      { number: 4, ns: 100 },
      { number: 6, ns: 101 },
      { number: 7, ns: 101 },
    ]);
    expect(course?.subjects[1].within.map(({ ns }) => ns)).toEqual([110, 110, 111, 111]);
  });

  test('keeps stalls apart, and off the axis', () => {
    const session = sessionOf(quads(50, (at) => (at === 10 ? { ns: [100, 9000, 110, 100] } : {})));
    const course = sessionCourse(session, 'wall');
    expect(course?.subjects[1].stalls).toEqual([{ number: 42, ns: 9000 }]);
    expect(course?.subjects[1].count).toEqual({ slices: 100, stalls: 1 });
    expect(course?.subjects[1].longest_ns).toBe(9000);
    expect(course?.subjects[0].count.stalls).toBe(0);
    expect(course?.range).toEqual([100, 114]);
  });

  test('lists what lies far out, and is no stall, as beyond the axis', () => {
    const session = sessionOf(quads(200, (at) => (at === 10 ? { ns: [500, 110, 110, 100] } : {})));
    const course = sessionCourse(session, 'wall');
    expect(course?.subjects[0].beyond).toEqual([{ number: 41, ns: 500 }]);
    expect(course?.range[1]).toBeLessThan(130);
    expect(course?.subjects[0].within).toHaveLength(399);
  });

  test('thins many quads evenly, but no stalls', () => {
    const course = sessionCourse(
      sessionOf(quads(2500, (at) => (at === 1 ? { ns: [110, 100, 5000, 110] } : {}))),
      'wall',
    );
    expect(course?.every).toBe(3);
    expect(course?.subjects[0].within).toHaveLength(2 * Math.ceil(2500 / 3));
    expect(course?.subjects[0].stalls).toEqual([{ number: 7, ns: 5000 }]);
    expect(course?.subjects[0].count.slices).toBe(5000);
  });

  test('of CPU time is read from CPU time, and of no slices there is none', () => {
    const session = sessionOf(quads(4));
    const busy = { ...session, cpu_ns: session.wall_ns.map((ns) => ns / 2) };
    expect(sessionCourse(busy, 'cpu')?.range).toEqual([50, 56.5]);
    expect(sessionCourse(sessionOf([]), 'wall')).toBeNull();
  });
});
