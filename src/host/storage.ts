/** The storage below a mount, as /sys tells it. Serial numbers and names that a person chose are never read. */
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Mount, printable } from './linux-facts.ts';
import type { Disk, StorageFacts } from './machine.ts';

/** Bounds what a strange tree of devices can cost. */
const DEEPEST = 8;
const MOST_DISKS = 16;
const LONGEST_MODEL = 64;
/** The unit of `size` in /sys, whatever the device's own is. */
const SECTOR_BYTES = 512;

const MEMORY = new Set(['tmpfs', 'ramfs', 'hugetlbfs', 'devtmpfs']);
const REMOTE =
  /^(?:nfs4?|cifs|smb3|smbfs|ceph|9p|virtiofs|afs|lustre|beegfs|gfs2|ocfs2|fuse\.(?:sshfs|glusterfs|s3fs|rclone))$/;

/** Names of the kernel's own drivers, the longest match first. */
const KINDS: readonly (readonly [RegExp, Disk['kind']])[] = [
  [/^nvme/, 'nvme'],
  [/^(?:sd|hd|sr)/, 'scsi'],
  [/^vd/, 'virtio'],
  [/^xvd/, 'xen'],
  [/^mmcblk/, 'mmc'],
  [/^pmem/, 'pmem'],
  [/^loop/, 'loop'],
  [/^zram/, 'zram'],
  [/^(?:nbd|rbd|drbd)/, 'network'],
];

type Layer = StorageFacts['layers'][number];

/**
 * What `mount` lies on. Never fails: what cannot be read is null, or not listed.
 * @param root where dev and sys are
 */
export function storageFacts(mount: Mount, root = '/'): StorageFacts {
  const none = { layers: [], disks: [] };
  if (MEMORY.has(mount.type)) return { source: 'memory', ...none };
  if (/^overlay/.test(mount.type)) return { source: 'overlay', ...none };
  if (REMOTE.test(mount.type)) return { source: 'remote', ...none };
  const device = deviceOf(mount, root);
  if (device === null) return { source: 'other', ...none };
  const found: Found = { layers: new Set(), disks: new Map() };
  descend(device, found, DEEPEST);
  return { source: 'block', layers: [...found.layers], disks: [...found.disks.values()] };
}

/** The directory of the block device in /sys: by its number, or, where a file system has several, by the one that it names. */
function deviceOf({ device, source }: Mount, root: string): string | null {
  const numbered = /^\d+:\d+$/.test(device) ? realPath(join(root, 'sys/dev/block', device)) : null;
  if (numbered !== null || !source.startsWith('/dev/')) return numbered;
  // A name of the mapper is a link to one of the kernel's.
  const named = realPath(join(root, source)) ?? source;
  return realPath(join(root, 'sys/class/block', basename(named)));
}

interface Found {
  readonly layers: Set<Layer>;
  readonly disks: Map<string, Disk>;
}

/** Partitions lead to their disk, and what is put together to its parts. */
function descend(device: string, found: Found, depth: number): void {
  if (depth === 0 || found.disks.size === MOST_DISKS) return;
  if (read(device, 'partition') !== null) {
    descend(dirname(device), found, depth - 1);
    return;
  }
  const layer = layerOf(device);
  if (layer !== null) found.layers.add(layer);
  const below = list(join(device, 'slaves')).flatMap((name) => realPath(join(device, 'slaves', name)) ?? []);
  for (const part of below) descend(part, found, depth - 1);
  if (below.length === 0 && layer === null) found.disks.set(device, diskOf(device));
}

function layerOf(device: string): Layer | null {
  const name = basename(device);
  if (name.startsWith('md')) return 'raid';
  if (name.startsWith('bcache')) return 'cache';
  if (!name.startsWith('dm-')) return null;
  // Of a name such as CRYPT-LUKS2-…, which tells one machine from others, only what it begins with.
  switch (/^(?:part\d+-)?[A-Za-z]+/.exec(read(device, 'dm/uuid') ?? '')?.[0].replace(/^part\d+-/, '')) {
    case 'CRYPT':
      return 'encryption';
    case 'LVM':
      return 'lvm';
    case 'mpath':
      return 'multipath';
    default:
      return 'mapper';
  }
}

function diskOf(device: string): Disk {
  const name = basename(device);
  const sectors = Number(read(device, 'size') ?? 'none');
  const rotational = read(device, 'queue/rotational');
  return {
    kind: KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other',
    model: modelOf(device),
    bytes: Number.isSafeInteger(sectors) && sectors > 0 ? sectors * SECTOR_BYTES : null,
    rotational: rotational === '0' || rotational === '1' ? rotational === '1' : null,
  };
}

/** A maker is named apart from the model on SCSI alone, where a disk of ATA has none; cards have a name instead. */
function modelOf(device: string): string | null {
  const model = read(device, 'device/model') ?? read(device, 'device/name');
  if (model === null) return null;
  const vendor = read(device, 'device/vendor');
  const named = vendor === null || vendor === 'ATA' || vendor.startsWith('0x') ? model : `${vendor} ${model}`;
  return [...printable(named.replace(/\s+/g, ' '))].slice(0, LONGEST_MODEL).join('');
}

function read(device: string, file: string): string | null {
  try {
    const text = readFileSync(join(device, file), 'utf8').trim();
    return text === '' ? null : text;
  } catch {
    return null;
  }
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
