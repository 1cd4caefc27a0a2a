/** What a study of engines would do: engines, sizes, orders, and how long it takes where that is known. Nothing is run, made or written. */
import { randomInt } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { planTime } from './analysis/plan-time.ts';
import { progressOf } from './analysis/stopping.ts';
import { AssayError } from './failures.ts';
import { ownMachineId } from './host/facts.ts';
import { existingAncestor } from './io/disk.ts';
import { analyseRun } from './pipeline.ts';
import { makePlan, plannedTrials } from './plan/plan.ts';
import { DEFAULT_PARENT } from './run/directory.ts';
import { parseExperiment } from './run/experiment-file.ts';
import { type AskedStudy, begunStudy, comparedHere, sizedStudy } from './run/settle-study.ts';
import { keptStudy } from './run/study-file.ts';
import { experimentText } from './storage/engines/experiment.ts';
import type { PlannedSize, PlannedStudy } from './storage/engines/planned.ts';
import { type EngineStudy, recordBytes } from './storage/engines/study.ts';
import { lacksRoom } from './trial/surroundings/loop-device.ts';
import { foreseeSurroundings } from './trial/surroundings/surroundings.ts';

export interface PlanSetting extends AskedStudy {
  readonly env: NodeJS.ProcessEnv;
  /** The directory that the study would have, or has; null: one in assay-runs. */
  readonly out: string | null;
}

/** Studies that are looked at for the time that one takes. */
const MOST_STUDIES = 100;

/** @throws AssayError as a study does before its first trial */
export async function planStudy(setting: PlanSetting): Promise<PlannedStudy> {
  const { source, small, seed: given, env, out } = setting;
  const kept = out === null ? null : begunStudy(out, setting);
  const asked = sizedStudy(setting, kept);
  const { study, engines, left_out } = await comparedHere(
    asked,
    kept,
    { source, env, making: null },
    foreseeSurroundings,
  );
  const known = kept?.seed ?? given ?? asked.seed;
  const seed = known ?? randomInt(2 ** 31);
  const begun = kept === null ? null : out;
  const studies = [...(begun === null ? [] : [begun]), ...earlierStudies(setting)];
  const machine = await ownMachineId();
  const sizes = study.sizes.map((size): PlannedSize => {
    const name = `${size.name}.yaml`;
    const experiment = parseExperiment({ ...source, name, text: experimentText(study, size, engines, seed) });
    const plan = makePlan(experiment, seed);
    const trials = plannedTrials(plan).length;
    const own = begun === null ? null : ranRun(join(begun, size.name));
    const timeIn = (path: string): number | null => {
      const run = ranRun(join(path, size.name));
      if (run === null || run.journal.run.machine?.machine_id !== machine) return null;
      if (run.journal.run.experiment.design.arms.join() !== experiment.design.arms.join()) return null;
      const earlier = { ...run, prepared: [], session_ns: null };
      return planTime(experiment, plan, { earlier, named: true, calibration: null }).pair_seconds;
    };
    return {
      size,
      user_bytes: size.keys * recordBytes(size),
      blocks: plan.phases.flatMap(({ phase, blocks }) => (phase === 'confirmation' ? blocks : [])),
      trials,
      trials_left: own === null ? trials : progressOf(own.journal).trialsLeft(),
      ...timeOf(studies, timeIn),
    };
  });
  return {
    ...{ study, small, seed, seed_given: known !== null, begun, engines, sizes, left_out },
    problems: await problemsOf(study, out),
  };
}

/** By the first study that tells it; those behind it are not read. */
function timeOf(
  studies: readonly string[],
  timeIn: (path: string) => number | null,
): Pick<PlannedSize, 'block_seconds' | 'as_in'> {
  for (const as_in of studies) {
    const block_seconds = timeIn(as_in);
    if (block_seconds !== null) return { block_seconds, as_in };
  }
  return { block_seconds: null, as_in: null };
}

/** Of the same text and sizes in `assay-runs`, the latest first: their names begin with their time. */
function earlierStudies({ source, small }: PlanSetting): readonly string[] {
  if (!existsSync(DEFAULT_PARENT)) return [];
  return readdirSync(DEFAULT_PARENT)
    .sort()
    .reverse()
    .slice(0, MOST_STUDIES)
    .map((name) => join(DEFAULT_PARENT, name))
    .filter((path) => {
      const kept = unlessUnreadable(() => keptStudy(path));
      return kept !== null && kept.text === source.text && kept.small === small;
    });
}

function ranRun(path: string): ReturnType<typeof analyseRun> | null {
  return existsSync(join(path, 'journal.jsonl')) ? unlessUnreadable(() => analyseRun(path)) : null;
}

/** What another study has left tells nothing, then; it is no failure of this one. */
function unlessUnreadable<Found>(read: () => Found): Found | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof AssayError) return null;
    throw error;
  }
}

/** What would end it at its first trial, and can be seen now. */
async function problemsOf({ device }: EngineStudy, out: string | null): Promise<PlannedStudy['problems']> {
  const lacking = device === null ? null : await lacksRoom(existingAncestor(out ?? DEFAULT_PARENT), device.size_bytes);
  if (lacking === null) return [];
  return [
    {
      message: `device: ${lacking}`,
      remedy: 'Name a directory on a larger disk with --out, or ask for a smaller device.',
    },
  ];
}
