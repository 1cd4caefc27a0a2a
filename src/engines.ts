/** A study of engines, from its text to its findings: the programs made, a run of each size, and what all of them show together. */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Emit } from './events.ts';
import { AssayError } from './failures.ts';
import { replayJournal } from './journal/replay.ts';
import { analyseRun, type RunOutcome, startOrResume } from './pipeline.ts';
import { declaredFacts } from './run/declared-facts.ts';
import { defaultRunPath, existingRunDirectory } from './run/directory.ts';
import type { RunSetting } from './run/open-run.ts';
import { type AskedStudy, begunStudy, comparedHere, parseStudy, sizedStudy } from './run/settle-study.ts';
import { keepStudy, keptStudy } from './run/study-file.ts';
import type { EngineFindings } from './storage/engines/analysis.ts';
import { experimentText, isRunOf, type ReadyEngine } from './storage/engines/experiment.ts';
import { engineFindings, type StudiedSize } from './storage/engines/findings.ts';
import type { SettledStudy } from './storage/engines/settled.ts';
import { checkSurroundings } from './trial/surroundings/surroundings.ts';

export interface StudySetting extends RunSetting, AskedStudy {
  /** Null: one in assay-runs, by time and title. One that is there already is gone on with. */
  readonly out: string | null;
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
  const { title } = parseStudy(source);
  const directory = setting.out ?? defaultRunPath(title, Date.now(), 'engines');
  const kept = begunStudy(directory, setting);
  const { settled, engines } = await settle(setting, kept);
  if (kept === null) await keepStudy(directory, settled);
  // Two engines are a pair elsewhere; a study speaks of blocks, however many there are.
  const emit: Emit = (event) =>
    setting.emit('unit' in event && event.unit === 'pair' ? { ...event, unit: 'block' } : event);
  const begun: RunOutcome[] = [];
  for (const size of settled.study.sizes) {
    const text = experimentText(settled.study, size, engines, settled.seed);
    const run = { ...source, name: `${size.name}.yaml`, text };
    const out = join(directory, size.name);
    const outcome = await startOrResume({ ...setting, emit, source: run, out, seed: null }, WORDS);
    begun.push(outcome);
    if (outcome.analysis.state !== 'complete') return { directory, findings: null, last: outcome, begun };
  }
  const last = begun.at(-1);
  if (last === undefined) throw new Error('a study has one size at least');
  return { directory, findings: await findingsOf(directory, settled), last, begun };
}

async function settle(
  setting: StudySetting,
  kept: SettledStudy | null,
): Promise<{ readonly settled: SettledStudy; readonly engines: readonly ReadyEngine[] }> {
  const { source, small, seed, env, emit, stop } = setting;
  const asked = sizedStudy(setting, kept);
  const making = { stop, onProgress: (message: string) => emit({ kind: 'preparing', arm: 'study', message }) };
  const { study, engines, left_out } = await comparedHere(asked, kept, { source, env, making }, checkSurroundings);
  if (kept !== null) return { settled: kept, engines };
  for (const { what, name, reason, remedy } of left_out) {
    const said = what === 'device' ? 'Bytes and reads are those of the process' : `${name} is left out`;
    emit({ kind: 'limitation', message: `${said}: ${reason}.`, remedy });
  }
  const settled: SettledStudy = {
    ...{ format: 'assay-engine-study', version: 1, text: source.text, small, study, left_out },
    seed: seed ?? asked.seed ?? randomInt(2 ** 31),
  };
  return { settled, engines };
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

function usage(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}
