/** How much longer the environment of each trial is: the layout of a stack depends on it (Mytkowicz et al. 2009). */
import { seededDraw } from './order.ts';
import type { PlannedTrial } from './plan.ts';

/** Streams of the plan's orders are below this one. */
const FIRST_STREAM = 1000;
const STREAM_OF_PHASE = { warmup: 0, screening: 1, confirmation: 2, counting: 3 } as const;

/** A whole number from 0 to `most`, drawn from the seed for this trial and attempt alone. */
export function environmentPadding(seed: number, trial: PlannedTrial, attempt: number, most: number): number {
  if (most === 0) return 0;
  const place = (trial.block * 64 + trial.position) * 64 + attempt;
  return seededDraw(seed, FIRST_STREAM + place * 3 + STREAM_OF_PHASE[trial.phase])(most + 1);
}
