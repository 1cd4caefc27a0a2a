/** What Assay does with a repository: read a revision of it, look at its work tree, clone it. It never writes to one. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteCommand } from '../../experiment/command-line.ts';
import type { AssayError } from '../../failures.ts';
import { armFailure } from '../arm-failure.ts';
import type { Git, GitOutcome } from './client.ts';

/** A revision, as the repository knows it. */
export interface Commit {
  readonly hash: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** The first line of a stranger's message. */
  readonly subject: string;
}

/** What failures say: which arm it is, and the repository as the experiment writes it. */
export interface Subject {
  readonly arm: string;
  readonly repo: string;
}

const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const LONGEST_SUBJECT = 200;

export function isFullHash(rev: string): boolean {
  return FULL_HASH.test(rev);
}

/** @throws AssayError `arm` where the directory is not the top of a repository, or belongs to someone else */
export async function checkRepository(git: Git, directory: string, subject: Subject): Promise<void> {
  const found = await git.run(directory, ['rev-parse', '--git-dir']);
  if (found.kind !== 'done') throw gitFailure(subject, `${subject.repo} cannot be used as a git repository`, found);
}

/** @throws AssayError `arm` where the repository has no such commit */
export async function readCommit(
  git: Git,
  directory: string,
  rev: string,
  subject: Subject,
  remedy?: string,
): Promise<Commit> {
  const missing = async (outcome: GitOutcome, what: string) =>
    gitFailure(
      subject,
      `${subject.repo} has no ${what} ${rev}`,
      outcome,
      remedy ?? (await revisionRemedy(git, directory, ['rev-parse', '--verify', rev])),
    );
  // No option of rev-parse prints a hash here, so that no test would miss the end of options; git's may change.
  const object = await git.run(directory, ['rev-parse', '--verify', '--end-of-options', rev]);
  const hash = object.kind === 'done' ? object.stdout.toString().trim() : '';
  if (!isFullHash(hash)) throw await missing(object, 'revision');
  // In a second step: what follows `:/` is a message up to its end.
  const peeled = await git.run(directory, ['rev-parse', '--verify', '--end-of-options', `${hash}^{commit}`]);
  const commit = peeled.kind === 'done' ? peeled.stdout.toString().trim() : '';
  if (!isFullHash(commit)) throw await missing(peeled, 'commit');
  const content = await git.run(directory, ['cat-file', 'commit', commit]);
  if (content.kind !== 'done') throw await missing(content, 'commit');
  return parseCommit(commit, content.stdout.toString());
}

/**
 * The best common ancestor of two revisions.
 * @returns `several`: there are others that are as good; the first that git names is taken
 * @throws AssayError `arm` where the repository lacks one of the two, or they have none
 */
export async function readMergeBase(
  git: Git,
  directory: string,
  [one, other]: readonly [string, string],
  subject: Subject,
): Promise<{ readonly commit: Commit; readonly several: boolean }> {
  const hashes: string[] = [];
  for (const rev of [one, other]) hashes.push((await readCommit(git, directory, rev, subject)).hash);
  const bases = await git.run(directory, ['merge-base', '--all', ...hashes]);
  const [base, ...others] = bases.kind === 'done' ? bases.stdout.toString().split('\n').filter(isFullHash) : [];
  if (base === undefined) {
    const message = `${one} and ${other} have no commit of ${subject.repo} in common`;
    throw gitFailure(subject, message, bases, await revisionRemedy(git, directory, ['merge-base', one, other]));
  }
  return { commit: await readCommit(git, directory, base, subject), several: others.length > 0 };
}

/** @param args a command of git by which a person sees the same */
async function revisionRemedy(git: Git, directory: string, args: readonly string[]): Promise<string> {
  const shallow = await git.run(directory, ['rev-parse', '--is-shallow-repository']);
  return shallow.kind === 'done' && shallow.stdout.toString().trim() === 'true'
    ? 'The repository is shallow: older commits are not in it (git fetch --unshallow brings them).'
    : `Check the spelling, and that it was fetched: ${quoteCommand(['git', '-C', directory, ...args])}`;
}

function parseCommit(hash: string, text: string): Commit {
  const end = text.indexOf('\n\n');
  const header = (end < 0 ? text : text.slice(0, end)).split('\n');
  const values = (name: string) =>
    header.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  const message = end < 0 ? '' : text.slice(end + 2);
  const subject = message.split('\n').find((line) => line.trim() !== '') ?? '';
  return {
    hash,
    tree: values('tree')[0] ?? '',
    parents: values('parent'),
    subject: [...subject.trim()].slice(0, LONGEST_SUBJECT).join(''),
  };
}

/**
 * A clone of the repository with one commit checked out: `source` in the directory, with `repository` beside it as what
 * git knows of it. Nothing is shared with the repository that it comes from, and nothing leads back to it.
 */
