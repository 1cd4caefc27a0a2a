/** How busy the machine was around one trial: two cheap readings, and what happened between them. */
import { existsSync } from 'node:fs';
import { cpuFlags, cpuinfoHz } from './linux-facts.ts';
import type { TrialNoise } from './machine.ts';
import { type CpuTicks, parseCpuTicks, TICK_NS } from './proc-stat.ts';
import { readText } from './proc-text.ts';

/** A reading of the machine's counters. */
export interface Counters {
  /** Monotonic; only differences mean anything. */
  readonly at_ns: number;
  /** Null where /proc/stat is missing. */
  readonly ticks: {
    /** Of all CPUs together. */
    readonly busy: number;
    /** Of the subject's CPU where it is pinned, else of all together. */
    readonly steal: number;
  } | null;
  readonly frequency_hz: number | null;
  /** CPU time of Assay's own process since its start. */
  readonly own_ns: number;
}

/**
 * Over a shorter window a rate would be made of single ticks of 10 ms: one tick in 100 ms is a tenth of a CPU. Short
 * trials are judged by a window that reaches back before them. All trials have a rate: if short ones had none, a rule
 * of rejection would see how long a trial took, which is what is being measured.
 */
export const SHORTEST_WINDOW_NS = 100_000_000;

/**
 * A function that reads the counters now, synchronously: 50 to 100 µs on a small machine. What exists is found out here,
 * once. Take one reading just before and one just after a trial.
 * @param cpu the subject's, where it is pinned
 * @param root where proc and sys are
 */
export function counterReader(cpu: number | null, root = '/'): () => Counters {
  const stat = readText(`${root}proc/stat`) === null ? null : `${root}proc/stat`;
  const frequency = frequencyReader(cpu, root);
  return () => ({
    at_ns: Number(process.hrtime.bigint()),
    ticks: stat === null ? null : selectTicks(parseCpuTicks(readText(stat) ?? ''), cpu),
    frequency_hz: frequency(),
    own_ns: ownCpuNs(),
  });
}

function ownCpuNs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/**
 * What the machine did between two readings. Assay's own work is not that of others.
 * @param subjectCpuNs user and system time of the subjects of the window; null where unknown, and then the work of
 *   others is unknown too
 */
export function noiseBetween(before: Counters, after: Counters, subjectCpuNs: number | null): TrialNoise {
  const elapsed_ns = after.at_ns - before.at_ns;
  const frequencies = [before.frequency_hz, after.frequency_hz].filter((hz) => hz !== null);
  const frequency_hz =
    frequencies.length === 0 ? null : frequencies.reduce((sum, hz) => sum + hz, 0) / frequencies.length;
  if (before.ticks === null || after.ticks === null || elapsed_ns <= 0) {
    return { steal: null, other_cpu: null, frequency_hz };
  }
  const rate = (ns: number) => Math.max(0, ns / elapsed_ns);
  const busy_ns = (after.ticks.busy - before.ticks.busy) * TICK_NS;
  return {
    steal: rate((after.ticks.steal - before.ticks.steal) * TICK_NS),
    other_cpu: subjectCpuNs === null ? null : rate(busy_ns - subjectCpuNs - (after.own_ns - before.own_ns)),
    frequency_hz,
  };
}

function selectTicks(ticks: ReadonlyMap<number | null, CpuTicks>, cpu: number | null): Counters['ticks'] {
  const all = ticks.get(null);
  const own = ticks.get(cpu);
  return all === undefined || own === undefined ? null : { busy: all.busy, steal: own.steal };
}

/**
 * Frequencies come from cpufreq, else from /proc/cpuinfo where the kernel measures them (`aperfmperf`): without it, as in
 * most virtual machines, the number there is the nominal one whatever happens.
 */
function frequencyReader(cpu: number | null, root: string): () => number | null {
  const current = (number: number) => `${root}sys/devices/system/cpu/cpu${number}/cpufreq/scaling_cur_freq`;
  const cpuinfo = readText(`${root}proc/cpuinfo`) ?? '';
  if (cpu !== null && existsSync(current(cpu))) {
    return () => {
      const khz = Number(readText(current(cpu)) ?? 'none');
      return Number.isFinite(khz) && khz > 0 ? khz * 1000 : null;
    };
  }
  if (!cpuFlags(cpuinfo).has('aperfmperf')) return () => null;
  return () => cpuinfoHz(readText(`${root}proc/cpuinfo`) ?? '', cpu);
}
