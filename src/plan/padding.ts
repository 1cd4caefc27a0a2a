/** How much longer the environment of each trial is: the layout of a stack depends on it (Mytkowicz et al. 2009). */
import { seededDraw } from './order.ts';
import type { PlannedTrial } from './plan.ts';

/** Streams of the plan's orders are below this one. */
const FIRST_STREAM = 1000;
/** More than a plan has phases. */
const PHASES = 1024;

/**
 * A whole number from 0 to `most`, drawn from the seed for this trial and attempt alone.
 * @param phase the place of the trial's phase among those of the experiment, from 0
 */
export function environmentPadding(
  seed: number,
  trial: PlannedTrial,
  phase: number,
  attempt: number,
  most: number,
): number {
  if (most === 0) return 0;
  const place = (trial.block * 64 + trial.position) * 64 + attempt;
  return seededDraw(seed, FIRST_STREAM + place * PHASES + phase)(most + 1);
}
