/**
 * What an experiment is, once its file has been read, validated and filled with defaults. Plain data: it goes into the
 * first line of the journal as it stands here.
 */

import type { ToolName } from '../formats/tools.ts';
import type { CounterMode, CounterName } from './counters.ts';
import type { Operations } from './operations.ts';
import type { REPEATS } from './tool-source.ts';

export type Argv = readonly [string, ...string[]];
export type Param = string | number | boolean;

export type ArmSource =
  | { readonly kind: 'command' }
  /** The artefact of another arm itself, under another name: for A/A. */
  | { readonly kind: 'same'; readonly of: string }
  | { readonly kind: 'npm'; readonly package: string; readonly version: string; readonly scripts: boolean }
  | GitSource
  /** Nothing is run: its results were measured elsewhere. No experiment file says so. */
  | { readonly kind: 'imported' };

/** Anything that git understands, or two such, of which the merge base is meant. */
export type Revision = string | { readonly merge_base: readonly [string, string] };

/** A revision of a git repository, and how it is built. */
export interface GitSource {
  readonly kind: 'git';
  /** A path, relative to the experiment, or an address, as it was written. */
  readonly repo: string;
  readonly rev: Revision;
  readonly submodules: boolean;
  /** Path of a file, relative to the experiment. */
  readonly patch: string | null;
  /** Run one after the other in the directory of the source; a text for a shell already says so. */
  readonly build: readonly Argv[];
  readonly build_env: Readonly<Record<string, string>>;
  readonly build_timeout_ms: number;
  /** The source of another arm prepared again from nothing: of which, and which copy it is, the arm itself being 0. */
  readonly again: { readonly of: string; readonly copy: number } | null;
}

/** Where the headers and the library of an arm are. Paths count from the arm's directory, else from the experiment. */
export type LibrarySource =
  | {
      readonly kind: 'artifacts';
      readonly include: readonly string[];
      readonly library: string;
      /** Taken as they stand, before what Assay would add; null: what a static library leaves undefined is added. */
      readonly link: readonly string[] | null;
      /** Paths of files that say how the library was built, to be kept. */
      readonly metadata: readonly string[];
    }
  | { readonly kind: 'prefix'; readonly prefix: string }
  | { readonly kind: 'pkg-config'; readonly name: string };

/** A driver of Assay's that is compiled once for each arm, against its headers and library. */
export interface Driver {
  readonly name: 'rocksdb';
  /** Null: the first of c++, g++, clang++. */
  readonly compiler: string | null;
  /** As `c++20`; null: the lowest that the headers of all arms compile with. */
  readonly standard: string | null;
  /** Null: -O3 -DNDEBUG. */
  readonly flags: readonly string[] | null;
}

export interface Arm {
  readonly name: string;
  readonly source: ArmSource;
  /** What `{arm.driver}` is compiled against; null where the workload has no driver. */
  readonly library: LibrarySource | null;
  /** The arm's own command, with placeholders; null where the workload's command is the trial. */
  readonly command: Argv | null;
  readonly env: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, Param>>;
}

export interface Workload {
  /** What `{arm.driver}` stands for is made of it; null where no driver is compiled. */
  readonly driver: Driver | null;
  /** With placeholders; null where each arm's own command is the trial. */
  readonly command: Argv | null;
  /** True where commands were given to `/bin/sh -c` on request; the argv then already says so. */
  readonly shell: boolean;
  /** With placeholders. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Names of variables taken over from Assay's own environment. */
  readonly pass_env: readonly string[];
  /** Path of a file, relative to the experiment; null is an empty input. */
  readonly stdin: string | null;
  readonly timeout_ms: number;
  readonly params: Readonly<Record<string, Param>>;
  readonly max_output_bytes: number;
  readonly drop_caches: boolean;
  /** Of a memory group that every trial has to itself, page cache included; null: trials are in Assay's own. */
  readonly memory_limit_bytes: number | null;
  /** A block device with a file system of its own for every trial's directory; null: the directory is on the disk that it is on. */
  readonly device: { readonly size_bytes: number } | null;
}

type Stream = 'stdout' | 'stderr';

/** Where a value comes from in a trial's raw output. Patterns are RE2 syntax with exactly one group. */
export type ValueSource =
  | { readonly kind: 'result'; readonly pointer: string }
  | { readonly kind: 'pattern'; readonly stream: Stream; readonly pattern: string }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly read:
        | { readonly kind: 'whole' }
        | { readonly kind: 'pointer'; readonly pointer: string }
        | { readonly kind: 'pattern'; readonly pattern: string };
    }
  | ToolSource;

