/** Peak memory where GNU time is missing: the peaks that the kernel shows of living processes, looked at now and then. */
import { readFileSync } from 'node:fs';
import type { Accounting } from '../launch.ts';
import type { Process } from './processes.ts';

export interface MemorySampler {
  sample(processes: readonly Process[]): void;
  /** Null after fewer than two samples: a process that short may have had any peak. */
  result(): { readonly max_rss_bytes: number | null; readonly resolution: number };
}

const PAGE_BYTES = 4096;

const SAMPLED_SCOPE =
  'the largest one process, seen every 50 ms; may miss the peak of a process that lived for less than that, and growth just before its end';

/** The resolution is the last growth seen between two samples: as much may have come after the last one. */
export function openMemorySampler(): MemorySampler {
  let peak = 0;
  let growth = 0;
  let samples = 0;
  return {
    sample(processes) {
      const now = Math.max(0, ...processes.map(({ pid }) => peakOf(pid)));
      if (now === 0) return;
      growth = Math.max(0, now - peak);
      peak = Math.max(peak, now);
      samples += 1;
    },
    result: () => ({
      max_rss_bytes: samples < 2 ? null : peak,
      resolution: Math.max(PAGE_BYTES, growth),
    }),
  };
}

/** VmHWM in bytes; 0 when the process is gone. */
function peakOf(pid: number): number {
  try {
    const kib = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return kib === undefined ? 0 : Number(kib) * 1024;
  } catch {
    return 0;
  }
}

/** How the peak was come by, for each of the three ways. */
export function memoryAccounting(way: 'time' | 'sampled' | 'none', resolution: number): Accounting {
  if (way === 'time') {
    return {
      method: 'GNU time, wait4 ru_maxrss',
      resolution: 1024,
      scope: 'the largest one process among the subject and the descendants that were waited for',
    };
  }
  if (way === 'sampled') return { method: 'VmHWM in /proc, sampled', resolution, scope: SAMPLED_SCOPE };
  return { method: 'unknown: no GNU time, and no /proc to sample', resolution: 0, scope: 'nothing' };
}
