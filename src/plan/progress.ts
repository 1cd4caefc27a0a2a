/**
 * Where a run stands: which trial is due next, and what became of every attempt so far. The run loop, resume and the
 * analysis all ask this one place, so that what is run and what is counted cannot differ.
 */
import type { RejectRule } from '../experiment/experiment.ts';
import type { InterruptedRecord, Journal, TrialRecord } from '../journal/records.ts';
import { type Attempt, type AttemptOutcome, type Attempts, attemptLog } from './attempts.ts';
import { isSide, type Plan, type PlannedTrial } from './plan.ts';
import { rejectionsOf } from './rejection.ts';

export interface RepeatLimits {
  readonly rules: readonly RejectRule[];
  /** How often a block is repeated at most because of rejections. */
  readonly max_repeats: number;
  /** Null: 60 s or three times the longer trial, whichever is more. */
  readonly max_gap_ms: number | null;
  /** The timed trials of a block run at the same time, in sessions: no gap lies between them. */
  readonly sessions: boolean;
}

/** Whether the confirmation may end with these complete attempts, in the order in which they ran. */
export type StoppingRule = (complete: Attempts) => boolean;

export type Next =
  | { readonly kind: 'trial'; readonly planned: PlannedTrial; readonly attempt: number }
  /** The trials of the block lie too far apart: write this record, then ask again. */
  | { readonly kind: 'interrupt'; readonly record: InterruptedRecord }
  /** The same block was too far apart so often that a further repeat would not help. */
  | { readonly kind: 'stuck'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'done' };

export interface Progress {
  next(): Next;
  /** False: this is not the trial that was due, and it is counted nowhere. */
  record(trial: TrialRecord): boolean;
  interrupt(record: InterruptedRecord): void;
  /** What a resume writes first: the block that was left unfinished is repeated whole. Null: none was. */
  unfinished(): InterruptedRecord | null;
  /** Trials until the end, with the repeats that are known by now. */
  trialsLeft(): number;
  /** In the order in which they ran, each with at least one trial. */
  attempts(): Attempts;
  /** Trials that were not due. A journal that Assay wrote has none. */
  strays(): readonly TrialRecord[];
  /** How many trials were due, and whether one failed; those before a checkpoint too. */
  recorded(): { readonly trials: number; readonly failed: boolean };
  /**
   * All that what comes next depends on, so that progress can start there; then it has the attempts after it alone. Null in the
   * middle of an attempt, after a stray, and where a rule of stopping looks at all attempts.
   */
  checkpoint(): Checkpoint | null;
}

/** Progress between two attempts, as plain data. */
export interface Checkpoint {
  /** Index of the phase, and of the repeat in it; −1 before the first. */
  readonly phase: number;
  readonly repeat: number;
  readonly turn: Turn;
  /** Blocks of the phase that wait to be repeated, and those that were. */
  readonly repeats: readonly Turn[];
  readonly interruptions: readonly (readonly [string, InterruptedRecord['reason']])[];
  readonly trials: number;
  readonly failed: boolean;
}

/** Halves of a pair that are torn apart this often in a row will be the next time too. */
const MOST_GAPS_IN_A_ROW = 5;
const DEFAULT_GAP_NS = 60e9;
const DEFAULT_GAP_TRIALS = 3;

/** The attempt that is not at its end. */
type Current = Omit<Attempt, 'trials' | 'outcome'> & { readonly trials: TrialRecord[]; outcome: AttemptOutcome };

/** The block that is due, and how it came to be due. */
interface Turn {
  readonly block: number;
  readonly attempt: number;
  /** Attempts at this block that were rejected so far. */
  readonly rejected: number;
  /** Interruptions by a gap directly before this attempt. */
  readonly gaps: number;
}

/**
 * Progress at the start of a plan. Phases and blocks come in the order of the plan. An interrupted attempt is repeated
 * in its place. A block with a rejected trial is repeated whole, in the same order of arms, after all planned blocks
 * of its phase; blocks that wait come in the order of their rejection. A failed trial's block is not repeated.
 * Every call takes constant time.
 */
