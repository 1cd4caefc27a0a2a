/**
 * The cache: installed packages under `npm/`, built sources and clones under `git/`, drivers under `driver/`, digests of
 * functions under `code/`, compiled launchers under `bin/`, work in progress under `tmp/`. Packages and launchers are made elsewhere and renamed, so that whatever has its final name is
 * complete; what is built knows its place, and is made there under a lock in `locks/`. Two Assays may use it at once.
 */
import type { Stats } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { AssayError } from '../failures.ts';
import { fileFailure } from './file-failure.ts';
import { homeDirectory } from './home.ts';
import { makeDirectories } from './make-directories.ts';

const KINDS = {
  npm: 'npm',
  git: 'git',
  driver: 'driver',
  code: 'machine code',
  bin: 'launcher',
  tmp: 'unfinished',
} as const;

interface CacheEntry {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly name: string;
  readonly bytes: number;
  readonly last_used_unix_ms: number;
}

/** In an entry that is a directory: its time of change is when the entry was last used. */
const USED_MARK = 'used';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Nothing takes this long to install: older work in progress was left by an Assay that was killed. */
const ABANDONED_MS = DAY_MS;

/**
 * Where the cache is: `$ASSAY_CACHE`, else `assay` in `$XDG_CACHE_HOME` (ignored unless absolute), else in `~/.cache`.
 * @throws AssayError `usage` where there is no home directory either
 */
export function cacheDirectory(env: NodeJS.ProcessEnv): string {
  const own = env['ASSAY_CACHE'];
  if (own !== undefined && own !== '') return resolve(own);
  const xdg = env['XDG_CACHE_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, 'assay');
  const home = env['HOME'] || homeDirectory();
  if (home) return join(home, '.cache', 'assay');
  throw new AssayError({
    kind: 'usage',
    message: 'this user has no home directory to keep the cache in',
    remedy: REMEDY,
  });
}

const REMEDY = 'Name a directory of your own in ASSAY_CACHE.';

/**
 * Makes the cache where it is missing, for its owner alone, and says where it is.
 * @throws AssayError `usage` where it belongs to someone else or others may write to it: what lies there is executed
 */
export async function openCache(env: NodeJS.ProcessEnv): Promise<string> {
  const directory = cacheDirectory(env);
  let found: Stats;
  try {
    makeDirectories(directory, 0o700);
    found = await stat(directory);
  } catch (error) {
    throw fileFailure(error, directory, 'create the cache', REMEDY);
  }
  if (found.uid !== process.getuid?.()) {
    throw new AssayError({
      kind: 'usage',
      message: `the cache ${directory} belongs to another user, who could change what Assay executes`,
      remedy: REMEDY,
    });
  }
  if ((found.mode & 0o022) !== 0) {
    throw new AssayError({
      kind: 'usage',
      message: `others may write to the cache ${directory}, and so change what Assay executes`,
      remedy: `Look at what is in it, then: chmod 700 '${directory}' (or name another directory in ASSAY_CACHE).`,
    });
  }
  return directory;
}

/**
 * Makes an entry: `make` fills an empty directory, which then gets its name under `npm/`. Where another Assay was
 * faster, its entry stands and ours is dropped. Also clears away what killed Assays left long ago.
 * @returns the path of the entry
 */
export async function makeEntry(
  cache: string,
  folder: 'npm' | 'driver' | 'code',
  name: string,
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const path = join(cache, folder, name);
  await removeAbandoned(cache);
  const work = await inCache(cache, 'write to the cache', async () => {
    await mkdir(join(cache, folder), { recursive: true, mode: 0o700 });
    return workDirectory(cache);
  });
  try {
    await make(work);
    await inCache(path, 'write to the cache', async () => {
      await writeFile(join(work, USED_MARK), '');
      await rename(work, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      });
    });
    return path;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Notes that an entry is in use now. */
export async function markUsed(path: string): Promise<void> {
  const now = new Date();
  await inCache(path, 'write to the cache', () =>
    utimes(join(path, USED_MARK), now, now).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return writeFile(join(path, USED_MARK), '');
    }),
  );
}