export async function checkOut(
  git: Git,
  from: string,
  commit: Commit,
  directory: string,
  options: Subject & { readonly submodules: boolean },
): Promise<void> {
  const source = join(directory, 'source');
  const must = async (message: string, args: readonly string[], cwd = source) => {
    const outcome = await git.run(cwd, args);
    if (outcome.kind !== 'done') throw gitFailure(options, message, outcome);
  };
  // The far end reads the configuration of the repository: what it lacks it must not fetch.
  const far = '--upload-pack=GIT_ALLOW_PROTOCOL=none git upload-pack';
  const to = [`--separate-git-dir=${join(directory, 'repository')}`, from, source];
  const clone = ['clone', '--quiet', far, '--no-local', '--no-checkout', '--template=', ...to];
  await must(`${options.repo} cannot be cloned`, clone, directory);
  const there = await git.run(source, ['cat-file', '-e', `${commit.hash}^{commit}`]);
  if (there.kind !== 'done') {
    // No branch or tag leads to it.
    await must(`${options.repo} does not hand out ${commit.hash}`, [
      'fetch',
      '--quiet',
      far,
      '--no-auto-gc',
      '--no-tags',
      'origin',
      commit.hash,
    ]);
  }
  await must(`${commit.hash} cannot be checked out`, ['checkout', '--quiet', '--detach', commit.hash, '--']);
  if (options.submodules) {
    const update = ['submodule', '--quiet', 'update', '--init', '--recursive'];
    await must(`the submodules of ${options.repo} cannot be fetched`, update);
  }
  // A build that pushes or fetches would touch the repository.
  await must('the origin of the clone cannot be taken away', ['remote', 'remove', 'origin']);
  // Relative, so that two clones have the same digest.
  await writeFile(join(source, '.git'), 'gitdir: ../repository\n');
}

/** Applies a patch to what is checked out in a directory. */
export async function applyPatch(
  git: Git,
  source: string,
  patch: string,
  subject: Subject,
  name: string,
): Promise<void> {
  const applied = await git.run(source, ['apply', '--whitespace=nowarn', '--', patch]);
  if (applied.kind === 'done') return;
  const remedy = 'Make it against exactly this revision: git diff REVISION > PATCH';
  throw gitFailure(subject, `the patch ${name} does not apply`, applied, remedy);
}

/**
 * Brings a bare clone of an address up to date, or makes it. Branches and tags have their names in it.
 * @param exists whether there is one that is complete
 */
export async function mirror(
  git: Git,
  address: string,
  directory: string,
  exists: boolean,
  subject: Subject,
): Promise<void> {
  const parent = join(directory, '..');
  const refs = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
  const outcome = exists
    ? await git.run(directory, ['fetch', '--quiet', '--prune', '--no-auto-gc', '--', address, ...refs])
    : await git.run(parent, ['clone', '--quiet', '--bare', '--no-local', '--template=', '--', address, directory]);
  if (outcome.kind === 'done') return;
  if (!exists) await rm(directory, { recursive: true, force: true });
  throw gitFailure(subject, `${subject.repo} cannot be ${exists ? 'fetched' : 'cloned'}`, outcome);
}

/** What usually is the matter when git says so. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /not a git repository|does not appear to be a git repository/,
    'Name the top directory of a repository, where `.git` is, or a bare one; relative paths count from the directory of the experiment file.',
  ],
  [
    /dubious ownership/,
    'Parts of the repository belong to another user, and git does not trust them: clone it yourself and name that clone.',
  ],
  [
    /promisor|lazy fetch|missing (?:blob|tree|object)/i,
    'The repository is a partial clone and lacks objects: git fetch --refetch --no-filter brings them.',
  ],
  [
    /transport '?([\w-]+)'? not allowed/,
    'Addresses of this kind could run programs or read other places, and are not followed: https, ssh and git are.',
  ],
  [
    /terminal prompts disabled|Authentication failed|Permission denied|could not read Username/,
    'Assay asks for no password: clone the repository yourself, and name the path of the clone.',
  ],
  [
    /Could not resolve host|Connection refused|timed out|unreachable/,
    'Check the network; a clone of your own, named by its path, needs none.',
  ],
  [/No space left on device/, 'The disk is full: free some space, or name a cache elsewhere in ASSAY_CACHE.'],
];

function gitFailure(
  { arm }: Subject,
  message: string,
  outcome: GitOutcome,
  otherwise = 'What git says stands above.',
): AssayError {
  switch (outcome.kind) {
    case 'done':
      return armFailure(arm, message, otherwise);
    case 'cancelled':
      return armFailure(arm, 'preparing the source was stopped', 'Run again: nothing half-made is kept.');
    case 'timeout':
      return armFailure(
        arm,
        `${message}: git took more than an hour`,
        'Clone it yourself, and name the path.',
        outcome.output,
      );
    case 'failed': {
      const remedy = REMEDIES.find(([pattern]) => pattern.test(outcome.output))?.[1] ?? otherwise;
      return armFailure(arm, message, remedy, outcome.output);
    }
  }
}
