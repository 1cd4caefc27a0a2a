/** What the trials of a run counted, as a whole: which share of the time, or why nothing. */
import type { Metric } from '../experiment/experiment.ts';
import type { Journal } from '../journal/records.ts';
import { counterShare, rejectionsOf } from '../plan/rejection.ts';
import type { CounterSummary } from './analysis.ts';
import { rangeOf } from './stats/moments.ts';

/**
 * Over all trials that did not fail, of every phase but those that ran without counters on purpose; null where the experiment has
 * none.
 */
export function counterSummary({ run, trials }: Journal): CounterSummary | null {
  const { counters: kind, sides } = run.experiment;
  if (kind === 'off') return null;
  const off = new Set(sides.filter(({ counters }) => counters === 'off').map(({ name }) => name));
  const { rules } = run.experiment.reject;
  const scopes = new Set<CounterSummary['scopes'][number]>();
  const [shares, kept]: [number[], number[]] = [[], []];
  let whole = 0;
  let reason: string | null = null;
  for (const trial of trials) {
    const { failure, phase, counters } = trial;
    if (failure !== null || off.has(phase)) continue;
    whole += 1;
    if (counters !== null && 'unsupported' in counters) reason ??= counters.unsupported;
    const share = counterShare(trial);
    if (share === null || counters === null) continue;
    scopes.add(counters.scope);
    shares.push(share);
    if (rejectionsOf(trial, rules).length === 0) kept.push(share);
  }
  // Where rules reject every one, of all.
  const { lowest, highest } = rangeOf(kept.length > 0 ? kept : shares);
  const share = shares.length === 0 ? null : { least: lowest, most: highest };
  return { kind, scopes: [...scopes], trials: whole, counted: shares.length, share, reason };
}

/** Whether a metric can be compared at all: a counter that no trial has is told of once, and not metric by metric. */
export function isCounted({ from, primary }: Metric, counters: CounterSummary | null): boolean {
  return from.kind !== 'counter' || primary || counters === null || counters.trials === 0 || counters.counted > 0;
}
