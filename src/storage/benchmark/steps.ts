/** The steps of a benchmark run in their order, and the command of each. */
import type { BenchmarkWorkload } from './flags.ts';

export const STEP_NAMES = ['fillseq', 'readrandom', 'fwdrangewhilewriting', 'readwhilewriting', 'overwrite'] as const;
export type StepName = (typeof STEP_NAMES)[number];

interface StepKind {
  /** As db_bench calls it. */
  readonly benchmark: string;
  /** It goes on for a time; else until all pairs are written. */
  readonly timed: boolean;
  /** It changes the database, whose debt is then worked off, untimed, before the next step. */
  readonly writes: boolean;
  /** With the threads of the clients; else with one. */
  readonly clients: boolean;
  readonly flags: readonly string[];
}

/** Of the one writer beside readers, in bytes a second: enough to keep the tree moving, too little to load it. */
const WRITER_RATE = 2 * 2 ** 20;
const BESIDE_WRITER = [`--benchmark_write_rate_limit=${WRITER_RATE}`];

export const STEPS: Readonly<Record<StepName, StepKind>> = {
  fillseq: {
    ...{ benchmark: 'fillseq', timed: false, writes: true, clients: false },
    // A load in order needs no skip list, and one thread no concurrent memtable.
    flags: ['--disable_wal=true', '--memtablerep=vector', '--allow_concurrent_memtable_write=false'],
  },
  readrandom: { benchmark: 'readrandom', timed: true, writes: false, clients: true, flags: [] },
  fwdrangewhilewriting: {
    ...{ benchmark: 'seekrandomwhilewriting', timed: true, writes: true, clients: true },
    flags: ['--seek_nexts=10', '--reverse_iterator=false', ...BESIDE_WRITER],
  },
  readwhilewriting: {
    ...{ benchmark: 'readwhilewriting', timed: true, writes: true, clients: true },
    flags: BESIDE_WRITER,
  },
  overwrite: { benchmark: 'overwrite', timed: true, writes: true, clients: true, flags: [] },
};

/** One execution of db_bench. */
export interface PlannedStep {
  readonly workload: BenchmarkWorkload;
  /** Of clients, also of a step that has one of its own. */
  readonly threads: number;
  /** From 1. */
  readonly repetition: number;
  readonly step: StepName;
  readonly seed: number;
}

/** The test's name, as the tables of benchmark.sh have it. */
export function testName({ step, threads }: Pick<PlannedStep, 'step' | 'threads'>): string {
  return STEPS[step].clients ? `${step}.t${threads}` : `${step}.wal_disabled`;
}

/** The arguments of db_bench. @param duration_s of a timed step */
export function stepArguments(planned: PlannedStep, database: string, duration_s: number): readonly string[] {
  const { workload, step, threads, seed } = planned;
  const { benchmark, timed, writes, clients, flags } = STEPS[step];
  const loads = step === STEP_NAMES[0];
  const benchmarks = [benchmark, ...(writes ? ['flush', 'waitforcompaction'] : []), 'stats'];
  return [
    `--benchmarks=${benchmarks.join(',')}`,
    `--db=${database}`,
    `--use_existing_db=${!loads}`,
    ...workload.flags.map(({ name, value }) => `--${name}=${value}`),
    `--threads=${clients ? threads : 1}`,
    ...(timed ? [`--duration=${duration_s}`] : []),
    `--seed=${seed}`,
    ...flags,
  ];
}
