/** From an experiment to its calibration: the reference against itself, or against an arm of known cost, over and over. */
import { parseDocument } from 'yaml';
import { sameName } from './again.ts';
import { canonicalJson } from './canonical.ts';
import type { Arm, Experiment } from './experiment.ts';
import { writtenChange } from './quantities.ts';

/** As many as an experiment may have. */
export const MOST_CALIBRATION_PAIRS = 10_000;

/** As an experiment file says it. */
export interface CalibrationRequest {
  readonly runs: number;
  /** Of known cost; null: a copy of the reference. */
  readonly arm: string | null;
}

/**
 * What runs: two arms, with the warm-up, the checks and the rules of the experiment. A copy of the reference is its artefact itself: the same
 * files under another name. What stands beside the confirmation is left out, and several builds are one.
 */
export function calibrated(
  experiment: Experiment,
  { runs, arm, cost }: CalibrationRequest & { readonly cost: number | null },
): Experiment {
  const { design, title } = experiment;
  const reference = armOf(experiment, experiment.reference);
  const other: Arm =
    arm === null
      ? { ...reference, name: sameName(reference.name), source: { kind: 'same', of: reference.name } }
      : armOf(experiment, arm);
  const what = arm === null ? 'A/A' : 'known cost';
  return {
    ...experiment,
    title: `Calibration (${what}) of: ${title}`,
    question: null,
    arms: [reference, other],
    design: {
      ...design,
      arms: [reference.name, other.name],
      builds: 1,
      screening_pairs: 0,
      // More than two arms may have an odd number of blocks.
      confirmation_pairs: 2 * Math.ceil(design.confirmation_pairs / 2),
    },
    sides: [],
    unchanged: [],
    counting: null,
    attribution: null,
    calibrates: { runs, against: arm === null ? 'same' : 'known', cost },
  };
}

/**
 * The text of an experiment as that of its calibration: one key more, and all else as it stands.
 * @param text of an experiment without faults
 */
export function calibrationText(
  text: string,
  { runs, arm, cost }: CalibrationRequest & { readonly cost: string | null },
): string {
  const document = parseDocument(text.replace(/^\uFEFF/, ''));
  const calibration = {
    runs,
    ...(arm === null ? {} : { arm }),
    ...(cost === null ? {} : { cost: writtenChange(cost) }),
  };
  document.set('calibration', document.createNode(calibration, { flow: true }));
  // Long texts stay in their lines.
  return document.toString({ lineWidth: 0 });
}

/**
 * What a calibration is one of, as canonical text: workload, metrics without what is decided about them, slices and settings of the
 * machine. Of the arms only what the reference adds to the workload: where the workload has no command, it says what is done.
 */
export function workloadText(experiment: Experiment): string {
  const { workload, counters, design, trial_dir } = experiment;
  const { require: _, ...machine } = experiment.machine;
  const metrics = experiment.metrics.map(({ threshold: _threshold, margin: _margin, ...metric }) => metric);
  const { command, env, params } = armOf(experiment, experiment.reference);
  const own = { command, env, params };
  return canonicalJson({ workload, own, metrics, slices: design.slices, counters, machine, trial_dir });
}

function armOf({ arms }: Experiment, name: string): Arm {
  const arm = arms.find((each) => each.name === name);
  if (arm === undefined) throw new Error(`there is no arm ${name}`);
  return arm;
}
