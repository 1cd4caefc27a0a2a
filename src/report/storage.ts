/** What the directory of the trials lies on, in words. */
import type { Disk, MachineFacts, StorageFacts } from '../host/machine.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';
import { formatQuantity } from './units.ts';

const KINDS: Readonly<Record<Disk['kind'], string>> = {
  nvme: 'NVMe',
  scsi: 'SCSI or SATA',
  virtio: 'virtio',
  xen: 'Xen',
  mmc: 'MMC',
  pmem: 'persistent memory',
  loop: 'loop device',
  zram: 'compressed memory',
  network: 'network block device',
  other: 'another kind of device',
};

const LAYERS: Readonly<Record<StorageFacts['layers'][number], string>> = {
  encryption: 'encryption',
  lvm: 'LVM',
  multipath: 'multipath',
  raid: 'RAID',
  cache: 'a cache',
  mapper: 'the device mapper',
};

/** Disks with what lies between them and the file system, or why none is named. */
export function storageText({ platform, storage }: MachineFacts, { prose }: Escaping): string {
  if (storage === null) return say(platform === 'linux' ? 'device.absent' : 'device.system', {});
  switch (storage.source) {
    case 'memory':
      return say('device.memory', {});
    case 'overlay':
      return say('device.overlay', {});
    case 'remote':
      return say('device.remote', {});
    default:
      return storage.disks.length === 0 ? say('device.none', {}) : disksText(storage, prose);
  }
}

function disksText({ disks, layers }: StorageFacts, prose: Escaping['prose']): string {
  const counts = new Map<string, number>();
  for (const disk of disks) {
    const told = diskText(disk, prose);
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  const all = [...counts].map(([disk, count]) =>
    count === 1 ? disk : say('device.alike', { count: String(count), disk }),
  );
  const told = all.join('; ');
  return layers.length === 0
    ? told
    : say('device.layers', { disks: told, layers: layers.map((layer) => LAYERS[layer]).join(', ') });
}

function diskText({ kind, model, bytes, rotational }: Disk, prose: Escaping['prose']): string {
  return say('device.disk', {
    kind: KINDS[kind],
    model: model === null ? 'unknown' : prose(model),
    size: bytes === null ? 'unknown' : formatQuantity(bytes, 'bytes'),
    rotational: rotational === null ? 'unknown' : rotational ? 'yes' : 'no',
  });
}