/** Takes an entry away: it loses its name at once, and then its files. One that is not there is no error. */
export async function removeEntry(cache: string, path: string): Promise<void> {
  await inCache(path, 'remove from the cache', async () => {
    const work = await workDirectory(cache);
    try {
      await rename(path, join(work, 'removed'));
    } catch (error) {
      if (!isMissing(error)) throw error;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

/** What the cache holds, the most recently used first. An empty list where there is no cache. */
export async function listCache(cache: string): Promise<readonly CacheEntry[]> {
  const entries = (await readEntries(cache)).map(({ path: _path, ...entry }) => entry);
  return entries.sort((a, b) => b.last_used_unix_ms - a.last_used_unix_ms || (a.name < b.name ? -1 : 1));
}

/**
 * Removes what was not used for so many days, and work in progress that is an hour old; with 0 days everything, also
 * what a run may be using just now.
 * @returns what was removed
 */
export async function pruneCache(
  cache: string,
  { olderThanDays }: { readonly olderThanDays: number },
): Promise<readonly CacheEntry[]> {
  const removed: CacheEntry[] = [];
  const limit_ms = olderThanDays * DAY_MS;
  for (const { path, ...entry } of await readEntries(cache)) {
    const least_ms = entry.kind === 'unfinished' ? Math.min(limit_ms, HOUR_MS) : limit_ms;
    // A time of change in the future is no reason to keep what is to go whatever its age.
    if (limit_ms > 0 && Date.now() - entry.last_used_unix_ms < least_ms) continue;
    if (entry.kind === 'unfinished') await removeAll(path);
    else await removeEntry(cache, path);
    removed.push(entry);
  }
  return removed;
}

async function readEntries(cache: string): Promise<readonly (CacheEntry & { readonly path: string })[]> {
  const entries: (CacheEntry & { readonly path: string })[] = [];
  for (const [folder, kind] of Object.entries(KINDS)) {
    for (const name of await namesIn(join(cache, folder))) {
      const path = join(cache, folder, name);
      const last_used_unix_ms = (await changedAt(join(path, USED_MARK))) ?? (await changedAt(path));
      // Another Assay may have renamed or removed it meanwhile.
      if (last_used_unix_ms === null) continue;
      entries.push({ kind, name, bytes: await sizeOf(path), last_used_unix_ms, path });
    }
  }
  return entries;
}

async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await namesIn(join(cache, 'tmp'))) {
    const path = join(cache, 'tmp', name);
    const changed = await changedAt(path);
    if (changed !== null && Date.now() - changed > ABANDONED_MS) await removeAll(path);
  }
}

async function workDirectory(cache: string): Promise<string> {
  await mkdir(join(cache, 'tmp'), { recursive: true, mode: 0o700 });
  return mkdtemp(join(cache, 'tmp', 'new-'));
}

function removeAll(path: string): Promise<void> {
  return inCache(path, 'remove from the cache', () => rm(path, { recursive: true, force: true }));
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return inCache(directory, 'read the cache', () => orMissing(readdir(directory), []));
}

async function changedAt(path: string): Promise<number | null> {
  return inCache(path, 'read the cache', async () => (await orMissing(stat(path), null))?.mtimeMs ?? null);
}

/** Bytes in regular files; what vanishes meanwhile counts as nothing. */
async function sizeOf(path: string): Promise<number> {
  const found = await orMissing(stat(path), null);
  if (found === null || found.isFile()) return found?.size ?? 0;
  if (!found.isDirectory()) return 0;
  let bytes = 0;
  for (const entry of await orMissing(readdir(path, { withFileTypes: true }), [])) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(child);
    else if (entry.isFile()) bytes += (await orMissing(stat(child), null))?.size ?? 0;
  }
  return bytes;
}

function orMissing<T, U>(promise: Promise<T>, otherwise: U): Promise<T | U> {
  return promise.catch((error: unknown) => {
    if (isMissing(error)) return otherwise;
    throw error;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

async function inCache<T>(path: string, operation: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw fileFailure(error, path, operation);
  }
}
