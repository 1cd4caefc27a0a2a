/**
 * Arms made ready to run: where they lie, what a trial of them executes, and digests of the files that it executes or is
 * given.
 */
import { stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Emit } from '../events.ts';
import { namedEnvironment } from '../experiment/environment.ts';
import type { Argv, Arm, Experiment } from '../experiment/experiment.ts';
import { expand, literalTemplate, placeholdersOf, placeholderValues } from '../experiment/placeholders.ts';
import { AssayError } from '../failures.ts';
import { openCache } from '../io/cache.ts';
import { type DigestedFile, digestFile, digestTree } from '../io/digest.ts';
import { findExecutable, isExecutable } from '../io/executable.ts';
import type { FileDigest, PreparedArm as PreparedArmRecord } from '../journal/records.ts';
import { namedFiles } from './command-files.ts';
import { type CompiledDriver, checkDriver, compileDrivers } from './driver/driver.ts';
import { rocksdbKit } from './driver/rocksdb-kit.ts';
import { type ArmContext, type Place, placesOf } from './place.ts';

export interface PreparedArm {
  readonly arm: string;
  /** What `{arm.dir}` stands for; null for an arm that is only a command. */
  readonly dir: string | null;
  /** A template for `expand`: as in the experiment, but the first word is the absolute path of an executable. */
  readonly command: Argv;
  /** Paths as records show them. A tree is listed as `{arm.dir}`, with the digest of the whole. */
  readonly files: readonly FileDigest[];
  readonly provenance: Readonly<Record<string, string>>;
  readonly warnings: PreparedArmRecord['warnings'];
  /** `command` as records show it: parameters filled in, directories as placeholders. */
  readonly shown: readonly string[];
  /** Where the files of `files` really lie, in the same order. */
  readonly paths: readonly string[];
  /** Which of `paths` are directories, digested as a whole. */
  readonly trees: readonly string[];
  /** What `{arm.driver}` stands for; null where the workload has no driver. */
  readonly driver: string | null;
  /** Files of the preparation that a run keeps with its evidence. */
  readonly keep: readonly string[];
}

/** Files that are only arguments: larger ones are data, and are not hashed. Executables always are. */
const LARGEST_ARGUMENT_BYTES = 256 * 2 ** 20;
const TRIAL_DIR = 'trial.dir';

/**
 * All arms of an experiment, in its order.
 * @param directory of the experiment, absolute
 * @throws AssayError `arm` where one cannot be had or started; `usage` where the cache cannot be trusted
 */
export async function prepareArms(
  experiment: Experiment,
  directory: string,
  context: ArmContext,
): Promise<readonly PreparedArm[]> {
  const digests: Digests = new Map();
  const prepared: PreparedArm[] = [];
  const once = sayingOnce(context);
  const places = await placesOf(experiment.arms, directory, once);
  // Together, since they must be alike in all but their libraries.
  const drivers = await driversOf(experiment, directory, places, once);
  for (const [at, arm] of experiment.arms.entries()) {
    const place = places[at];
    if (place === undefined) throw new Error('every arm has its place');
    prepared.push(await prepareArm(arm, experiment, directory, place, drivers[at] ?? null, once, digests));
  }
  return prepared;
}

/** Arms often share a repository, and what is to be known of it need not be said for each. */
function sayingOnce(context: ArmContext): ArmContext {
  const said = new Set<string>();
  const emit: Emit = (event) => {
    if (event.kind === 'limitation') {
      if (said.has(event.message)) return;
      said.add(event.message);
    }
    context.emit(event);
  };
  return { ...context, emit };
}

/** What the journal keeps of an arm. */
export function armRecord({ arm, shown, files, provenance, warnings }: PreparedArm): PreparedArmRecord {
  return { arm, command: shown, files, provenance, warnings };
}

/** Which of the files and trees are not what they were when the arms were prepared. Missing ones count. */
export async function changedFiles(
  arms: readonly PreparedArm[],
): Promise<readonly { readonly arm: string; readonly path: string }[]> {
  const digests: Digests = new Map();
  const changed: { arm: string; path: string }[] = [];
  for (const { arm, trees, files, paths } of arms) {
    for (const [at, file] of files.entries()) {
      const path = paths[at] ?? file.path;
      const now = trees.includes(path) ? await digestTree(path).catch(() => null) : await digestOnce(path, digests);
      if (now?.sha256 !== file.sha256) changed.push({ arm, path: file.path });
    }
  }
  return changed;
}

/** Arms often share files, such as the runtime: each is read once. */
type Digests = Map<string, Promise<DigestedFile | null>>;

function digestOnce(path: string, digests: Digests): Promise<DigestedFile | null> {
  const known = digests.get(path);
  if (known !== undefined) return known;
  const digest = digestFile(path).catch(() => null);
  digests.set(path, digest);
  return digest;
}

