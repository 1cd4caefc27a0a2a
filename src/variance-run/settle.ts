/** From what is asked for to what will run here: finds db_bench, looks at the machine, and derives every flag. Runs nothing. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { AssayError } from '../failures.ts';
import { machineFacts } from '../host/facts.ts';
import { digestFile } from '../io/digest.ts';
import { existingAncestor, freeBytes } from '../io/disk.ts';
import { findExecutable, isExecutable } from '../io/executable.ts';
import { assayVersion } from '../io/version.ts';
import { formatBytes } from '../report/units.ts';
import { benchmarkWorkload } from '../storage/benchmark/flags.ts';
import { benchmarkMachine, neededBytes, usableMemory } from '../storage/benchmark/machine-rules.ts';
import { RUN_FORMAT, RUN_VERSION, type RunRecord } from '../storage/benchmark/run-record.ts';
import { setupName, type WantedRun } from '../storage/benchmark/wanted.ts';

/** @throws AssayError where db_bench cannot be found */
export async function settleRun(setting: {
  readonly wanted: WantedRun;
  /** Where databases are to be made. */
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
}): Promise<RunRecord> {
  const { wanted, data, env } = setting;
  const db_bench = await findDbBench(wanted.db_bench, env);
  const facts = await machineFacts(data, env);
  const machine = benchmarkMachine(facts);
  const { small, threads, repetitions, duration_s, seed, report } = wanted;
  return {
    format: RUN_FORMAT,
    version: RUN_VERSION,
    assay: assayVersion(),
    setup: wanted.setup ?? setupName(machine.cpus, machine.cores, usableMemory(machine), small),
    ...{ small, db_bench, data },
    workloads: wanted.workloads.map((name) => {
      const workload = benchmarkWorkload(name, machine, wanted);
      return { ...workload, flags: [...workload.flags] };
    }),
    threads: [...(threads ?? new Set([1, small ? 1 : machine.cores]))],
    ...{ repetitions, duration_s, seed },
    machine: facts,
    report,
  };
}

async function findDbBench(named: string, { PATH }: NodeJS.ProcessEnv): Promise<RunRecord['db_bench']> {
  const path = named.includes('/') ? resolve(named) : await findExecutable(named, PATH);
  if (path === null || !(await isExecutable(path))) {
    throw new AssayError({
      kind: 'usage',
      message: path === null ? `there is no ${named} on PATH` : `${named} is no program that can be executed`,
      remedy: 'Install it (rocksdb-tools on Debian), or name the one that you have built with --db-bench PATH.',
    });
  }
  const digest = await digestFile(path);
  if (digest === null) throw new Error(`${path} is no regular file`);
  return { path, sha256: digest.sha256 };
}

/** A place for databases that is misspelt would be made on another disk than the one to be measured. @throws AssayError `usage` */
export function refuseMissingPlace(place: string): void {
  if (existsSync(place)) return;
  throw new AssayError({
    kind: 'usage',
    message: `there is no directory ${place}, where databases are to be made`,
    remedy: 'Name a directory on the disk to be measured with --data DIR, and look that the disk is mounted there.',
  });
}

/** Databases exist one at a time: the largest must fit. @throws AssayError `machine` where it does not */
export async function refuseSmallDisk({ workloads, data }: RunRecord): Promise<void> {
  const free = await freeBytes(existingAncestor(data));
  const [first] = workloads.filter(({ keys }) => neededBytes(keys) > free);
  if (first === undefined) return;
  const others = workloads.filter(({ keys }) => neededBytes(keys) <= free).map(({ name }) => name);
  throw new AssayError({
    kind: 'machine',
    message: `the database of ${first.name} (${first.keys} pairs) needs about ${formatBytes(neededBytes(first.keys))}, and ${formatBytes(free)} are free for ${data}`,
    remedy: `Name a larger disk with --data DIR, fewer pairs with --keys ${first.name}=N${others.length === 0 ? '' : `, or only what fits with --workloads ${others.join(',')}`}.`,
  });
}
