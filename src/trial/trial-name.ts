/** What the folders of a trial are called. */
import { join } from 'node:path';
import type { PlannedTrial } from '../plan/plan.ts';

/** The name of a trial's folder: phase, block, position, arm and attempt, in an order that sorts. */
export function trialName(trial: PlannedTrial, attempt: number): string {
  const block = String(trial.block).padStart(4, '0');
  return `${trial.phase}-${block}-${trial.position}-${trial.arm}${attempt === 1 ? '' : `-attempt-${attempt}`}`;
}

/** Where the raw output of a trial is kept, within the run's directory. */
export function rawFolder(trial: PlannedTrial, attempt: number): string {
  return join('raw', trialName(trial, attempt));
}
