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
