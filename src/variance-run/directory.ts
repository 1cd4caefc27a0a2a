/** Where a run of the benchmark lies: `run.json`, what each step has left in `steps/`, and the tables that `assay variance import` reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { AssayError } from '../failures.ts';
import { parseJson } from '../formats/json.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import { removeTree } from '../io/disk.ts';
import { fileFailure } from '../io/file-failure.ts';
import { makeDirectories } from '../io/make-directories.ts';
import { planSteps, stepKey } from '../storage/benchmark/plan.ts';
import { type RunRecord, runRecordSchema } from '../storage/benchmark/run-record.ts';
import { type StepRecord, stepRecordSchema } from '../storage/benchmark/step-record.ts';
import type { PlannedStep } from '../storage/benchmark/steps.ts';
import { benchmarkTable } from '../storage/benchmark/table.ts';

const RECORD = 'run.json';
const STEP_RECORD = 'step.json';
const ANOTHER = 'with --out';

export function lockPath(directory: string): string {
  return join(directory, 'lock');
}

/** The place of what a step leaves: what it printed, and its record. */
function stepPlace(directory: string, planned: PlannedStep): string {
  return join(directory, 'steps', stepKey(planned));
}

/** Makes the directory of a new run. It may exist, but must be empty but for a lock. */
export function createDirectory(directory: string): void {
  let names: readonly string[];
  try {
    makeDirectories(directory);
    names = readdirSync(directory);
  } catch (error) {
    throw fileFailure(error, directory, 'make the directory of the run');
  }
  if (names.every((name) => name === 'lock' || /^\.assay-[0-9a-f]{16}\.tmp$/.test(name))) return;
  throw new AssayError({
    kind: 'usage',
    message: `${directory} is not empty`,
    remedy: names.includes(RECORD)
      ? 'Name another directory with --out, or go on with the run that is in it: assay variance run --resume DIR.'
      : 'Name another directory with --out.',
  });
}

export async function writeRun(directory: string, run: RunRecord): Promise<void> {
  await writeFileAtomically(join(directory, RECORD), `${JSON.stringify(run, null, 2)}\n`, 0o666, ANOTHER);
}

/** @throws AssayError where the directory holds no run of this kind */
export function readRun(directory: string): RunRecord {
  const run = readRecord(join(directory, RECORD), runRecordSchema);
  if (run !== null) return run;
  throw new AssayError({
    kind: 'usage',
    message: `${directory} is not the directory of such a run: it holds no ${RECORD}`,
    remedy: 'Name the directory that `assay variance run` printed.',
  });
}

/** The steps that are on record, by their keys. */
export function readSteps(directory: string, plan: readonly PlannedStep[]): ReadonlyMap<string, StepRecord> {
  const found = plan.flatMap((planned) => {
    const record = readRecord(join(stepPlace(directory, planned), STEP_RECORD), stepRecordSchema);
    return record === null ? [] : [[stepKey(planned), record] as const];
  });
  return new Map(found);
}

/** Once it is there, the step counts. */
export async function writeStep(directory: string, planned: PlannedStep, record: StepRecord): Promise<void> {
  const path = join(stepPlace(directory, planned), STEP_RECORD);
  await writeFileAtomically(path, `${JSON.stringify(record, null, 2)}\n`, 0o666, ANOTHER);
}

/** An empty place for what a step prints; what an attempt that was cut off has left there is removed. */
export async function clearStep(directory: string, key: string): Promise<string> {
  const place = join(directory, 'steps', key);
  await removeTree(place);
  try {
    makeDirectories(place);
  } catch (error) {
    throw fileFailure(error, place, 'make a directory');
  }
  return place;
}

/** The table of one workload with one number of threads: a function of the records of its steps. */
export async function writeTable(
  directory: string,
  run: RunRecord,
  of: Pick<PlannedStep, 'workload' | 'threads'>,
): Promise<void> {
  const plan = planSteps(run).filter(
    ({ workload, threads }) => workload.name === of.workload.name && threads === of.threads,
  );
  const records = [...readSteps(directory, plan).values()];
  if (records.length === 0) return;
  const place = join(directory, `${run.setup}.nt${of.threads}`);
  try {
    makeDirectories(place);
  } catch (error) {
    throw fileFailure(error, place, 'make a directory');
  }
  await writeFileAtomically(join(place, `sum.${of.workload.name}.txt`), benchmarkTable(records), 0o666, ANOTHER);
}

/** Null where there is no such file. */
function readRecord<Schema extends z.ZodType>(path: string, schema: Schema): z.infer<Schema> | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw fileFailure(error, path, 'read the record', undefined, ANOTHER);
  }
  const read = schema.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new AssayError({
    kind: 'usage',
    message: `${path} is not as \`assay variance run\` wrote it`,
    remedy: 'It was changed, or is of another version of Assay: measure anew, with another --out.',
  });
}
