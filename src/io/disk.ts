/** Directories in which programs of strangers have run, and the room that they take. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { fileFailure } from './file-failure.ts';
import { makeDirectories } from './make-directories.ts';

/** Calls are synchronous, which for small trees is several times cheaper; after so many of them signals get a turn. */
const CALLS_A_TURN = 500;
/** Times that a tree is gone through anew where something in it will not go. */
const ATTEMPTS = 5;
const BETWEEN_ATTEMPTS_MS = 50;
/** `treeBytes` looks at no more. */
const MOST_ENTRIES = 1_000_000;
/** The unit of `blocks`, whatever the file system's own is. */
const BLOCK_BYTES = 512;

/**
 * Makes an empty directory, its parents where they are missing. What has its name is removed first.
 * @throws AssayError `file`
 */
export async function makeEmptyDirectory(path: string): Promise<void> {
  try {
    mkdirSync(path);
    return;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') await removeTree(path);
    else if (code !== 'ENOENT') throw fileFailure(error, path, 'make a directory');
  }
  try {
    makeDirectories(dirname(path));
    mkdirSync(path);
  } catch (error) {
    throw fileFailure(error, path, 'make a directory');
  }
}

/**
 * Removes a directory with all that is in it; harmless where there is none. Links are removed, never followed. Nothing
 * that a program can leave stops it: directories without permissions, names that are not UTF-8, and trees that are deeper
 * than a path can be long (why node:fs.rm does not do).
 * @throws AssayError `file` where something will not go
 */
export async function removeTree(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await removeOnce(path);
      return;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return;
      if (attempt === ATTEMPTS) throw fileFailure(error, path, 'remove the directory');
    }
    await delay(BETWEEN_ATTEMPTS_MS);
  }
}

/**
 * Each directory that is not empty moves up, to stand directly in the top one, before its own content is looked at. So
 * no path has more than one name below `path` and one below that, and no recursion is as deep as the tree.
 */
async function removeOnce(path: string): Promise<void> {
  const top = Buffer.from(path);
  if (!lstatSync(top).isDirectory()) {
    unlinkSync(top);
    return;
  }
  const token = randomBytes(8).toString('hex');
  let moved = 0;
  let calls = 0;
  const pending: Buffer[] = [top];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    makeWritable(directory);
    const inner: Buffer[] = [];
    for (const entry of list(directory)) {
      calls += 1;
      if (calls % CALLS_A_TURN === 0) await turn();
      const child = join(directory, entry.name);
      if (!entry.isDirectory()) {
        unlinkSync(child);
      } else if (!removeEmpty(child)) {
        // A directory that moves must be writable itself: its entry `..` changes.
        makeWritable(child);
        const target = join(top, Buffer.from(`.assay-${token}-${moved++}`));
        renameSync(child, target);
        inner.push(target);
      }
    }
    if (directory !== top) rmdirSync(directory);
    pending.push(...inner);
  }
  rmdirSync(top);
}

function makeWritable(directory: Buffer): void {
  try {
    chmodSync(directory, 0o700);
  } catch {
    // It may belong to someone else and be writable all the same; if not, what follows says so.
  }
}

function removeEmpty(directory: Buffer): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Bytes that a directory and all in it take on the disk, allocated blocks and not sizes, each hard link once. Links are
 * not followed; what cannot be read, and what is beyond a million entries, is not counted.
 */
export async function treeBytes(path: string): Promise<number> {
  const linked = new Set<string>();
  let entries = 0;
  let bytes = 0;
  const pending: Buffer[] = [Buffer.from(path)];
  const add = (file: Buffer): boolean => {
    try {
      const { blocks, nlink, dev, ino, ...stat } = lstatSync(file);
      const directory = (stat.mode & 0o170000) === 0o040000;
      const name = `${dev}:${ino}`;
      if (directory || nlink === 1 || !linked.has(name)) bytes += blocks * BLOCK_BYTES;
      if (!directory && nlink > 1) linked.add(name);
      return directory;
    } catch {
      return false;
    }
  };
  add(Buffer.from(path));
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    for (const entry of listReadable(directory)) {
      entries += 1;
      if (entries > MOST_ENTRIES) return bytes;
      if (entries % CALLS_A_TURN === 0) await turn();
      const child = join(directory, entry.name);
      if (add(child)) pending.push(child);
    }
  }
  return bytes;
}

/**
 * Bytes that this user may still write to the file system of a directory.
 * @throws AssayError `file`
 */
export async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    throw fileFailure(error, directory, 'ask for free space');
  }
}

/** The path itself, or the nearest directory above it that is there. */
export function existingAncestor(path: string): string {
  let existing = path;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  return existing;
}

export interface SpaceNeed {
  /** What one trial takes while it runs. */
  readonly trial_bytes: number;
  /** What stays of each trial. */
  readonly kept_bytes: number;
  readonly trials_left: number;
}

/** What is wrong where the trials that are left will not fit, else null. One trial's directory exists at a time. */
export function spaceShort(free_bytes: number, need: SpaceNeed): string | null {
  if (need.trials_left === 0) return null;
  const needed = need.trial_bytes + need.kept_bytes * need.trials_left;
  if (needed <= free_bytes) return null;
  const kept = need.kept_bytes === 0 ? '' : `, ${mebibytes(need.kept_bytes)} of which stay`;
  return (
    `the first trial took ${mebibytes(need.trial_bytes)} on the disk${kept}: the ${need.trials_left} that are left need ` +
    `${mebibytes(needed)}, and ${mebibytes(free_bytes)} are free. Free some, or name another place with trial_dir.`
  );
}

/**
 * As `spaceShort`, for the file system of `directory` as it is now.
 * @param keptBytes what stays of each trial: its raw output, and all of it where trial directories are kept
 */
export async function spaceProblem(
  directory: string,
  trialBytes: number,
  trialsLeft: number,
  keptBytes = 0,
): Promise<string | null> {
  const free = await freeBytes(directory);
  return spaceShort(free, { trial_bytes: trialBytes, kept_bytes: keptBytes, trials_left: trialsLeft });
}

/** As `512 MiB`. */
export function mebibytes(bytes: number): string {
  const mebi = bytes / 2 ** 20;
  return `${mebi < 10 ? mebi.toFixed(1) : Math.round(mebi)} MiB`;
}

function list(directory: Buffer): Dirent<Buffer>[] {
  return readdirSync(directory, { withFileTypes: true, encoding: 'buffer' });
}

function listReadable(directory: Buffer): Dirent<Buffer>[] {
  try {
    return list(directory);
  } catch {
    return [];
  }
}

function join(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from('/'), name]);
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}
