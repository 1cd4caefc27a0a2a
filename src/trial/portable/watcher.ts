/**
 * The program between Assay and the subjects of a run where there is no native launcher. It holds the run's lock, runs
 * one trial at a time, and at the end of its stdin (Assay is done, or was killed) kills every descendant until none is
 * left. launcher.ts starts it.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Failure } from '../../failures.ts';
import type { LaunchAccount, LaunchRequest, SessionRequest } from '../launch.ts';
import { openAffinity } from './affinity.ts';
import { type Cgroup, enterCgroup } from './cgroup.ts';
import { NO_CPU_CLOCK, openCpuClock } from './cpu-time.ts';
import { type Limitation, limitationsOf } from './limitations.ts';
import { acquireLock } from './lock.ts';
import { COOKIE_NAME, findDescendants, killAll, type Process, readProcess, type Traces } from './processes.ts';
import { runSession, type SessionReply } from './session.ts';
import { runTrial, type TrialHost } from './trial.ts';
import { findTools, type Means } from './wrappers.ts';

/** What Assay asks: one JSON object a line on our stdin. Its end means that Assay is done, or dead. */
export type ToWatcher =
  | {
      readonly kind: 'open';
      readonly lockPath: string | null;
      readonly lockWaitMs: number;
      readonly orchestratorCpu: number | null;
      /** The value of the variable that marks descendants: `<lock>.<launcher>`, both unique. */
      readonly cookie: string;
      /** A directory for our own files; Assay makes it, and whoever of us lives longer removes it. */
      readonly scratch: string;
      readonly without: readonly Means[];
    }
  | { readonly kind: 'launch'; readonly request: LaunchRequest }
  | { readonly kind: 'session'; readonly request: SessionRequest }
  | { readonly kind: 'cancel' };

/** What we answer: one JSON object a line on our stdout. After `failed` we end. */
export type FromWatcher =
  | { readonly kind: 'ready'; readonly limitations: readonly Limitation[] }
  | { readonly kind: 'account'; readonly account: LaunchAccount }
  | { readonly kind: 'session'; readonly reply: SessionReply }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** An uninterruptible process may take a while to die; after this a trial gives up. */
const KILL_LIMIT_MS = 60_000;

interface Watcher extends TrialHost {
  readonly limitations: readonly Limitation[];
  /** The host of one of two subjects that live at the same time: what the one starts is not taken for the other's. */
  hostOf(subject: 0 | 1): TrialHost;
  /** Kills what is left, however long that takes, and tidies up. */
  close(): Promise<void>;
}

let watcher: Watcher | null = null;
let running: AbortController | null = null;
let isEnding = false;

