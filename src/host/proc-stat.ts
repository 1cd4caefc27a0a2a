/** The counters of /proc/stat, /proc/PID/stat and their neighbours (proc(5)). Pure: text in, numbers out. */
import { printable } from './linux-facts.ts';

/** The kernel counts time for programs in hundredths of a second (USER_HZ) on x86 and arm64 alike. */
export const TICK_NS = 10_000_000;

export interface CpuTicks {
  /** Ticks that ran anything: user, nice, system, interrupts. Not idle, not waiting for a disk, not stolen. */
  readonly busy: number;
  /** Ticks that the hypervisor gave to someone else while this CPU had work. */
  readonly steal: number;
}

/** Counters of `cpu0`, `cpu1`, … by number, and of all CPUs together under `null`. */
export function parseCpuTicks(stat: string): Map<number | null, CpuTicks> {
  const ticks = new Map<number | null, CpuTicks>();
  for (const line of stat.split('\n')) {
    const match = /^cpu(\d*) +(.*)$/.exec(line);
    // The lines of CPUs come first; those of interrupts are long.
    if (match === null) break;
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (match[2] ?? '')
      .split(' ')
      .map(Number);
    const entry = { busy: user + nice + system + irq + softirq, steal };
    if (Number.isFinite(entry.busy) && Number.isFinite(steal))
      ticks.set(match[1] === '' ? null : Number(match[1]), entry);
  }
  return ticks;
}

export interface ProcessTicks {
  readonly pid: number;
  readonly parent: number;
  /** User and system time. */
  readonly ticks: number;
  /** With `pid`, tells a process from a later one of the same number. */
  readonly started: string;
}

/**
 * One process from the text of /proc/PID/stat; null where it is none. Its name stands in parentheses and may hold blanks
 * and parentheses itself.
 */
export function parseProcess(stat: string): ProcessTicks | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const pid = Number.parseInt(stat, 10);
  const parent = Number(fields[1]);
  const ticks = Number(fields[11]) + Number(fields[12]);
  const started = fields[19];
  if (!Number.isFinite(pid + parent + ticks) || started === undefined) return null;
  return { pid, parent, ticks, started };
}

/** User and system time of the children that a process has waited for, in ticks, from the same text; null where it is none. */
export function parseChildren(stat: string): number | null {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[13] ?? 'none') + Number(fields[14] ?? 'none');
  return Number.isFinite(ticks) ? ticks : null;
}

/** The name of a process from the same text, safe to print: any program may call itself anything. */
export function processName(stat: string): string {
  return printable(stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')));
}

/** The average over one minute in /proc/loadavg. */
export function parseLoad(loadavg: string): number | null {
  const load = Number.parseFloat(loadavg);
  return Number.isFinite(load) ? load : null;
}

/** The share of the last 10 s in which some task waited for a CPU, 0 to 1, from /proc/pressure/cpu. */
export function parsePressure(pressure: string): number | null {
  const match = /^some avg10=(\d+(?:\.\d+)?) /m.exec(pressure);
  return match === null ? null : Number(match[1]) / 100;
}
