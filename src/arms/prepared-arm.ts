/** An arm made ready to run, one build of it; and what the journal keeps of it. */
import type { Argv } from '../experiment/experiment.ts';
import type { FileDigest, PreparedArm as PreparedArmRecord } from '../journal/records.ts';
import type { Phase } from '../plan/plan.ts';
import type { LibraryFacts } from './binary/facts.ts';
import type { MetadataFile } from './driver/metadata.ts';
import type { ArmRevision } from './git/source-diff.ts';

export interface TrialCommand {
  /** A template for `expand`: as in the experiment, but the first word is the absolute path of an executable. */
  readonly command: Argv;
  /** `command` as records show it: parameters filled in, directories as placeholders. */
  readonly shown: readonly string[];
}

/** The library of an arm with a driver. */
export interface ArmLibrary {
  readonly path: string;
  /** As records show it. */
  readonly shown: string;
  readonly facts: LibraryFacts;
  readonly metadata: readonly MetadataFile[];
}

export interface PreparedArm extends TrialCommand {
  readonly arm: string;
  /** From 0. */
  readonly build: number;
  /** What `{arm.dir}` stands for; null for an arm that is only a command. */
  readonly dir: string | null;
  /** Of controls that run something else, by their names. */
  readonly commands: Readonly<Record<Phase, TrialCommand>>;
  /** Paths as records show them. A tree is listed as `{arm.dir}`, with the digest of the whole. */
  readonly files: readonly FileDigest[];
  readonly provenance: Readonly<Record<string, string>>;
  readonly warnings: PreparedArmRecord['warnings'];
  /** Where the files of `files` really lie, in the same order. */
  readonly paths: readonly string[];
  /** Which of `paths` are directories, digested as a whole. */
  readonly trees: readonly string[];
  /** What `{arm.driver}` stands for; null where the workload has no driver. */
  readonly driver: string | null;
  /** Files of the preparation that a run keeps with its evidence. */
  readonly keep: readonly string[];
  /** Its source before the build; null for what is no revision of git. */
  readonly revision: ArmRevision | null;
  /** What its driver is compiled against; null where the workload has no driver. */
  readonly library: ArmLibrary | null;
}

/** What trials of a phase execute. */
export function commandIn(arm: PreparedArm, phase: Phase): TrialCommand {
  // A control may have any name, `constructor` too.
  return (Object.hasOwn(arm.commands, phase) ? arm.commands[phase] : undefined) ?? arm;
}

/** What the journal keeps of an arm. */
export function armRecord({
  arm,
  build,
  shown,
  commands,
  files,
  provenance,
  warnings,
}: PreparedArm): PreparedArmRecord {
  const others = Object.entries(commands).map(([phase, other]) => [phase, other.shown] as const);
  return { arm, build, command: shown, commands: Object.fromEntries(others), files, provenance, warnings };
}
