/** Arms that are packages of a registry: installed once into the cache, checked whenever they are used again. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ArmSource } from '../../experiment/experiment.ts';
import { AssayError } from '../../failures.ts';
import { parseJson } from '../../formats/json.ts';
import { makeEntry, markUsed, removeEntry } from '../../io/cache.ts';
import { type DigestedTree, digestTree } from '../../io/digest.ts';
import { fileFailure } from '../../io/file-failure.ts';
import { type NpmOutcome, runNpm } from './client.ts';

export type NpmSource = Extract<ArmSource, { kind: 'npm' }>;

interface NpmArm {
  /** Holds package.json, package-lock.json and node_modules. */
  readonly dir: string;
  readonly tree: DigestedTree;
  readonly provenance: Readonly<Record<string, string>>;
}

interface NpmContext {
  /** Assay's own environment: npm needs the user's settings. */
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const INSTALL_TIMEOUT_MS = 600_000;
const ENTRY_FILE = 'entry.json';
const TREE = 'tree';

/** What is kept beside the tree. No address of a registry: it may be a private one. */
const entrySchema = z.object({
  format: z.literal(1),
  integrity: z.string(),
  node: z.string(),
  lock_sha256: z.string(),
  tree: z.object({ sha256: z.string(), files: z.number(), bytes: z.number() }),
});
type Entry = z.infer<typeof entrySchema>;

/**
 * The installed package, from the cache where an earlier installation still has the digest that it had when it was
 * made, else installed anew by the user's npm: exactly that version, ranges of its dependencies settled in a lock file
 * that is kept, scripts off unless asked for.
 * @param arm the name for failures
 * @throws AssayError `arm` where npm is missing or fails, with its last lines and what would help
 */
export async function prepareNpmArm(
  arm: string,
  source: NpmSource,
  cache: string,
  context: NpmContext,
): Promise<NpmArm> {
  const name = entryName(source);
  const path = join(cache, 'npm', name);
  const cached = await readEntry(path);
  if (cached === 'changed') {
    context.onProgress(
      `${source.package}@${source.version} in the cache is not as it was installed: installing it again`,
    );
    await removeEntry(cache, path);
  } else if (cached !== 'missing') {
    return use(path, source, cached);
  }
  context.onProgress(`installing ${source.package}@${source.version}`);
  await makeEntry(cache, 'npm', name, (directory) => install(arm, source, directory, context));
  const made = await readEntry(path);
  if (made === 'changed' || made === 'missing') {
    throw new AssayError({
      kind: 'arm',
      arm,
      message: `${source.package}@${source.version} changed in the cache right after it was installed`,
      detail: '',
      remedy: 'Something else writes to the cache: find out what, then run again.',
    });
  }
  return use(path, source, made);
}

async function use(path: string, source: NpmSource, entry: Entry): Promise<NpmArm> {
  await markUsed(path);
  return {
    dir: join(path, TREE),
    tree: entry.tree,
    provenance: {
      source: 'npm',
      package: source.package,
      version: source.version,
      integrity: entry.integrity,
      scripts: source.scripts ? 'run' : 'not run',
      node: entry.node,
      tree_sha256: entry.tree.sha256,
      tree_files: String(entry.tree.files),
      tree_bytes: String(entry.tree.bytes),
      lock_sha256: entry.lock_sha256,
    },
  };
}

/** The name says what it is to a person; the hash holds what else an installation depends on. */
function entryName(source: NpmSource): string {
  const key = [
    source.package,
    source.version,
    source.scripts,
    process.platform,
    process.arch,
    process.versions.modules,
  ];
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 12);
  return `${`${source.package}@${source.version}`.replace(/[^A-Za-z0-9._@-]/g, '+')}-${hash}`;
}

/** `changed`: there is something of that name, but not as it was made. */
async function readEntry(path: string): Promise<Entry | 'missing' | 'changed'> {
  const there = await stat(path).then(
    () => true,
    () => false,
  );
  if (!there) return 'missing';
  const text = await readFile(join(path, ENTRY_FILE), 'utf8').catch(() => '');
  const entry = entrySchema.safeParse(parseJson(text));
  if (!entry.success) return 'changed';
  const now = await digestTree(join(path, TREE)).catch(() => null);
  return now?.sha256 === entry.data.tree.sha256 ? entry.data : 'changed';
}

