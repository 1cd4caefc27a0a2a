/** Arms that are revisions of a git repository: cloned and built once in the cache, checked whenever they are used again. */
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import type { GitSource } from '../../experiment/experiment.ts';
import { revisionText } from '../../experiment/revision.ts';
import type { DigestedTree } from '../../io/digest.ts';
import { readRegularFile } from '../../io/raw-file.ts';
import type { PreparedArm } from '../../journal/records.ts';
import { armFailure } from '../arm-failure.ts';
import { buildEnvironment, shownCommand, toolVersions } from '../build.ts';
import { type Entry, type GitContext, type Patch, type Recipe, useEntry } from './entry.ts';
import { type FoundCommit, withGit, workTreeWarnings } from './find.ts';
import type { ArmRevision } from './source-diff.ts';
import { changedFiles } from './work-tree.ts';

interface GitArm {
  /** The source as it was checked out, patched and built. */
  readonly dir: string;
  readonly tree: DigestedTree;
  readonly provenance: Readonly<Record<string, string>>;
  readonly warnings: PreparedArm['warnings'];
  /** The log of the build, and the patch. */
  readonly keep: readonly string[];
  readonly revision: ArmRevision;
}

const MOST_PATCH_BYTES = 64 << 20;

/**
 * A commit, checked out and built: from the cache where the same tree was built in the same way and is still as it was,
 * else made anew. The user's repository is read and never written.
 * @param arm the name for failures
 * @param directory of the experiment, absolute
 * @throws AssayError `arm` where git is missing, the commit cannot be had any more, or the build fails
 */
export async function prepareGitArm(
  arm: string,
  source: GitSource,
  found: FoundCommit,
  directory: string,
  cache: string,
  context: GitContext,
): Promise<GitArm> {
  const { from, local, commit, changed } = found;
  const patch = source.patch === null ? null : readPatch(arm, resolve(directory, source.patch));
  const warnings = workTreeWarnings(source, changed);
  return await withGit(arm, local ? from : null, context, async (git) => {
    const buildEnv = buildEnvironment(source, context.env);
    const tools = source.build.length === 0 ? {} : await toolVersions(buildEnv);
    const recipe: Recipe = { subject: { arm, repo: source.repo }, source, git, from, commit, patch, buildEnv, tools };
    const { path, entry, keep, repository, applied } = await useEntry(recipe, cache, context);
    return {
      ...{ dir: path, tree: entry.tree, provenance: provenanceOf(recipe, entry, changed), warnings, keep },
      revision: { from, repository, commit: commit.hash, tree: commit.tree, patch: applied },
    };
  });
}

function provenanceOf(
  { source, commit, patch, tools }: Recipe,
  entry: Entry,
  changed: number | null,
): Record<string, string> {
  const some = (name: string, value: string | null | undefined) => (value ? { [name]: value } : {});
  return {
    source: 'git',
    repo: source.repo,
    rev: revisionText(source.rev),
    commit: commit.hash,
    parent: commit.parents.join(' ') || 'none',
    tree: commit.tree,
    subject: commit.subject,
    ...some('work_tree', changed === null ? null : changed === 0 ? 'clean' : notInRevision(changed)),
    submodules: source.submodules ? 'fetched' : 'not fetched',
    ...some('patch', source.patch),
    ...some('patch_sha256', patch?.sha256),
    ...some(
      'again',
      source.again === null ? null : `prepared from nothing once more, of the source of ${source.again.of}`,
    ),
    build: source.build.map(shownCommand).join(' && ') || 'none',
    ...some(
      'build_env',
      Object.entries(source.build_env)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    ),
    ...tools,
    ...some('build_log_sha256', entry.log_sha256),
    ...some('build_seconds', entry.build_seconds?.toFixed(1)),
    tree_sha256: entry.tree.sha256,
    tree_files: String(entry.tree.files),
    tree_bytes: String(entry.tree.bytes),
  };
}

function notInRevision(count: number): string {
  return `${changedFiles(count)} ${count === 1 ? 'is' : 'are'} not in this revision`;
}

function readPatch(arm: string, path: string): Patch {
  const read = readRegularFile(dirname(path), basename(path), MOST_PATCH_BYTES);
  if (!read.ok) {
    throw armFailure(
      arm,
      `the patch ${path} ${read.reason}`,
      'Its path counts from the directory of the experiment file.',
    );
  }
  return { bytes: read.bytes, sha256: createHash('sha256').update(read.bytes).digest('hex') };
}
