/** Where Assay itself runs: never on the subject's CPU, if that can be helped. */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import type { Machine } from '../experiment/experiment.ts';

/**
 * Moves all threads of this process to the orchestrator's CPU; where none is named but the subject is pinned, off the
 * subject's. Returns what a user should know where that did not work, else null.
 */
export async function leaveSubjectCpu(
  { cpu, orchestrator_cpu }: Pick<Machine, 'cpu' | 'orchestrator_cpu'>,
  cpus: number,
): Promise<{ readonly message: string; readonly remedy: string } | null> {
  const list = orchestrator_cpu ?? othersThan(cpu, cpus);
  if (list === null) return null;
  try {
    await promisify(execFile)('taskset', ['-a', '-p', '-c', String(list), String(process.pid)]);
    return null;
  } catch {
    return {
      message: `Assay itself could not be moved to CPU ${list}, and may run on that of the subject between trials.`,
      remedy: 'Install util-linux (taskset), or start Assay under a cpuset.',
    };
  }
}

/** All CPUs but one, as taskset lists them; null where there is none to leave or no other. */
function othersThan(cpu: number | null, cpus: number): string | null {
  if (cpu === null || cpus < 2 || availableParallelism() < 2) return null;
  const ranges = [
    [0, cpu - 1],
    [cpu + 1, cpus - 1],
  ] as const;
  return ranges
    .filter(([first, last]) => first <= last)
    .map(([first, last]) => `${first}-${last}`)
    .join(',');
}
