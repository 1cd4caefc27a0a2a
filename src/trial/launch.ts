/** The contract between Assay and whatever starts a subject: the native launcher, or the portable one. */
import type { CounterKind } from '../experiment/counters.ts';

export interface LaunchRequest {
  /** argv[0] is an absolute path; nothing is looked up. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the subject. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a file; null is /dev/null. */
  readonly stdin: string | null;
  /** Absolute paths of files that the launcher creates (they must not exist) and the subject writes to directly. */
  readonly stdout: string;
  readonly stderr: string;
  /** The CPU that the subject is pinned to. */
  readonly cpu: number | null;
  /** The subject's addresses are not randomised: its layout depends on its environment and files alone. */
  readonly fixed_layout: boolean;
  /** The subject runs in the real-time class (SCHED_FIFO, priority 1), ahead of all ordinary processes. */
  readonly real_time: boolean;
  /** Directory of the control group that the subject runs in, absolute; it is in it before the clock starts. */
  readonly memory_group: string | null;
  /** Events that are counted from the subject's start until its last descendant has ended. */
  readonly counters: CounterKind | null;
  readonly timeout_ms: number;
  /** Between SIGTERM and SIGKILL. */
  readonly grace_ms: number;
  /** Of stdout and stderr each. */
  readonly max_output_bytes: number;
  /** `sync` and a wait until write-back has settled, before the clock starts. */
  readonly settle: boolean;
}

/** How a number was come by. Resolution is in the unit of the value (ns, bytes). */
export interface Accounting {
  readonly method: string;
  readonly resolution: number;
  readonly scope: string;
}

/**
 * Events as they were counted, by name. All of them run at the same time: for `running_ns` of the `enabled_ns` in which
 * they should have. `unsupported` says why there are none.
 */
export type CounterReading =
  | {
      readonly kind: CounterKind;
      readonly events: Readonly<Record<string, number>>;
      readonly enabled_ns: number;
      readonly running_ns: number;
    }
  | { readonly kind: CounterKind; readonly unsupported: string };

export type LaunchOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'output_limit'; readonly stream: 'stdout' | 'stderr' }
  /** Never started: no such file, not executable, CPU not allowed … `code` is the errno's name. */
  | { readonly kind: 'not_started'; readonly code: string; readonly step: string }
  /** Assay asked for the end (a signal from the user). */
  | { readonly kind: 'cancelled' }
  /** The other process of the session failed, and this one was ended with it. */
  | { readonly kind: 'abandoned' };

export interface LaunchAccount {
  readonly outcome: LaunchOutcome;
  /** From just before fork to just after the subject was reaped. */
  readonly wall_ns: number;
  /** User and system time of the subject and all descendants that ended in this trial; null where unknown. */
  readonly cpu_ns: number | null;
  /** The largest resident set of any one process of the trial; null where unknown. */
  readonly max_rss_bytes: number | null;
  /** Descendants that were still alive after the subject had ended, and were killed. */
  readonly leftovers: number;
  /** Null where none were asked for. */
  readonly counters: CounterReading | null;
  readonly accounting: Readonly<Record<'wall' | 'cpu' | 'max_rss', Accounting>>;
  /** CLOCK_BOOTTIME at start and end: does not jump, counts suspension. */
  readonly started_boot_ns: number;
  readonly ended_boot_ns: number;
  /** Unix time at start. */
  readonly started_unix_ms: number;
  /** How long `settle` took. */
  readonly settled_ns: number;
}

/** One quad of a session: four slices, of the leader, the other twice, and the leader again. */
export interface PlannedQuad {
  /** Which subject leads, by the order in which they start. */
  readonly leader: 0 | 1;
  /** Timed, of each of the four slices; a multiple of the workload's unit. */
  readonly operations: number;
  /** Untimed, before each of them. */
  readonly prelude: number;
  /** Untimed rest before the quad. */
  readonly gap_ns: number;
}

export interface SessionRequest {
  /** In the order in which they start; the second starts when the first is ready. Each is told `--serve` by its argv. */
  readonly subjects: readonly [LaunchRequest, LaunchRequest];
  /** Absolute path of a file that the launcher creates: what both said when they were ready, and every slice. */
  readonly slices: string;
  readonly answer_timeout_ms: number;
  readonly work:
    | { readonly kind: 'quads'; readonly quads: readonly PlannedQuad[] }
    /**
     * Quads ABBA whose number of operations doubles, from the larger unit of both, until a slice of either arm takes `target_ns`
     * or the next quad would pass what a driver can do; then as many quads of that number as `target_ns × settle_slices` allow. Where
     * slices become shorter meanwhile, the number doubles again. Where it would pass `MOST_OPERATIONS`, that is a fault.
     */
    | { readonly kind: 'ramp'; readonly target_ns: number; readonly settle_slices: number };
}

/** What ended a session before its plan did. */
export interface SessionFault {
  /** Whose, by the order in which they start. */
  readonly subject: 0 | 1;
  /** `stalled`: no answer in time. `ended`: it closed its descriptor or exited. `garbage`: no answer of the protocol. `unasked`: an answer
   * too many. `miscounted`: it says that it did another number of operations. `busy`: its background work did not come to rest in time.
   * `timeless`: it and the other say that the most operations of a slice take less time than a slice should. */
  readonly kind: 'stalled' | 'ended' | 'garbage' | 'unasked' | 'miscounted' | 'busy' | 'timeless';
  /** 0: while it set up; else the slice that was asked for, from 1; one more than there are: while it verified. */
  readonly slice: number;
  /** What it answered, cut to 200 characters; empty where it did not. */
  readonly answer: string;
}

export interface SessionAccount {
  /** As of two launches that overlap. Wall time is from fork to the end of the process. */
  readonly subjects: readonly [LaunchAccount, LaunchAccount];
  readonly fault: SessionFault | null;
}

export interface Launcher {
  readonly kind: 'native' | 'portable';
  /** What is coarser than it could be, and how to mend it; empty for the native launcher. */
  readonly limitations: readonly { readonly message: string; readonly remedy: string }[];
  /** One trial at a time. Rejects with AssayError only when the launcher itself is broken. */
  launch(request: LaunchRequest): Promise<LaunchAccount>;
  /** Two subjects that work in turns. As `launch`, one at a time. */
  launchSession(request: SessionRequest): Promise<SessionAccount>;
  /** Ends the trial that is running, if one is: its account says `cancelled`. Calling it twice is harmless. */
  cancel(): void;
  /** Kills what is left, gives the run's lock back. */
  close(): Promise<void>;
}
