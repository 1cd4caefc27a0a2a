/** What happens while a run goes on, for whoever draws progress. No event carries an effect: nobody may peek. */
import type { TrialRecord } from './journal/records.ts';
import type { PlannedTrial } from './plan/plan.ts';

export interface Progress {
  /** Trials done and trials to do in all, repeats included as far as they are known. */
  readonly done: number;
  readonly total: number;
  /** Of those to do: trials that are counted at the end, which take longer than others. Of these themselves, 0. */
  readonly counted_later: number;
}

/** What the trials of a block are together. */
export type BlockUnit = 'pair' | 'block' | 'session';

export type RunEvent =
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'preparing'; readonly arm: string; readonly message: string }
  /** A build begins, of all that the arms need; those that the cache has are never told. */
  | { readonly kind: 'building'; readonly arm: string; readonly number: number; readonly total: number }
  | { readonly kind: 'limitation'; readonly message: string; readonly remedy: string }
  | { readonly kind: 'resumed'; readonly dropped_bytes: number }
  | {
      readonly kind: 'trial_started';
      readonly planned: PlannedTrial;
      readonly attempt: number;
      readonly blocks: number;
      readonly unit: BlockUnit;
      readonly progress: Progress;
    }
  | { readonly kind: 'trial_ended'; readonly record: TrialRecord; readonly progress: Progress }
  | { readonly kind: 'rejected'; readonly record: TrialRecord; readonly unit: BlockUnit; readonly reason: string }
  | { readonly kind: 'verifying' };

export type Emit = (event: RunEvent) => void;
