/**
 * Arms made ready to run: where they lie, what a trial of them executes, and digests of the files that it executes or is
 * given.
 */
import { stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Emit } from '../events.ts';
import { namedEnvironment } from '../experiment/environment.ts';
import type { Argv, Arm, Experiment } from '../experiment/experiment.ts';
import {
  expand,
  literalTemplate,
  placeholdersOf,
  placeholderValues,
  surroundingPlaceholders,
} from '../experiment/placeholders.ts';
import { AssayError } from '../failures.ts';
import { openCache } from '../io/cache.ts';
import { type DigestedFile, digestFile, digestTree } from '../io/digest.ts';
import { executionFault, findExecutable, isExecutable } from '../io/executable.ts';
import type { FileDigest } from '../journal/records.ts';
import { phaseSetting, phasesOfOwn } from '../plan/phase-setting.ts';
import type { Phase } from '../plan/plan.ts';
import { namedFiles } from './command-files.ts';
import { type CompiledDriver, checkDriver, compileDrivers } from './driver/driver.ts';
import { readMetadata } from './driver/metadata.ts';
import { rocksdbKit } from './driver/rocksdb-kit.ts';
import { type ArmContext, type Place, placesOf } from './place.ts';
import { type Preparation, preparationsOf } from './preparations.ts';
import type { PreparedArm, TrialCommand } from './prepared-arm.ts';

/** Files that are only arguments: larger ones are data, and are not hashed. Executables always are. */
const LARGEST_ARGUMENT_BYTES = 256 * 2 ** 20;
const TRIAL_DIR = 'trial.dir';

/**
 * All arms of an experiment, in its order; of each all its builds, the first as it is, the others linked in another order
 * where Assay does that.
 * @param directory of the experiment, absolute
 * @throws AssayError `arm` where one cannot be had or started; `usage` where the cache cannot be trusted
 */
export async function prepareArms(
  experiment: Experiment,
  directory: string,
  context: ArmContext,
): Promise<readonly PreparedArm[]> {
  const digests: Digests = new Map();
  const once = sayingOnce(context);
  const preparations = preparationsOf(experiment);
  const arms = preparations.map(({ arm }) => arm);
  const places = await placesOf(arms, directory, once);
  // Together, since they must be alike in all but their libraries.
  const drivers = await driversOf(experiment, preparations, directory, places, once);
  const prepared: PreparedArm[] = [];
  for (const [at, preparation] of preparations.entries()) {
    const place = places[at];
    if (place === undefined) throw new Error('every arm has its place');
    prepared.push(await prepareArm(preparation, experiment, directory, place, drivers[at] ?? null, once, digests));
  }
  return experiment.arms.flatMap(({ name, source }) => {
    if (source.kind !== 'same') return withoutEchoes(prepared.filter(({ arm }) => arm === name));
    const other = prepared.find(({ arm }) => arm === source.of);
    if (other === undefined) throw new Error(`${name} is the artefact of an arm that is not there`);
    return [{ ...other, arm: name, provenance: { source: `same as ${source.of}` }, warnings: [], keep: [] }];
  });
}

