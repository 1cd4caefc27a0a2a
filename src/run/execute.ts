/** The loop of a run: ask what is due, run it, write it down. Nothing here knows what the numbers mean. */
import { changedFiles } from '../arms/prepare.ts';
import type { PreparedArm } from '../arms/prepared-arm.ts';
import type { BlockUnit, Emit } from '../events.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import { type EndReason, type JournalRecord, trialsIn } from '../journal/records.ts';
import { otherOperations, otherOperationsText } from '../plan/operations.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import { type Phase, type Plan, type PlannedTrial, plannedTrials } from '../plan/plan.ts';
import type { Progress } from '../plan/progress.ts';
import { rejectionsOf, rejectionText } from '../plan/rejection.ts';
import { type Pace, paceOf } from '../plan/slices.ts';
import type { TrialRunner } from '../trial/run-trial.ts';

export interface Execution {
  readonly experiment: Experiment;
  readonly plan: Plan;
  readonly arms: readonly PreparedArm[];
  /** As far as the journal goes. */
  readonly progress: Progress;
  readonly runner: TrialRunner;
  /** Of the sessions; null where it is not known yet. */
  readonly pace: Pace | null;
  readonly append: (record: JournalRecord) => void;
  /** Told how far the run has come, after every line. */
  readonly note: (progress: Progress, pace: Pace | null) => void;
  readonly keepGoing: boolean;
  /** Aborted with the name of the signal that a user sent. */
  readonly stop: AbortSignal;
  readonly emit: Emit;
  readonly now: () => number;
}

/** Runs what the plan still holds, and appends how it ended. */
export async function execute(execution: Execution): Promise<EndReason> {
  const reason = await runTrials(execution);
  execution.append({ kind: 'end', unix_ms: execution.now(), reason });
  return reason;
}

async function runTrials(execution: Execution): Promise<EndReason> {
  const { experiment, plan, progress, runner, append, stop, emit } = execution;
  const phases = new Map(plan.phases.map(({ phase, blocks }) => [phase, blocks]));
  const recorded = progress.recorded();
  let done = recorded.trials;
  const told = new Set<number>();
  let { failed } = recorded;
  const counted = plannedTrials(plan).filter(({ phase }) => phase === 'counting').length;
  const count = (phase: Phase) => ({
    done,
    total: done + progress.trialsLeft(),
    counted_later: phase === 'counting' ? 0 : counted,
  });

  let { pace } = execution;
  while (!(failed && !execution.keepGoing)) {
    if (stop.aborted) return { kind: 'signal', signal: String(stop.reason) };
    const next = progress.next();
    if (next.kind === 'done') break;
    if (next.kind === 'stuck') throw new AssayError({ kind: 'machine', message: next.message, remedy: next.remedy });
    if (next.kind === 'interrupt') {
      append(next.record);
      progress.interrupt(next.record);
      continue;
    }
    const { planned, attempt } = next;
    const { slices } = phaseSetting(experiment, planned.phase);
    const block = slices === null ? ([planned] as const) : halvesOf(plan, planned);
    const unit = unitOf(slices !== null, phases.get(planned.phase)?.[0]?.length ?? 0);
    if (slices !== null && planned.phase !== 'warmup') {
      pace ??= paceOf(slices, progress.attempts().trials());
      if (pace === null) {
        if (failed) break;
        throw new AssayError({ kind: 'machine', ...NO_PACE });
      }
    }
    emit({
      kind: 'trial_started',
      planned,
      attempt,
      blocks: phases.get(planned.phase)?.length ?? 0,
      unit,
      progress: count(planned.phase),
    });
    const line = await runner.run(block, attempt, pace);
    if (line === null) return { kind: 'signal', signal: String(stop.reason) };
    append(line);
    const ended = trialsIn(line);
    for (const record of ended) {
      progress.record(record);
      done += 1;
      emit({ kind: 'trial_ended', record, progress: count(planned.phase) });
      if (record.failure !== null) failed = true;
      // Told at once, and not only in the report of a run that took hours.
      for (const other of otherOperations(experiment, record)) {
        if (!told.has(other.per)) emit({ kind: 'limitation', ...otherOperationsText(other, String(other.declared)) });
        told.add(other.per);
      }
    }
    // What is before a pace depends on the warm-up, of which a note holds nothing.
    if (experiment.design.slices === null || pace !== null) execution.note(progress, pace);
    // The halves of a session have one machine, and break a rule together.
    const [record] = ended;
    for (const rejection of record === undefined ? [] : rejectionsOf(record, experiment.reject.rules)) {
      if (record !== undefined) emit({ kind: 'rejected', record, unit, reason: rejectionText(rejection) });
    }
    if (done === ended.length) {
      const problem = await runner.spaceProblem(progress.trialsLeft());
      if (problem !== null) return { kind: 'disk_space', message: problem };
    }
  }
  emit({ kind: 'verifying' });
  const [changed] = await changedFiles(execution.arms);
  if (changed !== undefined) return { kind: 'changed', arm: changed.arm, path: changed.path };
  return failed ? { kind: 'trial_failed' } : { kind: 'complete' };
}

const NO_PACE = {
  message:
    'the warm-up did not find how long an operation takes: a driver can do too few of them for four slices, or says that they take no time',
  remedy:
    'Let the drivers do more operations (`most`), ask for a smaller number in a slice, or see what assay driver-check says of their time.',
};

/** Both trials of a session, in the order in which they start. */
function halvesOf(plan: Plan, planned: PlannedTrial): readonly [PlannedTrial, PlannedTrial] {
  const { phase, block } = planned;
  const arm = plan.phases.find((each) => each.phase === phase)?.blocks[block - 1]?.[1];
  if (arm === undefined || planned.position !== 1) throw new Error(`${phase} ${block} is no session of two arms`);
  return [planned, { phase, block, position: 2, arm }];
}

function unitOf(isSession: boolean, arms: number): BlockUnit {
  if (isSession) return 'session';
  return arms === 2 ? 'pair' : 'block';
}
