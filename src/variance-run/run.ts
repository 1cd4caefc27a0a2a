/** A run of the benchmark: step after step, each on record before the next; new, or taken up where something stopped it. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { AssayError } from '../failures.ts';
import { machineFacts } from '../host/facts.ts';
import { openCache } from '../io/cache.ts';
import { digestFile } from '../io/digest.ts';
import { planSteps, rebuildingSteps, stepKey } from '../storage/benchmark/plan.ts';
import type { RunRecord } from '../storage/benchmark/run-record.ts';
import { setUpDifference } from '../storage/benchmark/same-set-up.ts';
import type { StepRecord } from '../storage/benchmark/step-record.ts';
import { type PlannedStep, STEP_NAMES, STEPS } from '../storage/benchmark/steps.ts';
import { type TimeLeft, timeLeft } from '../storage/benchmark/time-left.ts';
import { openLauncher } from '../trial/open-launcher.ts';
import {
  type DatabaseState,
  databasePath,
  freshDatabase,
  isReady,
  readState,
  refuseDatabases,
  removeDatabases,
  writeState,
} from './database.ts';
import {
  clearStep,
  createDirectory,
  lockPath,
  readRun,
  readSteps,
  writeRun,
  writeStep,
  writeTable,
} from './directory.ts';
import { runStep, type StepSetting } from './step.ts';

/** What happens while it goes on. No event carries a result: nobody may peek. */
export type BenchmarkEvent =
  | { readonly kind: 'limitation'; readonly message: string; readonly remedy: string }
  | {
      readonly kind: 'step_started';
      readonly planned: PlannedStep;
      /** It ran already, and runs again so that the database is as it left it; not counted. */
      readonly again: boolean;
      readonly done: number;
      readonly total: number;
      readonly left: TimeLeft;
    };

export interface BenchmarkSetting {
  /** Of the run; absolute and without links once it exists. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly emit: (event: BenchmarkEvent) => void;
  /** Aborted with the name of the signal that a user sent. */
  readonly stop: AbortSignal;
}

/** The name of the signal that has stopped it; null where it is complete. */
export type BenchmarkEnd = string | null;

export async function startBenchmark(setting: BenchmarkSetting, run: RunRecord): Promise<BenchmarkEnd> {
  refuseDatabases(run.data);
  createDirectory(setting.directory);
  return await whileLocked(setting, async (launch) => {
    await writeRun(setting.directory, run);
    return await runSteps(setting, run, launch);
  });
}

export async function resumeBenchmark(setting: BenchmarkSetting): Promise<BenchmarkEnd> {
  const run = readRun(setting.directory);
  await refuseOthers(run, setting.env);
  return await whileLocked(setting, async (launch) => await runSteps(setting, run, launch));
}

/** Numbers of two machines, of two set-ups of one, or of two programs, are no repetitions of each other. */
async function refuseOthers({ machine, db_bench, data }: RunRecord, env: NodeJS.ProcessEnv): Promise<void> {
  const here = await machineFacts(data, env);
  if (here.machine_id !== machine.machine_id) throw refusal('the run was begun on another machine', ANEW);
  const difference = setUpDifference(machine, here);
  if (difference !== null)
    throw refusal(difference, 'Go on under what it began with, or measure anew, with another --out.');
  const digest = await digestFile(db_bench.path);
  if (digest?.sha256 !== db_bench.sha256)
    throw refusal(`${db_bench.path} is not the program that the run began with`, ANEW);
}

const ANEW = 'Measure anew, with another --out.';

function refusal(message: string, remedy: string): AssayError {
  return new AssayError({ kind: 'usage', message, remedy });
}

type Launching = Pick<StepSetting, 'launcher'>;

/** The launcher holds the run's lock, and ends what it has started however this process ends. */
async function whileLocked(
  setting: BenchmarkSetting,
  work: (launching: Launching) => Promise<BenchmarkEnd>,
): Promise<BenchmarkEnd> {
  const { directory, env, emit, stop } = setting;
  const launcher = await openLauncher({
    cache: join(await openCache(env), 'bin'),
    lockPath: lockPath(realpathSync(directory)),
    // What a run that was killed has left ends within seconds.
    lockWaitMs: 10_000,
    orchestratorCpu: null,
    env,
  });
  const cancel = () => launcher.cancel();
  stop.addEventListener('abort', cancel);
  try {
    for (const limitation of launcher.limitations) emit({ kind: 'limitation', ...limitation });
    return await work({ launcher });
  } finally {
    stop.removeEventListener('abort', cancel);
    await launcher.close();
  }
}

async function runSteps(setting: BenchmarkSetting, run: RunRecord, { launcher }: Launching): Promise<BenchmarkEnd> {
  const { emit, stop, env } = setting;
  const directory = realpathSync(setting.directory);
  const { data, duration_s } = run;
  const plan = planSteps(run);
  const records = new Map<string, StepRecord>(readSteps(directory, plan));
  const stepSetting = { launcher, directory, db_bench: run.db_bench.path, rules: run, env };
  let state = readState(directory);

  /** Null where it was stopped. */
  const perform = async (planned: PlannedStep, again: boolean, before: DatabaseState): Promise<StepRecord | null> => {
    const left = timeLeft(plan, records, duration_s);
    emit({ kind: 'step_started', planned, again, done: records.size, total: plan.length, left });
    const { writes } = STEPS[planned.step];
    if (writes) await writeState(directory, { ...before, begun: planned.step });
    // A step that runs again has its record already, which stays.
    const place = await clearStep(directory, again ? `${stepKey(planned)}.again` : stepKey(planned));
    const record = await runStep(stepSetting, planned, databasePath(data, planned), place);
    if (record === null) return null;
    state = writes ? { ...before, done: [...before.done, planned.step], begun: null } : before;
    if (writes) await writeState(directory, state);
    return record;
  };

  for (const next of plan) {
    if (records.has(stepKey(next))) continue;
    if (state === null || !isReady(state, plan, next, data)) {
      state = await freshDatabase(directory, data, next);
      for (const earlier of rebuildingSteps(plan, next)) {
        if (stop.aborted || (await perform(earlier, true, state)) === null) return String(stop.reason);
      }
    }
    const record = stop.aborted ? null : await perform(next, false, state);
    if (record === null) return String(stop.reason);
    await writeStep(directory, next, record);
    records.set(stepKey(next), record);
    await writeTable(directory, run, next);
  }
  // One that was stopped between a record and its table.
  for (const planned of plan) if (planned.step === STEP_NAMES[0]) await writeTable(directory, run, planned);
  await removeDatabases(directory, data);
  return null;
}
