/**
 * A run that is open: its directory exists, the launcher holds its lock, and its journal takes records. New, or taken up where
 * something stopped it.
 */
import { realpathSync } from 'node:fs';
import { loadavg } from 'node:os';
import { basename, join } from 'node:path';
import type { Emit } from '../events.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import { machineFacts, ownMachineId } from '../host/facts.ts';
import type { MachineFacts } from '../host/machine.ts';
import { unmet } from '../host/requirements.ts';
import { openCache } from '../io/cache.ts';
import { removeTree } from '../io/disk.ts';
import { assayVersion } from '../io/version.ts';
import type { Calibration } from '../journal/calibration.ts';
import type { Journal, JournalRecord } from '../journal/records.ts';
import { continueJournal, createJournal, type JournalWriter } from '../journal/writer.ts';
import { unbalancedBuilds } from '../plan/builds.ts';
import type { Plan } from '../plan/plan.ts';
import type { Progress } from '../plan/progress.ts';
import type { Pace } from '../plan/slices.ts';
import { type CountingTool, findCountingTool } from '../trial/counting-tool.ts';
import type { Launcher } from '../trial/launch.ts';
import { openLauncher } from '../trial/open-launcher.ts';
import { checkSurroundings, clearSurroundings } from '../trial/surroundings/surroundings.ts';
import { findCalibration } from './calibrations.ts';
import {
  createRunDirectory,
  defaultRunPath,
  type RunDirectory,
  refuseOthersFiles,
  refuseTaken,
  trialsParent,
  trialsRoot,
} from './directory.ts';
import { type ExperimentSource, parseExperiment } from './experiment-file.ts';
import { firstRecord, workloadHash } from './first-record.ts';
import { identityOf, readIdentity, writeIdentity } from './identity-file.ts';
import { keptIdentity, type Redactor, redactor } from './identity-places.ts';
import { checkSameExperiment, checkSameMachine, checkSameTool } from './resume.ts';
import { progressNotes, type Standing, standingOf } from './standing.ts';

/** Nothing that is still being killed holds the lock of a new directory: who has it is about to begin a run there. */
const START_WAIT_MS = 1000;

/** What a run needs from its surroundings. */
export interface RunSetting {
  readonly keep: boolean;
  readonly keepGoing: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly emit: Emit;
  /** Aborted, with the name of a signal as the reason, when the user wants the run to stop. */
  readonly stop: AbortSignal;
}

export interface OpenRun {
  readonly setting: RunSetting;
  readonly experiment: Experiment;
  readonly source: ExperimentSource;
  readonly directory: RunDirectory;
  /** The same directory, and where trials run: absolute, without links. */
  readonly runPath: string;
  readonly trialsPath: string;
  readonly launcher: Launcher;
  readonly redact: Redactor;
  /** Takes identity out of a record, and writes it. */
  readonly append: (record: JournalRecord) => void;
  readonly closeJournal: () => void;
  /** Where the run stood when it was opened. */
  readonly standing: Pick<Standing, 'journal' | 'progress' | 'pace'>;
  /** Notes how far it has come, for a resume. */
  readonly note: (progress: Progress, pace: Pace | null) => void;
  /** Null where nothing is counted. */
  readonly countingTool: CountingTool | null;
}

/**
 * Makes the directory of a run, and the first line of its journal.
 * @param out null: one in assay-runs, by time and title
 * @throws AssayError `machine` where this one is not as the experiment requires; `usage` where the directory cannot be taken
 */
export async function beginRun(
  setting: RunSetting & { readonly source: ExperimentSource; readonly out: string | null },
  experiment: Experiment,
  plan: Plan,
): Promise<OpenRun> {
  const { source, out, emit, env } = setting;
  const path = out ?? defaultRunPath(experiment.title, Date.now());
  const machine = await machineFacts(trialsParent(path, experiment, source.directory), env);
  checkRequirements(experiment, machine);
  await checkSurroundings(experiment.workload);
  const countingTool = await countingToolOf(experiment, source, setting);
  await openCache(env);
  // A run that goes on there has trials, too, and they are not to be moved away.
  refuseTaken(path);
  refuseOthersFiles(trialsRoot(path, experiment, source.directory));

  const directory = createRunDirectory(path);
  emit({ kind: 'directory', path });
  const launcher = await openRunLauncher(experiment, directory, setting, START_WAIT_MS);
  try {
    // Until the lock was ours, another Assay may have begun a run here.
    refuseTaken(path);
    const identity = identityOf(experiment, source, env);
    const redact = redactor(identity);
    await writeIdentity(directory.identity, identity, source);
    const settled = redact.settled({ experiment, source: { name: source.name, text: source.text }, plan, machine });
    const calibration = experiment.calibrates === null ? knownCalibration(settled, setting) : null;
    const journal = createJournal(directory.journal, firstRecord(settled, path, calibration));
    for (const message of keptIdentity(experiment, identity)) {
      emit({ kind: 'limitation', message, remedy: 'Write it otherwise where strangers shall not see that.' });
    }
    const unbalanced = unbalancedBuilds(experiment);
    if (unbalanced !== null) emit({ kind: 'limitation', ...unbalanced });
    const standing = standingOf(directory);
    return openRun({ setting, experiment, source, directory, launcher, redact, countingTool, standing }, journal);
  } catch (error) {
    await launcher.close();
    throw error;
  }
}

