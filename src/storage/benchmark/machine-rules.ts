/**
 * What of db_bench's settings follows from the machine: the block cache and the sizes of the databases from memory, background jobs from
 * cores. The rules reproduce what was published for servers of 16 to 96 GiB and 4 to 24 cores (docs/studies.md), and say so.
 */
import type { MachineFacts } from '../../host/machine.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

export interface BenchmarkMachine {
  /** Cores, each of which may be several CPUs. */
  readonly cores: number;
  readonly cpus: number;
  /** Of the machine, and of the control group where that sets a limit. */
  readonly memory_bytes: number;
  readonly memory_limit_bytes: number | null;
}

type Facts = Pick<MachineFacts, 'cores' | 'cpus' | 'memory_bytes' | 'control_group'>;

export function benchmarkMachine({ cores, cpus, memory_bytes, control_group }: Facts): BenchmarkMachine {
  const memory_limit_bytes = control_group?.memory_limit_bytes ?? null;
  return { cores: cores ?? cpus, cpus, memory_bytes, memory_limit_bytes };
}

/** Of a pair as db_bench writes it here. */
export const KEY_BYTES = 20;
export const VALUE_BYTES = 400;
export const PAIR_BYTES = KEY_BYTES + VALUE_BYTES;
/** What compression leaves of a value. */
export const COMPRESSION_RATIO = 0.5;

const MOST_JOBS = 8;
const FEWEST_JOBS = 2;

/** One a core, 2 at the least, 8 at the most. */
export function backgroundJobs(cores: number): number {
  return Math.min(MOST_JOBS, Math.max(FEWEST_JOBS, cores));
}

/** As memory is sold: the system keeps a part of it for itself. A limit is what it says. */
export function usableMemory({ memory_bytes, memory_limit_bytes }: BenchmarkMachine): number {
  const step = memory_bytes > 8 * GIB ? 4 * GIB : memory_bytes > GIB ? GIB : 64 * MIB;
  return Math.min(Math.ceil(memory_bytes / step) * step, memory_limit_bytes ?? Number.POSITIVE_INFINITY);
}

/** All but a quarter of memory or, where that leaves more, all but 4 GiB and an eighth; whole MiB. */
export function blockCacheBytes(memory: number): number {
  return Math.floor((memory - Math.min(memory / 4, 4 * GIB + memory / 8)) / MIB) * MIB;
}

/** Of the block cache that a cached database fills. */
const CACHED_SHARE = 0.7;
const MOST_CACHED_KEYS = 40_000_000;

/** A database that fills seven tenths of the block cache: a number of one digit and noughts, 40 million at the most. */
export function cachedKeys(cache_bytes: number): number {
  return Math.min(MOST_CACHED_KEYS, oneDigit((CACHED_SHARE * cache_bytes) / PAIR_BYTES, Math.floor));
}

/** How many times memory an IO-bound database is, before compression. */
export const MEMORY_MULTIPLE = 12;

/** A database of twelve times memory: a number of one digit and noughts. */
export function ioBoundKeys(memory: number): number {
  return oneDigit((MEMORY_MULTIPLE * memory) / PAIR_BYTES, Math.round);
}

function oneDigit(value: number, round: (digits: number) => number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return round(value / unit) * unit;
}

/** Bytes of the database on the disk, as compression leaves them. */
export function storedBytes(keys: number): number {
  return keys * (KEY_BYTES + VALUE_BYTES * COMPRESSION_RATIO);
}

/** Files that a compaction has written stand beside those that it read; overwritten values stay for a while. */
const ROOM = 1.5;

/** What the disk must have room for. */
export function neededBytes(keys: number): number {
  return Math.ceil(storedBytes(keys) * ROOM);
}
