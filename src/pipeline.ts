/**
 * The main job, from top to bottom: experiment → plan → arms → trials → journal → analysis → reports. Every stage is one
 * call; what follows the journal is a pure function of it.
 */
import { randomInt } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import { analyse } from './analysis/analyse.ts';
import type { Analysis } from './analysis/analysis.ts';
import { forecast } from './analysis/forecast.ts';
import { progressOf } from './analysis/stopping.ts';
import { warningsOf } from './arms/attribution/attribution.ts';
import { type ArmEvidence, armEvidence, NO_EVIDENCE } from './arms/evidence.ts';
import { checkLocalSource } from './arms/git/find.ts';
import { prepareArms } from './arms/prepare.ts';
import { armRecord, type PreparedArm } from './arms/prepared-arm.ts';
import type { Emit } from './events.ts';
import type { Experiment } from './experiment/experiment.ts';
import { readExperiment } from './experiment/parse.ts';
import { AssayError, type Failure } from './failures.ts';
import { readAllowedCpus } from './host/allowed-cpus.ts';
import { parseCpuList } from './host/cpu-list.ts';
import { machineFacts, ownMachineId } from './host/facts.ts';
import type { MachineFacts } from './host/machine.ts';
import { leaveSubjectCpu } from './host/own-cpu.ts';
import { unmet } from './host/requirements.ts';
import { openCache } from './io/cache.ts';
import { removeTree } from './io/disk.ts';
import { assayVersion } from './io/version.ts';
import type { Journal, JournalRecord } from './journal/records.ts';
import { replayJournal } from './journal/replay.ts';
import { continueJournal, createJournal, type JournalWriter } from './journal/writer.ts';
import { unbalancedBuilds } from './plan/builds.ts';
import { makePlan } from './plan/plan.ts';
import type { PlannedExperiment } from './report/plan.ts';
import {
  createRunDirectory,
  defaultRunPath,
  discardUnstarted,
  existingRunDirectory,
  keepEvidence,
  type RunDirectory,
  refuseBundle,
  refuseOthersFiles,
  trialsParent,
  trialsRoot,
} from './run/directory.ts';
import { latestRun } from './run/earlier.ts';
import { execute } from './run/execute.ts';
import type { ExperimentSource } from './run/experiment-file.ts';
import { experimentHash, firstRecord } from './run/first-record.ts';
import { identityOf, notePlaces, readIdentity, writeIdentity } from './run/identity-file.ts';
import { keptIdentity, type Redactor, redactor } from './run/identity-places.ts';
import { writeReports } from './run/reports.ts';
import { checkSameExperiment, checkSameFiles, checkSameMachine, checkSameTool } from './run/resume.ts';
import { type CountingTool, countingCpu, countingLimitations, findCountingTool } from './trial/counting-tool.ts';
import { emptyCommandNs } from './trial/empty-command.ts';
import type { Launcher } from './trial/launch.ts';
import { openLauncher } from './trial/open-launcher.ts';
import { openTrialRunner } from './trial/run-trial.ts';
import { pinSessions } from './trial/session-cpu.ts';

/** What a run needs from its surroundings. */
export interface RunSetting {
  readonly keep: boolean;
  readonly keepGoing: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly emit: Emit;
  /** Aborted, with the name of a signal as the reason, when the user wants the run to stop. */
  readonly stop: AbortSignal;
}

export interface RunOutcome {
  readonly directory: string;
  readonly journal: Journal;
  readonly analysis: Analysis;
}

/** Runs an experiment from its text to its reports. */
export async function startRun(
  setting: RunSetting & { source: ExperimentSource; out: string | null; seed: number | null },
): Promise<RunOutcome> {
  const { source } = setting;
  const experiment = parse(source);
  const plan = makePlan(experiment, setting.seed ?? experiment.design.seed ?? randomInt(2 ** 31));
  const path = setting.out ?? defaultRunPath(experiment.title, Date.now());
  const machine = await machineFacts(trialsParent(path, experiment, source.directory), setting.env);
  checkRequirements(experiment, machine);
  const countingTool = await countingToolOf(experiment, source, setting);
  await openCache(setting.env);
  refuseOthersFiles(trialsRoot(path, experiment, source.directory));

  const directory = createRunDirectory(path);
  const identity = identityOf(experiment, source, setting.env);
  const redact = redactor(identity);
  await writeIdentity(directory.identity, identity, source);
  const settled = redact.settled({ experiment, source: { name: source.name, text: source.text }, plan, machine });
  const journal = createJournal(directory.journal, firstRecord(settled, path));
  setting.emit({ kind: 'directory', path });
  for (const message of keptIdentity(experiment, identity)) {
    setting.emit({ kind: 'limitation', message, remedy: 'Write it otherwise where strangers shall not see that.' });
  }
  const unbalanced = unbalancedBuilds(experiment);
  if (unbalanced !== null) setting.emit({ kind: 'limitation', ...unbalanced });
  const launcher = await openRunLauncher(experiment, directory, setting);
  try {
    return await perform({ setting, experiment, source, directory, launcher, journal, redact, countingTool });
  } catch (error) {
    // A misspelt command is no run, and must not count as an earlier one. Once arms are prepared, all is kept.
    const isArm = error instanceof AssayError && error.failure.kind === 'arm';
    if (isArm && replayJournal(directory.journal).journal.prepared === null) discardUnstarted(directory);
    throw error;
  }
}

