/** What Linux says of its CPUs, beyond their name: who may use them, what they share, how fast they may go. */
import type { FrequencyRange, MachineFacts } from './machine.ts';
import type { MachineFiles } from './machine-files.ts';
import { parseCpuTicks } from './proc-stat.ts';

type CpuFacts = Pick<
  MachineFacts,
  'allowed_cpus' | 'isolated_cpus' | 'smt_siblings' | 'frequency' | 'steal' | 'numa_nodes' | 'clock_source'
>;

const CPUS = '/sys/devices/system/cpu';
const NODES = '/sys/devices/system/node';

export function cpuFacts(files: MachineFiles): CpuFacts {
  const isolated = files.read(`${CPUS}/isolated`);
  return {
    allowed_cpus: /^Cpus_allowed_list:\s*([0-9,-]+)$/m.exec(files.read('/proc/self/status') ?? '')?.[1] ?? null,
    // An empty file says that there are none.
    isolated_cpus: isolated === null ? null : /^[0-9,-]*$/.test(isolated.trim()) ? isolated.trim() : null,
    smt_siblings: smtSiblings(files),
    frequency: frequencyRange(files),
    steal: stealSinceStart(files.read('/proc/stat') ?? ''),
    numa_nodes: numaNodes(files),
    clock_source: files.line('/sys/devices/system/clocksource/clocksource0/current_clocksource'),
  };
}

/** Folders of the CPUs, by number. A CPU that is offline has no topology and no frequency. */
function cpuFolders(files: MachineFiles): readonly string[] {
  const numbers = files.list(CPUS).flatMap((name) => /^cpu(\d{1,6})$/.exec(name)?.[1] ?? []);
  return numbers.toSorted((a, b) => Number(a) - Number(b)).map((number) => `${CPUS}/cpu${number}`);
}

/** Null where no CPU says with whom it shares its core. */
function smtSiblings(files: MachineFiles): readonly string[] | null {
  const lists = cpuFolders(files).flatMap((folder) => files.line(`${folder}/topology/thread_siblings_list`) ?? []);
  if (lists.length === 0) return null;
  return [...new Set(lists)].filter((list) => /[,-]/.test(list));
}

function frequencyRange(files: MachineFiles): FrequencyRange | null {
  const folders = cpuFolders(files).map((folder) => `${folder}/cpufreq`);
  const kilohertz = (name: string) => folders.flatMap((folder) => files.number(`${folder}/${name}`) ?? []);
  const lowest = kilohertz('scaling_min_freq');
  const highest = kilohertz('scaling_max_freq');
  if (lowest.length === 0 || highest.length === 0) return null;
  return {
    driver: folders.map((folder) => files.line(`${folder}/scaling_driver`)).find((name) => name !== null) ?? null,
    governors: [...new Set(folders.flatMap((folder) => files.line(`${folder}/scaling_governor`) ?? []))].sort(),
    min_hz: lowest.reduce((least, value) => Math.min(least, value)) * 1000,
    max_hz: highest.reduce((most, value) => Math.max(most, value)) * 1000,
  };
}

/** Of the time in which some CPU had work, the share in which it was not given one; null where nothing was counted. */
function stealSinceStart(stat: string): number | null {
  const all = parseCpuTicks(stat).get(null);
  if (all === undefined || all.busy + all.steal === 0) return null;
  return all.steal / (all.busy + all.steal);
}

/** Null where the kernel knows no nodes. A node without CPUs has memory only. */
function numaNodes(files: MachineFiles): readonly string[] | null {
  const names = files.list(NODES).filter((name) => /^node\d{1,6}$/.test(name));
  if (names.length === 0) return null;
  const numbered = names.toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4)));
  return numbered.map((name) => files.line(`${NODES}/${name}/cpulist`) ?? '');
}
