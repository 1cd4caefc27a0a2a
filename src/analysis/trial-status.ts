/** What became of every trial: counted, or why not. */
import type { RejectRule } from '../experiment/experiment.ts';
import type { TrialFailure, TrialRecord } from '../journal/records.ts';
import type { Attempt, Attempts } from '../plan/attempts.ts';
import { rejectionsOf, rejectionText } from '../plan/rejection.ts';
import type { TrialRow } from './analysis.ts';
import { quantity } from './wording.ts';

/** One row a trial, in the order of the journal. `attempts` are those of the same journal, in the order they ran. */
export function trialRows(
  trials: readonly TrialRecord[],
  attempts: Attempts,
  rules: readonly RejectRule[],
): readonly TrialRow[] {
  // The trials of all attempts, one after the other, are the journal's, less those that were not due.
  const due = dueTrials(attempts);
  let next = due.next();
  return trials.map((trial) => {
    if (next.done === true || next.value.trial !== trial) return new StatusRow(trial, 'not due by the plan');
    const { attempt } = next.value;
    next = due.next();
    return new StatusRow(trial, reasonOf(trial, attempt, rules));
  });
}

function* dueTrials(attempts: Attempts): Generator<{ readonly trial: TrialRecord; readonly attempt: Attempt }> {
  for (const attempt of attempts) for (const trial of attempt.trials) yield { trial, attempt };
}

/** Looks all but the reason up in the trial: of a million trials the same is not held twice. */
class StatusRow implements TrialRow {
  readonly #trial: TrialRecord;
  readonly reason: string;

  constructor(trial: TrialRecord, reason: string) {
    this.#trial = trial;
    this.reason = reason;
  }

  get phase() {
    return this.#trial.phase;
  }
  get block() {
    return this.#trial.block;
  }
  get position() {
    return this.#trial.position;
  }
  get arm() {
    return this.#trial.arm;
  }
  get attempt() {
    return this.#trial.attempt;
  }
  get included() {
    return this.reason === '';
  }
  get started_unix_ms() {
    return this.#trial.account?.started_unix_ms ?? null;
  }
  get wall_ns() {
    return this.#trial.account?.wall_ns ?? null;
  }
  get metrics() {
    return this.#trial.metrics;
  }
}

/** Empty where the trial counts. */
function reasonOf(trial: TrialRecord, attempt: Attempt, rules: readonly RejectRule[]): string {
  if (trial.failure !== null) return `failed: ${failureText(trial.failure)}`;
  if (trial.phase === 'warmup') return 'warm-up';
  if (attempt.outcome === 'interrupted') return 'interrupted';
  if (trial.phase === 'screening') return 'screening';
  // Its times are those of a program that is being counted: no number of the confirmation.
  if (trial.phase === 'counting') return 'counting';
  switch (attempt.outcome) {
    case 'complete':
      return '';
    case 'open':
      return 'partner missing';
    case 'failed':
      return 'partner failed';
    case 'rejected': {
      const rejections = rejectionsOf(trial, rules);
      return rejections.length === 0 ? 'partner rejected' : `rejected: ${rejections.map(rejectionText).join(', ')}`;
    }
  }
}

/** A failure as a clause. */
export function failureText(failure: TrialFailure): string {
  switch (failure.kind) {
    case 'launch':
      return `did not start: ${failure.message}`;
    case 'timeout':
      return `timeout after ${quantity(failure.timeout_ms * 1e6, 'ns')}`;
    case 'signal':
      return `ended by ${failure.signal}`;
    case 'output_limit':
      return `more than ${quantity(failure.limit_bytes, 'bytes')} on ${failure.stream}`;
    case 'metric':
      return `metric ${failure.metric}: ${failure.message}`;
    case 'check':
      return `check ${failure.check}: ${failure.message}`;
    case 'counting':
      return `no count: ${failure.message}`;
    case 'slices':
      return `slices: ${failure.message}`;
  }
}