/** What the reader of another tool's output finds in it. */
export interface ToolSource {
  readonly kind: 'tool';
  readonly tool: ToolName;
  /** Where the tool writes. */
  readonly text:
    | { readonly kind: 'stream'; readonly stream: Stream }
    | { readonly kind: 'file'; readonly path: string };
  /** As the reader names it: a benchmark, a step, a job. */
  readonly result: string;
  readonly metric: string;
  /** What of a result that is there several times; null: it must be there once. */
  readonly repeats: (typeof REPEATS)[number] | null;
}

/** What the operating system accounts for, under the names that records use. */
export const SYSTEM_METRICS = ['wall', 'cpu', 'max_rss'] as const;
export type SystemMetric = (typeof SYSTEM_METRICS)[number];

/** Of the slices of a session, one value for each arm: an operation's share, or how many slices were out of the ordinary. */
export const SLICE_METRICS = ['wall', 'cpu', 'stalls', 'stalled', 'switches'] as const;
export type SliceMetric = (typeof SLICE_METRICS)[number];

export type MetricSource =
  | { readonly kind: 'system'; readonly name: SystemMetric }
  | { readonly kind: 'counter'; readonly name: CounterName }
  /** Of a session; wall and cpu are those of an operation. */
  | { readonly kind: 'slice'; readonly name: SliceMetric }
  /** Of results that were measured elsewhere: the import says which of them is meant on each side. */
  | { readonly kind: 'imported'; readonly metric: string }
  | ValueSource;

/** Whether a value is of no text that the subject wrote. */
export function isAccounted(from: MetricSource): from is Exclude<MetricSource, ValueSource> {
  return ['system', 'counter', 'slice', 'imported'].includes(from.kind);
}

export interface Metric {
  readonly name: string;
  /** `ns` and `bytes` are scaled when they are shown; any other unit is printed as it stands. */
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly primary: boolean;
  /** The value is divided by the operations of its trial; null: it is that of a whole trial. */
  readonly per: Operations | null;
  readonly kind: 'ratio' | 'difference';
  /** Where a trial may lack the value without failing. */
  readonly optional: boolean;
  readonly from: MetricSource;
  /** A fraction for ratio metrics, in the metric's own unit for differences. */
  readonly threshold: number;
  /** As threshold; null asks for no test of equivalence. */
  readonly margin: number | null;
}

export type Check =
  | { readonly kind: 'exit_code'; readonly code: number }
  /** The driver must report these checks (any, where the list is empty) and all must be ok. */
  | { readonly kind: 'driver'; readonly names: readonly string[] }
  | { readonly kind: 'equal'; readonly name: string; readonly from: ValueSource }
  | { readonly kind: 'pattern'; readonly stream: Stream; readonly pattern: string; readonly must: boolean };

/** Why the arms of a control must not differ, or by how much they may. */
export type ControlPurpose =
  /** The same artefact on both sides (A/A). */
  | { readonly kind: 'same' }
  /** The same source prepared again from nothing: how much a build moves the result by itself (the layout floor). */
  | { readonly kind: 'rebuild' }
  /** The arms of the confirmation without counters: the two effects are compared with each other. */
  | { readonly kind: 'uncounted' }
  /** Other work, which the change cannot have touched. */
  | { readonly kind: 'unchanged' };

/** Trials beside the confirmation, in an order of their own; they are never pooled with it or with each other. */
export interface SideDesign {
  /** Of its phase too: no other phase has it. */
  readonly name: string;
  /** Null: a comparison that is reported, and decides nothing. */
  readonly control: ControlPurpose | null;
  /** Two, or more in blocks; the first is the reference of all that `against` does not name. */
  readonly arms: readonly [string, string, ...string[]];
  /** Rounded up to whole designs by the plan. */
  readonly blocks: number;
  /** Of an arm, what it is compared with instead. */
  readonly against: Readonly<Record<string, string>>;
  readonly counters: CounterMode;
  /** Instead of the workload's; null where that holds. */
  readonly command: Argv | null;
  /** Win over those of workload and arms. */
  readonly params: Readonly<Record<string, Param>>;
  /** Names of the metrics that are read; null: all. */
  readonly metrics: readonly string[] | null;
}

/** A metric of the confirmation that the change cannot have touched: a control without trials of its own. */
export interface UnchangedMetric {
  readonly name: string;
  readonly metric: string;
}

/** Work in turns: both arms live together in a session, and each works for a slice at a time (docs/slices.md). */
export interface Slices {
  /** Nominal, of one slice. */
  readonly slice_ns: number;
  /** Nominal, of all slices of a session. */
  readonly session_ns: number;
  /** Nominal number of operations of a slice; null: what takes `slice_ns` is found in the warm-up. */
  readonly operations: number | null;
  /** Untimed operations before each slice, as a fraction of the timed ones: the other arm cooled the caches. */
  readonly prelude: number;
  /** For one answer of a driver, set-up and verification included. */
  readonly answer_timeout_ms: number;
}

