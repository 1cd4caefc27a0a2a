/** What of the sources of two arms differs, as git tells it: patches included, what a build adds not. */
import { mkdir, mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceDiff } from '../../journal/records.ts';
import { lastLines } from '../last-lines.ts';
import type { Git, GitOutcome } from './client.ts';
import { withGit } from './find.ts';

/** The source of an arm that is a revision of git, before its build. */
export interface ArmRevision {
  /** The repository on this machine that it comes from. */
  readonly from: string;
  /** What git knows of the clone in the cache. */
  readonly repository: string;
  readonly commit: string;
  readonly tree: string;
  /** Path of the patch that was applied; null: none. */
  readonly patch: string | null;
}

/** An arm and its source; null for one that is no revision of git. */
export interface DiffSide {
  readonly arm: string;
  readonly revision: ArmRevision | null;
}

export interface DiffOutcome {
  readonly diff: SourceDiff;
  /** What is kept of it. */
  readonly content: Buffer | null;
}

interface DiffContext {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

/** What is kept of a diff; of a longer one the beginning. */
export const MOST_DIFF_BYTES = 8 * 2 ** 20;

/** Nothing of it depends on configuration: not on the user's, which is not read, nor on that of a repository, which is none of these. */
const OPTIONS = [
  ...['-r', '--full-index', '--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--no-relative'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--unified=3', '--diff-algorithm=myers', '--submodule=short'],
] as const;

/** The path within the run's directory of the diff from one arm to another. */
function pathOf(reference: string, arm: string): string {
  return `arms/${arm}/from-${reference}.diff`;
}

/**
 * Compares the sources of two arms. Where git cannot, the outcome says why, and nothing fails.
 * @returns null where the user stopped it
 */
export async function diffSources(
  reference: DiffSide,
  arm: DiffSide,
  context: DiffContext,
): Promise<DiffOutcome | null> {
  const names = { arm: arm.arm, reference: reference.arm };
  const none = (why: string): DiffOutcome => ({ diff: { kind: 'none', ...names, why }, content: null });
  const [left, right] = [reference.revision, arm.revision];
  if (left === null || right === null) {
    const others = [reference, arm].filter(({ revision }) => revision === null).map(({ arm: name }) => name);
    return none(`${others.join(' and ')} ${others.length === 1 ? 'is no revision' : 'are no revisions'} of git`);
  }
  if (left.from !== right.from) return none(`${reference.arm} and ${arm.arm} come from two repositories`);
  return await withGit(arm.arm, null, context, async (git) => {
    let directory: string | null = null;
    try {
      directory = await mkdtemp(join(tmpdir(), 'assay-diff-'));
      return await compare(git, directory, { ...left, arm: reference.arm }, { ...right, arm: arm.arm });
    } catch (error) {
      if (error instanceof GitStopped) return null;
      const why = error instanceof Error ? error.message : String(error);
      return none(`git could not compare ${reference.arm} and ${arm.arm}: ${lastLines(why).replaceAll('\n', '; ')}`);
    } finally {
      if (directory !== null) await rm(directory, { recursive: true, force: true });
    }
  });
}

/** A source with the name of its arm. */
type Side = ArmRevision & { readonly arm: string };

class GitStopped extends Error {}

/** In a repository that is made for it, and only borrows the objects of the clones: neither of them is written. */
async function compare(git: Git, directory: string, left: Side, right: Side): Promise<DiffOutcome> {
  const names = { arm: right.arm, reference: left.arm };
  const bare = join(directory, 'repository');
  const format = left.tree.length === 64 ? ['--object-format=sha256'] : [];
  done(await git.run(directory, ['init', '--quiet', '--bare', '--template=', ...format, bare]));
  const borrowed = [...new Set([left.repository, right.repository])].map((path) => quoted(join(path, 'objects')));
  await mkdir(join(bare, 'objects', 'info'), { recursive: true });
  await writeFile(join(bare, 'objects', 'info', 'alternates'), `${borrowed.join('\n')}\n`);
  const trees: string[] = [];
  for (const side of [left, right]) trees.push(await treeOf(git, bare, side));
  if (trees[0] === trees[1]) return { diff: { kind: 'same', ...names }, content: null };

  const counted = done(await git.run(bare, ['diff-tree', '--shortstat', ...OPTIONS, ...trees])).toString();
  const count = (pattern: RegExp) => Number(pattern.exec(counted)?.[1] ?? 0);
  const file = join(directory, 'diff');
  done(await git.run(bare, ['diff-tree', '--patch', ...OPTIONS, `--output=${file}`, ...trees]));
  const { size } = await stat(file);
  const kept = await beginningOf(file, Math.min(size, MOST_DIFF_BYTES), size);
  const diff: SourceDiff = {
    ...{ kind: 'diff', ...names, path: pathOf(left.arm, right.arm), bytes: size, kept_bytes: kept.length },
    files: count(/(\d{1,15}) files? changed/),
    lines_added: count(/(\d{1,15}) insertions?\(\+\)/),
    lines_removed: count(/(\d{1,15}) deletions?\(-\)/),
  };
  return { diff, content: Buffer.concat([Buffer.from(headOf(left, right, trees, diff)), kept]) };
}

/** The tree of a revision, with its patch. */
async function treeOf(git: Git, bare: string, { tree, patch }: Side): Promise<string> {
  if (patch === null) return tree;
  done(await git.run(bare, ['read-tree', tree]));
  done(await git.run(bare, ['apply', '--cached', '--whitespace=nowarn', '--', patch]));
  return done(await git.run(bare, ['write-tree']))
    .toString()
    .trim();
}

function done(outcome: GitOutcome): Buffer {
  if (outcome.kind === 'done') return outcome.stdout;
  if (outcome.kind === 'cancelled') throw new GitStopped();
  throw new Error(outcome.output || 'it did not say why');
}

/** A line of git's list of borrowed objects, for any path. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

/** Whole lines of the beginning of a file. */
async function beginningOf(file: string, bytes: number, size: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const kept = Buffer.alloc(bytes);
    for (let at = 0; at < bytes; ) {
      const { bytesRead } = await handle.read(kept, at, bytes - at, at);
      if (bytesRead === 0) throw new Error('the diff became shorter while it was read');
      at += bytesRead;
    }
    return bytes === size ? kept : kept.subarray(0, kept.lastIndexOf(0x0a) + 1);
  } finally {
    await handle.close();
  }
}

/** What stands before the diff; tools that apply it pass over it. */
function headOf(
  left: Side,
  right: Side,
  [before = '', after = '']: readonly string[],
  { bytes, kept_bytes, files, lines_added, lines_removed }: Extract<SourceDiff, { kind: 'diff' }>,
): string {
  const side = ({ arm, commit, patch }: Side, tree: string) =>
    `${arm}: commit ${commit}${patch === null ? '' : ' with its patch'}, tree ${tree}`;
  const cut = `Cut: these are the first ${kept_bytes} of ${bytes} bytes; it applies to nothing.`;
  return [
    'The sources of two arms before their builds, as `git diff` compares them: renamed files are removed and added,',
    'of binary files and submodules it has the digests.',
    `from ${side(left, before)}`,
    `to ${side(right, after)}`,
    `files: ${files}; lines added: ${lines_added}, removed: ${lines_removed}`,
    ...(kept_bytes < bytes ? [cut] : []),
    '',
    '',
  ].join('\n');
}
