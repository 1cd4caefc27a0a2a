/** Finding and killing everything that a trial started, where the kernel does not keep the books for us. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** With `pid`, tells a process from a later one of the same number. */
  readonly started: string;
}

/** The one variable that the portable launcher adds to a subject's environment; it marks every descendant. */
export const COOKIE_NAME = 'ASSAY_TRIAL';

/** What marks a process as one of ours. */
export interface Traces {
  /** What a variable in the environment begins with: `NAME=value`, or a prefix of it. */
  readonly cookie: string;
  /** Children of this process are ours; null: nobody's. */
  readonly parent: number | null;
  /** The subject: leader of its own session and process group. */
  subject: number | null;
  /** Everyone found so far, by pid: they stay ours when they change session and lose their parent. */
  readonly known: Map<number, string>;
}

/**
 * Every living process (zombies are dead) that carries a trace, or descends from one that does. Adds them to `known`.
 * Without `readEnvironments` it is several times cheaper and misses those that left both session and parent.
 */
export function findDescendants(traces: Traces, readEnvironments: boolean): Process[] {
  const marked = process.platform === 'darwin' ? darwinMarked(traces.cookie) : linuxMarked(traces.cookie);
  const all: Process[] = [];
  const ours = new Map<number, Process>();
  const isOurs = (each: Process): boolean =>
    traces.known.get(each.pid) === each.started ||
    each.parent === traces.parent ||
    (traces.subject !== null && (each.session === traces.subject || each.group === traces.subject)) ||
    (readEnvironments && marked(each.pid));
  // Each is judged as soon as it is read: a moment later it may be gone, and what it forked unknown.
  for (const each of process.platform === 'darwin' ? darwinProcesses() : linuxProcesses()) {
    all.push(each);
    if (each.pid !== process.pid && isOurs(each)) ours.set(each.pid, each);
  }
  for (let grew = ours.size > 0; grew; ) {
    grew = false;
    for (const each of all) {
      if (ours.has(each.pid) || !ours.has(each.parent) || each.pid === process.pid) continue;
      ours.set(each.pid, each);
      grew = true;
    }
  }
  for (const each of ours.values()) traces.known.set(each.pid, each.started);
  return [...ours.values()];
}

/** One process from /proc/<pid>/stat; null when it is gone or a zombie. */
export function readProcess(pid: number): Process | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The command's name stands in parentheses and may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X') return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? '',
  };
}

/** The newest first: they are the ones that may not live long. */
function* linuxProcesses(): Generator<Process> {
  const pids = readdirSync('/proc').filter((name) => name >= '0' && name < ':');
  for (const pid of pids.map(Number).sort((a, b) => b - a)) {
    const each = readProcess(pid);
    if (each !== null) yield each;
  }
}

function linuxMarked(cookie: string): (pid: number) => boolean {
  const wanted = Buffer.from(`\0${cookie}`);
  const atStart = wanted.subarray(1);
  return (pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`);
      return environment.includes(wanted) || environment.subarray(0, atStart.length).equals(atStart);
    } catch {
      return false;
    }
  };
}

function darwinPs(...options: string[]): string[] {
  const { stdout } = spawnSync('/bin/ps', options, { encoding: 'utf8', maxBuffer: 1 << 26 });
  return stdout.split('\n').filter((line) => line.trim() !== '');
}

/** `ps` shows no session that helps, and no start finer than a second. */
function darwinProcesses(): Process[] {
  return darwinPs('-Ao', 'pid=,ppid=,pgid=,stat=,lstart=').flatMap((line) => {
    const [pid, parent, group, state = '', ...started] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), session: -1, started: started.join(' ') },
    ];
  });
}

function darwinMarked(cookie: string): (pid: number) => boolean {
  let pids: Set<number> | null = null;
  return (pid) => {
    pids ??= new Set(
      darwinPs('-AEwwo', 'pid=,command=')
        .filter((line) => line.includes(` ${cookie}`))
        .map((line) => Number.parseInt(line, 10)),
    );
    return pids.has(pid);
  };
}

/** Sends a signal; somebody who is gone, or whom we may not signal, is passed over. */
export function signalAll(targets: readonly { readonly pid: number }[], signal: NodeJS.Signals): void {
  for (const { pid } of targets) {
    try {
      process.kill(pid, signal);
    } catch {
      // ESRCH: gone. EPERM: it changed its user; it is found again and reported by killAll.
    }
  }
}

const PAUSE_LIMIT_MS = 50;
const CHASE_LIMIT_MS = 200;
const CHASE_EMPTY_LOOKS = 50;

/**
 * Kills whatever `find` finds, until it finds none; where it found any it looks twice, as a process may fork while it
 * looks. With a `cookie` it also follows those that are marked by it and fork and end faster than `find` can look.
 * Resolves with those that could not be killed within `limit_ms`.
 */
export async function killAll(
  find: () => readonly Process[],
  cookie: string | null,
  limit_ms: number,
): Promise<readonly Process[]> {
  const deadline = performance.now() + limit_ms;
  let foundBefore = false;
  for (let pause_ms = 1; ; pause_ms = Math.min(PAUSE_LIMIT_MS, pause_ms * 2)) {
    const newest = cookie === null ? null : newestPid();
    const found = find();
    killWithGroups(found);
    const foundNewer = cookie !== null && newest !== null && killNewer(newest, cookie);
    const foundAny = found.length > 0 || foundNewer;
    if (!foundAny && !foundBefore) return [];
    if (performance.now() > deadline) return found;
    foundBefore = foundAny;
    await delay(pause_ms);
  }
}

/** Nobody can fork away from the killing of a group. All its members are ours: each trial is a session. */
function killWithGroups(processes: readonly Process[]): void {
  signalAll(processes, 'SIGKILL');
  const own = process.platform === 'linux' ? readProcess(process.pid)?.group : process.pid;
  const groups = new Set(processes.map(({ group }) => group).filter((group) => group > 1 && group !== own));
  signalAll(
    [...groups].map((group) => ({ pid: -group })),
    'SIGKILL',
  );
}

/** The number given last; null where the system does not tell. */
function newestPid(): number | null {
  try {
    if (process.platform !== 'linux') return null;
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return null;
  }
}

/**
 * Looks only at processes that are newer than `after`, so often that even a short-lived one is met alive. Says whether
 * there was one of ours.
 */
function killNewer(after: number, cookie: string): boolean {
  const marked = linuxMarked(cookie);
  const deadline = performance.now() + CHASE_LIMIT_MS;
  let last = after;
  let foundAny = false;
  for (let empty = 0; empty < CHASE_EMPTY_LOOKS && performance.now() < deadline; empty += 1) {
    const newest = newestPid() ?? last;
    for (let pid = last + 1; pid <= newest; pid += 1) {
      if (!marked(pid)) continue;
      const found = readProcess(pid);
      if (found !== null) killWithGroups([found]);
      empty = 0;
      foundAny = true;
    }
    last = newest;
  }
  return foundAny;
}
