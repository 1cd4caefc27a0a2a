/** The one CPU on which both processes of a session take turns. */
import type { Experiment, Machine } from '../experiment/experiment.ts';
import { freeCpu } from '../host/allowed-cpus.ts';
import { findExecutable } from '../io/executable.ts';
import type { Launcher } from './launch.ts';

export interface Pinned {
  readonly machine: Machine;
  /** Where Assay chose: what a user should know. */
  readonly limitation: { readonly message: string; readonly remedy: string } | null;
}

/**
 * The machine of an experiment, with a CPU where it runs sessions and names none.
 * @param allowed CPUs that Assay may use; empty where that is not known
 */
export async function pinSessions(
  { design, machine }: Pick<Experiment, 'design' | 'machine'>,
  launcher: Launcher['kind'],
  allowed: readonly number[],
  env: NodeJS.ProcessEnv,
): Promise<Pinned> {
  if (design.slices === null || machine.cpu !== null) return { machine, limitation: null };
  const pins = launcher === 'native' || (await findExecutable('taskset', env['PATH'])) !== null;
  const cpu = pins ? freeCpu(allowed, machine.orchestrator_cpu) : null;
  if (cpu === null) {
    const message = 'Both arms of a session could not be pinned to one CPU: they may run on several.';
    return { machine, limitation: { message, remedy: 'On Linux, install a C compiler, or util-linux (taskset).' } };
  }
  const message = `Sessions run on CPU ${cpu}, since the experiment names none.`;
  return { machine: { ...machine, cpu }, limitation: { message, remedy: `Name it: machine: {cpu: ${cpu}}.` } };
}
