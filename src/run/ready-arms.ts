/** Arms made ready for the trials of a run, and put on record, or held to the record that there is. */
import { warningsOf } from '../arms/attribution/attribution.ts';
import { type ArmEvidence, armEvidence, NO_EVIDENCE } from '../arms/evidence.ts';
import { prepareArms } from '../arms/prepare.ts';
import { armRecord, type PreparedArm } from '../arms/prepared-arm.ts';
import type { Machine } from '../experiment/experiment.ts';
import { readAllowedCpus } from '../host/allowed-cpus.ts';
import { parseCpuList } from '../host/cpu-list.ts';
import { leaveSubjectCpu } from '../host/own-cpu.ts';
import { openCache } from '../io/cache.ts';
import type { Journal } from '../journal/records.ts';
import { seedOf } from '../plan/plan.ts';
import { countingCpu, countingLimitations } from '../trial/counting-tool.ts';
import { emptyCommandNs } from '../trial/empty-command.ts';
import type { Launcher } from '../trial/launch.ts';
import type { TrialSetting } from '../trial/launch-request.ts';
import { pinSessions } from '../trial/session-cpu.ts';
import { limitsLacking } from '../trial/surroundings/surroundings.ts';
import { keepEvidence } from './directory.ts';
import { notePlaces } from './identity-file.ts';
import type { OpenRun } from './open-run.ts';
import { checkSameFiles } from './resume.ts';

export interface ReadyArms {
  readonly arms: readonly PreparedArm[];
  /** As the experiment has it, with the CPU that sessions run on where it names none. */
  readonly machine: Machine;
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
  const evidence = soFar.prepared === null ? await evidenceOf(run, arms) : NO_EVIDENCE;
  if (evidence === null) return null;
  // What Assay may use, until it leaves that of the subject.
  const cpus = parseCpuList(readAllowedCpus());
  const { machine, limitation } = await pinSessions(experiment, launcher.kind, cpus, setting.env);
  if (limitation !== null) setting.emit({ kind: 'limitation', ...limitation });
  // After the installations, which may use all CPUs.
  if (soFar.run.machine === null) throw new Error('what was imported is not run');
  const misplaced = await leaveSubjectCpu(machine, soFar.run.machine.cpus);
  if (misplaced !== null) setting.emit({ kind: 'limitation', ...misplaced });
  if (soFar.prepared === null) {
    const lacking = await limitsLacking(experiment.workload, soFar.run.machine, run.trialsPath);
    for (const swaps of lacking) setting.emit({ kind: 'limitation', ...swaps });
    await putOnRecord(run, arms, evidence, [...lacking, ...(limitation === null ? [] : [limitation])]);
  } else checkSameFiles(soFar.prepared, redact.arms(arms.map(armRecord)));
  await notePlaces(run.directory.identity, arms);
  if (countingTool === null) return { arms, machine, counting: null };
  const cpu = countingCpu(countingTool, launcher.kind, cpus, experiment.machine);
  return { arms, machine, counting: { tool: countingTool, cpu } };
}

/** Null where the user's signal ended an installation. */
async function preparedArms(
  { experiment, source, setting: { env, emit, stop } }: OpenRun,
  { prepared, run }: Journal,
): Promise<readonly PreparedArm[] | null> {
  const context = { env, emit, stop, before: prepared, seed: seedOf(run.plan) };
  return prepareArms(experiment, source.directory, context).catch((error: unknown) => {
    if (stop.aborted) return null;
    throw error;
  });
}

/** Null where the user stopped it. */
async function evidenceOf(
  { experiment, redact, setting: { env, emit, stop } }: OpenRun,
  arms: readonly PreparedArm[],
): Promise<ArmEvidence | null> {
  const onProgress = (message: string) => emit({ kind: 'preparing', arm: 'machine code', message });
  const context = { env, cache: await openCache(env), onProgress, signal: stop, redact: redact.text };
  return armEvidence(experiment, arms, context);
}

/** @param chosen what a reader must know of the CPU that was chosen, and of limits of memory */
async function putOnRecord(
  run: OpenRun,
  arms: readonly PreparedArm[],
  evidence: ArmEvidence,
  chosen: Launcher['limitations'],
): Promise<void> {
  const { directory, launcher, countingTool, setting, trialsPath } = run;
  const { kind } = launcher;
  const lacking = countingTool === null ? [] : countingLimitations(countingTool, kind);
  for (const limitation of lacking) setting.emit({ kind: 'limitation', ...limitation });
  const limitations = [...launcher.limitations, ...lacking, ...chosen];
  const overhead_ns = await emptyCommandNs(launcher, trialsPath);
  const { attribution, objects, diffs, files } = evidence;
  const records = arms.map(armRecord).map((record) => ({
    ...record,
    warnings: [...record.warnings, ...(record.build === 0 ? warningsOf(evidence, record.arm) : [])],
  }));
  run.append({
    kind: 'prepared',
    arms: records,
    ...{ attribution, objects, diffs, kept: await keepEvidence(directory, arms, files) },
    launcher: { kind, limitations, overhead_ns },
    counting_tool: countingTool?.name ?? null,
  });
}
