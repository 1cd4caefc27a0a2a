/** The user's own work tree: looked at, never written, and nothing that its repository names is run. */
import type { Git } from './client.ts';
import type { Commit } from './repository.ts';

/** What `git config` exits with where no name matches. */
const NONE_FOUND = 1;

/**
 * How many files of the work tree differ from a commit, where the commit is the one that is checked out; untracked files
 * do not count. Null where another commit is checked out, there is no work tree, or git cannot tell.
 */
export async function changedInWorkTree(git: Git, directory: string, commit: Commit): Promise<number | null> {
  const head = await git.run(directory, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.kind !== 'done' || head.stdout.toString().trim() !== commit.hash) return null;
  // A filter is a program that the repository's own configuration names; it would run to compare a file.
  const listed = await git.run(directory, ['config', '--null', '--name-only', '--get-regexp', '^filter[.]']);
  // Where not all of them are known, nothing is compared.
  if (listed.kind !== 'done' && !(listed.kind === 'failed' && listed.code === NONE_FOUND)) return null;
  const names = listed.kind === 'done' ? listed.stdout.toString().split('\0').filter(Boolean) : [];
  const off = [...new Set(names)].map((name) => [name, /[.]required$/i.test(name) ? 'false' : ''] as const);
  const args = ['status', '--porcelain', '--null', '--untracked-files=no', '--ignore-submodules=all', '--no-renames'];
  const status = await git.run(directory, args, off);
  if (status.kind !== 'done') return null;
  return status.stdout.toString('latin1').split('\0').filter(Boolean).length;
}

/** `2 changed files`. */
export function changedFiles(count: number): string {
  return count === 1 ? '1 changed file' : `${count} changed files`;
}
