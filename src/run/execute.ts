/** The loop of a run: ask what is due, run it, write it down. Nothing here knows what the numbers mean. */
import { changedFiles } from '../arms/prepare.ts';
import type { PreparedArm } from '../arms/prepared-arm.ts';
import type { Emit } from '../events.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import type { EndReason, JournalRecord } from '../journal/records.ts';
import { otherOperations, otherOperationsText } from '../plan/operations.ts';
import { type Phase, type Plan, plannedTrials } from '../plan/plan.ts';
import type { Progress } from '../plan/progress.ts';
import { rejectionsOf, rejectionText } from '../plan/rejection.ts';
import type { TrialRunner } from '../trial/run-trial.ts';

export interface Execution {
  readonly experiment: Experiment;
  readonly plan: Plan;
  readonly arms: readonly PreparedArm[];
  /** As far as the journal goes. */
  readonly progress: Progress;
  readonly runner: TrialRunner;
  readonly append: (record: JournalRecord) => void;
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
  const started = progress.attempts().reduce((sum, attempt) => sum + attempt.trials.length, 0);
  let done = started;
  const told = new Set<number>();
  let failed = progress.attempts().some((attempt) => attempt.trials.some((trial) => trial.failure !== null));
  const counted = plannedTrials(plan).filter(({ phase }) => phase === 'counting').length;
  const count = (phase: Phase) => ({
    done,
    total: done + progress.trialsLeft(),
    counted_later: phase === 'counting' ? 0 : counted,
  });

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
    emit({
      kind: 'trial_started',
      planned,
      attempt,
      blocks: phases.get(planned.phase)?.length ?? 0,
      arms: phases.get(planned.phase)?.[0]?.length ?? 0,
      progress: count(planned.phase),
    });
    const record = await runner.run(planned, attempt);
    if (record === null) return { kind: 'signal', signal: String(stop.reason ?? 'SIGTERM') };
    append(record);
    progress.record(record);
    done += 1;
    emit({ kind: 'trial_ended', record, progress: count(planned.phase) });
    if (record.failure !== null) failed = true;
    // Told at once, and not only in the report of a run that took hours.
    for (const other of otherOperations(experiment, record)) {
      if (!told.has(other.per)) emit({ kind: 'limitation', ...otherOperationsText(other, String(other.declared)) });
      told.add(other.per);
    }
    for (const rejection of rejectionsOf(record, experiment.reject.rules)) {
      const arms = phases.get(planned.phase)?.[0]?.length ?? 0;
      emit({ kind: 'rejected', record, arms, reason: rejectionText(rejection) });
    }
    if (done === 1) {
      const problem = await runner.spaceProblem(progress.trialsLeft());
      if (problem !== null) return { kind: 'disk_space', message: problem };
    }
  }
  emit({ kind: 'verifying' });
  const [changed] = await changedFiles(execution.arms);
  if (changed !== undefined) return { kind: 'changed', arm: changed.arm, path: changed.path };
  return failed ? { kind: 'trial_failed' } : { kind: 'complete' };
}
