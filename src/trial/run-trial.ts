/** One trial: a fresh directory, the subject, its raw output, and what that output says. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commandIn, type PreparedArm } from '../arms/prepared-arm.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { expand, placeholderValues } from '../experiment/placeholders.ts';
import { makeEmptyDirectory, removeTree, spaceProblem, treeBytes } from '../io/disk.ts';
import { fileFailure } from '../io/file-failure.ts';
import { dropPageCache } from '../io/page-cache.ts';
import type { TrialRecord } from '../journal/records.ts';
import { buildOf } from '../plan/builds.ts';
import { environmentPadding } from '../plan/padding.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import { type PlannedTrial, phasesOf } from '../plan/plan.ts';

import { keepCount } from './count.ts';
import { regionOf } from './count-region.ts';
import { type CountingTool, countedRequest } from './counting-tool.ts';
import { wordingOf } from './driver-wording.ts';

import { subjectEnvironment } from './environment.ts';
import type { LaunchAccount, Launcher, LaunchRequest } from './launch.ts';
import { openMachineWatch } from './machine-watch.ts';
import { collectRawOutput } from './raw-output.ts';

import { readOutput } from './read-output.ts';

import { launcherCounters } from './trial-counters.ts';

import { rawFolder, trialFolder } from './trial-name.ts';

export interface TrialRunner {
  /** The record of the trial; null where the user stopped it: then it did not take place. */
  run(planned: PlannedTrial, attempt: number): Promise<TrialRecord | null>;
  /** What is wrong where so many trials like the first will not fit on the disk, else null. */
  spaceProblem(trialsLeft: number): Promise<string | null>;
}

export interface TrialSetting {
  readonly experiment: Experiment;
  readonly seed: number;
  /** Absolute: what the experiment's relative paths are relative to. */
  readonly experimentDir: string;
  readonly arms: readonly PreparedArm[];
  readonly launcher: Launcher;
  /** The run's directory, and where trials run. */
  readonly runPath: string;
  readonly trialsPath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly keep: boolean;
  /** What counts, and on which CPU where the experiment names none; null where nothing is counted. */
  readonly counting: { readonly tool: CountingTool; readonly cpu: number | null } | null;
  /** Takes identity out of what is kept. */
  readonly redact: <T>(value: T) => T;
}

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2000;

export function openTrialRunner(setting: TrialSetting): TrialRunner {
  const { experiment, launcher, trialsPath } = setting;
  checkRegions(setting);
  const watch = openMachineWatch(experiment);
  /** Arms whose driver has told what its numbers mean, or did not: it says so in every trial. */
  const heard = new Set<string>();
  let first: { readonly trial: number; readonly raw: number } | null = null;
  return {
    async spaceProblem(trialsLeft) {
      if (first === null) return null;
      const kept = first.raw + (setting.keep ? first.trial : 0);
      return await spaceProblem(trialsPath, first.trial, trialsLeft, kept);
    },
    async run(planned, attempt) {
      const name = trialFolder(planned, attempt);
      const place = join(trialsPath, name);
      const raw = rawFolder(planned, attempt);
      // What an attempt left that was cut off by a kill is of no trial.
      await makeEmptyDirectory(place);
      await makeEmptyDirectory(join(setting.runPath, raw));
      for (const directory of ['data', 'home', 'tmp']) await makeEmptyDirectory(join(place, directory));
      const request = launchRequest(setting, planned, attempt, place, join(setting.runPath, raw));

      if (phaseSetting(experiment, planned.phase).workload.drop_caches) await dropPageCache();
      await watch.before(planned);
      const account = await launcher.launch(request);
      const { noise, state } = watch.after(planned, account);

      const record =
        account.outcome.kind === 'cancelled'
          ? null
          : readTrial(setting, planned, attempt, account, place, raw, !heard.has(planned.arm));
      if (record !== null) heard.add(planned.arm);
      first ??= { trial: await treeBytes(place), raw: await treeBytes(join(setting.runPath, raw)) };
      if (!setting.keep) await removeTree(place);
      if (record === null) {
        await removeTree(join(setting.runPath, raw));
        return null;
      }
      return { ...record, noise, state };
    },
  };
}

