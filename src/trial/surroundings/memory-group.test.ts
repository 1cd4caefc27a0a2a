import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { setLimit, swapsInstead } from './memory-group.ts';

let group = '';
beforeEach(() => {
  group = mkdtempSync(join(tmpdir(), 'assay-group-'));
});
afterEach(() => rmSync(group, { recursive: true, force: true }));

const read = (file: string) => readFileSync(join(group, file), 'utf8');
/** Nobody can write it. */
const refuse = (file: string) => mkdirSync(join(group, file));

it('limits memory and swap by the files of either version', () => {
  expect(setLimit(group, 2, 4096)).toBe(true);
  expect([read('memory.max'), read('memory.swap.max')]).toEqual(['4096', '0']);
  expect(setLimit(group, 1, 8192)).toBe(true);
  expect(['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes', 'memory.swappiness'].map(read)).toEqual([
    '8192',
    '8192',
    '0',
  ]);
});

it('tells a group that may swap', () => {
  refuse('memory.swap.max');
  expect(setLimit(group, 2, 4096)).toBe(false);
});

it.each([
  [['memory.memsw.limit_in_bytes'], true],
  [['memory.swappiness'], true],
  [['memory.memsw.limit_in_bytes', 'memory.swappiness'], false],
])('where a group of version 1 lacks %j, that it is kept out of swap is %j', (lacking, kept) => {
  for (const file of lacking) refuse(file);
  expect(setLimit(group, 1, 4096)).toBe(kept);
});

it('fails without the limit itself', () => {
  refuse('memory.max');
  expect(() => setLimit(group, 2, 4096)).toThrow();
});

it('says that trials may swap only where there is swap, or may be', () => {
  const swap = (total_bytes: number) => ({ total_bytes, used_bytes: 0, swappiness: 60 });
  expect([swapsInstead(true, swap(1)), swapsInstead(true, null), swapsInstead(false, swap(0))]).toEqual([[], [], []]);
  for (const of of [swap(1), null]) {
    expect(swapsInstead(false, of)).toEqual([
      { message: expect.stringContaining('may have swapped'), remedy: expect.stringContaining('swapoff') },
    ]);
  }
});
