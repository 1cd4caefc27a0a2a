import { describe, expect, it } from 'vitest';
import {
  backgroundJobs,
  blockCacheBytes,
  cachedKeys,
  ioBoundKeys,
  neededBytes,
  usableMemory,
} from './machine-rules.ts';
import { LEVEL_MULTIPLIER, treeShape } from './tree-shape.ts';

const GIB = 2 ** 30;

/** Servers of the published study: cores (with hyperthreading or without), memory in GiB, jobs, block cache in GiB, keys. */
const PUBLISHED = [
  ['m5.2xl', 4, 32, 4, 24, 40e6, 1e9],
  ['m5d.4xl', 8, 64, 8, 52, 40e6, 2e9],
  ['c6i.4xl.ht1', 8, 32, 8, 24, 40e6, 1e9],
  ['c6i.8xl', 16, 64, 8, 52, 40e6, 2e9],
  ['c6i.12xl', 24, 96, 8, 80, 40e6, 3e9],
  // Its author writes that 40 million were too many for its memory, and that it should have been half of it.
  ['c6i.2xl', 4, 16, 4, 12, 20e6, 5e8],
] as const;

describe('what follows from the machine', () => {
  it.each(PUBLISHED)('%s: as published', (_, cores, gib, jobs, cacheGib, cached, ioBound) => {
    // The kernel keeps a part of memory for itself: 3 % of it is what virtual machines lack.
    const memory = usableMemory({ cores, cpus: cores, memory_bytes: 0.97 * gib * GIB, memory_limit_bytes: null });
    expect(memory).toBe(gib * GIB);
    expect(backgroundJobs(cores)).toBe(jobs);
    expect(blockCacheBytes(memory)).toBe(cacheGib * GIB);
    expect(cachedKeys(blockCacheBytes(memory))).toBe(cached);
    // Published are 750 million and 1 to 3 thousand million pairs, some of which the disk decided.
    expect(ioBoundKeys(memory)).toBe(ioBound);
  });

  it('is of the memory that a control group leaves, as it stands', () => {
    const machine = { cores: 2, cpus: 2, memory_bytes: 23.4 * GIB, memory_limit_bytes: 1.5 * GIB };
    expect(usableMemory(machine)).toBe(1.5 * GIB);
    expect(usableMemory({ ...machine, memory_limit_bytes: null })).toBe(24 * GIB);
    expect(usableMemory({ ...machine, memory_bytes: 7.6 * GIB, memory_limit_bytes: null })).toBe(8 * GIB);
    expect(usableMemory({ ...machine, memory_bytes: 0.9 * GIB, memory_limit_bytes: null })).toBeLessThan(GIB);
  });

  it('never takes all memory for the cache, nor fewer than two jobs', () => {
    for (const gib of [0.5, 1, 2, 4, 8, 16, 24, 128, 1024]) {
      const cache = blockCacheBytes(gib * GIB);
      expect(cache).toBeGreaterThanOrEqual(0.7 * gib * GIB);
      expect(cache).toBeLessThan(0.9 * gib * GIB);
      expect(cachedKeys(cache) * 420).toBeLessThan(cache);
      expect(ioBoundKeys(gib * GIB) * 420).toBeGreaterThan(8 * gib * GIB);
    }
    expect([1, 2, 3, 64].map(backgroundJobs)).toEqual([2, 2, 3, 8]);
    expect(neededBytes(1e9)).toBe(330e9);
  });
});

describe('the shape of the tree', () => {
  /** Levels below level 0 that a database of so many stored bytes fills, if each is as large as it may be. */
  function levelsOf(stored: number, base: number): number {
    let left = stored;
    let levels = 0;
    for (let size = base; left > 0; size *= LEVEL_MULTIPLIER) {
      left -= size;
      levels += 1;
    }
    return levels;
  }

  it.each([5e5, 1e6, 1e7, 4e7, 1e9])('has four levels or five below level 0 with %d pairs', (keys) => {
    const shape = treeShape(keys);
    expect([4, 5]).toContain(levelsOf(keys * 220, shape.max_bytes_for_level_base));
    expect(shape.write_buffer_size * 4).toBe(shape.max_bytes_for_level_base);
    expect(shape.target_file_size_base).toBe(shape.write_buffer_size);
  });

  it('stays within 1 and 256 MiB, and is a power of two', () => {
    const bases = [1, 1e5, 4e7, 1e10].map((keys) => treeShape(keys).max_bytes_for_level_base / 2 ** 20);
    expect(bases).toEqual([1, 1, 64, 256]);
    expect(levelsOf(1e5 * 220, 2 ** 20)).toBe(3);
  });
});
