import { afterEach, beforeEach, expect, it } from 'vitest';
import { type MachineTree, openMachineTree } from '../../test/machine-tree.ts';
import { memoryFacts } from './memory-facts.ts';

let tree: MachineTree;
beforeEach(() => {
  tree = openMachineTree();
});
afterEach(() => tree.remove());

const MEMINFO = `MemTotal:       24684092 kB
MemAvailable:   22218112 kB
Active(anon):       1628 kB
SwapTotal:       2000000 kB
SwapFree:        1500000 kB
HugePages_Total:      16
Hugepagesize:       2048 kB
Torn
Wrong:  many kB
`;

it('says null where the machine says nothing', () => {
  const nothing = { memory_available_bytes: null, swap: null, huge_pages: null, aslr: null };
  expect(memoryFacts(tree.files)).toEqual(nothing);
  tree.write({
    'proc/meminfo': 'MemAvailable: 99999999999999999999 kB\nSwapTotal: 5 kB\n',
    'proc/sys/kernel/randomize_va_space': 'two\n',
    'sys/kernel/mm/transparent_hugepage/enabled': 'always madvise never\n',
  });
  expect(memoryFacts(tree.files)).toEqual(nothing);
});

it('reads what is free, what is swapped out, and how pages are made', () => {
  tree.write({
    'proc/meminfo': MEMINFO,
    'proc/sys/vm/swappiness': '60\n',
    'proc/sys/kernel/randomize_va_space': '2\n',
    'sys/kernel/mm/transparent_hugepage/enabled': 'always [madvise] never\n',
  });
  expect(memoryFacts(tree.files)).toEqual({
    memory_available_bytes: 22_218_112 * 1024,
    swap: { total_bytes: 2_048_000_000, used_bytes: 512_000_000, swappiness: 60 },
    huge_pages: { transparent: 'madvise', reserved: 16, page_bytes: 2_097_152 },
    aslr: 2,
  });
});

it('knows no swap from swap that is not known', () => {
  tree.write({ 'proc/meminfo': 'SwapTotal:             0 kB\nSwapFree:              0 kB\n' });
  expect(memoryFacts(tree.files).swap).toEqual({ total_bytes: 0, used_bytes: 0, swappiness: null });
});

it('has huge pages of a kernel without transparent ones', () => {
  tree.write({ 'proc/meminfo': 'HugePages_Total:       0\nHugepagesize:       2048 kB\n' });
  expect(memoryFacts(tree.files).huge_pages).toEqual({ transparent: null, reserved: 0, page_bytes: 2_097_152 });
});
