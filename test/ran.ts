/** Runs that Assay ran itself: they have a machine, and their trials an account, which imported ones have not. */
import type { MachineFacts } from '../src/host/machine.ts';
import type { Journal, RunRecord, TrialRecord } from '../src/journal/records.ts';
import type { LaunchAccount } from '../src/trial/launch.ts';

export type RanTrial = TrialRecord & { readonly account: LaunchAccount };

export type RanJournal = Omit<Journal, 'run' | 'trials'> & {
  readonly run: RunRecord & { readonly machine: MachineFacts };
  readonly trials: readonly RanTrial[];
};

export function ran(journal: Journal): RanJournal {
  if (isRan(journal)) return journal;
  throw new Error('these results were measured elsewhere');
}

function isRan(journal: Journal): journal is RanJournal {
  return journal.run.machine !== null && journal.trials.every(({ account }) => account !== null);
}
