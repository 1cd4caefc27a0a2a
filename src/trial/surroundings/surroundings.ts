/**
 * What Assay makes around a trial where its workload asks for it: a limit of memory, a device of its own. Both stand before the
 * clock starts and go when the trial is over; what a killed Assay left is found by the run's name, and cleared before the next trial.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workload } from '../../experiment/experiment.ts';
import { AssayError } from '../../failures.ts';
import type { MachineFacts } from '../../host/machine.ts';
import { removeTree } from '../../io/disk.ts';
import type { Launcher } from '../launch.ts';
import { clearLoopDevices, foreseeLoopDevice, mountLoopDevice, unmountLoopDevice } from './loop-device.ts';
import {
  foreseeMemoryGroup,
  type MemoryGroup,
  makeMemoryGroup,
  memoryGroupsOf,
  removeMemoryGroup,
  swapsInstead,
} from './memory-group.ts';

type Asked = Pick<Workload, 'memory_limit_bytes' | 'device'>;

export interface Surroundings {
  /** Of the memory group; null where no limit is asked for. */
  readonly cgroup: string | null;
  /** Of the device; null where none is asked for. */
  readonly device_stat: string | null;
  /** Takes both away; what was in the directory is gone. */
  close(): Promise<void>;
}

const IMAGE = 'device.img';
const NAME_DIGITS = 16;
const PROBE_BYTES = 64 * 2 ** 20;

/** Groups of the trials below this directory have names that begin so. */
function groupPrefix(trialsPath: string): string {
  return `assay-${createHash('sha256').update(trialsPath).digest('hex').slice(0, NAME_DIGITS)}-`;
}

/**
 * Makes what a workload asks for, for the trial in `place`, whose directory `data` is there and empty.
 * @throws AssayError `machine` where this machine does not let us
 */
export async function openSurroundings(
  { memory_limit_bytes, device }: Asked,
  trialsPath: string,
  place: string,
): Promise<Surroundings> {
  const image = join(place, IMAGE);
  const data = join(place, 'data');
  const mounted = device === null ? null : await mountLoopDevice(image, data, device.size_bytes);
  if (typeof mounted === 'string') throw deviceRefused(mounted);
  let group: MemoryGroup | null = null;
  if (memory_limit_bytes !== null) {
    const name = `${groupPrefix(trialsPath)}${createHash('sha256').update(place).digest('hex').slice(0, NAME_DIGITS)}`;
    const made = makeMemoryGroup(name, memory_limit_bytes);
    if (typeof made === 'string') {
      await unmountLoopDevice(image, data);
      throw groupRefused(made);
    }
    group = made;
  }
  return {
    cgroup: group?.directory ?? null,
    device_stat: mounted?.stat ?? null,
    async close() {
      if (group !== null) await removeMemoryGroup(group.directory);
      if (device !== null) await unmountLoopDevice(image, data);
    },
  };
}

/**
 * Clears what trials below this directory have left that were cut off, once none of their processes lives any more.
 * @throws AssayError `machine` where something is still in use
 */
export async function clearSurroundings({ memory_limit_bytes, device }: Asked, trialsPath: string): Promise<void> {
  try {
    if (device !== null) await clearLoopDevices(trialsPath);
    if (memory_limit_bytes === null) return;
    for (const directory of memoryGroupsOf(groupPrefix(trialsPath))) await removeMemoryGroup(directory);
  } catch (error) {
    throw new AssayError({
      kind: 'machine',
      message: `what a trial left cannot be taken away: ${error instanceof Error ? error.message : String(error)}`,
      remedy: `Find out what uses it (\`fuser -vm\` on the directories below ${trialsPath}), end that, then resume.`,
    });
  }
}

/**
 * Makes sure, before there is a run, that a machine lets us make what a workload asks for.
 * @throws AssayError `machine` where it does not
 */
export async function checkSurroundings(asked: Asked): Promise<void> {
  if (asked.memory_limit_bytes === null && asked.device === null) return;
  const directory = await mkdtemp(join(tmpdir(), 'assay-surroundings-'));
  try {
    const place = join(directory, 'trial');
    await mkdir(join(place, 'data'), { recursive: true });
    const device = asked.device === null ? null : { size_bytes: PROBE_BYTES };
    const made = await openSurroundings({ ...asked, device }, directory, place);
    await made.close();
  } finally {
    await removeTree(directory);
  }
}

/**
 * As `checkSurroundings`, as far as it can be seen without making anything.
 * @throws AssayError `machine` where it is known that the machine does not let us
 */
export async function foreseeSurroundings({ memory_limit_bytes, device }: Asked): Promise<void> {
  const loop = device === null ? null : await foreseeLoopDevice();
  if (loop !== null) throw deviceRefused(loop);
  const group = memory_limit_bytes === null ? null : foreseeMemoryGroup();
  if (group !== null) throw groupRefused(group);
}

/**
 * What a reader must know of the limit of memory on this machine.
 * @throws AssayError `machine` where no group can be made
 */
export async function limitsLacking(
  { memory_limit_bytes }: Asked,
  { swap }: Pick<MachineFacts, 'swap'>,
  trialsPath: string,
): Promise<Launcher['limitations']> {
  if (memory_limit_bytes === null) return [];
  const made = makeMemoryGroup(`${groupPrefix(trialsPath)}probe`, memory_limit_bytes);
  if (typeof made === 'string') throw groupRefused(made);
  await removeMemoryGroup(made.directory);
  return swapsInstead(made.without_swap, swap);
}

function groupRefused(reason: string): AssayError {
  return new AssayError({
    kind: 'machine',
    message: `memory_limit: ${reason}`,
    remedy: 'Run as root, or in a group that this user may divide (cgroup v2 delegation); or leave memory_limit out.',
  });
}

function deviceRefused(reason: string): AssayError {
  return new AssayError({
    kind: 'machine',
    message: `device: ${reason}`,
    remedy:
      'Run as root on a machine that allows loop devices, with trial_dir on a disk that has the room; or ask for no device.',
  });
}
