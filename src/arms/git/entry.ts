/**
 * A source in the cache: checked out, patched and built once, at the place where it stays, and checked whenever it is used
 * again.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { GitSource } from '../../experiment/experiment.ts';
import { revisionText } from '../../experiment/revision.ts';
import { parseJson } from '../../formats/json.ts';
import { markUsed, removeEntry } from '../../io/cache.ts';
import { digestFile, digestTree } from '../../io/digest.ts';
import { fileFailure } from '../../io/file-failure.ts';
import { armFailure } from '../arm-failure.ts';
import { runBuild } from '../build.ts';
import { isThere, plainName, whileOurs, write } from './cache.ts';
import type { Git } from './client.ts';
import { applyPatch, type Commit, checkOut, type Subject } from './repository.ts';

const LOG = 'build.log';
const PATCH = 'applied.patch';
const ENTRY_FILE = 'entry.json';

/** What is kept beside the source, once all is ready. */
const entrySchema = z.object({
  format: z.literal(1),
  tree: z.object({ sha256: z.string(), files: z.number(), bytes: z.number() }),
  log_sha256: z.string().nullable(),
  /** Null where nothing is built, and in entries of before. */
  build_seconds: z.number().min(0).nullable().default(null),
});
export type Entry = z.infer<typeof entrySchema>;

export interface Patch {
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface GitContext {
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  /** What a person should know who may have meant something else. */
  readonly onNote: (message: string, remedy: string) => void;
  /** Called before a build runs. */
  readonly onBuild: () => void;
  /** Called where the cache has it already: when it was made, as people read it. */
  readonly onCached: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** All that an entry is made of. */
export interface Recipe {
  readonly subject: Subject;
  readonly source: GitSource;
  readonly git: Git;
  /** A repository on this machine. */
  readonly from: string;
  readonly commit: Commit;
  readonly patch: Patch | null;
  readonly buildEnv: Readonly<Record<string, string>>;
  readonly tools: Readonly<Record<string, string>>;
}

/** An entry as it is used. */
interface UsedEntry {
  readonly entry: Entry;
  /** The directory of the source. */
  readonly path: string;
  /** What git knows of it. */
  readonly repository: string;
  /** The patch that was applied; null: none. */
  readonly applied: string | null;
  /** The files that tell how it was made. */
  readonly keep: readonly string[];
}

/**
 * The entry of a recipe, made where it is missing or not as it was made.
 * @throws AssayError `arm` where it cannot be made
 */
export async function useEntry(recipe: Recipe, cache: string, context: GitContext): Promise<UsedEntry> {
  const path = join(cache, 'git', entryName(recipe, cache));
  const entry = await whileOurs(path, cache, context, () => entryAt(path, cache, recipe, context));
  const log = entry.log_sha256 === null ? [] : [join(path, LOG)];
  const applied = recipe.patch === null ? null : join(path, PATCH);
  const keep = [...log, ...(applied === null ? [] : [applied])];
  return { entry, path: join(path, 'source'), repository: join(path, 'repository'), applied, keep };
}

/** Builds bake their place in, so that an entry is made where it stays: whatever is there without its last file is unfinished. */
async function entryAt(path: string, cache: string, recipe: Recipe, context: GitContext): Promise<Entry> {
  const cached = await readEntry(path);
  if (cached === 'changed') {
    context.onProgress(`${shownRevision(recipe)} in the cache is not as it was built: building it again`);
  }
  if (cached !== 'changed' && cached !== 'missing') {
    context.onCached(`taken from the cache${await madeAt(path, recipe.source.build.length > 0)}`);
  } else {
    await removeEntry(cache, path);
    await make(path, recipe, context).catch(async (error: unknown) => {
      // What a build that failed has left behind is what its log is about.
      if (!(await isThere(join(path, LOG))) || context.signal?.aborted === true) await removeEntry(cache, path);
      throw error;
    });
  }
  const entry = cached === 'changed' || cached === 'missing' ? await readEntry(path) : cached;
  if (entry === 'changed' || entry === 'missing') {
    throw armFailure(
      recipe.subject.arm,
      `${shownRevision(recipe)} changed in the cache right after it was built`,
      'Something still writes to it, perhaps a process that the build has left behind: find out what, then run again.',
    );
  }
  await markUsed(path);
  return entry;
}

async function make(path: string, recipe: Recipe, context: GitContext): Promise<void> {
  const { subject, source, git, from, commit, patch, buildEnv } = recipe;
  const tree = join(path, 'source');
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    throw fileFailure(error, path, 'write to the cache');
  });
  context.onProgress(`checking out ${shownRevision(recipe)}`);
  await checkOut(git, from, commit, path, { ...subject, submodules: source.submodules });
  if (patch !== null) {
    await write(join(path, PATCH), patch.bytes);
    await applyPatch(git, tree, join(path, PATCH), subject, source.patch ?? '');
  }
  const log = join(path, LOG);
  let build_seconds: number | null = null;
  if (source.build.length > 0) {
    context.onProgress(`building ${shownRevision(recipe)}, output in ${log}`);
    context.onBuild();
    const started = performance.now();
    const unfetched = !source.submodules && (await isThere(join(tree, '.gitmodules')));
    await runBuild({
      arm: subject.arm,
      source,
      directory: tree,
      env: buildEnv,
      log,
      signal: context.signal,
      otherwise: unfetched ? 'The repository has submodules, which are fetched only with `submodules: true`.' : null,
    });
    build_seconds = Math.round((performance.now() - started) / 100) / 10;
  }
  const entry: Entry = {
    format: 1,
    tree: await digestTree(tree),
    log_sha256: (await logDigest(path)) ?? null,
    build_seconds,
  };
  await write(join(path, ENTRY_FILE), `${JSON.stringify(entry, null, 2)}\n`);
}