export function startProgress(
  plan: Plan,
  limits: RepeatLimits,
  mayStop: StoppingRule | null = null,
  from: Checkpoint | null = null,
): Progress {
  const log = attemptLog();
  const strays: TrialRecord[] = [];
  const interruptions = new Map<string, InterruptedRecord['reason']>(from?.interruptions);
  let phaseIndex = from?.phase ?? 0;
  let repeats: Turn[] = [...(from?.repeats ?? [])];
  let repeatIndex = from?.repeat ?? -1;
  let turn: Turn = from?.turn ?? firstTurn(1);
  let trials = from?.trials ?? 0;
  let failed = from?.failed ?? false;
  let current: Current | null = null;

  const phaseOf = () => plan.phases[phaseIndex];
  const orderOf = () => phaseOf()?.blocks[turn.block - 1];

  function leavePhase(): void {
    phaseIndex += 1;
    repeats = [];
    repeatIndex = -1;
    turn = firstTurn(1);
  }

  /** Moves past the end of a phase, and past phases without blocks. */
  function skipFinished(): void {
    for (let phase = phaseOf(); phase !== undefined && orderOf() === undefined; phase = phaseOf()) {
      repeatIndex += 1;
      const repeat = repeats[repeatIndex];
      if (repeat !== undefined) {
        turn = repeat;
      } else {
        leavePhase();
      }
    }
  }

  function finish(outcome: AttemptOutcome): void {
    if (current !== null) {
      log.settle(outcome);
      current = null;
    }
    if (outcome === 'rejected' && turn.rejected < limits.max_repeats) {
      repeats.push({ block: turn.block, attempt: turn.attempt + 1, rejected: turn.rejected + 1, gaps: 0 });
    }
    if (outcome === 'complete' && isDecided()) {
      leavePhase();
    } else {
      // While repeats run, every planned block is behind: a block number past the end leads to the next repeat.
      turn = firstTurn(repeatIndex >= 0 ? Number.POSITIVE_INFINITY : turn.block + 1);
    }
    skipFinished();
  }

  function isDecided(): boolean {
    const isConfirmation = ({ phase, outcome }: Attempt) => phase === 'confirmation' && outcome === 'complete';
    return phaseOf()?.phase === 'confirmation' && mayStop?.(log.attempts.filter(isConfirmation)) === true;
  }

  function keyOfTurn(): string {
    return keyOf(phaseOf()?.phase ?? '', turn.block, turn.attempt);
  }

  /** Ends the attempt if its interruption is on record, and stays at the block. */
  function takeInterruption(): boolean {
    const reason = current === null || interruptions.size === 0 ? undefined : interruptions.get(keyOfTurn());
    if (current === null || reason === undefined) {
      return false;
    }
    log.settle('interrupted');
    current = null;
    turn = { ...turn, attempt: turn.attempt + 1, gaps: reason === 'gap' ? turn.gaps + 1 : 0 };
    return true;
  }

  function isDue(trial: TrialRecord): boolean {
    const position = (current?.trials.length ?? 0) + 1;
    return (
      trial.phase === phaseOf()?.phase &&
      trial.block === turn.block &&
      trial.attempt === turn.attempt &&
      trial.position === position &&
      trial.arm === orderOf()?.[position - 1]
    );
  }

  function close(attempt: Current): void {
    if (attempt.trials.some((trial) => trial.failure !== null)) {
      finish('failed');
    } else if (takeInterruption()) {
      return;
    } else if (attempt.trials.some((trial) => rejectionsOf(trial, limits.rules).length > 0)) {
      finish('rejected');
    } else {
      finish('complete');
    }
  }

  skipFinished();

  return {
    next() {
      takeInterruption();
      const phase = phaseOf();
      if (phase === undefined) {
        return { kind: 'done' };
      }
      const place = { phase: phase.phase, block: turn.block, attempt: turn.attempt };
      if (current?.outcome === 'interrupted') {
        return { kind: 'interrupt', record: { kind: 'interrupted', ...place, reason: 'gap' } };
      }
      if (turn.gaps >= MOST_GAPS_IN_A_ROW) {
        return {
          kind: 'stuck',
          message: `the trials of ${phase.phase} block ${turn.block} lay too far apart ${turn.gaps} times in a row`,
          remedy: 'See what holds the machine up between two trials, or allow longer gaps in the design.',
        };
      }
      const position = (current?.trials.length ?? 0) + 1;
      const arm = orderOf()?.[position - 1] ?? '';
      return {
        kind: 'trial',
        planned: { phase: phase.phase, block: turn.block, position, arm },
        attempt: turn.attempt,
      };
    },
    record(trial) {
      if (!isDue(trial) && !(takeInterruption() && isDue(trial))) {
        strays.push(trial);
        return false;
      }
      if (current === null) {
        current = { phase: trial.phase, block: trial.block, attempt: trial.attempt, trials: [], outcome: 'open' };
        log.begin(trial.phase);
      }
      trials += 1;
      failed ||= trial.failure !== null;
      const attempt = current;
      const before = attempt.trials.at(-1);
      attempt.trials.push(trial);
      log.add(trial);
      if (before !== undefined && !limits.sessions && isTimed(trial) && isGap(before, trial, limits.max_gap_ms)) {
        attempt.outcome = 'interrupted';
        log.settle('interrupted');
      }
      const isFailed = attempt.trials.some(({ failure }) => failure !== null);
      if (attempt.trials.length === orderOf()?.length && (attempt.outcome === 'open' || isFailed)) {
        close(attempt);
      }
      return true;
    },
    interrupt(record) {
      interruptions.set(keyOf(record.phase, record.block, record.attempt), record.reason);
    },
    unfinished() {
      if (current === null || interruptions.has(keyOfTurn())) {
        return null;
      }
      const { phase, block, attempt } = current;
      const reason = current.outcome === 'interrupted' ? 'gap' : 'resumed';
      return { kind: 'interrupted', phase, block, attempt, reason };
    },
    trialsLeft() {
      let left = 0;
      for (const [index, { blocks }] of plan.phases.slice(phaseIndex).entries()) {
        const planned = index > 0 ? blocks.length : Math.max(0, blocks.length - turn.block + 1);
        const repeated = index > 0 ? 0 : repeats.length - Math.max(0, repeatIndex);
        left += (repeatIndex >= 0 && index === 0 ? repeated : planned + repeated) * (blocks[0]?.length ?? 0);
      }
      return left - (current?.trials.length ?? 0);
    },
    attempts: () => log.attempts,
    strays: () => strays,
    recorded: () => ({ trials, failed }),
    checkpoint() {
      if (current !== null || mayStop !== null || strays.length > 0) return null;
      const place = { phase: phaseIndex, repeat: repeatIndex, turn };
      return { ...place, repeats: [...repeats], interruptions: [...interruptions], trials, failed };
    },
  };
}

