/** What an experiment asks of the machine before it runs. */
import type { Machine } from '../experiment/experiment.ts';
import type { MachineFacts } from './machine.ts';

/**
 * The requirements that a machine does not meet, each as a sentence that says how to mend it; empty where all are met.
 * What the machine does not say counts as unmet.
 * @param load average number of running processes over one minute
 */
export function unmet(
  require: Machine['require'],
  facts: Pick<MachineFacts, 'governor' | 'turbo' | 'virtual' | 'cpus'>,
  load: number | null,
): string[] {
  const sentences: string[] = [];
  const { governor, turbo, virtual, min_cpus, max_load } = require;
  if (governor !== null && facts.governor !== governor) {
    sentences.push(
      facts.governor === null
        ? `The experiment requires the frequency governor ${governor}, and this machine does not say which it uses: run it where /sys/devices/system/cpu/cpu0/cpufreq exists, or drop machine.require.governor.`
        : `The experiment requires the frequency governor ${governor}, and this machine uses ${facts.governor}: change it with \`cpupower frequency-set -g ${governor}\`.`,
    );
  }
  if (turbo !== null && facts.turbo !== turbo) {
    const wanted = turbo ? 'on' : 'off';
    sentences.push(
      facts.turbo === null
        ? `The experiment requires turbo ${wanted}, and this machine does not say whether it is: run it where the processor's driver does, or drop machine.require.turbo.`
        : `The experiment requires turbo ${wanted}, and it is ${turbo ? 'off' : 'on'}: write ${turbo ? 0 : 1} to /sys/devices/system/cpu/intel_pstate/no_turbo or ${turbo ? 1 : 0} to /sys/devices/system/cpu/cpufreq/boost, whichever exists.`,
    );
  }
  if (virtual !== null && facts.virtual !== virtual) {
    const wanted = virtual ? 'a virtual machine' : 'hardware that is not virtual';
    const found =
      facts.virtual === null
        ? 'this machine does not say what it is'
        : `this is ${virtual ? 'none' : 'a virtual machine'}`;
    sentences.push(
      `The experiment requires ${wanted}, and ${found}: run it elsewhere, or drop machine.require.virtual.`,
    );
  }
  if (min_cpus !== null && facts.cpus < min_cpus) {
    sentences.push(
      `The experiment requires at least ${min_cpus} CPUs, and this machine has ${facts.cpus}: run it on a larger one, or lower machine.require.min_cpus.`,
    );
  }
  if (max_load !== null && (load === null || load > max_load)) {
    sentences.push(
      load === null
        ? `The experiment requires a load of at most ${max_load}, and this machine does not say its load: drop machine.require.max_load.`
        : `The experiment requires a load of at most ${max_load}, and it is ${load.toFixed(2)}: stop what else runs, or wait a minute until the average has fallen.`,
    );
  }
  return sentences;
}