async function install(arm: string, source: NpmSource, directory: string, context: NpmContext): Promise<void> {
  const tree = join(directory, TREE);
  const write = async (path: string, value: unknown) => {
    await writeFile(path, `${JSON.stringify(value, null, 2)}\n`).catch((error: unknown) => {
      throw fileFailure(error, path, 'write to the cache');
    });
  };
  await mkdir(tree).catch((error: unknown) => {
    throw fileFailure(error, tree, 'write to the cache');
  });
  // A name, because npm would else take that of the directory into the lock file.
  const manifest = { name: 'assay-arm', private: true, dependencies: { [source.package]: source.version } };
  await write(join(tree, 'package.json'), manifest);
  const outcome = await runNpm(installArguments(source, tree), {
    env: context.env,
    timeout_ms: INSTALL_TIMEOUT_MS,
    signal: context.signal,
  });
  if (outcome.kind !== 'done') throw installFailure(arm, source, outcome);
  const lock = await readFile(join(tree, 'package-lock.json')).catch((error: unknown) => {
    throw fileFailure(error, join(tree, 'package-lock.json'), 'read');
  });
  const entry: Entry = {
    format: 1,
    integrity: lockedIntegrity(arm, source, lock.toString()),
    node: process.version,
    lock_sha256: createHash('sha256').update(lock).digest('hex'),
    tree: await digestTree(tree),
  };
  await write(join(directory, ENTRY_FILE), entry);
}

function installArguments(source: NpmSource, tree: string): readonly string[] {
  return [
    'install',
    `--prefix=${tree}`,
    source.scripts ? '--no-ignore-scripts' : '--ignore-scripts',
    '--package-lock',
    '--omit-lockfile-registry-resolved',
    '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--no-progress',
    '--no-color',
    '--loglevel=error',
  ];
}

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), integrity: z.string().optional() })),
});

/** What the lock file says that was installed; it must be what was asked for. */
function lockedIntegrity(arm: string, source: NpmSource, text: string): string {
  const lock = lockSchema.safeParse(parseJson(text));
  const locked = lock.data?.packages[`node_modules/${source.package}`];
  if (locked?.version === source.version && locked.integrity !== undefined) return locked.integrity;
  throw new AssayError({
    kind: 'arm',
    arm,
    message: `npm did not install ${source.package}@${source.version} from a registry`,
    detail: '',
    remedy: 'Name a package and an exact version that a registry has.',
  });
}

function installFailure(arm: string, source: NpmSource, outcome: Exclude<NpmOutcome, { kind: 'done' }>): AssayError {
  const wanted = `${source.package}@${source.version}`;
  const failure = (message: string, remedy: string) =>
    new AssayError({ kind: 'arm', arm, message, detail: 'output' in outcome ? outcome.output : '', remedy });
  switch (outcome.kind) {
    case 'missing':
      return failure(
        `npm is needed to install ${wanted}, and was found neither beside Node.js nor on PATH`,
        'Install npm, or put the directory that holds it on PATH.',
      );
    case 'cancelled':
      return failure(`installing ${wanted} was stopped`, 'Run again: nothing half-installed is kept.');
    case 'timeout':
      return failure(
        `installing ${wanted} took more than ${INSTALL_TIMEOUT_MS / 60_000} minutes`,
        'Check the connection to the registry, then run again.',
      );
    case 'failed':
      return failure(...failedInstall(source, wanted, outcome.code));
  }
}

function failedInstall(source: NpmSource, wanted: string, code: string | null): [message: string, remedy: string] {
  switch (code) {
    case 'ETARGET':
      return [
        `the registry has no version ${source.version} of ${source.package}`,
        `See which there are: npm view ${source.package} versions`,
      ];
    case 'E404':
      return [
        `the registry has no package ${source.package}`,
        'Check the spelling, and that npm is set to the registry that has it: npm config get registry',
      ];
    case 'E401':
    case 'E403':
    case 'ENEEDAUTH':
      return [`the registry refuses ${wanted}`, 'Log in with npm, or ask for access: npm whoami'];
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ECONNREFUSED':
    case 'ECONNRESET':
    case 'ENETUNREACH':
    case 'EHOSTUNREACH':
    case 'ETIMEDOUT':
    case 'ERR_SOCKET_TIMEOUT':
      return [
        `the registry cannot be reached to install ${wanted} (${code})`,
        'Check the network and npm’s proxy settings, then run again; what is in the cache already needs no network.',
      ];
    case 'EINTEGRITY':
      return [
        `what the registry sent for ${wanted} has the wrong digest`,
        'Clear npm’s cache (npm cache verify), then run again.',
      ];
    case 'ENOSPC':
      return [
        `the disk is full: ${wanted} cannot be installed`,
        'Free some space, or name a cache elsewhere in ASSAY_CACHE.',
      ];
    case 'EBADPLATFORM':
      return [`${wanted} does not support this platform`, 'Choose a version that does.'];
    default:
      return [
        `npm could not install ${wanted}`,
        source.scripts
          ? 'npm’s last lines stand above; scripts of packages often need a compiler.'
          : 'npm’s last lines stand above.',
      ];
  }
}
