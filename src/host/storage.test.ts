import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storageFacts } from './storage.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-storage-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const SECTORS = 2 ** 31;
const SECRET = 'S3CRET-NUMBER';

/** A device of /sys with its files, as the kernel lays it out; its number is in /sys/dev/block, its name in /sys/class/block. */
function device(path: string, number: string, files: Readonly<Record<string, string>> = {}): string {
  const directory = join(root, 'sys/devices', path);
  mkdirSync(directory, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), `${text}\n`);
  }
  for (const link of [`sys/dev/block/${number}`, `sys/class/block/${path.split('/').at(-1)}`]) {
    mkdirSync(dirname(join(root, link)), { recursive: true });
    symlinkSync(directory, join(root, link));
  }
  return directory;
}

function nvme(name: string, number: string, model: string): string {
  return device(`pci/nvme/${name}`, number, {
    'device/model': `${model}   `,
    'device/serial': SECRET,
    'queue/rotational': '0',
    size: String(SECTORS),
  });
}

function below(upper: string, ...lower: readonly string[]): void {
  mkdirSync(join(upper, 'slaves'), { recursive: true });
  lower.forEach((path, at) => {
    symlinkSync(path, join(upper, 'slaves', `part-${at}`));
  });
}

const mount = (device: string, type = 'ext4', source = '/dev/root') => ({ type, device, source });
const NVME = { kind: 'nvme', model: 'Example SSD 980', bytes: SECTORS * 512, rotational: false };

describe('a file system on a disk', () => {
  it('has the disk of its partition, with model, size and whether it turns, and no serial number', () => {
    nvme('nvme0n1', '259:0', 'Example SSD  980');
    device('pci/nvme/nvme0n1/nvme0n1p2', '259:2', { partition: '2', size: '1000' });
    const facts = storageFacts(mount('259:2'), root);
    expect(facts).toEqual({ source: 'block', layers: [], disks: [NVME] });
    expect(JSON.stringify(facts)).not.toContain(SECRET);
  });

  it('names the maker where that is not in the model', () => {
    const files = { 'device/vendor': 'Example', 'device/model': 'Big Disk', 'queue/rotational': '1' };
    device('scsi/sda', '8:0', files);
    expect(storageFacts(mount('8:0'), root).disks).toEqual([
      { kind: 'scsi', model: 'Example Big Disk', bytes: null, rotational: true },
    ]);
    device('ata/sdb', '8:16', { ...files, 'device/vendor': 'ATA' });
    expect(storageFacts(mount('8:16'), root).disks[0]?.model).toBe('Big Disk');
  });

  it('says nothing of what /sys does not tell', () => {
    device('pci/virtio1/vda', '254:0', { 'device/vendor': '0x1af4', size: 'many', 'queue/rotational': '' });
    expect(storageFacts(mount('254:0'), root).disks).toEqual([
      { kind: 'virtio', model: null, bytes: null, rotational: null },
    ]);
  });

  it('lets nothing through that a terminal obeys', () => {
    nvme('nvme1n1', '259:9', `\u001b[31m${'x'.repeat(200)}`);
    expect(storageFacts(mount('259:9'), root).disks[0]?.model).toMatch(/^\?\[31mx{59}$/);
  });
});

describe('layers between', () => {
  it('are told from the file system down, and their names are not', () => {
    const one = nvme('nvme0n1', '259:0', 'Example SSD 980');
    const two = nvme('nvme1n1', '259:1', 'Example SSD 980');
    const raid = device('virtual/md0', '9:0', { 'md/level': 'raid1' });
    below(raid, one, two);
    const crypt = device('virtual/dm-0', '253:0', { 'dm/uuid': `CRYPT-LUKS2-${SECRET}`, 'dm/name': SECRET });
    below(crypt, raid);
    const volume = device('virtual/dm-1', '253:1', { 'dm/uuid': `LVM-${SECRET}`, 'dm/name': SECRET });
    below(volume, crypt);
    const facts = storageFacts(mount('253:1'), root);
    expect(facts).toEqual({ source: 'block', layers: ['lvm', 'encryption', 'raid'], disks: [NVME, NVME] });
    expect(JSON.stringify(facts)).not.toContain(SECRET);
  });

  it('that go round in a circle end, and a disk that is reached twice is one', () => {
    const disk = nvme('nvme0n1', '259:0', 'Example SSD 980');
    const a = device('virtual/dm-0', '253:0');
    const b = device('virtual/dm-1', '253:1');
    below(a, b, disk);
    below(b, a, disk);
    expect(storageFacts(mount('253:0'), root)).toEqual({ source: 'block', layers: ['mapper'], disks: [NVME] });
  });

  it('a partition of several paths', () => {
    device('virtual/dm-3', '253:3', { 'dm/uuid': 'part1-mpath-360' });
    expect(storageFacts(mount('253:3'), root)).toEqual({ source: 'block', layers: ['multipath'], disks: [] });
  });
});

it('a file system without a number of its own is found by the device that it names, through links', () => {
  nvme('nvme0n1', '259:0', 'Example SSD 980');
  mkdirSync(join(root, 'dev/mapper'), { recursive: true });
  writeFileSync(join(root, 'dev/nvme0n1'), '');
  symlinkSync(join(root, 'dev/nvme0n1'), join(root, 'dev/mapper/home'));
  expect(storageFacts(mount('0:39', 'btrfs', '/dev/mapper/home'), root).disks).toEqual([NVME]);
  // A container may have no such file.
  rmSync(join(root, 'dev'), { recursive: true });
  expect(storageFacts(mount('0:39', 'btrfs', '/dev/nvme0n1'), root).disks).toEqual([NVME]);
});

it.each([
  ['tmpfs', 'memory'],
  ['overlay', 'overlay'],
  ['nfs4', 'remote'],
  ['fuse.sshfs', 'remote'],
  ['zfs', 'other'],
])('%s has no disk of its own: %s', (type, source) => {
  expect(storageFacts(mount('0:40', type, 'pool/home'), root)).toEqual({ source, layers: [], disks: [] });
});

it('never leaves the tree of devices for a strange number or name', () => {
  for (const strange of ['../../etc', '0:0/../..', '', 'x']) {
    expect(storageFacts({ type: 'ext4', device: strange, source: `/dev/${strange}` }, root).source).toBe('other');
  }
});