async function prepareArm(
  arm: Arm,
  experiment: Experiment,
  directory: string,
  place: Place,
  driver: CompiledDriver | null,
  context: ArmContext,
  digests: Digests,
): Promise<PreparedArm> {
  const template = arm.command ?? experiment.workload.command;
  if (template === null) throw new Error(`arm ${arm.name} has no command`);
  const executable = driver?.executable ?? null;
  const dirs = { arm: place.dir, experiment: directory, trial: `{${TRIAL_DIR}}`, driver: executable };
  const values = placeholderValues(experiment, arm, dirs);
  const variables = namedEnvironment(experiment, arm, values, context.env);
  if (driver !== null) await checkDriver(driver, variables['LD_LIBRARY_PATH']);
  // What an earlier step of the trial would put there is not there yet.
  const path = inTrial(arm.env['PATH'] ?? experiment.workload.env['PATH'] ?? '')
    ? context.env['PATH']
    : variables['PATH'];
  const command = await withExecutable(arm.name, template, values, directory, path);

  const words = command.map((word) => expand(word, values));
  const { cwd, stdin } = experiment.workload;
  const directories = [directory, ...(inTrial(cwd) ? [] : [resolve(directory, expand(cwd, values))])];
  const named = await namedFiles(words, { directories, path });
  const given = stdin === null ? [] : [resolve(directory, stdin)];
  const files: (FileDigest & { readonly real: string })[] = [];
  for (const real of new Set([...named, ...given])) {
    const digest = await digestNamed(real, digests);
    if (digest === null && real === words[0]) throw unreadable(arm.name, real);
    if (digest === null || real === executable) continue;
    files.push({ path: shownPath(real, directory, place.dir), ...digest, real });
  }
  const trees = place.dir === null ? [] : [place.dir];
  for (const { path: real, kind, sha256, bytes } of driver?.files ?? []) {
    const shown = real === executable ? '{arm.driver}' : shownPath(real, directory, place.dir);
    files.push({ path: shown, sha256, bytes, real });
    if (kind === 'tree') trees.push(real);
  }
  if (place.dir !== null && place.tree !== null) {
    files.push({ path: '{arm.dir}', ...place.tree, real: place.dir });
  }
  const placeholders = {
    ...values,
    'experiment.dir': '{experiment.dir}',
    ...(place.dir === null ? {} : { 'arm.dir': '{arm.dir}' }),
    ...(executable === null ? {} : { 'arm.driver': '{arm.driver}' }),
  };
  return {
    arm: arm.name,
    dir: place.dir,
    command,
    files: files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })),
    provenance: { ...place.provenance, ...driver?.provenance },
    warnings: [...place.warnings, ...(driver?.warnings ?? [])],
    shown: [
      words[0] === executable ? '{arm.driver}' : shownPath(words[0] ?? '', directory, place.dir),
      ...command.slice(1).map((word) => expand(word, placeholders)),
    ],
    paths: files.map(({ real }) => real),
    trees,
    driver: executable,
    keep: place.keep,
  };
}

/** The driver of each arm, in their order; none where the workload names none. */
async function driversOf(
  experiment: Experiment,
  directory: string,
  places: readonly Place[],
  { env, emit, stop }: ArmContext,
): Promise<readonly CompiledDriver[]> {
  const { driver } = experiment.workload;
  if (driver === null) return [];
  const requests = experiment.arms.flatMap(({ name, library }, at) =>
    library === null ? [] : [{ arm: name, source: library, directory: places[at]?.dir ?? directory }],
  );
  const onProgress = (message: string) => emit({ kind: 'preparing', arm: 'driver', message });
  const context = { env, cache: await openCache(env), onProgress, signal: stop };
  return await compileDrivers(requests, await rocksdbKit(), driver, directory, context);
}

/** The command with its first word as an absolute path, escaped as a template. */
async function withExecutable(
  arm: string,
  template: Argv,
  values: Readonly<Record<string, string>>,
  directory: string,
  path: string | undefined,
): Promise<Argv> {
  const [first, ...rest] = template;
  // A program that an earlier step of the trial would make is not there yet.
  if (inTrial(first)) return template;
  const program = expand(first, values);
  const failure = (message: string, remedy: string) =>
    new AssayError({ kind: 'arm', arm, message, detail: '', remedy });
  if (!program.includes('/')) {
    const found = await findExecutable(program, path);
    if (found !== null) return [literalTemplate(found, []), ...rest];
    const here = await isExecutable(resolve(directory, program));
    throw failure(
      `there is no program '${program}' on PATH`,
      here
        ? `There is one beside the experiment: write ./${program} to run that.`
        : 'Check the spelling, install it, or write its path with a slash (./name is beside the experiment).',
    );
  }
  const absolute = resolve(directory, program);
  if (await isExecutable(absolute)) return [literalTemplate(absolute, []), ...rest];
  throw (await stat(absolute).catch(() => null)) !== null
    ? failure(`${absolute} cannot be executed`, `If it is a program: chmod +x '${absolute}'`)
    : failure(
        `there is no program ${absolute}`,
        'Relative paths count from the directory of the experiment file, with assay compare from the current one.',
      );
}

/** Null for what is no regular file, cannot be read, or is large and only an argument. Devices are not even opened. */
async function digestNamed(path: string, digests: Digests): Promise<DigestedFile | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) return null;
  if (found.size > LARGEST_ARGUMENT_BYTES && !(await isExecutable(path))) return null;
  return digestOnce(path, digests);
}

function unreadable(arm: string, path: string): AssayError {
  return new AssayError({
    kind: 'arm',
    arm,
    message: `${path} can be executed, but not read, so that no digest can show that it stays the same`,
    detail: '',
    remedy: 'Allow reading it, or run a copy that can be read.',
  });
}

function inTrial(template: string): boolean {
  return placeholdersOf(template).includes(TRIAL_DIR);
}

function shownPath(path: string, directory: string, armDir: string | null): string {
  if (armDir !== null && isWithin(path, armDir)) return `{arm.dir}/${relative(armDir, path)}`;
  if (isWithin(path, directory)) return `{experiment.dir}/${relative(directory, path)}`;
  return path;
}

function isWithin(path: string, directory: string): boolean {
  const inner = relative(directory, path);
  return inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
}
