/** How long the steps that are left will take, from those that are over and from what was asked for. */
import { mean } from '../../analysis/stats/moments.ts';
import { stepKey } from './plan.ts';
import type { StepRecord } from './step-record.ts';
import { type PlannedStep, STEPS } from './steps.ts';

export interface TimeLeft {
  readonly seconds: number;
  /** Loads, and waits for compactions, of which nothing is known yet come on top. */
  readonly atLeast: boolean;
}

export function timeLeft(
  plan: readonly PlannedStep[],
  records: ReadonlyMap<string, Pick<StepRecord, 'wall_ns'>>,
  duration_s: number,
): TimeLeft {
  const known = new Map<string, number[]>();
  for (const planned of plan) {
    const record = records.get(stepKey(planned));
    if (record === undefined) continue;
    const kind = kindOf(planned);
    known.set(kind, [...(known.get(kind) ?? []), record.wall_ns / 1e9]);
  }
  let seconds = 0;
  let atLeast = false;
  for (const planned of plan) {
    if (records.has(stepKey(planned))) continue;
    const average = mean(known.get(kindOf(planned)) ?? []);
    seconds += average ?? (STEPS[planned.step].timed ? duration_s : 0);
    if (average === null) atLeast = true;
  }
  return { seconds, atLeast };
}

function kindOf({ workload, step }: PlannedStep): string {
  return `${workload.name} ${step}`;
}
