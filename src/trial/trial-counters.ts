/** What a trial counted: by its driver in the timed region, else by the launcher around the process. */
import { COUNTERS_VARIABLE, type CounterKind } from '../experiment/counters.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { TrialCounters } from '../journal/records.ts';
import type { LaunchAccount } from './launch.ts';
import { findResultLine } from './result-line.ts';

/**
 * What the launcher is to count. Nothing where the driver does: two sets of events at a time are more than many
 * processors count. A driver of Assay's does; any other does where the workload gives it the variable.
 */
export function launcherCounters({
  counters,
  workload,
}: Pick<Experiment, 'counters' | 'workload'>): CounterKind | null {
  const byDriver = workload.driver !== null || Object.hasOwn(workload.env, COUNTERS_VARIABLE);
  return counters === 'off' || byDriver ? null : counters;
}

/** The counters of a trial; null where the experiment has none. A driver's own win over those of the launcher. */
export function trialCounters(
  { counters: kind }: Pick<Experiment, 'counters'>,
  { stdout, account }: { readonly stdout: string; readonly account: LaunchAccount },
): TrialCounters | null {
  if (kind === 'off') return null;
  const result = findResultLine(stdout);
  const reported = result.ok ? result.line.counters : null;
  const launched = account.counters;
  if (reported !== null && reported.kind !== kind) {
    return { kind, scope: 'region', unsupported: `the driver reported ${reported.kind} counters` };
  }
  if (reported !== null && !('unsupported' in reported && launched !== null)) return { ...reported, scope: 'region' };
  if (launched !== null) return { ...launched, scope: 'process' };
  const broken = !result.ok && result.kind === 'malformed' ? result.reason : 'the driver reported none';
  return { kind, scope: 'region', unsupported: broken };
}