function say(message: FromWatcher): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function openWatcher(message: Extract<ToWatcher, { kind: 'open' }>): Promise<Watcher | Failure> {
  const { lockPath, lockWaitMs, orchestratorCpu, cookie, scratch, without } = message;
  const tools = findTools(process.env['PATH'] ?? '', without);
  if (lockPath !== null) {
    const failure = await takeLock(lockPath, tools.flock, lockWaitMs);
    if (failure !== null) return failure;
  }
  const affinity = openAffinity(tools.taskset, orchestratorCpu);
  if (orchestratorCpu !== null && tools.taskset !== null && !affinity.pinned) {
    return {
      kind: 'machine',
      message: `CPU ${orchestratorCpu} cannot be used for Assay itself`,
      remedy: 'Choose an orchestrator CPU that is online and allowed to this process.',
    };
  }
  const traces: Traces = {
    cookie: `${COOKIE_NAME}=${cookie}`,
    parent: process.pid,
    subject: null,
    known: new Map(),
  };
  const earlier: Traces = { ...traces, cookie: traces.cookie.replace(/[.].*/, '.'), known: new Map() };
  const findByTraces = (readEnvironments: boolean) => findDescendants(traces, readEnvironments);
  // What an Assay and a watcher left that were killed at the same moment: we hold their lock now.
  await killAll(() => findDescendants(earlier, true), earlier.cookie, Number.POSITIVE_INFINITY);
  const cgroup = without.includes('cgroup') ? null : enterCgroup();
  const shared = { tools, affinity, scratch };
  const hostOf = (subject: 0 | 1): TrialHost => {
    const own = `${cookie}.${subject}`;
    const marks: Traces = { cookie: `${COOKIE_NAME}=${own}`, parent: null, subject: null, known: new Map() };
    const directory = join(scratch, `subject-${subject}`);
    mkdirSync(directory, { recursive: true });
    return {
      ...shared,
      scratch: directory,
      cpuClock: NO_CPU_CLOCK,
      cookie: { [COOKIE_NAME]: own },
      subjectStarted(pid) {
        marks.subject = pid;
      },
      findDescendants: (thorough) => findDescendants(marks, thorough),
      killDescendants: () => killAll(() => findDescendants(marks, true), marks.cookie, KILL_LIMIT_MS),
    };
  };
  return {
    ...shared,
    hostOf,
    cpuClock: openCpuClock(cgroup),
    limitations: limitationsOf({
      tools,
      hasCgroup: cgroup !== null,
      wantsLock: lockPath !== null,
      wantsOrchestratorCpu: orchestratorCpu !== null,
    }),
    cookie: { [COOKIE_NAME]: cookie },
    subjectStarted(pid) {
      traces.subject = pid;
      traces.known.clear();
    },
    findDescendants: (thorough) => (cgroup === null ? findByTraces(thorough) : livingIn(cgroup)),
    killDescendants: () =>
      cgroup === null
        ? killAll(() => findByTraces(true), traces.cookie, KILL_LIMIT_MS)
        : killAll(() => livingIn(cgroup), null, KILL_LIMIT_MS),
    async close() {
      if (cgroup !== null) await killAll(() => livingIn(cgroup), null, Number.POSITIVE_INFINITY);
      await killAll(() => findByTraces(true), traces.cookie, Number.POSITIVE_INFINITY);
      rmSync(scratch, { recursive: true, force: true });
      cgroup?.leave();
    },
  };
}

function livingIn(cgroup: Cgroup): Process[] {
  return cgroup
    .pids()
    .map(readProcess)
    .filter((each) => each !== null);
}

async function takeLock(path: string, flock: string | null, wait_ms: number): Promise<Failure | null> {
  try {
    const holder = await acquireLock(path, flock, wait_ms);
    return holder === null ? null : { kind: 'busy', path, holder };
  } catch (error) {
    return { kind: 'file', path, operation: 'lock', code: (error as NodeJS.ErrnoException).code ?? 'ENOLCK' };
  }
}

async function open(message: Extract<ToWatcher, { kind: 'open' }>): Promise<void> {
  const opened = await openWatcher(message);
  if ('kind' in opened) {
    say({ kind: 'failed', failure: opened });
    return end();
  }
  watcher = opened;
  say({ kind: 'ready', limitations: opened.limitations });
}

async function launch(host: TrialHost, request: LaunchRequest): Promise<void> {
  running = new AbortController();
  const account = await runTrial(request, host, running.signal);
  running = null;
  // Whoever told the watcher to end has killed the subject, too: its account would put the blame on it.
  if (!isEnding) say({ kind: 'account', account });
}

async function launchSession(host: Watcher, request: SessionRequest): Promise<void> {
  running = new AbortController();
  const reply = await runSession(request, host.hostOf, running.signal);
  // Those that left their session and cleared their environment, where there is a control group to find them by.
  await host.killDescendants();
  running = null;
  if (!isEnding) say({ kind: 'session', reply });
}

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await watcher?.close();
  process.exit(0);
}

/** Nothing but a mistake of ours, or an operating system in trouble, comes here. */
async function giveUp(error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error);
  say({ kind: 'failed', failure: { kind: 'launcher', message, remedy: 'Mend the cause and resume the run.' } });
  await end();
}

function receive(line: string): void {
  const message: ToWatcher = JSON.parse(line);
  if (message.kind === 'cancel') running?.abort();
  else if (message.kind === 'open') open(message).catch(giveUp);
  else if (watcher === null || running !== null) return;
  else if (message.kind === 'launch') launch(watcher, message.request).catch(giveUp);
  else launchSession(watcher, message.request).catch(giveUp);
}

// Assay is dead; what we would say to it does not matter any more.
process.stdout.on('error', () => {});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => void end());
process.on('uncaughtException', (error) => void giveUp(error));
createInterface({ input: process.stdin })
  .on('line', receive)
  .on('close', () => void end());
