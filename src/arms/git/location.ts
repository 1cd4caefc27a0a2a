/** Where a repository is: on this machine, or at an address, of which the cache holds a clone. */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { markUsed, removeEntry } from '../../io/cache.ts';
import { homeDirectory } from '../../io/home.ts';
import { armFailure } from '../arm-failure.ts';
import { isThere, plainName, whileOurs, write } from './cache.ts';
import type { Git } from './client.ts';
import type { GitContext } from './entry.ts';
import { isFullHash, mirror, type Subject } from './repository.ts';

/** In a clone whose making came to its end. */
const COMPLETE = 'assay-complete';

/** `host:path` and `scheme://…`; a path with a colon in its first part is written `./a:b`. */
function isAddress(repo: string): boolean {
  return /^[^/]*:/.test(repo);
}

/**
 * The directory of a repository on this machine; null for one at an address.
 * @param directory that relative paths count from
 * @throws AssayError `arm` where there is no such directory
 */
export async function localRepository(
  { arm, repo }: Subject,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  if (isAddress(repo)) return null;
  const home = env['HOME'] || homeDirectory();
  const path = repo.startsWith('~/') && home ? join(home, repo.slice(2)) : resolve(directory, repo);
  const real = await realpath(path).catch(() => null);
  if (real !== null && (await stat(real)).isDirectory()) return real;
  throw armFailure(
    arm,
    `there is no directory ${path} with a git repository`,
    'Relative paths count from the directory of the experiment file.',
  );
}

/** The directories whose owner git looks at. */
export async function ownDirectories(repository: string): Promise<readonly string[]> {
  const inner = join(repository, '.git');
  const link = /^gitdir: (.+)\n?$/.exec(await readFile(inner, 'utf8').catch(() => ''))?.[1];
  return [repository, inner, ...(link === undefined ? [] : [resolve(repository, link)])];
}

/**
 * A bare clone of the repository at an address, up to date unless it already has the very commits that are asked for.
 * @throws AssayError `arm` where it cannot be had
 */
export async function cloneOf(
  git: Git,
  subject: Subject,
  revs: readonly string[],
  cache: string,
  context: GitContext,
): Promise<string> {
  const { repo } = subject;
  const path = join(cache, 'git', `${plainName(repo)}-${createHash('sha256').update(repo).digest('hex').slice(0, 24)}`);
  return await whileOurs(path, cache, context, async () => {
    const exists = await isThere(join(path, COMPLETE));
    if (!exists || !(await hasAll(git, path, revs))) {
      context.onProgress(`${exists ? 'fetching' : 'cloning'} ${repo}`);
      if (!exists) await removeEntry(cache, path);
      await mirror(git, repo, path, exists, subject);
      await write(join(path, COMPLETE), '');
    }
    await markUsed(path);
    return path;
  });
}

async function hasAll(git: Git, path: string, revs: readonly string[]): Promise<boolean> {
  for (const rev of revs) {
    if (!isFullHash(rev)) return false;
    if ((await git.run(path, ['cat-file', '-e', `${rev}^{commit}`])).kind !== 'done') return false;
  }
  return true;
}
