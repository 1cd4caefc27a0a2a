/**
 * Where each arm lies, made ready: installed, or checked out and built. To add a kind of arm: a member of `ArmSource`, and
 * a case in `placeOf`.
 */
import { join } from 'node:path';
import type { Emit } from '../events.ts';
import type { Arm } from '../experiment/experiment.ts';
import { openCache } from '../io/cache.ts';
import type { DigestedFile } from '../io/digest.ts';
import type { PreparedArm, PreparedRecord } from '../journal/records.ts';
import { checkArtifacts } from './driver/library.ts';
import { readMetadata } from './driver/metadata.ts';
import { rocksdbKit } from './driver/rocksdb-kit.ts';
import type { GitContext } from './git/entry.ts';
import { type FoundCommit, findCommit } from './git/find.ts';
import { prepareGitArm } from './git/git.ts';
import type { ArmRevision } from './git/source-diff.ts';
import { prepareNpmArm } from './npm/npm.ts';

export interface ArmContext {
  readonly env: NodeJS.ProcessEnv;
  readonly emit: Emit;
  /** Aborted where the user wants an end: an installation that is going on is stopped. */
  readonly stop?: AbortSignal;
  /** How arms were prepared when the run began that goes on now: the same commits are taken, whatever has moved since. */
  readonly before?: PreparedRecord | null;
  /** Of the plan: what the order of a link is drawn from. */
  readonly seed: number;
}

export interface Place {
  readonly dir: string | null;
  readonly tree: DigestedFile | null;
  readonly keep: readonly string[];
  readonly provenance: Readonly<Record<string, string>>;
  readonly warnings: PreparedArm['warnings'];
  /** Null for what is no revision of git. */
  readonly revision: ArmRevision | null;
}

/**
 * The places of arms, in their order.
 * @param directory of the experiment, absolute
 * @throws AssayError `arm` where one cannot be had
 */
export async function placesOf(
  arms: readonly Arm[],
  directory: string,
  context: ArmContext,
): Promise<readonly Place[]> {
  // Before any build, which takes long: a misspelt revision fails at once, and a commit made meanwhile changes nothing.
  const found: (FoundCommit | null)[] = [];
  for (const arm of arms) found.push(await commitOf(arm, directory, context));
  const places: Place[] = [];
  const cached = new Set<string>();
  const built = arms.filter(isBuilt);
  for (const [at, arm] of arms.entries()) {
    const build = { number: built.indexOf(arm) + 1, total: built.length };
    const place = await placeOf(arm, found[at] ?? null, directory, context, { cached, build });
    places.push(place);
    // Before the next build, which takes long.
    if (arm.library?.kind !== 'artifacts' || place.dir === null || !isBuilt(arm)) continue;
    await checkArtifacts(arm.name, arm.library, await rocksdbKit(), place.dir, true);
    readMetadata(arm.name, arm.library.metadata, place.dir, true);
  }
  return places;
}

function isBuilt({ source }: Arm): boolean {
  return source.kind === 'git' && source.build.length > 0;
}

/** What is known of all arms while one of them is made. */
interface Making {
  /** Arms of which it has been said that the cache has them: several builds of one are one. */
  readonly cached: Set<string>;
  /** Where this arm stands among those that are built. */
  readonly build: { readonly number: number; readonly total: number };
}

async function commitOf(arm: Arm, directory: string, context: ArmContext): Promise<FoundCommit | null> {
  if (arm.source.kind !== 'git') return null;
  const recorded = context.before?.arms.find((each) => each.arm === arm.name)?.provenance['commit'] ?? null;
  const cache = await openCache(context.env);
  return await findCommit(arm.name, arm.source, directory, cache, gitContext(arm, context), recorded);
}

async function placeOf(
  arm: Arm,
  found: FoundCommit | null,
  directory: string,
  context: ArmContext,
  making: Making,
): Promise<Place> {
  const { env, emit, stop } = context;
  switch (arm.source.kind) {
    case 'command':
      return { dir: null, tree: null, keep: [], provenance: { source: 'command' }, warnings: [], revision: null };
    case 'imported':
      throw new Error(`the results of ${arm.name} were measured elsewhere: there is nothing to prepare`);
    case 'same':
      throw new Error(`${arm.name} is the artefact of ${arm.source.of}, and not prepared again`);
    case 'npm': {
      const { dir, tree, provenance } = await prepareNpmArm(arm.name, arm.source, await openCache(env), {
        env,
        onProgress: (message) => emit({ kind: 'preparing', arm: arm.name, message }),
        signal: stop,
      });
      return {
        dir,
        tree: { sha256: tree.sha256, bytes: tree.bytes },
        keep: [join(dir, 'package-lock.json')],
        provenance,
        warnings: [],
        revision: null,
      };
    }
    case 'git': {
      if (found === null) throw new Error('the commit of every git arm has been found');
      const cache = await openCache(env);
      const made = await prepareGitArm(arm.name, arm.source, found, directory, cache, gitContext(arm, context, making));
      return { ...made, tree: { sha256: made.tree.sha256, bytes: made.tree.bytes } };
    }
  }
}

function gitContext({ name }: Arm, { env, emit, stop }: ArmContext, making: Making | null = null): GitContext {
  return {
    env,
    onCached: (message) => {
      if (making?.cached.has(name) !== true) emit({ kind: 'preparing', arm: name, message });
      making?.cached.add(name);
    },
    onProgress: (message) => emit({ kind: 'preparing', arm: name, message }),
    onNote: (message, remedy) => emit({ kind: 'limitation', message, remedy }),
    onBuild: () => {
      if (making !== null) emit({ kind: 'building', arm: name, ...making.build });
      emit({
        kind: 'limitation',
        message: 'A build runs code of the repository, with all that this user may do.',
        remedy: 'Build only what you would run.',
      });
    },
    signal: stop,
  };
}
