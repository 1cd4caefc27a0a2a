/** From attempts at blocks to the paired values of one metric and one arm. */
import type { CounterName } from '../experiment/counters.ts';
import type { Metric } from '../experiment/experiment.ts';
import { DECLARED_OPERATIONS } from '../experiment/operations.ts';
import type { SessionSlices, TrialRecord } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import type { PlannedPhase } from '../plan/plan.ts';
import type { LaunchAccount } from '../trial/launch.ts';
import type { Divisor } from './analysis.ts';
import { PairLog, type Pairs } from './pairs.ts';
import { type SessionEffect, sessionEffect } from './session-effect.ts';
import { counted, type PairNoun, short } from './wording.ts';

/** Squares of larger values, and what is made of them, leave the range of doubles. */
const LARGEST = 1e150;

/** One metric of one arm against the reference. */
export interface Contrast {
  readonly metric: Metric;
  readonly arm: string;
  readonly reference: string;
  /** What two trials of it are together. */
  readonly noun: PairNoun;
}

export interface Sample {
  readonly contrast: Contrast;
  /** In the order in which they ran. */
  readonly pairs: Pairs;
  /** Pairs of which one side has no value: left out. */
  readonly unmatched: { readonly reference: number; readonly arm: number };
  /** Why there is no effect; null where there is one to compute. */
  readonly reason: string | null;
  /** Of metrics made of slices: the sessions of the pairs, in their order; empty for all others. */
  readonly sessions: readonly SessionPair[];
  /** The step in which the value moves, in the metric's unit; 0 where nothing is known of one. */
  readonly quantum: number;
  /** Of a trial of these pairs; null where values are not divided. */
  readonly operations: Divisor | null;
}

/** A pair whose halves lived together. */
export interface SessionPair {
  readonly effect: SessionEffect;
  readonly slices: SessionSlices;
  /** From the start of the first process to the end of the last. */
  readonly span_ns: number;
}

/**
 * Pairs the values of each contrast, attempt by attempt. A ratio has a logarithm only where both values are positive: one
 * that is not leaves no effect. An attempt with a value on one side only is left out and counted. The attempts are gone through
 * once, since what a trial has is looked up in a packed journal.
 */
export function samplesOf(contrasts: readonly Contrast[], attempts: Attempts): readonly Sample[] {
  const drafts = contrasts.map((contrast) => sampleDraft(contrast, attempts.length));
  for (const attempt of attempts) {
    const { block, attempt: number } = attempt;
    const halves = attempt.trials.map(halfOf);
    for (const draft of drafts) draft.add(block, number, halves);
  }
  return drafts.map((draft) => draft.sample());
}

/** A trial, with what every contrast asks of it. */
interface Half {
  readonly trial: TrialRecord;
  readonly arm: string;
  readonly position: number;
  readonly metrics: TrialRecord['metrics'];
  readonly accounting: LaunchAccount['accounting'] | null;
}

function halfOf(trial: TrialRecord): Half {
  const { arm, position, metrics, account } = trial;
  return { trial, arm, position, metrics, accounting: account?.accounting ?? null };
}

interface SampleDraft {
  add(block: number, attempt: number, halves: readonly Half[]): void;
  sample(): Sample;
}

function sampleDraft(contrast: Contrast, mostPairs: number): SampleDraft {
  const { metric, arm, reference, noun } = contrast;
  const log = new PairLog(mostPairs);
  const sessions: SessionPair[] = [];
  const unmatched = { reference: 0, arm: 0 };
  let quantum = 0;
  let operations: Divisor | null = null;
  let reason: string | null = null;

  function takeOperations(trial: TrialRecord): void {
    const count = operationsOf(metric, trial);
    if (count === null) return;
    const contradicts = typeof metric.per === 'number' && (trial.operations[DECLARED_OPERATIONS] ?? count) !== count;
    operations = {
      lowest: Math.min(operations?.lowest ?? count, count),
      highest: Math.max(operations?.highest ?? count, count),
      contradicted: contradicts || operations?.contradicted === true,
    };
  }

  return {
    add(block, attempt, halves) {
      const ours = halves.find((half) => half.arm === arm);
      const theirs = halves.find((half) => half.arm === reference);
      const value = numberOf(ours, metric);
      const base = numberOf(theirs, metric);
      if (ours === undefined || theirs === undefined || value === null || base === null) {
        unmatched.arm += value === null && base !== null ? 1 : 0;
        unmatched.reference += base === null && value !== null ? 1 : 0;
        return;
      }
      reason ??= scopeProblem(metric, ours.trial, theirs.trial);
      reason ??= unusable(contrast, arm, value, block) ?? unusable(contrast, reference, base, block);
      quantum = Math.max(quantum, quantumOf(metric, ours), quantumOf(metric, theirs));
      takeOperations(ours.trial);
      takeOperations(theirs.trial);
      const session = sessionOf(metric, ours.trial, theirs.trial);
      if (session === 'timeless') reason ??= timelessReason(metric, `${noun} ${block}`);
      else if (session !== null) sessions.push(session);
      const effect = session === null || session === 'timeless' ? null : session.effect;
      log.push({
        block,
        attempt,
        reference_first: theirs.position < ours.position,
        reference: base,
        arm: value,
        effect: effect?.typical ?? (metric.kind === 'ratio' ? logRatio(value, base) : value - base),
        total: effect?.total ?? null,
      });
    },
    sample() {
      const pairs = log.pairs();
      const whole = emptyReason(contrast, pairs.length, unmatched) ?? reason;
      return { contrast, pairs, sessions, unmatched, reason: whole, quantum, operations };
    },
  };
}

