/** A study of engines, from its text to its findings: the programs made, a run of each size, and what all of them show together. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type EngineProgram, engineProgram, knownEngines, studyCompiler } from './arms/engines/programs.ts';
import { AssayError } from './failures.ts';
import type { EngineHead } from './formats/engine-head.ts';
import { openCache } from './io/cache.ts';
import { replayJournal } from './journal/replay.ts';
import { analyseRun, type RunOutcome, startOrResume } from './pipeline.ts';
import { declaredFacts } from './run/declared-facts.ts';
import { defaultRunPath, existingRunDirectory } from './run/directory.ts';
import type { ExperimentSource } from './run/experiment-file.ts';
import type { RunSetting } from './run/open-run.ts';
import { keepStudy, keptStudy } from './run/study-file.ts';
import type { EngineFindings } from './storage/engines/analysis.ts';
import { experimentText, isRunOf, type ReadyEngine } from './storage/engines/experiment.ts';
import { engineFindings, type StudiedSize } from './storage/engines/findings.ts';
import { readStudy } from './storage/engines/read-study.ts';
import type { LeftOut, SettledStudy } from './storage/engines/settled.ts';
import { type EngineStudy, SMALL, type StudiedEngine } from './storage/engines/study.ts';
import { checkSurroundings } from './trial/surroundings/surroundings.ts';

export interface StudySetting extends RunSetting {
  readonly source: ExperimentSource;
  /** With small sizes instead of the study's own. */
  readonly small: boolean;
  /** Null: one in assay-runs, by time and title. One that is there already is gone on with. */
  readonly out: string | null;
  readonly seed: number | null;
}

export interface StudyOutcome {
  readonly directory: string;
  /** Null where a run of it is not complete, or invalid. */
  readonly findings: EngineFindings | null;
  /** The last run that was begun: what it ended with is what the study ended with. */
  readonly last: RunOutcome;
  readonly begun: readonly RunOutcome[];
}

const WORDS = { what: 'study', again: 'give the study as it was' };

/**
 * Runs what a study still lacks. Each size is a run of its own, in a directory of its name.
 * @throws AssayError as a run does; `experiment` for what is wrong in its file; `usage` for what cannot be compared
 */
export async function studyEngines(setting: StudySetting): Promise<StudyOutcome> {
  const { source } = setting;
  const asked = parseStudy(source);
  const directory = setting.out ?? defaultRunPath(asked.title, Date.now(), 'engines');
  const kept = keptStudy(directory);
  if (kept === null && existsSync(join(directory, 'journal.jsonl'))) throw foreign(directory);
  if (kept !== null) checkSame(kept, setting, directory);
  const { settled, engines } = await settle(setting, asked, kept);
  if (kept === null) await keepStudy(directory, settled);
  const begun: RunOutcome[] = [];
  for (const size of settled.study.sizes) {
    const text = experimentText(settled.study, size, engines, settled.seed);
    const run = { ...source, name: `${size.name}.yaml`, text };
    const out = join(directory, size.name);
    const outcome = await startOrResume({ ...setting, source: run, out, seed: null }, WORDS);
    begun.push(outcome);
    if (outcome.analysis.state !== 'complete') return { directory, findings: null, last: outcome, begun };
  }
  const last = begun.at(-1);
  if (last === undefined) throw new Error('a study has one size at least');
  return { directory, findings: await findingsOf(directory, settled), last, begun };
}

/**
 * The findings of a study on disk. Nothing is run or written.
 * @throws AssayError `usage` where a run of it is not there or not complete
 */
