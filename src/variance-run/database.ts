/** The one database that exists at a time, and what has been done to it: noted before and after every step, so that a resume can tell. */
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AssayError } from '../failures.ts';
import { parseJson } from '../formats/json.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import { makeEmptyDirectory, removeTree } from '../io/disk.ts';
import { databaseOf, rebuildingSteps } from '../storage/benchmark/plan.ts';
import type { PlannedStep } from '../storage/benchmark/steps.ts';

const stateSchema = z.object({
  database: z.string(),
  /** Steps that write, in their order, each to its end. */
  done: z.array(z.string()),
  /** One that writes has begun, and has not ended. */
  begun: z.string().nullable(),
});

export type DatabaseState = z.infer<typeof stateSchema>;

const STATE = 'database.json';

export function databasePath(data: string, planned: PlannedStep): string {
  return join(data, databaseOf(planned));
}

/** Whether the database is as the predecessors of the step left it. */
export function isReady(
  state: DatabaseState | null,
  plan: readonly PlannedStep[],
  next: PlannedStep,
  data: string,
): boolean {
  if (state === null || state.begun !== null || state.database !== databaseOf(next)) return false;
  const wanted = rebuildingSteps(plan, next).map(({ step }) => step);
  const same = wanted.length === state.done.length && wanted.every((step, at) => step === state.done[at]);
  return (
    same && wanted.length > 0 && statSync(databasePath(data, next), { throwIfNoEntry: false })?.isDirectory() === true
  );
}

/** What is noted; null where nothing is, or what is there cannot be read: then the database is made anew. */
export function readState(directory: string): DatabaseState | null {
  try {
    const read = stateSchema.safeParse(parseJson(readFileSync(join(directory, STATE), 'utf8')));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

export async function writeState(directory: string, state: DatabaseState): Promise<void> {
  await writeFileAtomically(join(directory, STATE), `${JSON.stringify(state)}\n`, 0o666, 'with --out');
}

/** An empty place for the database of the step; whatever database was there before is removed. */
export async function freshDatabase(directory: string, data: string, planned: PlannedStep): Promise<DatabaseState> {
  const state = { database: databaseOf(planned), done: [], begun: null };
  if (readState(directory) === null) refuseDatabases(data);
  // Noted first: what is there without a note is not of this run.
  await writeState(directory, state);
  await makeEmptyDirectory(data);
  await makeEmptyDirectory(databasePath(data, planned));
  return state;
}

/** Those of the run, if it still has any: another may have begun at the same place since. */
export async function removeDatabases(directory: string, data: string): Promise<void> {
  if (readState(directory) === null) return;
  await removeTree(data);
  await removeTree(join(directory, STATE));
}

/** What is there before the run has made anything is not of the run, and would be removed. */
export function refuseDatabases(data: string): void {
  if (lstatSync(data, { throwIfNoEntry: false }) === undefined) return;
  throw new AssayError({
    kind: 'usage',
    message: `${data} exists, where databases would be made and removed`,
    remedy: 'Where no other run makes it, move it away; else name another --out, or wait for that run.',
  });
}