/**
 * Progress of a run that a journal tells of. Linear in its length, but for what the rule of stopping takes.
 * @param from where it stood before the first trial that the journal has
 */
export function replayProgress(
  journal: Journal,
  mayStop: StoppingRule | null,
  from: Checkpoint | null = null,
): Progress {
  const { experiment, plan } = journal.run;
  const { max_gap_ms, slices } = experiment.design;
  const limits = { ...experiment.reject, max_gap_ms, sessions: slices !== null };
  const progress = startProgress(plan, limits, mayStop, from);
  for (const record of journal.interruptions) {
    progress.interrupt(record);
  }
  for (const trial of journal.trials) {
    progress.record(trial);
  }
  return progress;
}

/** A count is what it is, however far from another it was made; warm-up is compared with nothing. */
function isTimed({ phase }: TrialRecord): boolean {
  return phase === 'screening' || phase === 'confirmation' || isSide(phase);
}

/**
 * Whether two trials, one directly after the other, lie further apart than the limit (end of the first to start of the
 * second). The clock starts anew at a boot: time that runs backwards is a gap of unknown length.
 */
export function isGap(first: TrialRecord, second: TrialRecord, max_gap_ms: number | null): boolean {
  const [before, after] = [first.account, second.account];
  // Of what was measured elsewhere nobody knows when it was.
  if (before === null || after === null) return false;
  const gap_ns = after.started_boot_ns - before.ended_boot_ns;
  const longer_ns = Math.max(before.wall_ns, after.wall_ns);
  const limit_ns = max_gap_ms === null ? Math.max(DEFAULT_GAP_NS, DEFAULT_GAP_TRIALS * longer_ns) : max_gap_ms * 1e6;
  return gap_ns < 0 || gap_ns > limit_ns;
}

function firstTurn(block: number): Turn {
  return { block, attempt: 1, rejected: 0, gaps: 0 };
}

function keyOf(phase: string, block: number, attempt: number): string {
  return `${phase} ${block} ${attempt}`;
}