export async function studiedEngines(directory: string): Promise<EngineFindings> {
  const settled = keptStudy(directory);
  if (settled === null) {
    throw usage(
      `${directory} is not the directory of a study: it holds no study.json`,
      'Name the directory that `assay engines` printed.',
    );
  }
  for (const { name } of settled.study.sizes) {
    const path = join(directory, name);
    const state = existsSync(join(path, 'journal.jsonl')) ? analyseRun(path).analysis.state : 'incomplete';
    if (state === 'complete') continue;
    throw usage(
      `the run of ${name} in ${directory} is ${state === 'invalid' ? 'invalid' : 'not complete'}`,
      state === 'invalid'
        ? `See what failed: assay report ${path}`
        : `Go on with: assay engines STUDY --out ${directory}`,
    );
  }
  return await findingsOf(directory, settled);
}

async function findingsOf(directory: string, settled: SettledStudy): Promise<EngineFindings> {
  const runs: StudiedSize[] = [];
  for (const size of settled.study.sizes) {
    const path = join(directory, size.name);
    const { journal } = replayJournal(existingRunDirectory(path).journal);
    if (!isRunOf(settled.study, size, settled.seed, journal.run.experiment)) {
      throw usage(
        `study.json in ${directory} is not what its run of ${size.name} was made of`,
        'Restore it from a copy. What was measured is intact: assay report shows the run.',
      );
    }
    runs.push({ size, journal, ...declaredFacts(path, journal) });
  }
  return engineFindings(settled, runs);
}

function parseStudy({ name, text }: ExperimentSource): EngineStudy {
  const read = readStudy(text);
  if (read.ok) return read.study;
  throw new AssayError({ kind: 'experiment', file: name, text, errors: read.errors });
}

/** What is compared on this machine; where that was settled before, only the programs are made sure of. */
async function settle(
  setting: StudySetting,
  asked: EngineStudy,
  kept: SettledStudy | null,
): Promise<{ readonly settled: SettledStudy; readonly engines: readonly ReadyEngine[] }> {
  const { source, small, seed, emit } = setting;
  const study = kept?.study ?? (small ? { ...asked, ...SMALL } : asked);
  const { engines, left_out } = await readyEngines(study, setting);
  const [lost] = left_out;
  if (kept !== null && lost !== undefined) throw usage(`${lost.name}: ${lost.reason}`, lost.remedy);
  if (kept !== null) return { settled: kept, engines };
  if (engines.length < 2) {
    const reasons = left_out.map(({ name, reason, remedy }) => `${name}: ${reason}. ${remedy}`);
    throw usage('a study compares two engines or more, and fewer can be had here', reasons.join(' '));
  }
  const allowed = await allowedHere(study);
  const all = [...left_out, ...allowed.left_out];
  for (const { what, name, reason, remedy } of all) {
    const said = what === 'device' ? 'Bytes and reads are those of the process' : `${name} is left out`;
    emit({ kind: 'limitation', message: `${said}: ${reason}.`, remedy });
  }
  const settled: SettledStudy = {
    ...{ format: 'assay-engine-study', version: 1, text: source.text, small },
    seed: seed ?? asked.seed ?? randomInt(2 ** 31),
    study: { ...study, ...allowed.study, engines: engines.map(({ engine }) => engine) },
    left_out: all,
  };
  return { settled, engines };
}

/** Devices and sizes with a limit of memory, as far as this machine lets us. */
async function allowedHere(
  study: EngineStudy,
): Promise<{ readonly study: Pick<EngineStudy, 'device' | 'sizes'>; readonly left_out: readonly LeftOut[] }> {
  const { sizes } = study;
  const left_out: LeftOut[] = [];
  const device = await refusal({ memory_limit_bytes: null, device: study.device });
  if (device !== null) left_out.push({ what: 'device', name: 'device', ...device });
  const [bound] = sizes.flatMap(({ memory_limit_bytes }) => memory_limit_bytes ?? []);
  const group = await refusal({ memory_limit_bytes: bound ?? null, device: null });
  const possible = sizes.filter(({ memory_limit_bytes }) => group === null || memory_limit_bytes === null);
  for (const { name } of sizes) {
    if (group !== null && !possible.some((size) => size.name === name)) left_out.push({ what: 'size', name, ...group });
  }
  if (possible.length === 0 && group !== null) throw usage(`no size can run here: ${group.reason}`, group.remedy);
  return { study: { device: device === null ? study.device : null, sizes: possible }, left_out };
}

