/** The flags of db_bench that all steps of a workload share, each with the reason for its value. */
import {
  type BenchmarkMachine,
  backgroundJobs,
  blockCacheBytes,
  COMPRESSION_RATIO,
  cachedKeys,
  ioBoundKeys,
  KEY_BYTES,
  MEMORY_MULTIPLE,
  PAIR_BYTES,
  usableMemory,
  VALUE_BYTES,
} from './machine-rules.ts';
import { LEVEL_MULTIPLIER, LEVEL0_FILES, treeShape } from './tree-shape.ts';
import type { WantedRun, WorkloadName } from './wanted.ts';

interface Flag {
  /** Without dashes. */
  readonly name: string;
  readonly value: string;
  /** A clause. */
  readonly because: string;
}

export interface BenchmarkWorkload {
  readonly name: WorkloadName;
  readonly keys: number;
  readonly flags: readonly Flag[];
}

type Wishes = Pick<WantedRun, 'small' | 'keys' | 'cache_bytes' | 'background_jobs' | 'flags'>;

const SMALL_KEYS = 100_000;
/** With `--small` the IO-bound database is so many times its block cache: it still lies in memory. */
const SMALL_CACHE_PART = 10;
const GIB = 2 ** 30;
const GIVEN = 'as was asked for';
const AS_PUBLISHED = 'as published';
const AS_SCRIPT = "as RocksDB's benchmark.sh has it";

/** The workload on this machine. */
export function benchmarkWorkload(name: WorkloadName, machine: BenchmarkMachine, wishes: Wishes): BenchmarkWorkload {
  const cache = cacheOf(name, machine, wishes);
  const keys = keysOf(name, machine, cache.bytes, wishes);
  const { write_buffer_size, target_file_size_base, max_bytes_for_level_base } = treeShape(keys.count);
  const quarter = 'a quarter of level 1, which four files of level 0 then fill';
  const flags: readonly Flag[] = [
    flag('num', keys.count, keys.because),
    flag('key_size', KEY_BYTES, AS_PUBLISHED),
    flag('value_size', VALUE_BYTES, AS_PUBLISHED),
    flag('cache_size', cache.bytes, cache.because),
    jobs(machine, wishes),
    flag(
      'max_bytes_for_level_base',
      max_bytes_for_level_base,
      'level 1: 1/128 of the stored database or less, 1 to 256 MiB, so that it has levels',
    ),
    flag('write_buffer_size', write_buffer_size, quarter),
    flag('target_file_size_base', target_file_size_base, quarter),
    flag('max_bytes_for_level_multiplier', LEVEL_MULTIPLIER, AS_SCRIPT),
    flag('level_compaction_dynamic_level_bytes', 'false', 'levels fill from the top: a small database has them too'),
    flag('level0_file_num_compaction_trigger', LEVEL0_FILES, AS_SCRIPT),
    flag('level0_slowdown_writes_trigger', 20, AS_SCRIPT),
    flag('level0_stop_writes_trigger', 30, AS_SCRIPT),
    flag('max_write_buffer_number', 8, AS_SCRIPT),
    flag('block_size', 8192, AS_SCRIPT),
    flag('cache_numshardbits', 6, AS_SCRIPT),
    flag('compression_type', 'zstd', AS_SCRIPT),
    flag('compression_ratio', COMPRESSION_RATIO, AS_SCRIPT),
    flag('bloom_bits', 10, AS_SCRIPT),
    flag('open_files', -1, AS_SCRIPT),
    flag('bytes_per_sync', 8 * 2 ** 20, AS_SCRIPT),
    flag('verify_checksum', 'true', AS_SCRIPT),
    flag('histogram', 'true', 'for percentiles'),
  ];
  const given = Object.entries(wishes.flags).map(([other, value]) => flag(other, value, GIVEN));
  const replaced = new Set(given.map((one) => one.name));
  return { name, keys: keys.count, flags: [...flags.filter((one) => !replaced.has(one.name)), ...given] };
}

function flag(name: string, value: string | number, because: string): Flag {
  return { name, value: String(value), because };
}

function jobs({ cores }: BenchmarkMachine, { background_jobs }: Wishes): Flag {
  if (background_jobs !== null) return flag('max_background_jobs', background_jobs, GIVEN);
  return flag('max_background_jobs', backgroundJobs(cores), `one a core (${cores} here), from 2 to 8`);
}

function cacheOf(
  name: WorkloadName,
  machine: BenchmarkMachine,
  { cache_bytes, small, keys }: Wishes,
): { readonly bytes: number; readonly because: string } {
  if (cache_bytes !== null) return { bytes: cache_bytes, because: GIVEN };
  if (small && name === 'iobuf') {
    const bytes = Math.floor(((keys.iobuf ?? SMALL_KEYS) * PAIR_BYTES) / SMALL_CACHE_PART);
    return { bytes, because: '--small: a tenth of the database, WHICH STILL FITS INTO MEMORY: not IO-bound' };
  }
  const memory = usableMemory(machine);
  const of = `${gib(memory)} of memory`;
  return {
    bytes: blockCacheBytes(memory),
    because: `${of}, less a quarter or 4 GiB + an eighth, whichever leaves more`,
  };
}

function keysOf(
  name: WorkloadName,
  machine: BenchmarkMachine,
  cache_bytes: number,
  { keys, small }: Wishes,
): { readonly count: number; readonly because: string } {
  const given = keys[name];
  if (given !== undefined) return { count: given, because: GIVEN };
  if (small) return { count: SMALL_KEYS, because: '--small' };
  if (name === 'byrx') {
    const because = 'pairs of 420 bytes, seven tenths of the block cache, at most 40 million';
    return { count: cachedKeys(cache_bytes), because };
  }
  const memory = usableMemory(machine);
  const because = `pairs of 420 bytes, ${MEMORY_MULTIPLE} times ${gib(memory)} of memory`;
  return { count: ioBoundKeys(memory), because };
}

function gib(bytes: number): string {
  return `${Number((bytes / GIB).toPrecision(3))} GiB`;
}