/** How blocks of arms are ordered; of two arms `balanced` is meant whatever is asked for. */
export const ORDERS = ['balanced', 'mirrored'] as const;
export type Order = (typeof ORDERS)[number];

export interface Design {
  /** Those of warm-up, screening, confirmation and counting; the others are in `sides` only. */
  readonly arms: readonly [string, string, ...string[]];
  /** Builds of each arm; pair i is made of build (i − 1) mod builds of both. 1: the one build. */
  readonly builds: number;
  /** 0 where there is no screening. Always even for two arms. */
  readonly screening_pairs: number;
  readonly confirmation_pairs: number;
  /** Set where the confirmation may end early: after so many pairs at the least, and `confirmation_pairs` at the most. */
  readonly sequential: { readonly min_pairs: number } | null;
  /** Blocks of trials that come first and are not measured. */
  readonly warmup: number;
  readonly order: Order;
  /** Null: each trial is a process of its own time. Else a pair is a session, in all phases but counting. */
  readonly slices: Slices | null;
  /** null: drawn when the run starts, and recorded. */
  readonly seed: number | null;
  /** Halves of a pair further apart than this are no pair; null: 60 s or three trial lengths, the longer. */
  readonly max_gap_ms: number | null;
}

export interface Machine {
  readonly cpu: number | null;
  readonly orchestrator_cpu: number | null;
  /** `fixed`: the addresses of a subject are not randomised. */
  readonly layout: 'random' | 'fixed';
  /** Up to so many bytes, drawn for each trial, lengthen the environment: the layout of the stack depends on them. */
  readonly environment_padding: number;
  /** Whether subjects run in the real-time class. */
  readonly real_time: boolean;
  readonly require: {
    readonly governor: string | null;
    readonly turbo: boolean | null;
    readonly virtual: boolean | null;
    readonly min_cpus: number | null;
    readonly max_load: number | null;
  };
}

/** Facts of the machine during one trial, as rates per time; of the counters, the share of the time that they ran. */
export const REJECTION_FACTS = ['steal', 'other_cpu', 'frequency_hz', 'counter_share'] as const;
export type RejectionFact = (typeof REJECTION_FACTS)[number];

export interface RejectRule {
  readonly fact: RejectionFact;
  readonly when: 'above' | 'below';
  readonly limit: number;
}

/** Instructions, counted in trials of their own: they are no times, and come after those that are timed. */
export interface Counting {
  readonly tool: 'callgrind';
  /** Trials of each arm, at least 2. */
  readonly repeats: number;
  /** The function between whose call and return is counted, or a pattern of its name; null: the whole process. */
  readonly region: string | null;
  /** Win over those of the workload and of the arms. */
  readonly params: Readonly<Record<string, Param>>;
  /** Operations of a counted trial; null: counts are shown for a whole trial. */
  readonly per: Operations | null;
  readonly timeout_ms: number;
}

export interface Decision {
  readonly level: number;
  readonly threshold: number;
  readonly margin: number | null;
}

/** A calibration: the confirmation is run over and over, and each run of it is judged by itself (docs/calibration.md). */
interface Calibrating {
  /** Each of `confirmation_pairs`. */
  readonly runs: number;
  /** `same`: the reference against a copy of itself (A/A). `known`: against an arm of known cost. */
  readonly against: 'same' | 'known';
  /** Of the arm, as a change for the worse of every primary ratio metric; null: nothing is said. */
  readonly cost: number | null;
}

/** Which machine code is told apart. */
export interface Attribution {
  /** Names of functions, `*` standing for anything; where there are none, those that differ are shown. */
  readonly functions: readonly string[];
}

export interface Experiment {
  readonly title: string;
  readonly question: string | null;
  readonly constructed: boolean;
  /** In the order of the file; at least two. */
  readonly arms: readonly [Arm, Arm, ...Arm[]];
  readonly reference: string;
  readonly workload: Workload;
  readonly metrics: readonly [Metric, ...Metric[]];
  readonly checks: readonly Check[];
  readonly design: Design;
  /** In the order in which they run, after the confirmation. */
  readonly sides: readonly SideDesign[];
  readonly unchanged: readonly UnchangedMetric[];
  /** What is counted in every trial, of all arms alike. */
  readonly counters: CounterMode;
  readonly machine: Machine;
  readonly reject: { readonly rules: readonly RejectRule[]; readonly max_repeats: number };
  readonly decision: Decision;
  readonly counting: Counting | null;
  /** Null: the machine code of the arms is not compared. */
  readonly attribution: Attribution | null;
  /** Null: no calibration. */
  readonly calibrates: Calibrating | null;
  /** Where trial directories are made; null: beside the run. */
  readonly trial_dir: string | null;
}
