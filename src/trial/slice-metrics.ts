/** What the slices of one arm in a session say, as one number each (docs/methods.md, "Slices"). */
import { median } from '../analysis/stats/moments.ts';
import type { CounterName } from '../experiment/counters.ts';
import type { Metric, SliceMetric } from '../experiment/experiment.ts';
import type { SessionSlices } from '../journal/records.ts';
import { countsOf } from '../plan/slice-counts.ts';
import { slicesOf } from '../plan/slices.ts';
import type { SessionFault } from './launch.ts';
import { type SubjectSlice, slicesBy } from './slices-file.ts';

/** One process of a session, as its numbers are read. */
export interface SessionHalf {
  /** Null where a driver was never ready. */
  readonly slices: SessionSlices | null;
  /** By the order in which they started. */
  readonly subject: 0 | 1;
  readonly fault: SessionFault | null;
  /** How many slices were planned; null where that was left to the session. */
  readonly asked: number | null;
}

/** A slice is a stall where an operation took more than so many times the median of its arm in the session. */
export const STALL_FACTOR = 8;
const SWITCHES_PER = 1000;

/**
 * `wall` and `cpu`: ns of an operation, the median over the slices. `stalls`: how many slices are stalls; `stalled`: the part of
 * the arm's time in per cent that these took; `switches`: context switches in 1,000 slices. Null where there are no slices.
 */
export function sliceValue(name: SliceMetric, session: SessionSlices, subject: 0 | 1): number | null {
  const slices = slicesBy(session, subject);
  if (slices.length === 0) return null;
  switch (name) {
    case 'wall':
      return median(slices.map(operationNs));
    case 'cpu':
      return median(slices.map(({ cpu_ns, operations }) => cpu_ns / operations));
    case 'stalls':
      return stallsIn(slices).length;
    case 'stalled':
      return share(sumNs(stallsIn(slices)), sumNs(slices));
    case 'switches':
      return (SWITCHES_PER * slices.reduce((sum, { switches }) => sum + switches, 0)) / slices.length;
  }
}

/**
 * Events of an operation: of a ratio the median over the slices, as for times; of a difference all events by all operations, since
 * most slices have none of what is rare. Null where there are none, or the events never ran.
 */
export function sliceCount(
  name: CounterName,
  session: SessionSlices,
  subject: 0 | 1,
  kind: Metric['kind'],
): number | null {
  const counts = countsOf(session, name);
  const slices = session.leader.flatMap((leader, quad) =>
    slicesOf(leader, subject).flatMap((place) => {
      const count = counts?.[4 * quad + place] ?? null;
      return count === null ? [] : [{ count, operations: session.operations[quad] ?? 0 }];
    }),
  );
  if (kind === 'ratio') return median(slices.map(({ count, operations }) => count / operations));
  const operations = slices.reduce((sum, each) => sum + each.operations, 0);
  return operations === 0 ? null : slices.reduce((sum, { count }) => sum + count, 0) / operations;
}

function operationNs({ wall_ns, operations }: SubjectSlice): number {
  return wall_ns / operations;
}

function stallsIn(slices: readonly SubjectSlice[]): readonly SubjectSlice[] {
  const typical = median(slices.map(operationNs)) ?? 0;
  return slices.filter((slice) => operationNs(slice) > STALL_FACTOR * typical);
}

function sumNs(slices: readonly SubjectSlice[]): number {
  return slices.reduce((sum, { wall_ns }) => sum + wall_ns, 0);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}
