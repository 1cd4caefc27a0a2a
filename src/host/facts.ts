/** Facts of this machine that hold for a whole run. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { realpathSync, statfsSync } from 'node:fs';
import { availableParallelism, cpus, freemem, hostname, release, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { openCache } from '../io/cache.ts';
import { availableCounters } from '../trial/counter-availability.ts';
import { controlGroup } from './control-group.ts';
import { cpuFacts } from './cpu-facts.ts';
import { cpuModel, cpuTopology, distributionOf, isVirtual, mountOf, printable, turboAllowed } from './linux-facts.ts';
import { watchOthers } from './look-around.ts';
import type { BusyProcess, MachineFacts } from './machine.ts';
import { type MachineFiles, machineFiles } from './machine-files.ts';
import { memoryFacts } from './memory-facts.ts';
import { storageFacts } from './storage.ts';
import { toolFacts } from './tools.ts';

/** Makes the digest one of our own: a machine's id must not be found by it in lists that others keep. */
const SALT = 'assay machine 1';
/** How long other processes are watched at the start of a run. */
const WATCH_MS = 200;

/**
 * The facts of this machine, for a run whose trials lie in `directory` (which need not exist yet). Reads /proc and /sys
 * on Linux; elsewhere what Node.js knows, and null for the rest: what cannot be read is null.
 * @throws AssayError `usage` or `file` where the cache, which holds compiled launchers, cannot be used
 */
export async function machineFacts(directory: string, env: NodeJS.ProcessEnv): Promise<MachineFacts> {
  return (await lookAtMachine(directory, env, WATCH_MS)).facts;
}

/** As `machineFacts`, with the processes that were busy in the meantime, for at least `watch_ms`. */
export async function lookAtMachine(
  directory: string,
  env: NodeJS.ProcessEnv,
  watch_ms: number,
): Promise<{ readonly facts: MachineFacts; readonly busy: readonly BusyProcess[] | null }> {
  const launchers = join(await openCache(env), 'bin');
  const ask = () => Promise.all([toolFacts(env), availableCounters(launchers, env), ownMachineId()]);
  const { result, busy, other_cpu } = await watchOthers(ask, watch_ms, [process.pid]);
  const [tools, counters, machine_id] = result;
  const system = systemFacts(directory, machineFiles('/'));
  return {
    facts: { ...system, machine_id, ...tools, counters, busy_processes: busy?.length ?? null, other_cpu },
    busy,
  };
}

type SystemFacts = Omit<
  MachineFacts,
  'machine_id' | 'tools' | 'c_library' | 'counters' | 'busy_processes' | 'other_cpu'
>;

/** What files and Node.js say, without starting anything. */
export function systemFacts(directory: string, files: MachineFiles): SystemFacts {
  const mounts = files.read('/proc/self/mountinfo');
  const place = realPath(directory);
  const mount = mounts === null ? null : mountOf(mounts, place);
  const memory_bytes = totalmem();
  const memory = memoryFacts(files);
  return {
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    distribution: distributionOf(files.read('/etc/os-release') ?? ''),
    cpu_model: modelOf(files),
    cpus: cpus().length || availableParallelism(),
    ...cpuTopology(files.read('/proc/cpuinfo') ?? ''),
    memory_bytes,
    virtual: virtual(files),
    governor: files.line(`${CPU}/cpu0/cpufreq/scaling_governor`),
    turbo: turbo(files),
    node: process.versions.node,
    boot_id: files.line('/proc/sys/kernel/random/boot_id'),
    file_system: mount?.type ?? null,
    storage: mount === null ? null : storageFacts(mount, files.root),
    free_bytes: freeBytes(place),
    ...cpuFacts(files),
    control_group: controlGroup(files, memory_bytes),
    ...memory,
    memory_available_bytes: memory.memory_available_bytes ?? freemem(),
  };
}

/** The digest that stands for this machine, as its facts have it. */
export async function ownMachineId(): Promise<string> {
  return machineId(await identity(), modelOf(machineFiles('/')));
}

/** The digest that stands for a machine: 32 hexadecimal digits that do not give `identity` away. */
export function machineId(identity: string, model: string): string {
  return createHash('sha256').update([SALT, identity, model].join('\0')).digest('hex').slice(0, 32);
}

/** The macOS platform's UUID in the output of `ioreg -rd1 -c IOPlatformExpertDevice`. */
export function platformUuid(ioreg: string): string | null {
  return /"IOPlatformUUID" = "([^"]+)"/.exec(ioreg)?.[1] ?? null;
}

const CPU = '/sys/devices/system/cpu';

function modelOf(files: MachineFiles): string {
  const cpuinfo = files.read('/proc/cpuinfo');
  return (cpuinfo === null ? null : cpuModel(cpuinfo)) ?? printable(cpus()[0]?.model.trim() || 'unknown');
}

function virtual(files: MachineFiles): boolean | null {
  return isVirtual({
    cpuinfo: files.read('/proc/cpuinfo'),
    hypervisor: files.line('/sys/hypervisor/type'),
    vendor: files.line('/sys/class/dmi/id/sys_vendor'),
    product: files.line('/sys/class/dmi/id/product_name'),
    device_tree: files.list('/proc/device-tree').includes('hypervisor'),
  });
}

function turbo(files: MachineFiles): boolean | null {
  const boost = files.read(`${CPU}/cpufreq/boost`) ?? files.read(`${CPU}/cpu0/cpufreq/boost`);
  return turboAllowed(files.read(`${CPU}/intel_pstate/no_turbo`), boost);
}

function freeBytes(place: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize;
  } catch {
    return null;
  }
}

/** What tells this machine from others. The host's name is the last resort, and changes with each container. */
async function identity(): Promise<string> {
  if (process.platform === 'darwin') return (await darwinUuid()) ?? hostname();
  const files = machineFiles('/');
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = files.line(path);
    if (id !== null && /^[0-9a-f]{32}$/.test(id)) return id;
  }
  return hostname();
}

async function darwinUuid(): Promise<string | null> {
  const said = await output('/usr/sbin/ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice']);
  return said === null ? null : platformUuid(said);
}

/** What a program of the system prints; null where there is none, or it fails. */
async function output(program: string, args: readonly string[]): Promise<string | null> {
  return await promisify(execFile)(program, args, { timeout: 5000 }).then(
    ({ stdout }) => stdout,
    () => null,
  );
}

/** The path without links; of its nearest ancestor that exists, where it does not itself. */
function realPath(path: string): string {
  for (let existing = resolve(path); ; existing = dirname(existing)) {
    try {
      return realpathSync(existing);
    } catch {
      if (existing === dirname(existing)) return existing;
    }
  }
}
