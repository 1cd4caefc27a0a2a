/** Facts of this machine that hold for a whole run. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { availableParallelism, cpus, hostname, release, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cpuModel, cpuTopology, distributionOf, isVirtual, mountOf, printable, turboAllowed } from './linux-facts.ts';
import type { MachineFacts } from './machine.ts';
import { storageFacts } from './storage.ts';

/** Makes the digest one of our own: a machine's id must not be found by it in lists that others keep. */
const SALT = 'assay machine 1';

/**
 * The facts of this machine, for a run whose trials lie in `trialDirectory` (which need not exist yet). Reads /proc and
 * /sys on Linux; elsewhere what Node.js knows, and null for the rest. Never fails: what cannot be read is null.
 */
export async function machineFacts(trialDirectory: string): Promise<MachineFacts> {
  const linux = process.platform === 'linux';
  const cpuinfo = linux ? read('/proc/cpuinfo') : null;
  const mounts = linux ? read('/proc/self/mountinfo') : null;
  const mount = mounts === null ? null : mountOf(mounts, realPath(trialDirectory));
  const processors = cpus();
  const model = (cpuinfo === null ? null : cpuModel(cpuinfo)) ?? printable(processors[0]?.model.trim() || 'unknown');
  return {
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    distribution: linux ? distributionOf(read('/etc/os-release') ?? '') : null,
    c_library: linux ? await cLibrary() : null,
    cpu_model: model,
    cpus: processors.length || availableParallelism(),
    ...cpuTopology(cpuinfo ?? ''),
    memory_bytes: totalmem(),
    virtual: linux ? linuxVirtual(cpuinfo) : null,
    governor: linux ? readLine(`${CPU}/cpu0/cpufreq/scaling_governor`) : null,
    turbo: linux ? linuxTurbo() : null,
    node: process.versions.node,
    machine_id: machineId(await identity(), model),
    boot_id: linux ? readLine('/proc/sys/kernel/random/boot_id') : null,
    file_system: mount?.type ?? null,
    storage: mount === null ? null : storageFacts(mount),
  };
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

function linuxVirtual(cpuinfo: string | null): boolean | null {
  return isVirtual({
    cpuinfo,
    hypervisor: readLine('/sys/hypervisor/type'),
    vendor: readLine('/sys/class/dmi/id/sys_vendor'),
    product: readLine('/sys/class/dmi/id/product_name'),
    device_tree: existsSync('/proc/device-tree/hypervisor'),
  });
}

function linuxTurbo(): boolean | null {
  const boost = read(`${CPU}/cpufreq/boost`) ?? read(`${CPU}/cpu0/cpufreq/boost`);
  return turboAllowed(read(`${CPU}/intel_pstate/no_turbo`), boost);
}

/** `glibc 2.36`; null where it is another. */
async function cLibrary(): Promise<string | null> {
  const said = await output('/usr/bin/getconf', ['GNU_LIBC_VERSION']);
  const version = /^glibc [\d.]+$/m.exec(said ?? '')?.[0];
  return version ?? null;
}

/** What tells this machine from others. The host's name is the last resort, and changes with each container. */
async function identity(): Promise<string> {
  if (process.platform === 'darwin') return (await darwinUuid()) ?? hostname();
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    const id = readLine(path);
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

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function readLine(path: string): string | null {
  const line = read(path)?.split('\n')[0]?.trim() ?? '';
  return line === '' ? null : printable(line);
}
