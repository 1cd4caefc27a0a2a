/** What the trials of a run counted, as a whole: which share of the time, or why nothing. */
import type { Metric } from '../experiment/experiment.ts';
import type { Journal } from '../journal/records.ts';
import { counterShare, rejectionsOf } from '../plan/rejection.ts';
import type { CounterSummary } from './analysis.ts';

/**
 * Over all trials that did not fail, of every phase but those that ran without counters on purpose; null where the experiment has
 * none.
 */
export function counterSummary({ run, trials }: Journal): CounterSummary | null {
  const { counters: kind, sides } = run.experiment;
  if (kind === 'off') return null;
  const off = new Set(sides.filter(({ counters }) => counters === 'off').map(({ name }) => name));
  const whole = trials.filter(({ failure, phase }) => failure === null && !off.has(phase));
  const counted = whole.filter((trial) => counterShare(trial) !== null);
  const kept = counted.filter((trial) => rejectionsOf(trial, run.experiment.reject.rules).length === 0);
  const shares = (kept.length > 0 ? kept : counted).map(counterShare).filter((share) => share !== null);
  const scopes = new Set(counted.flatMap(({ counters }) => (counters === null ? [] : [counters.scope])));
  const reasons = whole.flatMap(({ counters }) =>
    counters !== null && 'unsupported' in counters ? [counters.unsupported] : [],
  );
  return {
    kind,
    scopes: [...scopes],
    trials: whole.length,
    counted: counted.length,
    share: shares.length === 0 ? null : { least: Math.min(...shares), most: Math.max(...shares) },
    reason: reasons[0] ?? null,
  };
}

/** Whether a metric can be compared at all: a counter that no trial has is told of once, and not metric by metric. */
export function isCounted({ from, primary }: Metric, counters: CounterSummary | null): boolean {
  return from.kind !== 'counter' || primary || counters === null || counters.trials === 0 || counters.counted > 0;
}
