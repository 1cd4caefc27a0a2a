/** When a sequential run may end: as soon as the verdict of every primary metric is decided (docs/methods.md, "Stopping early"). */
import type { Experiment } from '../experiment/experiment.ts';
import type { Journal, RunRecord } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import type { PlannedPhase, Sequential } from '../plan/plan.ts';
import { type Checkpoint, type Progress, replayProgress, type StoppingRule } from '../plan/progress.ts';
import { candidatesOf } from './compare.ts';
import { contrastsOf } from './contrasts.ts';
import { lastLook } from './looks.ts';
import { judge } from './verdict.ts';

/**
 * Progress of a run that a journal tells of.
 * @param from where it stood before the first trial that the journal has; null: at its start
 */
export function progressOf(journal: Journal, from: Checkpoint | null = null): Progress {
  return replayProgress(journal, stoppingRule(journal.run), from);
}

/** Whether a sequential run was looked at after its last pair, and that look decided it; false of all other runs. */
export function isDecided(run: RunRecord, confirmation: Attempts): boolean {
  return stoppingRule(run)?.(confirmation.filter(({ outcome }) => outcome === 'complete')) === true;
}

/** Null where the number of pairs is fixed. */
function stoppingRule({ experiment, plan }: RunRecord): StoppingRule | null {
  const { sequential } = plan;
  if (sequential === null) return null;
  const blocks = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks ?? [];
  return stopsOnceDecided(experiment, blocks, sequential);
}

/** @param blocks as the confirmation was planned, or the run of a calibration that is looked at */
export function stopsOnceDecided(
  experiment: Experiment,
  blocks: PlannedPhase['blocks'],
  sequential: Sequential,
): StoppingRule {
  const contrasts = contrastsOf(experiment, experiment.metrics).filter(({ metric }) => metric.primary);
  const { level } = experiment.decision;
  return (complete) => {
    if (complete.length < sequential.min || lastLook(complete).length !== complete.length) return false;
    const candidates = candidatesOf(contrasts, complete, { blocks, builds: 1, sequential });
    // What has not varied so far may yet: it stops no run.
    if (candidates.some(({ measured }) => measured.measure?.exact === true)) return false;
    return judge(candidates, level, true).every(({ verdict }) => DECIDED.includes(verdict.kind));
  };
}

const DECIDED: readonly string[] = ['slower', 'faster', 'equivalent'];
