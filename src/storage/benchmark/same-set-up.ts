/** Whether a run may go on where it lies: on one machine CPUs are switched off, limits set and memory added. */
import type { MachineFacts } from '../../host/machine.ts';
import { formatBytes } from '../../report/units.ts';
import { benchmarkMachine, usableMemory } from './machine-rules.ts';

type Facts = Pick<MachineFacts, 'cpus' | 'cores' | 'memory_bytes' | 'allowed_cpus' | 'control_group'>;

const WHAT: readonly (readonly [what: string, read: (facts: Facts) => string | null])[] = [
  ['the number of CPUs', ({ cpus }) => String(cpus)],
  ['the number of cores', ({ cores }) => (cores === null ? null : String(cores))],
  ['the memory that may be used', (facts) => formatBytes(usableMemory(benchmarkMachine(facts)))],
  ['what CPUs may be used', ({ allowed_cpus }) => allowed_cpus],
  [
    'the limit of CPU time',
    ({ control_group }) => (control_group === null ? null : String(control_group.cpu_quota ?? 'none')),
  ],
];

/** What makes another set-up of the machine, as a clause; null where nothing that is known does. */
export function setUpDifference(before: Facts, now: Facts): string | null {
  for (const [what, read] of WHAT) {
    const [was, is] = [read(before), read(now)];
    if (was !== null && is !== null && was !== is) return `${what} was ${was} when the run began, and is ${is} here`;
  }
  return null;
}
