/**
 * The main job, from top to bottom: experiment → plan → arms → trials → journal → analysis → reports. Every arrow is one
 * call; what follows the journal is a pure function of it.
 */
import { randomInt } from 'node:crypto';
import { analyse } from './analysis/analyse.ts';
import type { Analysis } from './analysis/analysis.ts';
import { forecast } from './analysis/forecast.ts';
import { AssayError } from './failures.ts';
import type { Journal } from './journal/records.ts';
import { replayJournal } from './journal/replay.ts';
import { makePlan } from './plan/plan.ts';
import type { PlannedExperiment } from './report/plan.ts';
import { discardUnstarted, existingRunDirectory, type RunDirectory, refuseBundle } from './run/directory.ts';
import { lastEnd, latestRun } from './run/earlier.ts';
import { execute } from './run/execute.ts';
import { type ExperimentSource, parseExperiment } from './run/experiment-file.ts';
import { experimentHash } from './run/first-record.ts';
import { identityOf } from './run/identity-file.ts';
import { redactor } from './run/identity-places.ts';
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
  const run = isOver({ end: lastEnd(directory.journal) }, setting) ? null : await takeUpRun(setting, directory);
  if (run !== null) await perform(run);
  return await conclude(directory);
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
      seed: plan.seed,
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

/** The analysis of a run on disk. Nothing is executed or written. */
export function analyseRun(path: string): RunOutcome {
  const directory = existingRunDirectory(path);
  const { journal } = replayJournal(directory.journal);
  return { directory: path, journal, analysis: analyse(journal) };
}

export interface PlanRequest {
  readonly source: ExperimentSource;
  readonly seed: number | null;
  /** The run to take time and spread from; null: the latest of the same experiment in assay-runs. */
  readonly from: string | null;
}

/** The plan of an experiment with what is known of its time and spread. Nothing is run or written. */
export function planExperiment({ source, seed, from }: PlanRequest): PlannedExperiment {
  const experiment = parseExperiment(source);
  const given = seed ?? experiment.design.seed;
  const plan = makePlan(experiment, given ?? randomInt(2 ** 31));
  const identity = identityOf(experiment, source, process.env);
  const earlier = from ?? latestRun(experimentHash(redactor(identity).experiment(experiment)));
  const { analysis, journal } = earlier === null ? { analysis: null, journal: null } : analyseRun(earlier);
  return {
    experiment,
    plan,
    seed_given: given !== null,
    forecast: forecast(experiment, plan, analysis, journal?.prepared?.arms),
    from: earlier,
  };
}
