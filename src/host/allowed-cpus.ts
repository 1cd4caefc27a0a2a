/** Which CPUs this process may run on. */
import { readFileSync } from 'node:fs';

/** As the kernel writes it: `0-3,8`; empty where it does not say. */
export function readAllowedCpus(): string {
  try {
    return /^Cpus_allowed_list:\s*([0-9,-]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
  } catch {
    return '';
  }
}

/** The last CPU that a subject may have to itself, where none is named: not the orchestrator's. Null where none is known. */
export function freeCpu(allowed: readonly number[], orchestratorCpu: number | null): number | null {
  return allowed.filter((cpu) => cpu !== orchestratorCpu).at(-1) ?? allowed.at(-1) ?? null;
}
