/**
 * A control group for the watcher and everything that it starts. The watcher stays in it for good: moving a process
 * between groups stalls every fork and exec in it, and that would fall into the timed part of a trial. Its own CPU time
 * is subtracted instead.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pid as ownPid } from 'node:process';
import { groupPlaces } from '../../host/control-group.ts';

export interface Cgroup {
  /** Names the counter that `usageNs` reads. */
  readonly method: string;
  /** CPU time of all processes that are or were in the group, in ns. */
  usageNs(): number;
  /** The processes in the group and in groups below it, without the caller. */
  pids(): number[];
  /** Moves the caller back to where it came from and removes the group. */
  leave(): void;
}

interface Hierarchy {
  readonly method: string;
  /** The directory of the group that the caller is in. */
  readonly home: string;
  usageNs(directory: string): number;
}

/** Mounted hierarchies that count CPU time, version 2 first: it weighs on nothing, v1 may change CPU shares. */
export function cpuHierarchies(mountinfo: string, membership: string): Hierarchy[] {
  return groupPlaces(mountinfo, membership, 'cpuacct').map(({ version, home }) =>
    version === 2
      ? { method: 'cgroup v2 cpu.stat', home, usageNs: v2UsageNs }
      : { method: 'cgroup v1 cpuacct.usage', home, usageNs: v1UsageNs },
  );
}

function v2UsageNs(directory: string): number {
  const line = readFileSync(join(directory, 'cpu.stat'), 'utf8')
    .split('\n')
    .find((each) => each.startsWith('usage_usec '));
  if (line === undefined) throw new Error('no usage_usec in cpu.stat');
  return Number(line.slice('usage_usec '.length)) * 1000;
}

function v1UsageNs(directory: string): number {
  return Number(readFileSync(join(directory, 'cpuacct.usage'), 'utf8'));
}

/** Makes a group and moves the caller into it; null where the system does not let us. */
export function enterCgroup(): Cgroup | null {
  let hierarchies: Hierarchy[];
  try {
    hierarchies = cpuHierarchies(
      readFileSync('/proc/self/mountinfo', 'utf8'),
      readFileSync('/proc/self/cgroup', 'utf8'),
    );
  } catch {
    return null;
  }
  for (const hierarchy of hierarchies) {
    const cgroup = enter(hierarchy);
    if (cgroup !== null) return cgroup;
  }
  return null;
}

function enter({ method, home, usageNs }: Hierarchy): Cgroup | null {
  const directory = join(home, `assay-${ownPid}`);
  const leave = () => {
    try {
      writeFileSync(join(home, 'cgroup.procs'), String(ownPid));
    } finally {
      rmdirSync(directory);
    }
  };
  try {
    removeAbandoned(home);
    mkdirSync(directory);
  } catch {
    return null;
  }
  try {
    writeFileSync(join(directory, 'cgroup.procs'), String(ownPid));
    if (!Number.isSafeInteger(usageNs(directory)) || !pidsBelow(directory).includes(ownPid)) throw new Error('no use');
  } catch {
    try {
      leave();
    } catch {
      // An empty group is all that can be left behind; the next watcher removes it.
    }
    return null;
  }
  return {
    method,
    usageNs: () => usageNs(directory),
    pids: () => pidsBelow(directory).filter((pid) => pid !== ownPid),
    leave,
  };
}

function pidsBelow(directory: string): number[] {
  const pids: number[] = [];
  try {
    for (const line of readFileSync(join(directory, 'cgroup.procs'), 'utf8').split('\n')) {
      // 0 stands for a process of another PID namespace.
      if (line !== '' && line !== '0') pids.push(Number(line));
    }
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) pids.push(...pidsBelow(join(directory, entry.name)));
    }
  } catch (error) {
    // A group below may vanish while we look.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ENODEV') {
      throw error;
    }
  }
  return pids;
}

/** Groups of watchers that were killed before they could tidy up. */
function removeAbandoned(home: string): void {
  for (const name of readdirSync(home)) {
    const pid = /^assay-([0-9]{1,10})$/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmdirSync(join(home, name));
    } catch {
      // Somebody still lives in it, or another Assay was faster.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
