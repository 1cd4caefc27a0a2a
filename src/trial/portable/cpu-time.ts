/** CPU time of a trial: from the watcher's control group, else from what the kernel adds up of children waited for. */
import { readFileSync } from 'node:fs';
import type { Accounting } from '../launch.ts';
import type { Cgroup } from './cgroup.ts';

export interface CpuClock {
  readonly accounting: Accounting;
  /** Of all trials up to now, in ns; null where the system does not tell. */
  read(): number | null;
}

/** For two subjects at a time: what is counted here cannot be told apart. */
export const NO_CPU_CLOCK: CpuClock = {
  accounting: {
    method: 'unknown: two subjects ran at the same time, and only the native launcher tells them apart',
    resolution: 0,
    scope: 'nothing',
  },
  read: () => null,
};

/** Linux tells user space about clock ticks of 10 ms, whatever its own are. */
const TICK_NS = 10_000_000;

export function openCpuClock(cgroup: Cgroup | null): CpuClock {
  if (cgroup !== null) {
    return {
      accounting: {
        method: `${cgroup.method}, less what the launcher itself used`,
        resolution: 100_000,
        scope:
          'the subject and all descendants, with what starts it: the launcher’s fork, taskset and GNU time (about 2 ms)',
      },
      read: () => {
        // Asked first: it brings the kernel's books about ourselves up to date.
        const { user, system } = process.cpuUsage();
        return cgroup.usageNs() - (user + system) * 1000;
      },
    };
  }
  if (process.platform === 'linux') {
    return {
      accounting: {
        method: 'cutime + cstime of the launcher in /proc',
        resolution: TICK_NS,
        scope: 'the subject and the descendants that were waited for',
      },
      read: readChildTimeNs,
    };
  }
  return {
    accounting: {
      method: 'unknown: Node.js does not tell the CPU time of children, and this system has neither cgroups nor /proc',
      resolution: 0,
      scope: 'nothing',
    },
    read: () => null,
  };
}

function readChildTimeNs(): number {
  const text = readFileSync('/proc/self/stat', 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_NS;
}