/** What holds for every build of an arm is said of the first. */
function withoutEchoes(builds: readonly PreparedArm[]): readonly PreparedArm[] {
  const said = new Set(builds[0]?.warnings.map(({ code }) => code));
  return builds.map((one, at) =>
    at === 0 ? one : { ...one, warnings: one.warnings.filter(({ code }) => !said.has(code)) },
  );
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
  preparation: Preparation,
  experiment: Experiment,
  directory: string,
  place: Place,
  driver: CompiledDriver | null,
  context: ArmContext,
  digests: Digests,
): Promise<PreparedArm> {
  const { arm, build } = preparation;
  const executable = driver?.executable ?? null;
  const found = await commandOf(arm, experiment, 'confirmation', directory, place, executable, context);
  if (driver !== null) await checkDriver(driver, found.libraryPath);
  const named = new Set(found.named);
  const commands: [Phase, TrialCommand][] = [];
  for (const phase of phasesOfOwn(experiment, arm.name)) {
    const other = await commandOf(arm, experiment, phase, directory, place, executable, context);
    commands.push([phase, { command: other.command, shown: other.shown }]);
    for (const file of other.named) named.add(file);
  }
  const { stdin } = experiment.workload;
  if (stdin !== null) named.add(resolve(directory, stdin));
  const files: (FileDigest & { readonly real: string })[] = [];
  for (const real of named) {
    const digest = await digestNamed(real, digests);
    if (digest === null && real === found.program) throw unreadable(arm.name, real);
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
  return {
    arm: arm.name,
    build,
    dir: place.dir,
    command: found.command,
    commands: Object.fromEntries(commands),
    files: files.map(({ path, sha256, bytes }) => ({ path, sha256, bytes })),
    provenance: { ...place.provenance, ...repeatOf(preparation, driver), ...driver?.provenance },
    warnings: [...place.warnings, ...(driver?.warnings ?? [])],
    shown: found.shown,
    paths: files.map(({ real }) => real),
    trees,
    driver: executable,
    keep: place.keep,
    revision: place.revision,
    library: driver === null ? null : libraryOf(arm, driver, directory, place),
  };
}

function libraryOf(arm: Arm, { linked }: CompiledDriver, directory: string, { dir }: Place): PreparedArm['library'] {
  const named = arm.library?.kind === 'artifacts' ? arm.library.metadata : [];
  return {
    path: linked.library,
    shown: shownPath(linked.library, directory, dir),
    facts: linked.libraryFacts,
    metadata: readMetadata(arm.name, named, dir ?? directory, dir !== null),
  };
}

/** Which build of several it is; where no driver is linked, nothing of it is in another order. */
function repeatOf({ build, builds }: Preparation, driver: CompiledDriver | null): PreparedArm['provenance'] {
  if (builds === 1) return {};
  const number = { build_number: `${build + 1} of ${builds}` };
  const merely = 'as the build makes it: the build is repeated, and nothing put into another order';
  return build === 0 || driver !== null ? number : { ...number, link_order: merely };
}

/** What trials of an arm execute in a phase, the files that it names, and where it looks for libraries. */
async function commandOf(
  arm: Arm,
  experiment: Experiment,
  phase: Phase,
  directory: string,
  place: Place,
  driver: string | null,
  context: ArmContext,
): Promise<TrialCommand & { named: readonly string[]; program: string; libraryPath: string | undefined }> {
  const { workload, params, command: own } = phaseSetting(experiment, phase);
  const template = own ?? arm.command ?? workload.command;
  if (template === null) throw new Error(`arm ${arm.name} has no command`);
  const surroundings = surroundingPlaceholders(workload);
  const dirs = { arm: place.dir, experiment: directory, trial: `{${TRIAL_DIR}}`, driver, ...surroundings };
  const values = placeholderValues({ workload }, arm, dirs, params);
  const variables = namedEnvironment({ workload }, arm, values, context.env);
  // What an earlier step of the trial would put there is not there yet.
  const path = inTrial(arm.env['PATH'] ?? workload.env['PATH'] ?? '') ? context.env['PATH'] : variables['PATH'];
  const command = await withExecutable(arm.name, template, values, directory, path);
  const words = command.map((word) => expand(word, values));
  const program = words[0] ?? '';
  const directories = [directory, ...(inTrial(workload.cwd) ? [] : [resolve(directory, expand(workload.cwd, values))])];
  const placeholders = {
    ...values,
    'experiment.dir': '{experiment.dir}',
    ...(place.dir === null ? {} : { 'arm.dir': '{arm.dir}' }),
    ...(driver === null ? {} : { 'arm.driver': '{arm.driver}' }),
  };
  return {
    command,
    shown: [
      program === driver ? '{arm.driver}' : shownPath(program, directory, place.dir),
      ...command.slice(1).map((word) => expand(word, placeholders)),
    ],
    named: await namedFiles(words, { directories, path }),
    program,
    libraryPath: variables['LD_LIBRARY_PATH'],
  };
}

/** The driver of each arm, in their order; none where the workload names none. */
async function driversOf(
  experiment: Experiment,
  preparations: readonly Preparation[],
  directory: string,
  places: readonly Place[],
  { env, emit, stop, seed }: ArmContext,
): Promise<readonly CompiledDriver[]> {
  const { driver } = experiment.workload;
  if (driver === null) return [];
  const requests = preparations.flatMap(({ arm: { name, library }, build }, at) => {
    const order = build === 0 ? null : { seed, build };
    return library === null ? [] : [{ arm: name, source: library, directory: places[at]?.dir ?? directory, order }];
  });
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
  const fault = await executionFault(absolute);
  if (fault !== null) throw failure(fault.message, fault.remedy);
  throw failure(
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