/** `changed`: there is something of that name, but not as it was made. */
async function readEntry(path: string): Promise<Entry | 'missing' | 'changed'> {
  const text = await readFile(join(path, ENTRY_FILE), 'utf8').catch(() => null);
  if (text === null) return 'missing';
  const entry = entrySchema.safeParse(parseJson(text));
  if (!entry.success) return 'changed';
  const now = await digestTree(join(path, 'source')).catch(() => null);
  const same = now?.sha256 === entry.data.tree.sha256 && (await logDigest(path)) === entry.data.log_sha256;
  return same ? entry.data : 'changed';
}

/** Of the last file that is written of an entry: nothing changes it later. */
async function madeAt(path: string, isBuilt: boolean): Promise<string> {
  const made = await stat(join(path, ENTRY_FILE)).catch(() => null);
  if (made === null) return '';
  const time = made.mtime.toISOString().slice(0, 16).replace('T', ' ');
  return `, ${isBuilt ? 'built' : 'checked out'} ${time} UTC`;
}

async function logDigest(path: string): Promise<string | null> {
  return (await digestFile(join(path, LOG)).catch(() => null))?.sha256 ?? null;
}

/** As long for one arm as for another, copies included: paths reach programs, and their length moves what lies in memory. */
function entryName(recipe: Recipe, cache: string): string {
  const { source, commit, patch, tools } = recipe;
  const { submodules, build, build_env } = source;
  const key = [
    cache,
    commit.tree,
    patch?.sha256 ?? '',
    submodules,
    build,
    build_env,
    tools,
    process.platform,
    process.arch,
  ];
  const copy = (source.again?.copy ?? 0).toString(36).padStart(2, '0');
  return `${plainName(source.repo)}-${commit.tree.slice(0, 12)}-${sha256(JSON.stringify(key)).slice(0, 12)}-${copy}`;
}

function shownRevision({ source, commit }: Recipe): string {
  return `${revisionText(source.rev)} (${commit.hash.slice(0, 12)})`;
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
