/** What a person asks a run of the benchmark for, in a study file or by options. */
import type { Deviation } from '../../analysis/stats/coefficient.ts';

/** `byrx`: cached by RocksDB. `iobuf`: larger than memory, buffered I/O. As benchmark scripts call them. */
export const WORKLOAD_NAMES = ['byrx', 'iobuf'] as const;
export type WorkloadName = (typeof WORKLOAD_NAMES)[number];

/** Null, and what is left out, is left to the rules. */
export interface StudyRun {
  /** What the set-up is called. */
  readonly setup: string | null;
  readonly workloads: readonly WorkloadName[] | null;
  readonly threads: readonly number[] | null;
  readonly repetitions: number | null;
  readonly duration_s: number | null;
  /** A path, or a name on PATH. */
  readonly db_bench: string | null;
  readonly data: string | null;
  readonly keys: Readonly<Partial<Record<WorkloadName, number>>>;
  readonly cache_bytes: number | null;
  readonly background_jobs: number | null;
  /** Any other flag of db_bench, or another value for one that is derived. */
  readonly flags: Readonly<Record<string, string>>;
}

/** The same with what does not depend on the machine. */
export interface WantedRun extends Omit<StudyRun, 'data'> {
  readonly workloads: readonly WorkloadName[];
  readonly repetitions: number;
  readonly duration_s: number;
  readonly db_bench: string;
  readonly small: boolean;
  readonly seed: number;
  readonly report: { readonly deviation: Deviation; readonly limit: number; readonly pairs: number };
}

/** As published: half an hour a step, three times. */
const DURATION_S = 1800;
const REPETITIONS = 3;
/** A first look: a minute in all, half of which db_bench waits for compactions. Nothing that small is IO-bound. */
const SMALL_DURATION_S = 1;
const SMALL_REPETITIONS = 2;
const SMALL_WORKLOADS: readonly WorkloadName[] = ['byrx'];

export function wantedRun(
  asked: Omit<StudyRun, 'data'>,
  rest: Pick<WantedRun, 'small' | 'seed' | 'report'>,
): WantedRun {
  return {
    ...asked,
    ...rest,
    workloads: asked.workloads ?? (rest.small ? SMALL_WORKLOADS : WORKLOAD_NAMES),
    repetitions: asked.repetitions ?? (rest.small ? SMALL_REPETITIONS : REPETITIONS),
    duration_s: asked.duration_s ?? (rest.small ? SMALL_DURATION_S : DURATION_S),
    db_bench: asked.db_bench ?? 'db_bench',
  };
}

export const MOST_THREADS = 1024;
export const FEWEST_KEYS = 1000;

const SETUP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What is wrong with the name of a set-up, as a clause; null where nothing is. It becomes the name of a directory, by which it is found again. */
export function setupFault(name: string): string | null {
  if (!SETUP.test(name)) return 'has other characters than letters, digits, `.`, `_` and `-`, or more than 64';
  if (name.split('.').some((part) => /^(?:nt|dop)[0-9]+$/.test(part))) {
    return 'has a part that is read as a number of client threads';
  }
  return ['byrx', 'iobuf', 'iodir', 'steps', 'databases'].includes(name) ? 'is the name of something else' : null;
}

/** What the steps themselves set, and what decides where files lie. */
const STEP_FLAGS: ReadonlySet<string> = new Set(
  'benchmarks db wal_dir use_existing_db threads duration seed num reads writes key_size value_size histogram'.split(
    ' ',
  ),
);

/** What is wrong with a flag of db_bench, as a clause; null where nothing is. */
export function flagFault(name: string): string | null {
  return STEP_FLAGS.has(name) ? `\`${name}\` is what the steps set themselves` : null;
}

const GIB = 2 ** 30;

/** `4cpu.32g.ht0`: what can be told of a machine that nobody has named. @param memory_bytes as it is sold */
export function setupName(cpus: number, cores: number, memory_bytes: number, small: boolean): string {
  const memory = memory_bytes >= GIB ? `${Math.round(memory_bytes / GIB)}g` : `${Math.round(memory_bytes / 2 ** 20)}m`;
  return `${cpus}cpu.${memory}.${cpus > cores ? 'ht1' : 'ht0'}${small ? '.small' : ''}`;
}
