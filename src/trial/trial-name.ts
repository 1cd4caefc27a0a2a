/** What the folders of a trial are called: in an order that sorts. */
import { join } from 'node:path';
import type { PlannedTrial } from '../plan/plan.ts';

/**
 * The folder in which a trial runs. The arm's name is not in it: the subject's environment and arguments hold this path,
 * and the layout of its memory depends on their length (Mytkowicz et al. 2009).
 */
export function trialFolder(trial: PlannedTrial, attempt: number): string {
  // A repeat of a count must not be told from the others by the length of its path.
  if (trial.phase === 'counting') return `${placeOf(trial)}-attempt-${String(attempt).padStart(4, '0')}`;
  return `${placeOf(trial)}${repeatOf(attempt)}`;
}

/** Where the raw output of a trial is kept, within the run's directory. The subject never sees this path. */
export function rawFolder(trial: PlannedTrial, attempt: number): string {
  return join('raw', `${placeOf(trial)}-${trial.arm}${repeatOf(attempt)}`);
}

function placeOf({ phase, block, position }: PlannedTrial): string {
  return `${phase}-${String(block).padStart(4, '0')}-${position}`;
}

function repeatOf(attempt: number): string {
  return attempt === 1 ? '' : `-attempt-${attempt}`;
}
