/**
 * The main job, from top to bottom: experiment → plan → arms → trials → journal → analysis → reports. Every arrow is one
 * call; what follows the journal is a pure function of it.
 */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { analyse } from './analysis/analyse.ts';
import type { Analysis } from './analysis/analysis.ts';
import { type AskedChange, detect, metricsAsked, reachWithin } from './analysis/detection.ts';
import { forecast } from './analysis/forecast.ts';
import type { EarlierRun, PlanSources } from './analysis/spread.ts';
import { AssayError } from './failures.ts';
import { ownMachineId } from './host/facts.ts';
import type { Journal } from './journal/records.ts';
import { replayJournal } from './journal/replay.ts';
import { makePlan, seedOf } from './plan/plan.ts';
import type { PlannedExperiment } from './report/plan-forecast.ts';
import { findCalibration } from './run/calibrations.ts';
import { discardUnstarted, existingRunDirectory, type RunDirectory, refuseBundle } from './run/directory.ts';
import { lastEnd, latestRun, refuseImport } from './run/earlier.ts';
import { execute } from './run/execute.ts';
import { type ExperimentSource, parseExperiment } from './run/experiment-file.ts';
import { experimentHash, workloadHash } from './run/first-record.ts';
import { identityOf } from './run/identity-file.ts';
import { redactor } from './run/identity-places.ts';
import { type ImportSetting, importResults } from './run/import-results.ts';
import { beginRun, isOver, type OpenRun, type RunSetting, takeUpRun, whileOpen } from './run/open-run.ts';
import { readyArms } from './run/ready-arms.ts';
import { writeReports } from './run/reports.ts';
import { openTrialRunner } from './trial/run-trial.ts';

export interface RunOutcome {
  readonly directory: string;
  readonly journal: Journal;
  readonly analysis: Analysis;
}

/** Runs an experiment from its text to its reports. */
export async function startRun(
  setting: RunSetting & { source: ExperimentSource; out: string | null; seed: number | null },
): Promise<RunOutcome> {
  const experiment = parseExperiment(setting.source);
  const plan = makePlan(experiment, setting.seed ?? experiment.design.seed ?? randomInt(2 ** 31));
  const run = await beginRun(setting, experiment, plan);
  try {
    await perform(run);
  } catch (error) {
    // A misspelt command is no run, and must not count as an earlier one. Once arms are prepared, all is kept.
    const isArm = error instanceof AssayError && error.failure.kind === 'arm';
    if (isArm && replayJournal(run.directory.journal).journal.prepared === null) discardUnstarted(run.directory);
    throw error;
  }
  return await conclude(run.directory);
}

/** Goes on with a run that something stopped. Where nothing is left to run, only the reports are written anew. */
export async function resumeRun(setting: RunSetting & { directory: string }): Promise<RunOutcome> {
  const directory = existingRunDirectory(setting.directory);
  refuseBundle(directory);
  refuseImport(directory.journal);
  const run = isOver({ end: lastEnd(directory.journal) }, setting) ? null : await takeUpRun(setting, directory);
  if (run !== null) await perform(run);
  return await conclude(directory);
}

/**
 * A run that is part of something larger: started, or where its directory has one already, gone on with. That must be of the same
 * experiment and seed.
 * @param words what the whole is called, and how a user asks for it again
 */
export async function startOrResume(
  setting: RunSetting & { readonly source: ExperimentSource; readonly out: string; readonly seed: number | null },
  words: { readonly what: string; readonly again: string },
): Promise<RunOutcome> {
  const { source, out, env, seed } = setting;
  if (!existsSync(join(out, 'journal.jsonl'))) return await startRun(setting);
  const { run } = replayJournal(existingRunDirectory(out).journal).journal;
  const experiment = parseExperiment(source);
  if (seed !== null && seed !== run.plan.seed) {
    throw new AssayError({
      kind: 'usage',
      message: `${out} holds a ${words.what} with the seed ${run.plan.seed}`,
      remedy: 'A run keeps its seed and its plan: leave --seed out, or name another directory with --out.',
    });
  }
  if (run.experiment_id !== experimentHash(redactor(identityOf(experiment, source, env)).experiment(experiment))) {
    throw new AssayError({
      kind: 'usage',
      message: `${out} holds a run of something else than this ${words.what}`,
      remedy: `Name another directory with --out, or ${words.again}.`,
    });
  }
  return await resumeRun({ ...setting, directory: out });
}

