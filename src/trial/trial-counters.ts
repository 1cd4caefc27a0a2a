/** What a trial counted: by its driver in the timed region, else by the launcher around the process. */
import { COUNTER_EVENTS, COUNTERS_VARIABLE, type CounterKind } from '../experiment/counters.ts';
import type { Experiment, Slices } from '../experiment/experiment.ts';
import type { TrialCounters } from '../journal/records.ts';
import { columnOf, timesOf } from '../plan/slice-counts.ts';
import { slicesOf } from '../plan/slices.ts';
import type { LaunchAccount } from './launch.ts';
import { findResultLine } from './result-line.ts';
import type { SessionHalf } from './slice-metrics.ts';

/**
 * What the launcher is to count. Nothing where the driver does: two sets of events at a time are more than many
 * processors count. A driver of Assay's does; any other does where the workload gives it the variable. Around a process that
 * works in turns there is nothing to count: its set-up and its preludes would be in it.
 */
export function launcherCounters({
  counters,
  workload,
  slices,
}: Pick<Experiment, 'counters' | 'workload'> & { readonly slices: Slices | null }): CounterKind | null {
  const byDriver = slices !== null || workload.driver !== null || Object.hasOwn(workload.env, COUNTERS_VARIABLE);
  return counters === 'off' || byDriver ? null : counters;
}

/**
 * The counters of a trial; null where the experiment has none. A driver's own win over those of the launcher; of a session they
 * are the sums over the slices of the arm.
 */
export function trialCounters(
  { counters: kind }: Pick<Experiment, 'counters'>,
  { stdout, account }: { readonly stdout: string; readonly account: LaunchAccount },
  half: SessionHalf | null = null,
): TrialCounters | null {
  if (kind === 'off') return null;
  const result = findResultLine(stdout);
  const reported = result.ok ? result.line.counters : null;
  const launched = account.counters;
  if (reported !== null && reported.kind !== kind) {
    return { kind, scope: 'region', unsupported: `the driver reported ${reported.kind} counters` };
  }
  if (half !== null) {
    if (reported !== null && 'unsupported' in reported) return { ...reported, scope: 'region' };
    return { kind, scope: 'region', ...slicesCounted(kind, half) };
  }
  if (reported !== null && !('unsupported' in reported && launched !== null)) return { ...reported, scope: 'region' };
  if (launched !== null) return { ...launched, scope: 'process' };
  const broken = !result.ok && result.kind === 'malformed' ? result.reason : 'the driver reported none';
  return { kind, scope: 'region', unsupported: broken };
}

type Counted =
  | { readonly events: Readonly<Record<string, number>>; readonly enabled_ns: number; readonly running_ns: number }
  | { readonly unsupported: string };

/** What a subject answered to have counted in its slices. Names that are no events of this kind are ignored. */
function slicesCounted(kind: CounterKind, { slices, subject }: SessionHalf): Counted {
  if (slices === null || slices.leader.length === 0) return { unsupported: 'there are no slices' };
  const sum = (column: readonly number[]) =>
    slices.leader
      .flatMap((leader, quad) => slicesOf(leader, subject).map((place) => column[4 * quad + place] ?? 0))
      .reduce((total, count) => total + count, 0);
  const events = COUNTER_EVENTS[kind].flatMap(({ name }) => {
    const column = columnOf(slices, name);
    return column === null ? [] : [[name, sum(column)] as const];
  });
  if (events.length === 0) return { unsupported: `not every answer of both drivers has ${kind} events` };
  const times = timesOf(slices);
  if (times === null) return { unsupported: 'not every answer of both drivers has `enabled` and `running`' };
  if (typeof times === 'string') return { unsupported: times };
  return { events: Object.fromEntries(events), enabled_ns: sum(times.enabled_ns), running_ns: sum(times.running_ns) };
}