/** Goes on with a run that something stopped. Where nothing is left to run, only the reports are written anew. */
export async function resumeRun(setting: RunSetting & { directory: string }): Promise<RunOutcome> {
  const directory = existingRunDirectory(setting.directory);
  refuseBundle(directory);
  if (isOver(replayJournal(directory.journal).journal, setting)) return await conclude(directory);
  const { identity, source } = readIdentity(directory.identity);
  const redact = redactor(identity);
  const experiment = parse(source);
  const machineId = await ownMachineId();
  setting.emit({ kind: 'directory', path: directory.path });
  // What the journal says holds only once the lock is ours: until then another Assay may be writing it.
  const launcher = await openRunLauncher(experiment, directory, setting);
  try {
    const { journal, bytes, torn_bytes } = replayJournal(directory.journal);
    if (isOver(journal, setting)) return await conclude(directory);
    checkSameMachine(journal.run, machineId);
    checkSameExperiment(journal.run, redact.experiment(experiment));
    const countingTool = await countingToolOf(experiment, source, setting);
    checkSameTool(journal.prepared, countingTool?.name ?? null);
    const writer = continueJournal(directory.journal, bytes);
    writer.append({ kind: 'resumed', unix_ms: Date.now(), assay: assayVersion(), dropped_bytes: torn_bytes });
    const left = progressOf(journal).unfinished();
    if (left !== null) writer.append(left);
    setting.emit({ kind: 'resumed', dropped_bytes: torn_bytes });
    return await perform({ setting, experiment, source, directory, launcher, journal: writer, redact, countingTool });
  } finally {
    await launcher.close();
  }
}

/** Complete, or failed for good: a failure is no interruption, and running its pair again would hide it. */
function isOver(journal: Journal, setting: RunSetting): boolean {
  const end = journal.end?.reason.kind;
  return end === 'complete' || end === 'changed' || (end === 'trial_failed' && !setting.keepGoing);
}

interface Performance {
  readonly setting: RunSetting;
  readonly experiment: Experiment;
  readonly source: ExperimentSource;
  readonly directory: RunDirectory;
  readonly launcher: Launcher;
  readonly journal: JournalWriter;
  readonly redact: Redactor;
  /** Null where nothing is counted. */
  readonly countingTool: CountingTool | null;
}

/** Runs what the journal does not hold yet, under the lock that the launcher holds. */
async function perform(performance: Performance): Promise<RunOutcome> {
  const { setting, experiment, source, directory, launcher, journal, redact, countingTool } = performance;
  const { env, emit, stop, keep, keepGoing } = setting;
  const runPath = realpathSync(directory.path);
  const trialsPath = trialsRoot(runPath, experiment, source.directory);
  const append = (record: JournalRecord) => journal.append(redact.record(record));
  const cancel = () => launcher.cancel();
  stop.addEventListener('abort', cancel);
  try {
    const { run, prepared, ...soFar } = replayJournal(directory.journal).journal;
    const context = { env, emit, stop, before: prepared, seed: run.plan.seed };
    const arms = await prepareArms(experiment, source.directory, context).catch((error: unknown) => {
      // The user's signal ends an installation, and the run with it.
      if (stop.aborted) return null;
      throw error;
    });
    if (arms === null) {
      append({ kind: 'end', unix_ms: Date.now(), reason: { kind: 'signal', signal: String(stop.reason) } });
      return await conclude(directory);
    }
    const found = prepared === null ? await evidenceOf(performance, arms) : NO_EVIDENCE;
    if (found === null) {
      append({ kind: 'end', unix_ms: Date.now(), reason: { kind: 'signal', signal: String(stop.reason) } });
      return await conclude(directory);
    }
    const allowed = parseCpuList(readAllowedCpus());
    const pinned = await pinSessions(experiment, launcher.kind, allowed, env);
    if (pinned.limitation !== null) emit({ kind: 'limitation', ...pinned.limitation });
    // After the installations, which may use all CPUs.
    const misplaced = await leaveSubjectCpu(pinned.machine, run.machine.cpus);
    if (misplaced !== null) emit({ kind: 'limitation', ...misplaced });
    if (prepared !== null) {
      checkSameFiles(prepared, redact.arms(arms.map(armRecord)));
    } else {
      const { kind } = launcher;
      const lacking = countingTool === null ? [] : countingLimitations(countingTool, kind);
      for (const limitation of lacking) emit({ kind: 'limitation', ...limitation });
      const chosen = pinned.limitation === null ? [] : [pinned.limitation];
      const limitations = [...launcher.limitations, ...lacking, ...chosen];
      const overhead_ns = await emptyCommandNs(launcher, trialsPath);
      const { attribution, objects, diffs, files } = found;
      const records = arms.map(armRecord).map((record) => ({
        ...record,
        warnings: [...record.warnings, ...(record.build === 0 ? warningsOf(found, record.arm) : [])],
      }));
      append({
        kind: 'prepared',
        arms: records,
        ...{ attribution, objects, diffs, kept: await keepEvidence(directory, arms, files) },
        launcher: { kind, limitations, overhead_ns },
        counting_tool: countingTool?.name ?? null,
      });
    }
    await notePlaces(directory.identity, arms);
    const runner = openTrialRunner({
      experiment: { ...experiment, machine: pinned.machine },
      seed: run.plan.seed,
      experimentDir: source.directory,
      arms,
      launcher,
      runPath,
      trialsPath,
      env,
      keep,
      counting:
        countingTool === null
          ? null
          : { tool: countingTool, cpu: countingCpu(countingTool, launcher.kind, allowed, experiment.machine) },
      redact: redact.account,
    });
    const progress = progressOf({ run, prepared, ...soFar });
    await execute({ experiment, plan: run.plan, arms, progress, runner, append, keepGoing, stop, emit, now: Date.now });
  } finally {
    stop.removeEventListener('abort', cancel);
    await launcher.close();
    journal.close();
    if (!keep) await removeTree(trialsPath);
  }
  return await conclude(directory);
}

