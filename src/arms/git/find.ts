/** Which commit a source means: found for all arms before anything is built, which may take long enough for a branch to move. */
import type { GitSource, Revision } from '../../experiment/experiment.ts';
import { revisionText } from '../../experiment/revision.ts';
import type { PreparedArm } from '../../journal/records.ts';
import { armFailure } from '../arm-failure.ts';
import { type Git, openGit } from './client.ts';
import type { GitContext } from './entry.ts';
import { cloneOf, localRepository, ownDirectories } from './location.ts';
import { type Commit, checkRepository, readCommit, readMergeBase, type Subject } from './repository.ts';
import { changedFiles, changedInWorkTree } from './work-tree.ts';

/** A commit, and where it can be had. */
export interface FoundCommit {
  /** A repository on this machine: the user's own, or the clone of an address in the cache. */
  readonly from: string;
  readonly local: boolean;
  readonly commit: Commit;
  /** Files of the user's work tree that differ from this commit, where it is what is checked out there; else null. */
  readonly changed: number | null;
}

/**
 * The commit that a source means.
 * @param arm the name for failures
 * @param directory of the experiment, absolute
 * @param recorded the full hash that a run which goes on began with; null for a new run
 * @throws AssayError `arm` where git is missing, or repository or revision cannot be had
 */
export async function findCommit(
  arm: string,
  source: GitSource,
  directory: string,
  cache: string,
  context: GitContext,
  recorded: string | null,
): Promise<FoundCommit> {
  const { repo, rev } = source;
  const subject = { arm, repo };
  const local = await localRepository(subject, directory, context.env);
  return await withGit(arm, local, context, async (git) => {
    if (local !== null) await checkRepository(git, local, subject);
    const wanted = recorded === null ? namesIn(rev) : [recorded];
    const from = local ?? (await cloneOf(git, subject, wanted, cache, context));
    if (recorded !== null) {
      const commit = await readCommit(git, from, recorded, subject, GONE);
      await noteMove(git, from, rev, commit, subject, context);
      return { from, local: local !== null, commit, changed: null };
    }
    const commit = await readRevision(git, from, rev, subject, context);
    const changed = local === null ? null : await changedInWorkTree(git, local, commit);
    // Before the first build, which may take long.
    for (const { message, remedy } of workTreeWarnings(source, changed)) context.onNote(`${message}.`, remedy);
    return { from, local: local !== null, commit, changed };
  });
}

/**
 * What is not committed is easily taken for what was measured. Said once for arms of one revision: it names none.
 * @param made `was built`, or of a plan `would be built`
 */
export function workTreeWarnings(
  { repo, rev, patch }: GitSource,
  changed: number | null,
  made: 'was built' | 'would be built' = 'was built',
): PreparedArm['warnings'] {
  if (changed === null || changed === 0) return [];
  const are = changed === 1 ? 'is' : 'are';
  const built = patch === null ? `not in what ${made}` : `in what ${made} only as far as ${patch} has them`;
  return [
    {
      code: 'work-tree-changed',
      message: `${changedFiles(changed)} in the work tree of ${repo} ${are} not in ${revisionText(rev)}, and ${built}`,
      remedy: 'What is measured is the commit: commit the changes first if they belong to it.',
    },
  ];
}

/**
 * Makes sure that a repository on this machine has the revision that a source names, and says what of its work tree is not in it; of one at an
 * address nothing is asked.
 * @param arm the name for failures
 * @param directory of the experiment, absolute
 * @throws AssayError `arm` where git, the repository or the revision is missing
 */
export async function checkLocalSource(
  arm: string,
  source: GitSource,
  directory: string,
  env: NodeJS.ProcessEnv,
): Promise<PreparedArm['warnings']> {
  const { repo, rev } = source;
  const subject = { arm, repo };
  const local = await localRepository(subject, directory, env);
  if (local === null) return [];
  return await withGit(arm, local, { env }, async (git) => {
    await checkRepository(git, local, subject);
    const commit = await readRevision(git, local, rev, subject, { onNote: () => undefined });
    return workTreeWarnings(source, await changedInWorkTree(git, local, commit), 'would be built');
  });
}

const GONE = 'It is what the run began with: fetch it into the repository again, or start a new run.';

/**
 * Lets something use git on a repository.
 * @param local the user's repository; null where only the cache is looked at
 */
export async function withGit<T>(
  arm: string,
  local: string | null,
  { env, signal }: Pick<GitContext, 'env' | 'signal'>,
  act: (git: Git) => Promise<T>,
): Promise<T> {
  const git = await openGit(env, local === null ? [] : await ownDirectories(local), signal);
  if (typeof git === 'string') {
    throw armFailure(arm, `a git arm needs git: ${git}`, 'Install git, or put the directory that holds it on PATH.');
  }
  try {
    return await act(git);
  } finally {
    await git.close();
  }
}

function namesIn(rev: Revision): readonly string[] {
  return typeof rev === 'string' ? [rev] : rev.merge_base;
}

async function readRevision(
  git: Git,
  from: string,
  rev: Revision,
  subject: Subject,
  { onNote }: Pick<GitContext, 'onNote'>,
): Promise<Commit> {
  if (typeof rev === 'string') return await readCommit(git, from, rev, subject);
  const { commit, several } = await readMergeBase(git, from, rev.merge_base, subject);
  if (several) {
    onNote(
      `${rev.merge_base.join(' and ')} have several merge bases; ${commit.hash.slice(0, 12)} is taken.`,
      'Name the one that you mean by its hash, as `rev`.',
    );
  }
  return commit;
}

/** A branch that has moved since the run began would otherwise be taken for what is measured. */
async function noteMove(
  git: Git,
  from: string,
  rev: Revision,
  commit: Commit,
  subject: Subject,
  context: GitContext,
): Promise<void> {
  const now = await readRevision(git, from, rev, subject, { onNote: () => undefined }).catch(() => null);
  if (now?.hash === commit.hash) return;
  const moved = now === null ? 'is no longer there' : `is ${now.hash.slice(0, 12)} now`;
  context.onNote(
    `${revisionText(rev)} of ${subject.repo} ${moved}: the run goes on with ${commit.hash.slice(0, 12)}, with which it began.`,
    'To measure anything newer, start a new run.',
  );
}
