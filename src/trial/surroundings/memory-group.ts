/** A memory group (cgroup v2, else v1) for one trial: made before it, removed after it, found again by its name after a kill. */
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { groupPlaces } from '../../host/control-group.ts';
import type { MachineFacts } from '../../host/machine.ts';
import type { Launcher } from '../launch.ts';

/** A directory in which groups can be made, and which version's files they have. */
interface GroupHome {
  readonly version: 1 | 2;
  readonly directory: string;
}

export interface MemoryGroup {
  readonly directory: string;
  /** Whether the kernel keeps its memory out of swap; else what is over the limit may go there. */
  readonly without_swap: boolean;
}

/** The kernel may hold a group for a moment after its last process has ended. */
const ATTEMPTS = 50;
const BETWEEN_MS = 20;

/**
 * Where groups with a limit of memory could be, the likeliest first. In version 2 a group that holds processes has none below
 * it that divide memory, so that those above are candidates, too.
 */
function groupHomes(mountinfo: string, membership: string): readonly GroupHome[] {
  return groupPlaces(mountinfo, membership, 'memory').flatMap(({ version, home, mount_point }) => {
    if (version === 1) return [{ version, directory: home }];
    const above: GroupHome[] = [];
    for (let directory = home; ; directory = dirname(directory)) {
      if (dividesMemory(directory)) above.push({ version, directory });
      if (directory === mount_point || directory.length <= mount_point.length) return above;
    }
  });
}

function dividesMemory(directory: string): boolean {
  try {
    return readFileSync(join(directory, 'cgroup.subtree_control'), 'utf8').split(/\s+/).includes('memory');
  } catch {
    return false;
  }
}

function homes(): readonly GroupHome[] {
  try {
    return groupHomes(readFileSync('/proc/self/mountinfo', 'utf8'), readFileSync('/proc/self/cgroup', 'utf8'));
  } catch {
    return [];
  }
}

/**
 * Makes a group of this name with a limit, and without swap where the kernel has limits of that, where the machine lets us.
 * @returns the group; else why there is none, as a clause
 */
export function makeMemoryGroup(name: string, limit_bytes: number): MemoryGroup | string {
  let reason = NO_HOME;
  for (const { version, directory: home } of homes()) {
    const directory = join(home, name);
    try {
      mkdirSync(directory);
      try {
        return { directory, without_swap: setLimit(directory, version, limit_bytes) };
      } catch (error) {
        rmdirSync(directory);
        throw error;
      }
    } catch (error) {
      reason = `no memory group can be made in ${home} (${codeOf(error)})`;
    }
  }
  return reason;
}

const NO_HOME = 'no memory control group (cgroup v2 or v1) is mounted in which groups could be made';

/** Why none can be made, as a clause, as far as that is seen without making one; null where nothing is seen against it. */
export function foreseeMemoryGroup(): string | null {
  let reason = NO_HOME;
  for (const { directory } of homes()) {
    try {
      accessSync(directory, constants.W_OK);
      return null;
    } catch (error) {
      reason = `no memory group can be made in ${directory} (${codeOf(error)})`;
    }
  }
  return reason;
}

/**
 * Sets the limit of a group that is there.
 * @returns whether its memory is kept out of swap, too
 */
export function setLimit(directory: string, version: 1 | 2, limit_bytes: number): boolean {
  const limit = version === 2 ? 'memory.max' : 'memory.limit_in_bytes';
  writeFileSync(join(directory, limit), String(limit_bytes));
  // The kernel rounds down to whole pages.
  if (Number(readFileSync(join(directory, limit), 'utf8')) > limit_bytes) throw new Error('the limit does not hold');
  const swap: readonly (readonly [file: string, value: string])[] =
    version === 2
      ? [['memory.swap.max', '0']]
      : [
          ['memory.memsw.limit_in_bytes', String(limit_bytes)],
          // In version 1 nothing of a group with 0 goes to swap for its limit.
          ['memory.swappiness', '0'],
        ];
  return swap.map(([file, value]) => isSet(join(directory, file), value)).includes(true);
}

/** False where the kernel has no such file, or refuses. */
function isSet(path: string, value: string): boolean {
  try {
    writeFileSync(path, value);
    return true;
  } catch {
    return false;
  }
}

/** That the kernel may swap what goes beyond the limit, where it does not keep the group from that and has swap. */
export function swapsInstead(without_swap: boolean, swap: MachineFacts['swap']): Launcher['limitations'] {
  if (without_swap || swap?.total_bytes === 0) return [];
  return [
    {
      message: 'memory_limit: swap cannot be limited here, so that trials may have swapped instead of reading again.',
      remedy: 'Turn swap off (swapoff -a), or have the kernel account for it (swapaccount=1 when it boots).',
    },
  ];
}

/** Removes a group whose processes have ended. */
export async function removeMemoryGroup(directory: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      rmdirSync(directory);
      return;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (attempt === ATTEMPTS) throw error;
    }
    await delay(BETWEEN_MS);
  }
}

/** Directories of the groups whose names begin so, wherever Assay may have made them. */
export function memoryGroupsOf(prefix: string): readonly string[] {
  return homes().flatMap(({ directory }) => {
    try {
      return readdirSync(directory)
        .filter((name) => name.startsWith(prefix))
        .map((name) => join(directory, name));
    } catch {
      return [];
    }
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
