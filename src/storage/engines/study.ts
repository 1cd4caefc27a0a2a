/** What a study of engines is, once its file has been read and filled with defaults. */
import type { Order } from '../../experiment/experiment.ts';

type EngineSource =
  /** One of drivers/engines, compiled against the library of the system, or the one below a prefix. */
  | { readonly kind: 'engine'; readonly engine: string; readonly prefix: string | null }
  /** A program that answers as those do; a path, relative to the study. */
  | { readonly kind: 'program'; readonly program: string };

/** One engine with its settings: an arm of every run of the study. */
export interface StudiedEngine {
  readonly name: string;
  readonly source: EngineSource;
  /** Null: the first that the engine has. */
  readonly variant: string | null;
  /** Whether writes are logged ahead; null: as in the study. */
  readonly log: boolean | null;
  /** Where it cannot be had, there is no study; else it is left out, and that is said. */
  readonly required: boolean;
}

/** How much is loaded, read and overwritten: a run of the study. */
export interface StudySize {
  readonly name: string;
  readonly keys: number;
  readonly value_bytes: number;
  /** Of the engine's own cache. */
  readonly cache_bytes: number;
  /** Of all that a trial uses, pages of its files included; null: no limit, and the database is meant to be cached. */
  readonly memory_limit_bytes: number | null;
  readonly load: 'random' | 'sequence';
  readonly points: number;
  readonly ranges: number;
  readonly range_length: number;
  readonly overwrites: number;
}

const KEY_BYTES = 16;

/** Of the user: key and value. */
export function recordBytes({ value_bytes }: Pick<StudySize, 'value_bytes'>): number {
  return KEY_BYTES + value_bytes;
}

export interface EngineStudy {
  readonly title: string;
  readonly question: string | null;
  readonly engines: readonly StudiedEngine[];
  readonly sizes: readonly StudySize[];
  /** Blocks of one trial of every engine. */
  readonly repetitions: number;
  readonly order: Order;
  /** Of each trial; null: none is made, and bytes are those that the kernel accounts to the process. */
  readonly device: { readonly size_bytes: number } | null;
  readonly log: boolean;
  readonly seed: number | null;
  readonly timeout_ms: number;
  readonly level: number;
}

/**
 * Instead of the sizes and repetitions of a study: small enough for ten minutes on two cores, and large enough for several levels of
 * a tree, and for reads that find no room in memory: the data are about twice the limit, of which a process takes more than half. Values of
 * the IO-bound size are long because a tree of pages that does not fit reads and writes some for each record that it is given in random
 * order. Overwrites fill more than four write buffers of the engines that have such: fewer would be a measure of memory.
 */
export const SMALL: Pick<EngineStudy, 'sizes' | 'repetitions' | 'device'> = {
  repetitions: 4,
  device: { size_bytes: 2 ** 30 },
  sizes: [
    {
      name: 'cached',
      ...{ keys: 200_000, value_bytes: 100, cache_bytes: 128 * 2 ** 20, memory_limit_bytes: null, load: 'random' },
      ...{ points: 100_000, ranges: 20_000, range_length: 10, overwrites: 40_000 },
    },
    {
      name: 'io_bound',
      ...{
        keys: 40_000,
        value_bytes: 800,
        cache_bytes: 4 * 2 ** 20,
        memory_limit_bytes: 16 * 2 ** 20,
        load: 'random',
      },
      ...{ points: 2000, ranges: 500, range_length: 10, overwrites: 5200 },
    },
  ],
};
