/** Where everything of a run lies. */
import { copyFileSync, existsSync, lstatSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import { digestFile } from '../io/digest.ts';
import { fileFailure } from '../io/file-failure.ts';
import { makeDirectories } from '../io/make-directories.ts';
import type { RawFile } from '../journal/records.ts';

/** Where runs go that were given no directory. */
export const DEFAULT_PARENT = 'assay-runs';

export interface RunDirectory {
  readonly path: string;
  readonly journal: string;
  /** The real names behind the journal's placeholders, and the experiment as it was given; never in a bundle. */
  readonly identity: string;
  readonly lock: string;
  /** How far the run has come: what a resume reads instead of the whole journal (standing.ts). */
  readonly progress: string;
}

function runDirectory(path: string): RunDirectory {
  const at = (name: string) => join(path, name);
  return {
    path,
    journal: at('journal.jsonl'),
    identity: at('identity.json'),
    lock: at('lock'),
    progress: at('progress.json'),
  };
}

/**
 * Makes the directory of a new run. It may exist, but must be empty.
 * @param resumable whether what is asked for could be a run that has begun there
 */
export function createRunDirectory(path: string, resumable = true): RunDirectory {
  try {
    makeDirectories(path);
  } catch (error) {
    throw fileFailure(error, path, 'make the directory of the run');
  }
  refuseTaken(path, resumable);
  return runDirectory(path);
}

/** Refuses to begin a run where something is. What a run leaves that was killed before its journal began is nothing. */
export function refuseTaken(path: string, resumable = true): void {
  let names: readonly string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw fileFailure(error, path, 'look into the directory of the run');
  }
  if (names.every((name) => /^(identity\.json|journal\.jsonl\.tmp|lock|\.assay-[0-9a-f]{16}\.tmp)$/.test(name))) return;
  throw new AssayError({
    kind: 'usage',
    message: `${path} is not empty`,
    remedy:
      resumable && names.includes('journal.jsonl')
        ? 'Name another directory with --out, or go on with what was begun in it: assay run --resume DIR, of a calibration the same command again.'
        : 'Name another directory with --out.',
  });
}

/**
 * Refuses a directory of trials that is there before its run is: what lies in it is not of this run, and would be removed
 * with the trials.
 */
export function refuseOthersFiles(trials: string): void {
  try {
    lstatSync(trials);
  } catch {
    return;
  }
  throw new AssayError({
    kind: 'usage',
    message: `${trials} exists, where the trials of the run would be made and removed`,
    remedy: 'Move it away, or name another directory of the run with --out.',
  });
}

interface ArmFiles {
  readonly arm: string;
  /** From 0. */
  readonly build: number;
  /** Paths of files that it was prepared from, such as a lock file. */
  readonly keep: readonly string[];
}

/**
 * Fills `arms/` in the run's directory: copies of what arms were prepared from in `arms/<name>/`, of further builds in `build-<n>/`
 * in that; and what was found out about them. What an attempt that was cut off has left there is removed.
 * @param found with paths within the run's directory
 * @returns what `arms/` holds now
 * @throws AssayError `file`
 */
export async function keepEvidence(
  directory: RunDirectory,
  arms: readonly ArmFiles[],
  found: readonly { readonly path: string; readonly content: Buffer }[],
): Promise<readonly RawFile[]> {
  const paths: string[] = [];
  const keep = (path: string, write: (file: string) => void) => {
    const file = join(directory.path, path);
    try {
      makeDirectories(dirname(file));
      write(file);
    } catch (error) {
      throw fileFailure(error, file, 'keep what belongs to an arm');
    }
    paths.push(path);
  };
  rmSync(join(directory.path, 'arms'), { recursive: true, force: true });
  for (const { arm, build, keep: files } of arms) {
    const folder = ['arms', arm, ...(build === 0 ? [] : [`build-${build + 1}`])].join('/');
    for (const file of files) keep(`${folder}/${basename(file)}`, (copy) => copyFileSync(file, copy));
  }
  for (const { path, content } of found) keep(path, (file) => writeFileSync(file, content));
  const kept: RawFile[] = [];
  for (const path of paths) {
    const digest = await digestFile(join(directory.path, path));
    if (digest !== null) kept.push({ path, ...digest });
  }
  return kept;
}

/** Removes a run that never came to a trial, and its directory where nothing else is in it. */
export function discardUnstarted(directory: RunDirectory): void {
  for (const path of [directory.journal, directory.identity, directory.lock]) rmSync(path, { force: true });
  if (readdirSync(directory.path).length === 0) rmdirSync(directory.path);
}

/** Refuses to go on with what somebody has unpacked: its experiment says what to execute, and it is a stranger's. */
export function refuseBundle(directory: RunDirectory): void {
  if (lstatSync(join(directory.path, 'manifest.json'), { throwIfNoEntry: false }) === undefined) return;
  throw new AssayError({
    kind: 'usage',
    message: `${directory.path} is an unpacked bundle: a resume would execute what it says`,
    remedy:
      'See what it found with `assay report`, whether it holds with `assay verify`; to measure again, run its experiment.yaml.',
  });
}

/** The directory of a run that exists. */
export function existingRunDirectory(path: string): RunDirectory {
  const directory = runDirectory(path);
  if (!isThere(directory.journal)) {
    throw new AssayError({
      kind: 'usage',
      message: `${path} is not the directory of a run: it holds no journal.jsonl`,
      remedy: isThere(join(directory.path, 'study.json'))
        ? `It is the directory of a study of engines: \`assay engines ${path}\` shows what that found.`
        : 'Name the directory that `assay run` printed.',
    });
  }
  return directory;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return false;
    throw fileFailure(error, path, 'look at the journal');
  }
}

/** `assay-runs/<time>-<title>`, with a number behind it where that is taken. `what` it is follows the title, where it is no mere run. */
export function defaultRunPath(title: string, unixMs: number, what = ''): string {
  const time = new Date(unixMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  const words = title
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .reduce((name, word) => (name.length + word.length < 40 ? `${name}-${word}` : name), '')
    .slice(1, 41);
  const path = join(DEFAULT_PARENT, [time, words, what].filter((part) => part !== '').join('-'));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${path}-${number}`;
    if (!existsSync(candidate)) return candidate;
  }
}

/** The directory in which a run's trials have theirs: beside the run's unless the experiment names a place. */
export function trialsParent(run: string, experiment: Experiment, experimentDir: string): string {
  return experiment.trial_dir === null ? dirname(resolve(run)) : resolve(experimentDir, experiment.trial_dir);
}

/** Where the trials of a run have their directories. */
export function trialsRoot(run: string, experiment: Experiment, experimentDir: string): string {
  return join(trialsParent(run, experiment, experimentDir), `${basename(resolve(run))}.trials`);
}
