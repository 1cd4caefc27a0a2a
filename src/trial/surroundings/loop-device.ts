/** A block device for one trial: a file of the host's disk behind a loop device, with an ext4 file system of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runTool, type ToolOutcome } from '../../arms/compiler.ts';
import { decodeOctal } from '../../host/linux-facts.ts';
import { freeBytes, mebibytes } from '../../io/disk.ts';
import { findExecutable } from '../../io/executable.ts';

export interface LoopDevice {
  /** The file of its counters in /sys. */
  readonly stat: string;
}

const TOOLS = ['fallocate', 'mkfs.ext4', 'losetup', 'mount', 'umount'] as const;
type Tool = (typeof TOOLS)[number];
/** Where they lie, on systems that keep them off the PATH of ordinary users. */
const SEARCHED = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const TIMEOUT_MS = 60_000;
/** All blocks are there before the trial, and nothing is left for the kernel to initialise during it. Few, large files. */
const MKFS = ['-q', '-F', '-m', '0', '-T', 'largefile', '-E', 'lazy_itable_init=0,lazy_journal_init=0,nodiscard'];
/** Of the host's disk, for what else is written while the device is there. */
const LEFT_BYTES = 64 * 2 ** 20;
/** For a mount that something still holds, such as a process that is just ending. */
const ATTEMPTS = 50;
const BETWEEN_MS = 100;

/**
 * Makes the device and mounts it at a directory that is there. Where that fails, nothing of it is left.
 * @param image path of the file, which must not exist
 * @returns why there is none, as a clause
 */
export async function mountLoopDevice(
  image: string,
  directory: string,
  size_bytes: number,
): Promise<LoopDevice | string> {
  const made = await make(image, directory, size_bytes);
  if (typeof made === 'string') await unmountLoopDevice(image, directory);
  return made;
}

/** Why there can be none here, as a clause, as far as that is seen without making one; null where nothing is seen against it. */
export async function foreseeLoopDevice(): Promise<string | null> {
  if (process.platform !== 'linux') return 'loop devices are made on Linux only';
  if (process.getuid?.() !== 0) return 'only root can make a loop device';
  for (const name of TOOLS) {
    if ((await findExecutable(name, SEARCHED)) === null) return `${name} failed: it is not installed`;
  }
  return null;
}

/** Null where it fits. To allocate what is not there would take all that is, from everybody else on the disk, before it fails. */
export async function lacksRoom(directory: string, size_bytes: number): Promise<string | null> {
  const free = await freeBytes(directory);
  if (free - size_bytes >= LEFT_BYTES) return null;
  return `its ${mebibytes(size_bytes)} do not fit: ${mebibytes(free)} are free below ${directory}, of which ${mebibytes(LEFT_BYTES)} stay free`;
}

async function make(image: string, directory: string, size_bytes: number): Promise<LoopDevice | string> {
  const foreseen = (await foreseeLoopDevice()) ?? (await lacksRoom(directory, size_bytes));
  if (foreseen !== null) return foreseen;
  // Made here, for the file to be ours alone.
  await (await open(image, 'wx', 0o600)).close();
  const allocated = await tool('fallocate', ['-l', String(size_bytes), image]);
  if (allocated !== null) return allocated;
  const formatted = await tool('mkfs.ext4', [...MKFS, image]);
  if (formatted !== null) return formatted;
  const attached = await run('losetup', ['--find', '--show', '--direct-io=on', image]);
  if (attached.kind !== 'done') return refusal('losetup', attached);
  const device = attached.stdout.trim();
  const name = /^\/dev\/(loop\d{1,6})$/.exec(device)?.[1];
  if (name === undefined) return 'losetup does not say which device it made';
  const sys = join('/sys/block', name);
  // Without it the pages of the file would be a second cache, outside of the limit of the trial.
  if (read(join(sys, 'loop', 'dio')) !== '1') return `the file system below ${image} has no direct input and output`;
  const mounted = await tool('mount', ['-t', 'ext4', '-o', 'noatime', device, directory]);
  if (mounted !== null) return mounted;
  // A trial's directory is empty.
  await rm(join(directory, 'lost+found'), { recursive: true, force: true });
  return { stat: join(sys, 'stat') };
}

/**
 * Takes a device away, as far as it was made: harmless where there is none.
 * @throws Error where it cannot be unmounted
 */
export async function unmountLoopDevice(image: string, directory: string): Promise<void> {
  for (let attempt = 1; isMounted(directory); attempt++) {
    const refused = await tool('umount', [directory]);
    if (refused === null) break;
    if (attempt === ATTEMPTS) throw new Error(refused);
    await delay(BETWEEN_MS);
  }
  for (const device of devicesOf((file) => file === image)) {
    const refused = await tool('losetup', ['--detach', device]);
    if (refused !== null) throw new Error(refused);
  }
  await rm(image, { force: true });
}

/** Unmounts and detaches all that lies below a directory. The files themselves stay. */
export async function clearLoopDevices(below: string): Promise<void> {
  const inside = `${below}/`;
  for (const place of mountPoints()
    .filter((path) => path.startsWith(inside))
    .toReversed()) {
    await unmountLoopDevice('', place);
  }
  for (const device of devicesOf((file) => file.startsWith(inside))) await tool('losetup', ['--detach', device]);
}

function isMounted(directory: string): boolean {
  return mountPoints().includes(directory);
}

function mountPoints(): readonly string[] {
  return (read('/proc/self/mountinfo') ?? '').split('\n').map((line) => decodeOctal(line.split(' ')[4] ?? ''));
}

/** Loop devices by the file behind them. One that is gone has ` (deleted)` after its name. */
function devicesOf(matches: (file: string) => boolean): readonly string[] {
  const names = list('/sys/block').filter((name) => /^loop\d{1,6}$/.test(name));
  return names.flatMap((name) => {
    const file = read(join('/sys/block', name, 'loop', 'backing_file'));
    return file !== null && matches(file.replace(/ \(deleted\)$/, '')) ? [`/dev/${name}`] : [];
  });
}

/** Null where it succeeded, else why not. */
async function tool(name: Tool, args: readonly string[]): Promise<string | null> {
  const outcome = await run(name, args);
  return outcome.kind === 'done' ? null : refusal(name, outcome);
}

async function run(name: Tool, args: readonly string[]): Promise<ToolOutcome> {
  const path = await findExecutable(name, SEARCHED);
  if (path === null) return { kind: 'failed', output: 'it is not installed' };
  return await runTool(path, args, { env: { PATH: SEARCHED }, cwd: '/', timeout_ms: TIMEOUT_MS });
}

function refusal(name: Tool, outcome: ToolOutcome): string {
  const last = outcome.kind === 'failed' ? (outcome.output.trim().split('\n').at(-1) ?? '') : 'it was stopped';
  return `${name} failed: ${last}`;
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
