/** The lines of a journal. The format is versioned: later versions of Assay read every version that was ever written. */
import type { Experiment } from '../experiment/experiment.ts';
import type { ToolName } from '../formats/tools.ts';
import type { MachineFacts, MachineState, TrialNoise } from '../host/machine.ts';
import type { Plan, PlannedTrial } from '../plan/plan.ts';
import type { CounterReading, LaunchAccount } from '../trial/launch.ts';
import type { Calibration } from './calibration.ts';

export const JOURNAL_VERSION = 1;

/** The first line: all that was settled before anything ran. */
export interface RunRecord {
  readonly kind: 'run';
  readonly version: number;
  readonly assay: string;
  /** Of Node.js and of the libraries that numbers go through. */
  readonly versions: Readonly<Record<string, string>>;
  readonly started_unix_ms: number;
  /** The file as it was written, identity replaced by placeholders. */
  readonly source: { readonly name: string; readonly text: string; readonly sha256: string };
  readonly experiment: Experiment;
  /** SHA-256 of the experiment without its seed and title: what makes two runs the same experiment. */
  readonly experiment_id: string;
  readonly plan: Plan;
  /** Where the results were measured elsewhere: what is known of them. Null: this run measured them. */
  readonly imported: Imported | null;
  /** Null where the results were measured elsewhere: that machine is not known. */
  readonly machine: MachineFacts | null;
  /** Of this machine and workload, the newest that was on record when the run began; null: there was none, or it could not be read. */
  readonly calibration: Calibration | null;
  /** Earlier runs of the same experiment that stand beside this one. */
  readonly earlier: readonly { readonly name: string; readonly started_unix_ms: number; readonly finished: boolean }[];
}

/** What is known of results that were measured elsewhere. */
export interface Imported {
  readonly tool: ToolName;
  /** In the order in which they were given. */
  readonly files: readonly ImportedFile[];
  /** The result that a side is, where it is one result under a name of its own; null: all that its files have. */
  readonly sides: readonly { readonly arm: string; readonly result: string | null }[];
  /**
   * Whether the sides ran in turns, so that what changes on the machine meets all alike. `shown`: the times in the files say so;
   * `said`: whoever imported them does; `unknown`: nobody.
   */
  readonly order: 'shown' | 'said' | 'unknown';
  /** What a repetition is: a process of its own, all that a file has, or one of several within a process. */
  readonly unit: 'process' | 'file' | 'shared';
  readonly warnings: readonly Notice[];
}

interface ImportedFile extends RawFile {
  /** As it was called where it was given. */
  readonly name: string;
  readonly arms: readonly string[];
}

