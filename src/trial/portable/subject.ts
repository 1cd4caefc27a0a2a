/** The life of one subject: started, watched, ended by force where need be, reaped once. */
import { spawn } from 'node:child_process';
import { uptime } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { LaunchOutcome, LaunchRequest } from '../launch.ts';
import { findTooLong, type SubjectFiles } from './files.ts';
import { type Process, signalAll } from './processes.ts';
import type { Channel } from './turns.ts';

export interface Subject {
  readonly request: LaunchRequest;
  /** The request's argv within its wrappers. */
  readonly command: readonly [string, ...string[]];
  /** Whether a wrapper stays alive as the subject's parent: it must outlive the subject to report on it. */
  readonly hasParent: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly files: SubjectFiles;
  /** Its descriptors 3 and 4, where it works in slices. */
  readonly channel: Channel | null;
  readonly cancelled: AbortSignal;
  /** Told the pid of what was spawned, before anything else. */
  started(pid: number): void;
  /** Living processes of this trial. */
  findDescendants(): Process[];
  /** Kills them until none is left; resolves with those that cannot be killed. */
  killDescendants(): Promise<readonly Process[]>;
  /** Called about every 50 ms. */
  sample(): void;
}

export interface SubjectEnd {
  /** What became of the process that was spawned. */
  readonly own: LaunchOutcome;
  /** Why we ended it; null where it ended by itself. */
  readonly forced: LaunchOutcome | null;
  readonly wall_ns: number;
  readonly leftovers: number;
  readonly started_boot_ns: number;
  readonly ended_boot_ns: number;
  readonly started_unix_ms: number;
}

const WATCH_MS = 25;
/** Memory is sampled at every second look. */
const LOOKS_PER_SAMPLE = 2;
const KILL_EVERY_MS = 20;
/** For descendants that are just ending when the subject ends. */
const LAST_MOMENT_MS = 2;

/** CLOCK_BOOTTIME, as far as Node tells it: in steps of 10 ms on Linux. */
export function bootNs(): number {
  return Math.round(uptime() * 1e9);
}

/** Runs the subject until no descendant of it is left; rejects when some cannot be killed. */
export async function runSubject(subject: Subject): Promise<SubjectEnd> {
  const started_unix_ms = Date.now();
  const started_boot_ns = bootNs();
  const start = process.hrtime.bigint();
  const { pid, ended } = startSubject(subject);
  const force = pid === undefined ? null : watchSubject(subject, pid);
  const own = await ended;
  const wall_ns = pid === undefined ? 0 : Number(process.hrtime.bigint() - start);
  const ended_boot_ns = bootNs();
  force?.stop();
  const leftovers = pid === undefined ? 0 : await endLeftovers(subject, force?.graceLeftMs() ?? 0);
  const stream = findTooLong(subject.files, subject.request.max_output_bytes);
  const forced = force?.outcome() ?? (stream === null ? null : { kind: 'output_limit', stream });
  return { own, forced, wall_ns, leftovers, started_boot_ns, ended_boot_ns, started_unix_ms };
}

interface StartedSubject {
  /** Undefined when there is no process; then `ended` says why. */
  readonly pid: number | undefined;
  /** Resolves when the process was reaped. */
  readonly ended: Promise<LaunchOutcome>;
}

function startSubject({ command, request, env, files, channel, started }: Subject): StartedSubject {
  const notStarted = (error: unknown): LaunchOutcome => {
    const { code = 'EINVAL' } = error as NodeJS.ErrnoException;
    // Node has names of its own, as for a NUL character in an argument.
    return { kind: 'not_started', code: code.startsWith('ERR_') ? 'EINVAL' : code, step: 'exec' };
  };
  try {
    const [program, ...argv] = command;
    const child = spawn(program, argv, {
      cwd: request.cwd,
      env,
      stdio: [
        files.stdin,
        files.stdout,
        files.stderr,
        ...(channel === null ? [] : [channel.requests, channel.answers]),
      ],
      // A session of its own.
      detached: true,
    });
    if (child.pid !== undefined) started(child.pid);
    const ended = new Promise<LaunchOutcome>((resolve) => {
      child.once('error', (error) => resolve(notStarted(error)));
      child.once('exit', (code, signal) => {
        resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal });
      });
    });
    return { pid: child.pid, ended };
  } catch (error) {
    return { pid: undefined, ended: Promise.resolve(notStarted(error)) };
  }
}

interface Force {
  /** Why the subject was ended, if it was. */
  outcome(): LaunchOutcome | null;
  /** What is left for its descendants to end by themselves after a SIGTERM. */
  graceLeftMs(): number;
  /** Stops every timer; nothing is signalled afterwards. */
  stop(): void;
}

/** Watches time, output and cancellation until it is stopped: SIGTERM to all, then SIGKILL to all until it is. */
function watchSubject(subject: Subject, pid: number): Force {
  const { request, files, cancelled } = subject;
  let outcome: LaunchOutcome | null = null;
  let graceEnd = 0;
  let looks = 0;
  let killer: NodeJS.Timeout | undefined;
  const withoutParent = (all: readonly Process[]) => (subject.hasParent ? all.filter((each) => each.pid !== pid) : all);
  const kill = () => {
    const all = subject.findDescendants();
    const children = withoutParent(all);
    // The wrapper reports and ends when the subject has died; it is killed only if it does not.
    signalAll(children.length > 0 ? children : all, 'SIGKILL');
    killer = setTimeout(kill, KILL_EVERY_MS);
  };
  const end = (reason: LaunchOutcome, grace_ms: number) => {
    if (outcome !== null) return;
    outcome = reason;
    if (grace_ms === 0) return kill();
    graceEnd = performance.now() + grace_ms;
    const children = withoutParent(subject.findDescendants());
    signalAll(children, 'SIGTERM');
    // A stopped process would not see it.
    signalAll(children, 'SIGCONT');
    killer = setTimeout(kill, grace_ms);
  };
  const cancel = () => end({ kind: 'cancelled' }, request.grace_ms);
  const watcher = setInterval(() => {
    const stream = findTooLong(files, request.max_output_bytes);
    if (stream !== null) end({ kind: 'output_limit', stream }, 0);
    looks += 1;
    if (looks % LOOKS_PER_SAMPLE === 0) subject.sample();
  }, WATCH_MS);
  const timeout = setTimeout(() => end({ kind: 'timeout' }, request.grace_ms), request.timeout_ms);
  if (cancelled.aborted) cancel();
  cancelled.addEventListener('abort', cancel, { once: true });
  return {
    outcome: () => outcome,
    graceLeftMs: () => Math.max(0, graceEnd - performance.now()),
    stop() {
      cancelled.removeEventListener('abort', cancel);
      clearInterval(watcher);
      clearTimeout(timeout);
      clearTimeout(killer);
    },
  };
}

/** Resolves with the number of those that were alive after the subject's end and had to be killed. */
async function endLeftovers({ findDescendants, killDescendants }: Subject, grace_ms: number): Promise<number> {
  const deadline = performance.now() + grace_ms;
  if (findDescendants().length > 0) await delay(LAST_MOMENT_MS);
  while (performance.now() < deadline && findDescendants().length > 0) await delay(KILL_EVERY_MS);
  const leftovers = findDescendants().length;
  const undead = await killDescendants();
  if (undead.length === 0) return leftovers;
  throw new Error(`processes that cannot be killed: ${undead.map(({ pid }) => pid).join(', ')}`);
}
