/** One trial of an arm as a command for a shell, so that a reader can run it alone. */

import { quoteCommand } from '../experiment/command-line.ts';
import { countersEnvironment } from '../experiment/counters.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { PreparedArm } from '../journal/records.ts';
import type { ReportInput } from './input.ts';

function environment(experiment: Experiment, arm: Readonly<Record<string, string>>): string[] {
  const all = { LC_ALL: 'C', TZ: 'UTC', ...countersEnvironment(experiment), ...experiment.workload.env, ...arm };
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
}

/**
 * The line that runs one trial of `prepared`: directory, environment, CPU, command, input. Placeholders stand as they
 * do in the experiment.
 */
export function trialCommand(input: ReportInput, prepared: PreparedArm): string {
  const { experiment } = input.journal.run;
  const { arms, workload, machine } = experiment;
  const arm = arms.find((one) => one.name === prepared.arm);
  const pinned = machine.cpu === null ? [] : ['taskset', '-c', String(machine.cpu)];
  const command = ['env', ...environment(experiment, arm?.env ?? {}), ...pinned, ...prepared.command];
  const stdin = workload.stdin === null ? '/dev/null' : workload.stdin;
  return `cd ${quoteCommand([workload.cwd])} && ${quoteCommand(command)} < ${quoteCommand([stdin])}`;
}