/** Null where the user stopped it. */
async function evidenceOf(
  { experiment, redact, setting: { env, emit, stop } }: Performance,
  arms: readonly PreparedArm[],
): Promise<ArmEvidence | null> {
  const onProgress = (message: string) => emit({ kind: 'preparing', arm: 'machine code', message });
  const context = { env, cache: await openCache(env), onProgress, signal: stop, redact: redact.text };
  return armEvidence(experiment, arms, context);
}

/** What the journal shows, and the reports beside it. */
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

function parse(source: ExperimentSource): Experiment {
  const read = readExperiment(source.text);
  if (read.ok) return read.experiment;
  throw new AssayError({ kind: 'experiment', file: source.name, text: source.text, errors: read.errors });
}

function checkRequirements(experiment: Experiment, machine: MachineFacts): void {
  const sentences = unmet(experiment.machine.require, machine, loadavg()[0] ?? null);
  if (sentences.length === 0) return;
  throw new AssayError({
    kind: 'machine',
    message: 'this machine is not what the experiment requires',
    remedy: sentences.join(' '),
  });
}

/** What counts instructions, where the experiment wants that. */
async function countingToolOf(
  experiment: Experiment,
  source: ExperimentSource,
  { env }: RunSetting,
): Promise<CountingTool | null> {
  return experiment.counting === null ? null : await findCountingTool({ env, cwd: source.directory });
}

async function openRunLauncher(
  experiment: Experiment,
  directory: RunDirectory,
  { env, emit }: RunSetting,
): Promise<Launcher> {
  const launcher = await openLauncher({
    cache: join(await openCache(env), 'bin'),
    lockPath: join(realpathSync(directory.path), basename(directory.lock)),
    orchestratorCpu: experiment.machine.orchestrator_cpu,
    env,
  });
  for (const limitation of launcher.limitations) emit({ kind: 'limitation', ...limitation });
  return launcher;
}

export interface PlanRequest {
  readonly source: ExperimentSource;
  readonly seed: number | null;
  /** The run to take time and spread from; null: the latest of the same experiment in assay-runs. */
  readonly from: string | null;
}

/** The plan of an experiment with what is known of its time and spread. Nothing is run or written. */
export function planExperiment({ source, seed, from }: PlanRequest): PlannedExperiment {
  const experiment = parse(source);
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

/**
 * What a run would miss at once: repositories on this machine, or revisions of them, that are not there. They are only read,
 * and no other place is asked. Each is told once, of the first arm that it is missing for.
 */
export async function missingSources(
  source: ExperimentSource,
  env: NodeJS.ProcessEnv,
): Promise<readonly Extract<Failure, { kind: 'arm' }>[]> {
  const missing = new Map<string, Extract<Failure, { kind: 'arm' }>>();
  for (const arm of parse(source).arms) {
    if (arm.source.kind !== 'git') continue;
    await checkLocalSource(arm.name, arm.source, source.directory, env).catch((error: unknown) => {
      if (!(error instanceof AssayError) || error.failure.kind !== 'arm') throw error;
      const { failure } = error;
      if (!missing.has(failure.message)) missing.set(failure.message, failure);
    });
  }
  return [...missing.values()];
}
