/** What the drivers of a session counted, slice by slice (docs/methods.md, "Slices"). */
import type { SessionSlices } from '../journal/records.ts';

/** Names under which a driver answers how long, in ns, its events were asked for, and how long they were counted. */
export const ENABLED = 'enabled';
export const RUNNING = 'running';

/** Four values a quad, in the order in which they ran. */
export interface SliceTimes {
  readonly enabled_ns: readonly number[];
  readonly running_ns: readonly number[];
}

/** Null where the answers do not say; a clause where what they say cannot be. */
export function timesOf(session: SessionSlices): SliceTimes | string | null {
  const [enabled_ns, running_ns] = [columnOf(session, ENABLED), columnOf(session, RUNNING)];
  if (enabled_ns === null || running_ns === null) return null;
  const longer = running_ns.some((running, at) => running > (enabled_ns[at] ?? 0));
  return longer ? 'in a slice the events ran longer than they were enabled' : { enabled_ns, running_ns };
}

/** As the drivers answered it; null where not every slice has it. */
export function columnOf({ counters }: SessionSlices, name: string): readonly number[] | null {
  return counters !== null && Object.hasOwn(counters, name) ? (counters[name] ?? null) : null;
}

/**
 * The counts of one event, four a quad. What did not run all the time is scaled to it, count · enabled / running, as it is where
 * no slices are; null stands for a slice in which it never ran. Null as a whole where the session has no such counts.
 */
export function countsOf(session: SessionSlices, name: string): readonly (number | null)[] | null {
  const column = columnOf(session, name);
  const times = timesOf(session);
  if (column === null || times === null || typeof times === 'string') return null;
  return column.map((count, at) => {
    const [enabled, running] = [times.enabled_ns[at] ?? 0, times.running_ns[at] ?? 0];
    if (running === 0) return null;
    return running === enabled ? count : count * (enabled / running);
  });
}