/** Arms, trials and journal: runs what the journal does not hold yet, under the lock that the launcher holds. */
async function perform(run: OpenRun): Promise<void> {
  const { experiment, source, runPath, trialsPath, launcher, redact, append, note, setting, standing } = run;
  const { env, keep, keepGoing, stop, emit } = setting;
  await whileOpen(run, async () => {
    const { journal, progress, pace } = standing;
    const { plan } = journal.run;
    const ready = await readyArms(run, journal);
    if (ready === null) {
      append({ kind: 'end', unix_ms: Date.now(), reason: { kind: 'signal', signal: String(stop.reason) } });
      return;
    }
    const { arms, machine, counting } = ready;
    const place = { experimentDir: source.directory, runPath, trialsPath, env, keep, redact: redact.account };
    const runner = openTrialRunner({
      experiment: { ...experiment, machine },
      seed: seedOf(plan),
      arms,
      launcher,
      counting,
      ...place,
    });
    const known = { experiment, plan, arms, progress, pace };
    await execute({ ...known, runner, append, note, keepGoing, stop, emit, now: Date.now });
  });
}

/** Analysis and reports: what the journal shows. */
async function conclude(directory: RunDirectory): Promise<RunOutcome> {
  const outcome = analyseRun(directory.path);
  await writeReports(directory, outcome.journal, outcome.analysis);
  return outcome;
}

/** Makes a run of results that were measured elsewhere. Nothing is executed. */
export async function importAndAnalyse(setting: ImportSetting): Promise<RunOutcome> {
  return await importResults(setting, conclude);
}

/** The analysis of a run on disk. Nothing is executed or written. */
export function analyseRun(path: string): RunOutcome {
  const directory = existingRunDirectory(path);
  const { journal } = replayJournal(directory.journal);
  return { directory: path, journal, analysis: analyse(journal) };
}

export interface PlanRequest {
  readonly source: ExperimentSource;
  readonly env: NodeJS.ProcessEnv;
  readonly seed: number | null;
  /** The run to take time and spread from; null: the latest of the same experiment in assay-runs. */
  readonly from: string | null;
  /** The change that the plan is to find; null: not asked. */
  readonly detect: AskedChange | null;
  /** The time that there is for all of it; null: not asked. */
  readonly within_seconds: number | null;
}

/** The plan of an experiment with what is known of its time and spread. Nothing is run or written. */
export async function planExperiment(request: PlanRequest): Promise<PlannedExperiment> {
  const { source, env, seed, within_seconds } = request;
  const experiment = parseExperiment(source);
  const asked = request.detect === null ? null : metricsAsked(experiment, request.detect);
  if (asked !== null && 'message' in asked) throw new AssayError({ kind: 'usage', ...asked });
  const given = seed ?? experiment.design.seed;
  const plan = makePlan(experiment, given ?? randomInt(2 ** 31));
  const redacted = redactor(identityOf(experiment, source, env)).experiment(experiment);
  const from = request.from ?? latestRun(experimentHash(redacted));
  const { calibration, problem } = findCalibration(env, await ownMachineId(), workloadHash(redacted));
  const sources: PlanSources = {
    earlier: from === null ? null : earlierRun(from),
    named: request.from !== null,
    calibration,
  };
  return {
    experiment,
    plan,
    seed_given: given !== null,
    forecast: forecast(experiment, plan, sources),
    detection: asked === null ? null : detect(experiment, plan, sources, asked),
    within: within_seconds === null ? null : reachWithin(experiment, plan, sources, within_seconds),
    from,
    warnings: problem === null ? [] : [problem],
  };
}

function earlierRun(directory: string): EarlierRun {
  const { analysis, journal } = analyseRun(directory);
  const { calibrates, design } = journal.run.experiment;
  if (calibrates !== null) {
    throw new AssayError({
      kind: 'usage',
      message: `${directory} is a calibration`,
      remedy: 'Leave --from out: what is on record of this machine and workload is found without it.',
    });
  }
  if (journal.run.imported !== null) {
    throw new AssayError({
      kind: 'usage',
      message: `${directory} holds results that were measured elsewhere: what a trial takes here they do not say`,
      remedy: 'Leave --from out, or name a run of the experiment.',
    });
  }
  const { slices } = design;
  return { directory, analysis, prepared: journal.prepared?.arms ?? [], session_ns: slices?.session_ns ?? null };
}