function launchRequest(
  setting: TrialSetting,
  planned: PlannedTrial,
  attempt: number,
  place: string,
  raw: string,
): LaunchRequest {
  const { experiment, experimentDir } = setting;
  const inPhase = phaseSetting(experiment, planned.phase);
  const { workload, machine, counting } = inPhase;
  const arm = experiment.arms.find(({ name }) => name === planned.arm);
  if (arm === undefined) throw new Error(`the plan names an unknown arm ${planned.arm}`);
  const prepared = preparedFor(setting, planned);
  const { dir, driver } = prepared;
  const dirs = { arm: dir, driver, trial: join(place, 'data'), experiment: experimentDir };
  const values = placeholderValues(experiment, arm, dirs, inPhase.params);
  const drawn = environmentPadding(
    setting.seed,
    planned,
    phasesOf(experiment).indexOf(planned.phase),
    attempt,
    machine.environment_padding,
  );
  const padding = counting === null ? drawn : 0;
  const [program, ...args] = commandIn(prepared, planned.phase).command;
  const request: LaunchRequest = {
    argv: [expand(program, values), ...args.map((word) => expand(word, values))],
    cwd: resolve(experimentDir, expand(workload.cwd, values)),
    env: subjectEnvironment({ experiment: inPhase, arm, values, place, padding, own: setting.env }),
    stdin: workload.stdin === null ? null : resolve(experimentDir, workload.stdin),
    stdout: join(raw, 'stdout'),
    stderr: join(raw, 'stderr'),
    cpu: machine.cpu,
    fixed_layout: machine.layout === 'fixed',
    real_time: machine.real_time,
    counters: launcherCounters(inPhase),
    timeout_ms: workload.timeout_ms,
    grace_ms: GRACE_MS,
    max_output_bytes: workload.max_output_bytes,
    settle: true,
  };
  if (counting === null) return request;
  if (setting.counting === null) throw new Error('the plan counts, and nothing is there that does');
  const { tool, cpu } = setting.counting;
  const launcher = setting.launcher.kind;
  // Timed regions of Assay's drivers do not call each other.
  const asked = counting.region;
  const region = asked === null || workload.driver !== null ? asked : regionOf(planned.arm, request.argv[0], asked);
  return countedRequest(request, { ...counting, region }, tool, { place, cpu: machine.cpu ?? cpu, launcher });
}

/**
 * Counted trials come last: what would fail all of them must show before the first that is timed.
 * @throws AssayError `arm` where a region is ambiguous
 */
function checkRegions(setting: TrialSetting): void {
  const { experiment, trialsPath } = setting;
  if (experiment.counting === null) return;
  for (const arm of experiment.design.arms) {
    launchRequest(setting, { phase: 'counting', block: 1, position: 1, arm }, 1, trialsPath, trialsPath);
  }
}

/** The build of the arm that the trial runs. */
function preparedFor({ experiment, arms }: TrialSetting, planned: PlannedTrial): PreparedArm {
  const build = buildOf(experiment, planned);
  const prepared = arms.find((candidate) => candidate.arm === planned.arm && candidate.build === build);
  if (prepared === undefined) throw new Error(`build ${build} of ${planned.arm} was not prepared`);
  return prepared;
}

function readTrial(
  setting: TrialSetting,
  planned: PlannedTrial,
  attempt: number,
  account: LaunchAccount,
  place: string,
  raw: string,
  first: boolean,
): Omit<TrialRecord, 'noise' | 'state'> {
  const { experiment, runPath } = setting;
  const inPhase = phaseSetting(experiment, planned.phase);
  const { counting } = inPhase;
  try {
    const trial = { ...planned, attempt };
    // Its parameters win over those in the command.
    const counted = counting === null ? {} : { counting };
    const document = {
      trial,
      command: commandIn(preparedFor(setting, planned), planned.phase).shown,
      ...counted,
      account,
    };
    const text = JSON.stringify(setting.redact(document), null, 2);
    writeFileSync(join(runPath, raw, 'account.json'), `${text}\n`);
  } catch (error) {
    throw fileFailure(error, join(runPath, raw, 'account.json'), "write the trial's account");
  }
  const { output, files } = collectRawOutput(inPhase, account, join(place, 'data'), runPath, raw);
  const count = counting === null ? null : keepCount(place, runPath, raw);
  return {
    kind: 'trial',
    ...planned,
    attempt,
    account,
    ...readOutput(inPhase, output, count?.output ?? null),
    wording: first ? wordingOf(output.stdout) : null,
    raw: [...files, ...(count?.files ?? [])],
    session: null,
  };
}

/** Wall time of an empty command through a launcher: the second of two, since the first warms caches. */
export async function emptyCommandNs(launcher: Launcher, directory: string): Promise<number> {
  let wall_ns = 0;
  for (const name of ['overhead-1', 'overhead-2']) {
    const place = join(directory, name);
    await makeEmptyDirectory(place);
    const account = await launcher.launch({
      argv: [process.platform === 'darwin' ? '/usr/bin/true' : '/bin/true'],
      cwd: place,
      env: {},
      stdin: null,
      stdout: join(place, 'stdout'),
      stderr: join(place, 'stderr'),
      cpu: null,
      fixed_layout: false,
      real_time: false,
      counters: null,
      timeout_ms: 60_000,
      grace_ms: GRACE_MS,
      max_output_bytes: 1 << 20,
      settle: false,
    });
    wall_ns = account.wall_ns;
    await removeTree(place);
  }
  return wall_ns;
}
