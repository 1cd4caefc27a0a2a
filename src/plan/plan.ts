/** What a plan is: who runs when, fixed before anything runs. */

export type Phase = 'warmup' | 'screening' | 'confirmation';

export interface PlannedPhase {
  readonly phase: Phase;
  /** Each block lists the arms in the order in which they run; with two arms a block is a pair. */
  readonly blocks: readonly (readonly string[])[];
}

export interface Plan {
  readonly seed: number;
  readonly phases: readonly PlannedPhase[];
}

/** The place of one trial. Blocks and positions count from 1, blocks within their phase. */
export interface PlannedTrial {
  readonly phase: Phase;
  readonly block: number;
  readonly position: number;
  readonly arm: string;
}