/**
 * Takes up a run that was stopped. Null where it turns out to be over: until the lock is ours another Assay may be at work.
 * @throws AssayError where machine, experiment or counting tool are not those that the run began with
 */
export async function takeUpRun(setting: RunSetting, directory: RunDirectory): Promise<OpenRun | null> {
  const { identity, source } = readIdentity(directory.identity);
  const redact = redactor(identity);
  const experiment = parseExperiment(source);
  const machineId = await ownMachineId();
  setting.emit({ kind: 'directory', path: directory.path });
  const launcher = await openRunLauncher(experiment, directory, setting);
  try {
    const standing = standingOf(directory);
    const { journal, extent, torn_bytes, progress } = standing;
    if (isOver(journal, setting)) {
      await launcher.close();
      return null;
    }
    checkSameMachine(journal.run, machineId);
    checkSameExperiment(journal.run, redact.experiment(experiment));
    const countingTool = await countingToolOf(experiment, source, setting);
    checkSameTool(journal.prepared, countingTool?.name ?? null);
    const writer = continueJournal(directory.journal, extent);
    writer.append({ kind: 'resumed', unix_ms: Date.now(), assay: assayVersion(), dropped_bytes: torn_bytes });
    const left = progress.unfinished();
    if (left !== null) {
      writer.append(left);
      progress.interrupt(left);
    }
    setting.emit({ kind: 'resumed', dropped_bytes: torn_bytes });
    return openRun({ setting, experiment, source, directory, launcher, redact, countingTool, standing }, writer);
  } catch (error) {
    await launcher.close();
    throw error;
  }
}

/** Complete, or failed for good: a failure is no interruption, and running its pair again would hide it. */
export function isOver(journal: Pick<Journal, 'end'>, { keepGoing }: RunSetting): boolean {
  const end = journal.end?.reason.kind;
  return end === 'complete' || end === 'changed' || (end === 'trial_failed' && !keepGoing);
}

/** Does the work of a run, of which the user's signal ends what the launcher runs; then closes it, come what may. */
export async function whileOpen(run: OpenRun, work: () => Promise<void>): Promise<void> {
  const { launcher, trialsPath, setting, experiment } = run;
  const cancel = () => launcher.cancel();
  setting.stop.addEventListener('abort', cancel);
  try {
    // What an Assay that was killed has left; its processes ended before the lock was given back.
    await clearSurroundings(experiment.workload, trialsPath);
    await work();
  } finally {
    setting.stop.removeEventListener('abort', cancel);
    await launcher.close();
    run.closeJournal();
    await clearSurroundings(experiment.workload, trialsPath);
    if (!setting.keep) await removeTree(trialsPath);
  }
}

function openRun(
  parts: Omit<OpenRun, 'runPath' | 'trialsPath' | 'append' | 'note' | 'closeJournal'>,
  journal: JournalWriter,
): OpenRun {
  const runPath = realpathSync(parts.directory.path);
  return {
    ...parts,
    runPath,
    trialsPath: trialsRoot(runPath, parts.experiment, parts.source.directory),
    append: (record) => journal.append(parts.redact.record(record)),
    note: progressNotes(parts.directory, journal.extent),
    closeJournal: () => journal.close(),
  };
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

/** What is on record of this machine and workload; that it cannot be read keeps nobody from measuring. */
function knownCalibration(
  { experiment, machine }: { readonly experiment: Experiment; readonly machine: MachineFacts },
  { env, emit }: RunSetting,
): Calibration | null {
  const { calibration, problem } = findCalibration(env, machine.machine_id, workloadHash(experiment));
  if (problem !== null) emit({ kind: 'limitation', message: problem.message, remedy: problem.remedy });
  return calibration;
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
  lockWaitMs = 10_000,
): Promise<Launcher> {
  const launcher = await openLauncher({
    cache: join(await openCache(env), 'bin'),
    lockPath: join(realpathSync(directory.path), basename(directory.lock)),
    lockWaitMs,
    orchestratorCpu: experiment.machine.orchestrator_cpu,
    env,
  });
  for (const limitation of launcher.limitations) emit({ kind: 'limitation', ...limitation });
  return launcher;
}
