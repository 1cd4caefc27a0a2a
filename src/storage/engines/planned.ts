/** What a study of engines would do, before it does. */
import type { ReadyEngine } from './experiment.ts';
import type { LeftOut } from './settled.ts';
import type { EngineStudy, StudySize } from './study.ts';

export interface FoundEngine extends ReadyEngine {
  /** Null of a program of the user's. */
  readonly title: string | null;
  /** That of the engine where the study names none; null: not known. */
  readonly variant: string | null;
  /** Whether the program is there; else it is compiled first. */
  readonly made: boolean;
}

export interface PlannedSize {
  readonly size: StudySize;
  /** Of the load: keys and values. */
  readonly user_bytes: number;
  /** Engines as they run. */
  readonly blocks: readonly (readonly string[])[];
  readonly trials: number;
  /** Fewer where the study was begun. */
  readonly trials_left: number;
  /** Of a block, by an earlier run of this size; null: none is known. */
  readonly block_seconds: number | null;
  /** The directory of that run. */
  readonly as_in: string | null;
}

export interface PlannedStudy {
  /** Without what is left out. */
  readonly study: EngineStudy;
  readonly small: boolean;
  readonly seed: number;
  /** False: drawn for this view; the study draws another. */
  readonly seed_given: boolean;
  /** Of the study that was begun; null: it would begin anew. */
  readonly begun: string | null;
  readonly engines: readonly FoundEngine[];
  readonly sizes: readonly PlannedSize[];
  readonly left_out: readonly LeftOut[];
  /** What would end it. */
  readonly problems: readonly { readonly message: string; readonly remedy: string }[];
}