/** Null where the pair's effect is one of two values. */
function sessionOf({ from, kind }: Metric, ours: TrialRecord, theirs: TrialRecord): SessionPair | 'timeless' | null {
  if (ours.session === null || kind !== 'ratio') return null;
  const what = sessionValue(from);
  if (what === null) return null;
  const effect = sessionEffect(ours.session, ours.position === 1 ? 0 : 1, what);
  if (effect === null) return 'timeless';
  const [own, other] = [ours.account, theirs.account];
  if (own === null || other === null) return null;
  const ends = Math.max(own.ended_boot_ns, other.ended_boot_ns);
  const starts = Math.min(own.started_boot_ns, other.started_boot_ns);
  return { effect, slices: ours.session, span_ns: Math.max(0, ends - starts) };
}

/** What each slice has a value of; null where only the session has. */
function sessionValue(from: Metric['from']): 'wall' | 'cpu' | CounterName | null {
  if (from.kind === 'counter') return from.name;
  return from.kind === 'slice' && (from.name === 'wall' || from.name === 'cpu') ? from.name : null;
}

function timelessReason({ from, name }: Metric, place: string): string {
  return from.kind === 'counter'
    ? `a slice of ${place} has no ${name}, and a ratio needs some (kind: difference takes any)`
    : `a slice of ${place} took no time that could be measured`;
}

/** How often the plan lets the reference run before the arm, and after it. */
export function plannedOrders(contrast: Contrast, blocks: PlannedPhase['blocks']): { first: number; second: number } {
  const first = blocks.filter((order) => order.indexOf(contrast.reference) < order.indexOf(contrast.arm)).length;
  return { first, second: blocks.length - first };
}

/** A metric may be called like a property that every object has. */
function numberOf(half: Half | undefined, { name }: Metric): number | null {
  const metrics = half?.metrics;
  return metrics !== undefined && Object.hasOwn(metrics, name) ? (metrics[name] ?? null) : null;
}

function emptyReason(
  { metric, arm, reference, noun }: Contrast,
  pairs: number,
  unmatched: Sample['unmatched'],
): string | null {
  if (pairs >= 2) return null;
  if (pairs === 1) return `one ${noun} is not enough: an interval needs at least two`;
  if (unmatched.arm > 0 && unmatched.reference > 0) return `no ${noun} has a value of ${metric.name} on both sides`;
  if (unmatched.arm > 0) return `${metric.name} is missing on one side: ${arm} has no value`;
  if (unmatched.reference > 0) return `${metric.name} is missing on one side: ${reference} has no value`;
  return `no complete ${noun} has a value of ${metric.name}`;
}

function unusable({ metric, noun }: Contrast, arm: string, value: number, block: number): string | null {
  if (!(Math.abs(value) <= LARGEST)) return `${arm} has a value in ${noun} ${block} that is too large to compute with`;
  if (metric.kind === 'ratio' && value <= 0) {
    return `${arm} has the value ${short(value)} in ${noun} ${block}, and a ratio needs positive values${metric.from.kind === 'imported' ? '' : ' (kind: difference takes any)'}`;
  }
  return null;
}

/** What was counted in a timed region is no match for what was counted around a process. */
function scopeProblem({ from, name }: Metric, ours: TrialRecord, theirs: TrialRecord): string | null {
  if (from.kind !== 'counter' || ours.counters?.scope === theirs.counters?.scope) return null;
  return `${name} was counted in the timed region in some trials, and around the process in others`;
}

/** What the value of a trial was divided by; null where it was not. */
function operationsOf({ per }: Metric, { operations }: TrialRecord): number | null {
  if (per === null || typeof per === 'number') return per;
  return operations[per.pointer] ?? null;
}

/** Only what the operating system accounts for has a known resolution; the value itself is divided already. */
function quantumOf(metric: Metric, { trial, accounting }: Half): number {
  if (metric.from.kind !== 'system' || accounting === null) return 0;
  const { resolution } = accounting[metric.from.name];
  return Number.isFinite(resolution) ? resolution / (operationsOf(metric, trial) ?? 1) : 0;
}

/**
 * ln(b/a), also where the quotient itself is beyond what a double holds. Of the larger by the smaller, so that 10 → 11 and
 * 22 → 20 have exactly the same size: ranks take what differs in the last digit for two sizes.
 */
function logRatio(b: number, a: number): number {
  if (b < a) return -logRatio(a, b);
  const quotient = b / a;
  return quotient > 1e-300 && quotient < 1e300 ? Math.log(quotient) : Math.log(b) - Math.log(a);
}

/** In words: `2 pairs without a value of rss on the side of after`. */
export function unmatchedText({ contrast, unmatched }: Sample): string | null {
  const sides = [
    unmatched.arm > 0 ? `${counted(unmatched.arm, contrast.noun)} without a value of ${contrast.arm}` : null,
    unmatched.reference > 0
      ? `${counted(unmatched.reference, contrast.noun)} without a value of ${contrast.reference}`
      : null,
  ].filter((side) => side !== null);
  return sides.length === 0 ? null : sides.join(' and ');
}