/** Why the machine does not let us make it; null where it does, or nothing is asked for. */
async function refusal(
  asked: Parameters<typeof checkSurroundings>[0],
): Promise<{ readonly reason: string; readonly remedy: string } | null> {
  try {
    await checkSurroundings(asked);
    return null;
  } catch (error) {
    if (!(error instanceof AssayError) || error.failure.kind !== 'machine') throw error;
    const { message, remedy } = error.failure;
    return { reason: message, remedy };
  }
}

async function readyEngines(
  { engines, log }: Pick<EngineStudy, 'engines' | 'log'>,
  { source, env, emit, stop }: StudySetting,
): Promise<{ readonly engines: readonly ReadyEngine[]; readonly left_out: readonly LeftOut[] }> {
  const context = {
    ...{ env, cache: await openCache(env), signal: stop },
    onProgress: (message: string) => emit({ kind: 'preparing', arm: 'study', message }),
  };
  const ready: ReadyEngine[] = [];
  const left_out: LeftOut[] = [];
  const known = await knownEngines();
  const compiled = engines.some((engine) => engine.source.kind === 'engine');
  const compiler = compiled ? await studyCompiler(context) : null;
  for (const engine of engines) {
    const { name, required } = engine;
    if (engine.source.kind === 'program') {
      const program = resolve(source.directory, engine.source.program);
      ready.push({ engine, program, log: engine.log ?? log });
      continue;
    }
    const { engine: asked, prefix } = engine.source;
    const head = known.find((one) => one.name === asked);
    if (head === undefined) {
      throw usage(
        `${name}: there is no driver of the study for ${asked}`,
        `There are: ${known.map((one) => one.name).join(', ')}.`,
      );
    }
    if (engine.variant !== null && !head.variants.includes(engine.variant)) {
      throw usage(`${name}: ${head.title} has no variant ${engine.variant}`, `It has: ${head.variants.join(', ')}.`);
    }
    if (compiler === null) throw new Error('an engine is compiled');
    const at = prefix === null ? null : resolve(source.directory, prefix);
    const made: EngineProgram = await engineProgram(head, at, compiler, context);
    if (made.kind === 'ready') {
      ready.push({ engine, program: made.program, log: logOf(engine, head, log) });
      continue;
    }
    if (required) throw usage(`${name}: ${made.missing}`, made.remedy);
    left_out.push({ what: 'engine', name, reason: made.missing, remedy: made.remedy });
  }
  return { engines: ready, left_out };
}

/** An engine that has no choice takes part as it is; the report says where engines differ. */
function logOf({ name, log }: StudiedEngine, { title, logs }: EngineHead, general: boolean): boolean {
  const [only] = logs;
  const asked = log ?? general;
  if (only === undefined || logs.includes(asked)) return asked;
  if (log === null) return only;
  throw usage(`${name}: ${title} ${only ? 'always has' : 'has no'} log`, 'Leave `log` of this engine out.');
}

/** A study that is gone on with keeps its text, its seed and its sizes. */
function checkSame(kept: SettledStudy, { source, small, seed }: StudySetting, directory: string): void {
  const other = (what: string) =>
    usage(`${directory} holds a study ${what}`, 'Give it as it was to go on, or name another directory with --out.');
  if (kept.text !== source.text) throw other('of another text');
  if (kept.small !== small) throw other(kept.small ? 'that was begun with --small' : 'that was begun without --small');
  if (seed !== null && seed !== kept.seed) throw other(`with the seed ${kept.seed}`);
}

function foreign(directory: string): AssayError {
  return usage(`${directory} holds a run, and no study`, 'Name another directory with --out.');
}

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}
