/** The shape of the tree: enough levels even in a small database, since one of two levels tells nothing of one of five. */
import { storedBytes } from './machine-rules.ts';

const MIB = 2 ** 20;

export interface TreeShape {
  readonly write_buffer_size: number;
  readonly target_file_size_base: number;
  readonly max_bytes_for_level_base: number;
}

export const LEVEL_MULTIPLIER = 8;
export const LEVEL0_FILES = 4;
const LEAST_BASE = MIB;
/** RocksDB's default. */
const MOST_BASE = 256 * MIB;
/** L1 to L3 hold 1 + 8 + 64 times the base: of so many times it, L4 has a part of the data. */
const BASES = 128;

/**
 * Level 1 is the largest power of two such that the database is 128 times it, between 1 and 256 MiB: then the data reach level 4. A file
 * is a quarter of it, so that four of level 0 are as large as level 1.
 */
export function treeShape(keys: number): TreeShape {
  const fitting = 2 ** Math.floor(Math.log2(Math.max(1, storedBytes(keys) / BASES)));
  const base = Math.min(MOST_BASE, Math.max(LEAST_BASE, fitting));
  const file = base / LEVEL0_FILES;
  return { write_buffer_size: file, target_file_size_base: file, max_bytes_for_level_base: base };
}
