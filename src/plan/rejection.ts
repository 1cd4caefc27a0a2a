/** Rejection rules, applied to one trial. A rule knows facts of the machine only, never a value that is measured. */
import type { RejectionFact, RejectRule } from '../experiment/experiment.ts';
import type { TrialRecord } from '../journal/records.ts';
import { isSide } from './plan.ts';

/** One rule that one trial broke. */
export interface Rejection {
  readonly fact: RejectionFact;
  readonly when: RejectRule['when'];
  readonly value: number;
  readonly limit: number;
}

/**
 * The rules that a trial breaks, in their order. Only trials of the confirmation, of controls and of side comparisons can
 * be rejected: warm-up and screening never reach a verdict, and counts depend on no machine. A fact that the machine did not report breaks no rule.
 */
export function rejectionsOf(trial: TrialRecord, rules: readonly RejectRule[]): readonly Rejection[] {
  if (trial.phase !== 'confirmation' && !isSide(trial.phase)) {
    return [];
  }
  return rules.flatMap(({ fact, when, limit }) => {
    const value = factOf(trial, fact);
    const broken = value !== null && (when === 'above' ? value > limit : value < limit);
    return broken ? [{ fact, when, value, limit }] : [];
  });
}

/** What a rule knows of a trial; null where the machine did not report it. */
export function factOf(trial: TrialRecord, fact: RejectionFact): number | null {
  return fact === 'counter_share' ? counterShare(trial) : trial.noise[fact];
}

/**
 * The share of the time in which the events of a trial should have been counted that they were; 0 where none passed.
 * Null where nothing was counted.
 */
export function counterShare({ counters }: TrialRecord): number | null {
  if (counters === null || 'unsupported' in counters) return null;
  return counters.enabled_ns === 0 ? 0 : counters.running_ns / counters.enabled_ns;
}

/** A rejection in words: `steal 3.1% > 2%`, `other_cpu 0.35 > 0.2`, `frequency 2.1 GHz < 2.5 GHz`. */
export function rejectionText(rejection: Rejection): string {
  const sign = rejection.when === 'above' ? '>' : '<';
  switch (rejection.fact) {
    case 'steal':
      return `steal ${short(rejection.value * 100)}% ${sign} ${short(rejection.limit * 100)}%`;
    case 'other_cpu':
      return `other_cpu ${short(rejection.value)} ${sign} ${short(rejection.limit)}`;
    case 'frequency_hz':
      return `frequency ${short(rejection.value / 1e9)} GHz ${sign} ${short(rejection.limit / 1e9)} GHz`;
    case 'counter_share':
      return `counter_share ${short(rejection.value * 100)}% ${sign} ${short(rejection.limit * 100)}%`;
  }
}

/** Four digits separate a value from its limit in all but a hair's breadth. */
function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
