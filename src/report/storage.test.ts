import { expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import type { Disk, MachineFacts, StorageFacts } from '../host/machine.ts';
import { HTML } from './html/text.ts';
import { storageText } from './storage.ts';

const { machine } = journalOf({ values: { wall: { a: [1], b: [1] } } }).run;
const DISK: Disk = { kind: 'scsi', model: 'Big Disk', bytes: 4e12, rotational: true };

function told(storage: StorageFacts | null, platform = 'linux'): string {
  const facts: MachineFacts = { ...machine, platform, storage };
  return storageText(facts, HTML);
}

test.each<readonly [string, StorageFacts]>([
  [
    'virtio, model unknown, size unknown, rotational as the system says: unknown',
    { source: 'block', layers: [], disks: [{ kind: 'virtio', model: null, bytes: null, rotational: null }] },
  ],
  [
    '2 × SCSI or SATA, model Big Disk, size 3.64 TiB, rotational as the system says: yes; below LVM, encryption, RAID',
    { source: 'block', layers: ['lvm', 'encryption', 'raid'], disks: [DISK, DISK] },
  ],
  [
    'SCSI or SATA, model Big Disk, size 3.64 TiB, rotational as the system says: yes; NVMe, model Big Disk, size 3.64 TiB, rotational as the system says: no',
    { source: 'block', layers: [], disks: [DISK, { ...DISK, kind: 'nvme', rotational: false }] },
  ],
  ['none: the file system lies in memory', { source: 'memory', layers: [], disks: [] }],
  ['not known: an overlay does not say what it lies on', { source: 'overlay', layers: [], disks: [] }],
  [
    'not known: the file system is that of another machine, or of the host of this virtual one',
    { source: 'remote', layers: [], disks: [] },
  ],
  ['not known: the system names no device for this file system', { source: 'other', layers: [], disks: [] }],
  ['not known: the system names no device for this file system', { source: 'block', layers: ['lvm'], disks: [] }],
])('%s', (text, storage) => expect(told(storage)).toBe(text));

test('what no journal has is not recorded, and elsewhere than on Linux it says why', () => {
  expect(told(null)).toBe('not recorded');
  expect(told(null, 'darwin')).toBe('not recorded: it is read on Linux alone');
});
