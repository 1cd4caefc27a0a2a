/** The side file: the identity behind the journal's placeholders, and the experiment as it was given. */
import { hostname, userInfo } from 'node:os';
import { basename, dirname } from 'node:path';
import { z } from 'zod';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import { homeDirectory } from '../io/home.ts';
import { readRegularFile } from '../io/raw-file.ts';
import type { ExperimentSource } from './experiment-file.ts';
import type { Identity } from './identity.ts';

/** An experiment is at most 1 MiB; the variables that are passed on come to it. */
const MOST_BYTES = 16 << 20;

const sideFile = z.object({
  identity: z.object({
    user: z.string(),
    host: z.string(),
    home: z.string(),
    experiment_dir: z.string(),
    env: z.record(z.string(), z.string()),
  }),
  source: z.object({ name: z.string(), directory: z.string(), text: z.string() }),
  // Not in runs of 0.1.0.
  places: z.array(z.object({ arm: z.string(), build: z.int(), paths: z.array(z.string()) })).default([]),
});

/** Where the files of an arm lay that its record names, in the same order. */
interface ArmPlaces {
  readonly arm: string;
  readonly build: number;
  readonly paths: readonly string[];
}

/** The identity of whoever runs this, with the values of the variables that the experiment passes on. */
export function identityOf(experiment: Experiment, source: ExperimentSource, env: NodeJS.ProcessEnv): Identity {
  const passed = experiment.workload.pass_env.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    user: userName(),
    host: hostname(),
    home: homeDirectory() ?? '',
    experiment_dir: source.directory,
    env: Object.fromEntries(passed),
  };
}

/** A user id without an entry in the user database has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}

export async function writeIdentity(path: string, identity: Identity, source: ExperimentSource): Promise<void> {
  await writeFileAtomically(path, `${JSON.stringify({ identity, source }, null, 2)}\n`, 0o600);
}

/** Adds where the files of the arms lie, which their records show by placeholders. */
export async function notePlaces(path: string, arms: readonly ArmPlaces[]): Promise<void> {
  const places = arms.map(({ arm, build, paths }) => ({ arm, build, paths }));
  await writeFileAtomically(path, `${JSON.stringify({ ...readIdentity(path), places }, null, 2)}\n`, 0o600);
}

/** What a resume needs to run the same commands again, and where the files of the arms lay. */
export function readIdentity(path: string): {
  identity: Identity;
  source: ExperimentSource;
  places: readonly ArmPlaces[];
} {
  try {
    const read = readRegularFile(dirname(path), basename(path), MOST_BYTES);
    if (read.ok) return sideFile.parse(JSON.parse(read.bytes.toString('utf8')));
  } catch {
    // Not JSON, or not of this shape.
  }
  throw damaged(path);
}

function damaged(path: string): AssayError {
  return new AssayError({
    kind: 'usage',
    message: `the run cannot go on: ${path} is missing or damaged`,
    remedy:
      'The journal holds no real paths or names, so that only its own side file can tell what to run. Start a new run.',
  });
}