/** What a reader must know, as data. */
export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** One file that a trial starts or is given, as it was before the first trial. */
export interface FileDigest {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface PreparedArm {
  readonly arm: string;
  /** From 0; more than one where the experiment asks for several. */
  readonly build: number;
  /** With placeholders for trial and identity. */
  readonly command: readonly string[];
  /** The same of controls that run something else, by their names. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly files: readonly FileDigest[];
  /** What is known of the origin, to be printed as it stands. */
  readonly provenance: Readonly<Record<string, string>>;
  /** What a reader must know of how it was made. */
  readonly warnings: readonly Notice[];
}

/** The machine code of an arm's program or library beside that of the reference, addresses aside. */
export interface CodeComparison {
  readonly arm: string;
  readonly reference: string;
  readonly file: 'driver' | 'library' | 'executable';
  /** The files, as `files` of the arms has them. */
  readonly arm_path: string;
  readonly reference_path: string;
  readonly same_file: boolean;
  /** Null: one of them has none. */
  readonly same_text: boolean | null;
  /** Whether constants and data are the same as they lie in the files. */
  readonly same_data: boolean;
  /** Which symbols told functions apart; `exported`: at least one of them was stripped. */
  readonly symbols: 'all' | 'exported' | 'none';
  /** Null where functions were not compared: they need not be where the text is the same, or cannot. */
  readonly functions: {
    readonly same: number;
    readonly differ: number;
    readonly only_in_arm: number;
    readonly only_in_reference: number;
  } | null;
  /** The largest differences of size first; names are decoded. Null bytes: that side has no such function. */
  readonly differing: readonly FunctionSizes[];
  /** How many more there are. */
  readonly rest: number;
  /** Functions that the experiment names. */
  readonly named: readonly (FunctionSizes & { readonly same: boolean })[];
  /** Files with both disassemblies of a function side by side, within the run's directory. */
  readonly disassemblies: readonly string[];
}

export interface FunctionSizes {
  readonly name: string;
  readonly reference_bytes: number | null;
  readonly arm_bytes: number | null;
}

/** The object files of an arm's static library beside those of what it is compared with. */
export interface ObjectComparison {
  readonly arm: string;
  readonly reference: string;
  /** The libraries, as `files` of the arms has them. */
  readonly arm_path: string;
  readonly reference_path: string;
  readonly same: number;
  readonly differ: number;
  readonly only_in_arm: number;
  readonly only_in_reference: number;
  /** Names of those that are not the same, by name. */
  readonly unequal: readonly { readonly name: string; readonly where: 'both' | 'arm' | 'reference' }[];
  /** How many more there are. */
  readonly rest: number;
  /** Pairs that were compared byte by byte, since no machine code is understood in them. */
  readonly as_bytes: number;
}

/** What of the sources of an arm and its reference differs, patches included and what builds add not. */
export type SourceDiff = { readonly arm: string; readonly reference: string } & (
  | {
      readonly kind: 'diff';
      /** Within the run's directory. */
      readonly path: string;
      /** Of the whole diff. */
      readonly bytes: number;
      /** Fewer where it was cut. */
      readonly kept_bytes: number;
      readonly files: number;
      readonly lines_added: number;
      readonly lines_removed: number;
    }
  | { readonly kind: 'same' }
  /** A clause. */
  | { readonly kind: 'none'; readonly why: string }
);

export interface PreparedRecord {
  readonly kind: 'prepared';
  readonly arms: readonly PreparedArm[];
  /** Of each arm against the reference; empty where the experiment asks for none. */
  readonly attribution: readonly CodeComparison[];
  /** As `attribution`, for static libraries. */
  readonly objects: readonly ObjectComparison[];
  /** Of each arm against what it is compared with. */
  readonly diffs: readonly SourceDiff[];
  /** What `arms/` in the run's directory holds. Null: an earlier version of Assay did not say. */
  readonly kept: readonly RawFile[] | null;
  readonly launcher: {
    readonly kind: 'native' | 'portable';
    readonly limitations: readonly { readonly message: string; readonly remedy: string }[];
    /** Wall time of an empty command, through the same launcher. */
    readonly overhead_ns: number;
  };
  /** Name and version of what counts instructions; null where nothing is counted. */
  readonly counting_tool: string | null;
}

export type TrialFailure =
  | { readonly kind: 'launch'; readonly message: string }
  | { readonly kind: 'timeout'; readonly timeout_ms: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'output_limit'; readonly stream: 'stdout' | 'stderr'; readonly limit_bytes: number }
  | { readonly kind: 'metric'; readonly metric: string; readonly message: string }
  | { readonly kind: 'check'; readonly check: string; readonly message: string }
  | { readonly kind: 'counting'; readonly message: string }
  /** A driver that works in slices did not keep to the protocol. */
  | { readonly kind: 'slices'; readonly message: string };

export interface RawFile {
  /** Within the run's directory. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What was counted: in the timed region of the driver, on its measured thread, or around the process and all it starts. */
export type TrialCounters = CounterReading & { readonly scope: 'region' | 'process' };

/** What was counted in a trial of the phase `counting`. */
export interface InstructionCount {
  /** In the region. */
  readonly instructions: number;
  /** Null where the experiment does not say how many. */
  readonly operations: number | null;
  /** Instructions of the function itself, without those it calls; the largest first. */
  readonly functions: readonly { readonly name: string; readonly instructions: number }[];
  /** Instructions of functions that are not listed. */
  readonly rest: number;
}

/** What a driver says of its own workload, for reports. */
export interface DriverWording {
  /** What is inside of the timed region, and what is not. */
  readonly timed: string | null;
  readonly not_a_claim_about: readonly string[];
}

/** One that was read from a journal may look its fields up in columns: to copy or compare it as a whole, take `whole` of it. */
export interface TrialRecord extends PlannedTrial {
  readonly kind: 'trial';
  /** Of this block, from 1. */
  readonly attempt: number;
  /** Null where the results were measured elsewhere: nobody accounted for them. */
  readonly account: LaunchAccount | null;
  /** Null: the trial does not have an optional metric. A failed trial may lack names. */
  readonly metrics: Readonly<Record<string, number | null>>;
  /** By JSON pointer: what the result line has where the `per` of a metric looks, and what the driver declares. */
  readonly operations: Readonly<Record<string, number>>;
  /** Every check that was made, with the value for checks of equality. */
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  /** Null in all other phases, and where the trial failed. */
  readonly counted: InstructionCount | null;
  /** Of the first trial of each arm, where its driver says something; null in all others. */
  readonly wording: DriverWording | null;
  readonly failure: TrialFailure | null;
  /** What readers of other tools' output say of this trial's. */
  readonly reader_warnings: readonly Notice[];
  /** Of a failed trial: the last lines of its stderr, else of its stdout; null where it printed nothing. */
  readonly last_words: string | null;
  readonly noise: TrialNoise;
  /** As found; null where the experiment has none. */
  readonly counters: TrialCounters | null;
  /** Before the first trial of a block and after its last. */
  readonly state: MachineState | null;
  readonly raw: readonly RawFile[];
  /** Of the session that the trial is one half of; both halves have the same. Null: it is none, or a driver was never ready. */
  readonly session: SessionSlices | null;
}

/** As a line of the journal has it. */
export type TrialLine = Omit<TrialRecord, 'session'>;

/** The slices of a session, in columns. Subjects count by the order in which they started: 0 is position 1. */
export interface SessionSlices {
  /** What the drivers said when they were ready. */
  readonly ready: readonly [DriverReady, DriverReady];
  /** One value a quad. */
  readonly leader: readonly (0 | 1)[];
  readonly operations: readonly number[];
  readonly prelude: readonly number[];
  readonly gap_ns: readonly number[];
  /** Four values a quad, in the order in which they ran. */
  readonly wall_ns: readonly number[];
  readonly cpu_ns: readonly number[];
  readonly voluntary_switches: readonly number[];
  readonly involuntary_switches: readonly number[];
  /** By name, of drivers that count; null where none do. */
  readonly counters: Readonly<Record<string, readonly number[]>> | null;
}

export interface DriverReady {
  /** The numbers of operations that it takes are multiples of this. */
  readonly unit: number;
  /** How many operations it can do in its life, preludes included; null: any number. */
  readonly most: number | null;
}

/** Both halves of a session, and what they did in turns: one line of the journal. */
export interface SessionRecord {
  readonly kind: 'session';
  readonly trials: readonly [TrialLine, TrialLine];
  /** Whole quads only. Null where a driver was never ready. */
  readonly slices: SessionSlices | null;
}

/** The trials of a line, in the order in which they started. */
export function trialsIn(record: TrialLine | SessionRecord): readonly TrialRecord[] {
  if (record.kind === 'trial') return [{ ...record, session: null }];
  return record.trials.map((trial) => ({ ...trial, session: record.slices }));
}

/** The trials of this attempt at this block that are already on disk do not count: the block is repeated in its place. */
export interface InterruptedRecord {
  readonly kind: 'interrupted';
  readonly phase: PlannedTrial['phase'];
  readonly block: number;
  readonly attempt: number;
  readonly reason: 'resumed' | 'gap';
}

export interface ResumedRecord {
  readonly kind: 'resumed';
  readonly unix_ms: number;
  readonly assay: string;
  /** Bytes of a torn last line that were dropped. */
  readonly dropped_bytes: number;
}

export type EndReason =
  | { readonly kind: 'complete' }
  | { readonly kind: 'trial_failed' }
  | { readonly kind: 'changed'; readonly arm: string; readonly path: string }
  | { readonly kind: 'disk_space'; readonly message: string }
  | { readonly kind: 'signal'; readonly signal: string };

export interface EndRecord {
  readonly kind: 'end';
  readonly unix_ms: number;
  readonly reason: EndReason;
}

export type JournalRecord =
  | RunRecord
  | PreparedRecord
  | TrialLine
  | SessionRecord
  | InterruptedRecord
  | ResumedRecord
  | EndRecord;

/** A journal as read back: what analysis and reports are functions of. */
export interface Journal {
  readonly run: RunRecord;
  readonly prepared: PreparedRecord | null;
  readonly trials: readonly TrialRecord[];
  readonly interruptions: readonly InterruptedRecord[];
  readonly resumptions: readonly ResumedRecord[];
  /** The last one: a run that was resumed has ended more than once. */
  readonly end: EndRecord | null;
}
