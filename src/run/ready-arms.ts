/** Arms made ready for the trials of a run, and put on record, or held to the record that there is. */
import { type AttributionOutcome, attribute, NOTHING_COMPARED, warningsOf } from '../arms/attribution/attribution.ts';
import { prepareArms } from '../arms/prepare.ts';
import { armRecord, type PreparedArm } from '../arms/prepared-arm.ts';
import { parseCpuList, readAllowedCpus } from '../host/allowed-cpus.ts';
import { leaveSubjectCpu } from '../host/own-cpu.ts';
import { openCache } from '../io/cache.ts';
import type { Journal } from '../journal/records.ts';
import { codeContrasts } from '../plan/code-contrasts.ts';
import { countingCpu, countingLimitations } from '../trial/counting-tool.ts';
import { emptyCommandNs, type TrialSetting } from '../trial/run-trial.ts';
import { keepArmFiles, keepTexts } from './directory.ts';
import type { OpenRun } from './open-run.ts';
import { checkSameFiles } from './resume.ts';

export interface ReadyArms {
  readonly arms: readonly PreparedArm[];
  /** What counts, and where; null where nothing is counted. */
  readonly counting: TrialSetting['counting'];
}

/**
 * Prepares the arms, and compares their machine code once. Null where the user stopped it.
 * @param soFar what the journal says up to here
 * @throws AssayError `arm` where one cannot be had, or is not what the run began with
 */
export async function readyArms(run: OpenRun, soFar: Journal): Promise<ReadyArms | null> {
  const { experiment, setting, redact, launcher, countingTool } = run;
  const arms = await preparedArms(run, soFar);
  if (arms === null) return null;
  const code = soFar.prepared === null ? await compareCode(run, arms) : NOTHING_COMPARED;
  if (code === null) return null;
  // What Assay may use, until it leaves that of the subject.
  const cpus = parseCpuList(readAllowedCpus());
  // After the installations, which may use all CPUs.
  const misplaced = await leaveSubjectCpu(experiment.machine, soFar.run.machine.cpus);
  if (misplaced !== null) setting.emit({ kind: 'limitation', ...misplaced });
  if (soFar.prepared === null) await putOnRecord(run, arms, code);
  else checkSameFiles(soFar.prepared, redact.arms(arms.map(armRecord)));
  if (countingTool === null) return { arms, counting: null };
  const cpu = countingCpu(countingTool, launcher.kind, cpus, experiment.machine);
  return { arms, counting: { tool: countingTool, cpu } };
}

/** Null where the user's signal ended an installation. */
async function preparedArms(
  { experiment, source, setting: { env, emit, stop } }: OpenRun,
  { prepared, run }: Journal,
): Promise<readonly PreparedArm[] | null> {
  const context = { env, emit, stop, before: prepared, seed: run.plan.seed };
  return prepareArms(experiment, source.directory, context).catch((error: unknown) => {
    if (stop.aborted) return null;
    throw error;
  });
}

/** Null where the user stopped it. */
async function compareCode(
  { experiment, setting: { env, emit, stop } }: OpenRun,
  arms: readonly PreparedArm[],
): Promise<AttributionOutcome | null> {
  if (experiment.attribution === null) return NOTHING_COMPARED;
  const onProgress = (message: string) => emit({ kind: 'preparing', arm: 'machine code', message });
  const context = { env, cache: await openCache(env), onProgress, signal: stop };
  return attribute(experiment.attribution, arms, codeContrasts(experiment), context);
}

async function putOnRecord(run: OpenRun, arms: readonly PreparedArm[], code: AttributionOutcome): Promise<void> {
  const { directory, launcher, countingTool, redact, setting, trialsPath } = run;
  for (const { arm, build, keep } of arms) keepArmFiles(directory, arm, build, keep);
  const { kind } = launcher;
  const lacking = countingTool === null ? [] : countingLimitations(countingTool, kind);
  for (const limitation of lacking) setting.emit({ kind: 'limitation', ...limitation });
  const limitations = [...launcher.limitations, ...lacking];
  const overhead_ns = await emptyCommandNs(launcher, trialsPath);
  keepTexts(
    directory,
    code.files.map(({ path, text }) => ({ path, text: redact.text(text) })),
  );
  const records = arms.map(armRecord).map((record) => ({
    ...record,
    warnings: [...record.warnings, ...(record.build === 0 ? warningsOf(code, record.arm) : [])],
  }));
  run.append({
    kind: 'prepared',
    arms: records,
    attribution: code.comparisons,
    launcher: { kind, limitations, overhead_ns },
    counting_tool: countingTool?.name ?? null,
  });
}
