/** Limits that control groups set, version 1 and 2 (cgroups(7)), and how often they stopped this process. */
import { join } from 'node:path';
import { decodeOctal } from './linux-facts.ts';
import type { ControlGroup } from './machine.ts';
import { type MachineFiles, wholeNumber } from './machine-files.ts';

/** Where the group of this process lies in one hierarchy. */
interface GroupPlace {
  readonly version: 1 | 2;
  readonly mount_point: string;
  readonly home: string;
}

/**
 * The group of this process in each mounted hierarchy that has a controller, version 2 first (it lists no controllers
 * here). Text of /proc/self/mountinfo and /proc/self/cgroup.
 */
export function groupPlaces(mountinfo: string, membership: string, controller: string): readonly GroupPlace[] {
  const found: GroupPlace[] = [];
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '/', encoded = ''] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    const version = type === 'cgroup2' ? 2 : 1;
    if (version === 1 && !(type === 'cgroup' && options.split(',').includes(controller))) continue;
    const path = ownPath(membership, version === 2 ? '' : controller);
    if (path === null) continue;
    const mount_point = decodeOctal(encoded);
    const below = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
    const place = { version, mount_point, home: join(mount_point, below) } as const;
    if (version === 2) found.unshift(place);
    else found.push(place);
  }
  return found;
}

/** The path in the hierarchy with this controller ('' is version 2). */
function ownPath(membership: string, controller: string): string | null {
  for (const line of membership.split('\n')) {
    const [, controllers, ...path] = line.split(':');
    if (controllers?.split(',').includes(controller)) return path.join(':');
  }
  return null;
}

/** What one level of a hierarchy allows, and how often it stopped the group. */
interface CpuLimit {
  readonly version: 1 | 2;
  readonly quota: number | null;
  readonly periods: number | null;
  readonly throttled_periods: number | null;
  readonly throttled_ns: number | null;
}

/** @param memory_bytes of the machine: what is not below that is no limit. Null where there are no control groups. */
export function controlGroup(files: MachineFiles, memory_bytes: number): ControlGroup | null {
  const mountinfo = files.read('/proc/self/mountinfo') ?? '';
  const membership = files.read('/proc/self/cgroup') ?? '';
  const cpu = groupPlaces(mountinfo, membership, 'cpu');
  const limits = cpu.flatMap((place) =>
    levels(place).flatMap((folder) => cpuLimit(files, place.version, folder) ?? []),
  );
  const memory = groupPlaces(mountinfo, membership, 'memory').flatMap((place) =>
    levels(place).flatMap((folder) => memoryLimits(files, place.version, folder)),
  );
  // Where both versions are mounted, the controller is in one of them.
  const version = limits[0]?.version ?? cpu[0]?.version;
  if (version === undefined) return null;
  // Of a group above others its neighbours are counted, too: the one that was stopped longest says most.
  const worst = limits.reduce<CpuLimit | null>(
    (most, limit) => ((limit.throttled_ns ?? -1) > (most?.throttled_ns ?? -1) ? limit : most),
    null,
  );
  return {
    version,
    cpu_quota: smallest(limits.flatMap(({ quota }) => quota ?? [])),
    periods: worst?.periods ?? null,
    throttled_periods: worst?.throttled_periods ?? null,
    throttled_ns: worst?.throttled_ns ?? null,
    memory_limit_bytes: smallest(memory.filter((bytes) => bytes < memory_bytes)),
  };
}

function smallest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((least, value) => Math.min(least, value));
}

/** The group's folder and those above it, up to where the hierarchy is mounted; never one outside of that. */
function levels({ home, mount_point }: GroupPlace): readonly string[] {
  const folders = [mount_point];
  for (const name of home
    .slice(mount_point.length)
    .split('/')
    .filter((part) => part !== '')) {
    folders.push(join(folders.at(-1) ?? mount_point, name));
  }
  return folders;
}

function cpuLimit(files: MachineFiles, version: 1 | 2, folder: string): CpuLimit | null {
  const stat = files.read(join(folder, 'cpu.stat'));
  const value = (name: string) => wholeNumber(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat ?? '')?.[1]);
  const throttled = { periods: value('nr_periods'), throttled_periods: value('nr_throttled') };
  if (version === 2) {
    const max = files.line(join(folder, 'cpu.max'));
    // The root has neither limit nor controller of its own.
    if (max === null) return null;
    const [quota, period] = max.split(' ').map(wholeNumber);
    const throttled_us = value('throttled_usec');
    return {
      version,
      quota: ratio(quota, period),
      ...throttled,
      throttled_ns: throttled_us === null ? null : throttled_us * 1000,
    };
  }
  const quota = files.number(join(folder, 'cpu.cfs_quota_us'));
  if (quota === null) return null;
  return {
    version,
    quota: ratio(quota, files.number(join(folder, 'cpu.cfs_period_us'))),
    ...throttled,
    throttled_ns: value('throttled_time'),
  };
}

/** No quota is `max` in version 2 and -1 in version 1. */
function ratio(quota: number | null | undefined, period: number | null | undefined): number | null {
  return quota == null || period == null || quota < 0 || period <= 0 ? null : quota / period;
}

function memoryLimits(files: MachineFiles, version: 1 | 2, folder: string): readonly number[] {
  // Beyond memory.high the group is slowed down, which is as bad as a limit.
  const names = version === 2 ? ['memory.max', 'memory.high'] : ['memory.limit_in_bytes'];
  return names.flatMap((name) => files.number(join(folder, name)) ?? []).filter((bytes) => bytes >= 0);
}
