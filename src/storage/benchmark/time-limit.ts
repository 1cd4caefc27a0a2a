/** How long a step may take before it counts as hanging. */
import { STEPS, type StepName } from './steps.ts';

const HOUR_S = 3600;
/** A load has no time of its own; what follows a step, until compactions have caught up, may take hours as well. */
const LONGEST_LOAD_S = 7 * 24 * HOUR_S;
const LONGEST_AFTER_S = 12 * HOUR_S;
/** Of a small run, which takes about a minute in all. */
const LONGEST_SMALL_S = 600;

export interface TimeRules {
  readonly small: boolean;
  readonly duration_s: number;
}

/** In seconds, from its start. */
export function timeLimit(step: StepName, { small, duration_s }: TimeRules): number {
  if (small) return duration_s + LONGEST_SMALL_S;
  return STEPS[step].timed ? duration_s + LONGEST_AFTER_S : LONGEST_LOAD_S;
}
