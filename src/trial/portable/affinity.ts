/** Which CPUs the subject and the watcher may run on, set by util-linux's taskset. */
import { spawnSync } from 'node:child_process';
import { readAllowedCpus } from '../../host/allowed-cpus.ts';
import { parseCpuList } from '../../host/cpu-list.ts';

type Placement =
  /** `cpus` is a list for taskset; null: the subject inherits what it should have. */
  | { readonly ok: true; readonly cpus: string | null }
  | { readonly ok: false; readonly code: string; readonly step: string };

export interface Affinity {
  /** Whether the watcher could be pinned to the orchestrator's CPU, where one was asked for. */
  readonly pinned: boolean;
  /** To be asked before the clock starts: moves the watcher off the subject's CPU, where there is another one. */
  place(cpu: number | null): Placement;
}

export function openAffinity(taskset: string | null, orchestratorCpu: number | null): Affinity {
  const allowed = readAllowedCpus();
  const moveWatcher = (cpus: string) =>
    taskset !== null && succeeds(taskset, ['-a', '-c', '-p', cpus, `${process.pid}`]);
  const checked = new Map<number, boolean>();
  const pinned = orchestratorCpu !== null && moveWatcher(String(orchestratorCpu));
  let moved = pinned;
  let avoided: number | null = null;
  const keepOff = (cpu: number) => {
    const others = parseCpuList(allowed).filter((each) => each !== cpu);
    if (pinned || avoided === cpu || others.length === 0) return;
    moved = moveWatcher(others.join(',')) || moved;
    avoided = cpu;
  };
  return {
    pinned,
    place(cpu) {
      // The subject inherits the watcher's own CPUs unless it is told otherwise.
      if (cpu === null) return { ok: true, cpus: moved ? allowed : null };
      if (taskset === null) return { ok: false, code: 'ENOSYS', step: 'affinity (needs taskset of util-linux)' };
      let usable = checked.get(cpu);
      if (usable === undefined) {
        usable = succeeds(taskset, ['-c', String(cpu), taskset, '--version']);
        checked.set(cpu, usable);
      }
      if (!usable) return { ok: false, code: 'EINVAL', step: 'affinity' };
      keepOff(cpu);
      return { ok: true, cpus: String(cpu) };
    },
  };
}

function succeeds(program: string, argv: readonly string[]): boolean {
  return spawnSync(program, argv, { stdio: 'ignore', timeout: 5000 }).status === 0;
}
