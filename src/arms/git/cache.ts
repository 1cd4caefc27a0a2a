/** What entries of the cache that are made at their final place have in common. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { findExecutable } from '../../io/executable.ts';
import { fileFailure } from '../../io/file-failure.ts';
import { whileLocked } from '../../io/file-lock.ts';

const LONGEST_NAME = 24;

interface CacheContext {
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Runs what makes or reads the entry at a path while no other Assay does. */
export async function whileOurs<T>(
  path: string,
  cache: string,
  { env, onProgress, signal }: CacheContext,
  act: () => Promise<T>,
): Promise<T> {
  const locks = join(cache, 'locks');
  for (const folder of [locks, dirname(path)]) {
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      throw fileFailure(error, folder, 'write to the cache');
    });
  }
  const waiting = () => onProgress('waiting for another Assay that prepares the same');
  const flock = await findExecutable('flock', env['PATH']);
  return await whileLocked(join(locks, basename(path)), { flock, waiting, signal }, act);
}

/** What a repository is called, for the name of a directory. */
export function plainName(repo: string): string {
  const name = basename(repo.replace(/(?:\/\.git|\.git)?\/*$/, '')).replace(/^.*:/, '');
  return name.replace(/[^A-Za-z0-9._-]/g, '+').slice(0, LONGEST_NAME) || 'repository';
}

export async function write(path: string, content: string | Buffer): Promise<void> {
  await writeFile(path, content).catch((error: unknown) => {
    throw fileFailure(error, path, 'write to the cache');
  });
}

export function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
