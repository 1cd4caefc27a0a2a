/** When a sequential run may end: as soon as the verdict of every primary metric is decided (docs/methods.md, "Stopping early"). */
import type { Journal, RunRecord } from '../journal/records.ts';
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

/** Null where the number of pairs is fixed. */
function stoppingRule({ experiment, plan }: RunRecord): StoppingRule | null {
  const { sequential } = plan;
  if (sequential === null) return null;
  const blocks = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks ?? [];
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
