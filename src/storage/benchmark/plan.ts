/** What runs, in which order, and what is next: computed from what is on record, not remembered. */
import type { BenchmarkWorkload } from './flags.ts';
import { type PlannedStep, STEP_NAMES, STEPS } from './steps.ts';

export interface PlanRules {
  readonly workloads: readonly BenchmarkWorkload[];
  readonly threads: readonly number[];
  readonly repetitions: number;
  readonly seed: number;
}

/** Threads of one step draw from seeds that follow each other. */
const SEEDS_A_STEP = 1000;

/**
 * All steps. A repetition is everything once: so what changes in the machine over hours is in the spread of the repetitions, as it would be
 * between comparisons, and not in the difference of two numbers of threads.
 */
export function planSteps({ workloads, threads, repetitions, seed }: PlanRules): readonly PlannedStep[] {
  const steps = Array.from({ length: repetitions }, (_, at) => at + 1).flatMap((repetition) =>
    workloads.flatMap((workload) =>
      threads.flatMap((count) => STEP_NAMES.map((step) => ({ workload, threads: count, repetition, step }))),
    ),
  );
  return steps.map((step, at) => ({ ...step, seed: seed + at * SEEDS_A_STEP }));
}

/** A database is loaded anew for each: the steps of one repetition of a workload with a number of threads. */
export function databaseOf({ workload, threads, repetition }: PlannedStep): string {
  return `${workload.name}.nt${threads}.${repetition}`;
}

export function stepKey(planned: PlannedStep): string {
  return `${databaseOf(planned)}/${planned.step}`;
}

/** What must run again, without being counted, so that the database is as the step's predecessors left it. */
export function rebuildingSteps(plan: readonly PlannedStep[], next: PlannedStep): readonly PlannedStep[] {
  const own = plan.filter((one) => databaseOf(one) === databaseOf(next));
  return own.slice(0, own.indexOf(next)).filter(({ step }) => STEPS[step].writes);
}
