/** What the launcher is asked for: the command of a trial, with its words, directories, variables and limits. */
import { join, resolve } from 'node:path';
import { commandIn, type PreparedArm } from '../arms/prepared-arm.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { expand, placeholderValues, surroundingPlaceholders } from '../experiment/placeholders.ts';
import { buildOf } from '../plan/builds.ts';
import { environmentPadding } from '../plan/padding.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import { type PlannedTrial, phasesOf } from '../plan/plan.ts';
import { regionOf } from './count-region.ts';
import { type CountingTool, countedRequest } from './counting-tool.ts';
import { subjectEnvironment } from './environment.ts';
import type { Launcher, LaunchRequest } from './launch.ts';
import type { Surroundings } from './surroundings/surroundings.ts';
import { launcherCounters } from './trial-counters.ts';

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
/** What the command of a driver that is to work in slices ends with. */
const SERVE = '--serve';

/** Where a trial runs, and what was made around it. Paths are absolute. */
export interface TrialPlace {
  /** The trial's folder, in which it runs. */
  readonly place: string;
  /** Where its output is kept. */
  readonly raw: string;
  readonly surroundings: Pick<Surroundings, 'cgroup' | 'device_stat'>;
}

export function launchRequest(
  setting: TrialSetting,
  planned: PlannedTrial,
  attempt: number,
  { place, raw, surroundings }: TrialPlace,
): LaunchRequest {
  const { experiment, experimentDir } = setting;
  const inPhase = phaseSetting(experiment, planned.phase);
  const { workload, machine, counting } = inPhase;
  const arm = experiment.arms.find(({ name }) => name === planned.arm);
  if (arm === undefined) throw new Error(`the plan names an unknown arm ${planned.arm}`);
  const prepared = preparedFor(setting, planned);
  const { dir, driver } = prepared;
  const { cgroup, device_stat } = surroundings;
  const dirs = { arm: dir, driver, trial: join(place, 'data'), experiment: experimentDir, cgroup, device_stat };
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
  const serve = inPhase.slices === null ? [] : [SERVE];
  const request: LaunchRequest = {
    argv: [expand(program, values), ...args.map((word) => expand(word, values)), ...serve],
    cwd: resolve(experimentDir, expand(workload.cwd, values)),
    env: subjectEnvironment({ experiment: inPhase, arm, values, place, padding, own: setting.env }),
    stdin: workload.stdin === null ? null : resolve(experimentDir, workload.stdin),
    stdout: join(raw, 'stdout'),
    stderr: join(raw, 'stderr'),
    cpu: machine.cpu,
    fixed_layout: machine.layout === 'fixed',
    real_time: machine.real_time,
    memory_group: cgroup,
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
export function checkRegions(setting: TrialSetting): void {
  const { experiment, trialsPath } = setting;
  if (experiment.counting === null) return;
  for (const arm of experiment.design.arms) {
    const surroundings = surroundingPlaceholders(experiment.workload);
    const where = { place: trialsPath, raw: trialsPath, surroundings };
    launchRequest(setting, { phase: 'counting', block: 1, position: 1, arm }, 1, where);
  }
}

/** The build of the arm that the trial runs. */
export function preparedFor({ experiment, arms }: TrialSetting, planned: PlannedTrial): PreparedArm {
  const build = buildOf(experiment, planned);
  const prepared = arms.find((candidate) => candidate.arm === planned.arm && candidate.build === build);
  if (prepared === undefined) throw new Error(`build ${build} of ${planned.arm} was not prepared`);
  return prepared;
}
