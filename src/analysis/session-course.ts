/** The course of one session, slice by slice, as a plot can show it: on an axis that rare slices do not stretch. */
import type { SessionSlices } from '../journal/records.ts';
import { slicesOf } from '../plan/slices.ts';
import { STALL_FACTOR } from '../trial/slice-metrics.ts';
import type { Interval } from './analysis.ts';
import { median } from './stats/moments.ts';

/** More quads are thinned; of stalls the longest are kept. */
const MOST_QUADS = 1000;
const MOST_STALLS = 300;
/** Of all slices, cut off at either end before the width of the rest is taken. */
const TAIL = 0.01;

export interface CourseSlice {
  /** From 1, in the order in which the slices of both ran. */
  readonly number: number;
  /** Time of one operation. */
  readonly ns: number;
}

/** One arm's slices. A stall is among `stalls` alone; `beyond` is what else does not fit on the axis. */
export interface ArmCourse {
  readonly within: readonly CourseSlice[];
  readonly beyond: readonly CourseSlice[];
  readonly stalls: readonly CourseSlice[];
  readonly count: { readonly slices: number; readonly stalls: number };
  readonly typical_ns: number;
  readonly longest_ns: number;
}

export interface SessionCourse {
  readonly slices: number;
  /** One of so many quads is shown, stalls apart. */
  readonly every: number;
  /** Of the axis. */
  readonly range: Interval;
  /** By the order in which the processes started. */
  readonly subjects: readonly [ArmCourse, ArmCourse];
}

/**
 * Time of an operation over the slices of a session. The axis spans the middle 98 % of the slices that are no stalls, and at most as
 * much again beyond either end; what lies further out is listed apart. Null where there are no slices.
 */
export function sessionCourse(session: SessionSlices, what: 'wall' | 'cpu'): SessionCourse | null {
  const { leader, operations } = session;
  if (leader.length === 0) return null;
  const column = what === 'wall' ? session.wall_ns : session.cpu_ns;
  const ofSubject = (subject: 0 | 1): readonly CourseSlice[] =>
    leader.flatMap((first, quad) =>
      slicesOf(first, subject).map((place) => {
        const at = 4 * quad + place;
        return { number: at + 1, ns: (column[at] ?? 0) / (operations[quad] ?? 1) };
      }),
    );
  const subjects = [ofSubject(0), ofSubject(1)] as const;
  const split = [partsOf(subjects[0]), partsOf(subjects[1])] as const;
  const range = rangeOf(split.flatMap(({ usual }) => usual.map(({ ns }) => ns)));
  const every = Math.ceil(leader.length / MOST_QUADS);
  const course = (parts: Parts) => courseOf(parts, range, every);
  return { slices: column.length, every, range, subjects: [course(split[0]), course(split[1])] };
}

interface Parts {
  readonly typical_ns: number;
  readonly usual: readonly CourseSlice[];
  readonly stalls: readonly CourseSlice[];
}

/** One arm's slices, its stalls apart, the longest of them first. */
function partsOf(slices: readonly CourseSlice[]): Parts {
  const typical_ns = median(slices.map(({ ns }) => ns)) ?? 0;
  const isStall = ({ ns }: CourseSlice) => ns > STALL_FACTOR * typical_ns;
  return {
    typical_ns,
    usual: slices.filter((slice) => !isStall(slice)),
    stalls: slices.filter(isStall).sort((a, b) => b.ns - a.ns),
  };
}

function courseOf({ typical_ns, usual, stalls }: Parts, [low, high]: Interval, every: number): ArmCourse {
  const fits = ({ ns }: CourseSlice) => ns >= low && ns <= high;
  const shown = usual.filter(({ number }) => Math.floor((number - 1) / 4) % every === 0);
  const longest = usual.reduce((most, { ns }) => Math.max(most, ns), 0);
  return {
    within: shown.filter(fits),
    beyond: shown.filter((slice) => !fits(slice)),
    stalls: stalls.slice(0, MOST_STALLS),
    count: { slices: usual.length + stalls.length, stalls: stalls.length },
    typical_ns,
    longest_ns: stalls[0]?.ns ?? longest,
  };
}

function rangeOf(values: readonly number[]): Interval {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [at(TAIL), at(1 - TAIL)];
  const width = high - low;
  return [Math.max(at(0), low - width), Math.min(at(1), high + width)];
}
