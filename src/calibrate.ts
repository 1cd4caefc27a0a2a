/** A calibration from the text of an experiment to what is kept of it: one run against itself, and one against an arm of known cost. */
import { join } from 'node:path';
import { calibrationOf } from './analysis/calibration.ts';
import { type CalibrationRequest, calibrationText } from './experiment/calibrated.ts';
import type { Experiment } from './experiment/experiment.ts';
import { readExperiment } from './experiment/parse.ts';
import { AssayError } from './failures.ts';
import type { Calibration, KeptCalibration } from './journal/calibration.ts';
import { type RunOutcome, startOrResume } from './pipeline.ts';
import { keepCalibration } from './run/calibrations.ts';
import { defaultRunPath } from './run/directory.ts';
import { type ExperimentSource, parseExperiment } from './run/experiment-file.ts';
import { workloadHash } from './run/first-record.ts';
import { identityOf } from './run/identity-file.ts';
import { redactor } from './run/identity-places.ts';
import type { RunSetting } from './run/open-run.ts';

export interface CalibrationSetting extends RunSetting {
  readonly source: ExperimentSource;
  readonly runs: number;
  /** An arm of known cost (null: the one beside the reference), and what it is said to cost; null: none is run. */
  readonly known: { readonly arm: string | null; readonly cost: string | null } | null;
  /** Null: one in assay-runs, by time and title. One that is there already is gone on with. */
  readonly out: string | null;
  readonly seed: number | null;
}

export interface CalibrationOutcome {
  readonly directory: string;
  /** Null where a run of it is not complete, or invalid. */
  readonly calibration: Calibration | null;
  /** The last of its runs that was begun: what it ended with is what the calibration ended with. */
  readonly last: RunOutcome;
  /** All that were begun, the A/A run first. */
  readonly begun: readonly RunOutcome[];
  /** Where it is kept for later runs; null: it is not. */
  readonly kept: KeptCalibration | null;
}

/** Where the run of the arm of known cost lies, within the directory of the calibration. */
const KNOWN = 'known';

/**
 * Runs what a calibration still lacks, and keeps what it found. The A/A run has the directory itself, that of known cost a folder in it.
 * @throws AssayError as a run does; `usage` for what cannot be calibrated
 */
export async function calibrate(setting: CalibrationSetting): Promise<CalibrationOutcome> {
  const { source, runs, known, out, emit } = setting;
  const experiment = parseExperiment(source);
  const directory = out ?? defaultRunPath(experiment.title, Date.now(), 'calibration');
  const requests = [
    { path: directory, text: textOf(source, { runs, arm: null }, null) },
    ...(known === null
      ? []
      : [
          {
            path: join(directory, KNOWN),
            text: textOf(source, { runs, arm: knownArm(experiment, known.arm) }, known.cost),
          },
        ]),
  ];
  if (experiment.design.builds > 1) emit({ kind: 'limitation', ...ONE_BUILD });
  const outcomes: RunOutcome[] = [];
  for (const { path, text } of requests) {
    const outcome = await startOrResume({ ...setting, source: { ...source, text }, out: path }, WORDS);
    outcomes.push(outcome);
    if (outcome.analysis.state !== 'complete') {
      return { directory, calibration: null, last: outcome, begun: outcomes, kept: null };
    }
  }
  const [same, other, last] = [outcomes[0], outcomes[1] ?? null, outcomes.at(-1)];
  if (same === undefined || last === undefined) throw new Error('a calibration is one run at least');
  const redact = redactor(identityOf(experiment, source, setting.env));
  const redacted = redact.experiment(experiment);
  const calibration = calibrationOf(same.journal, other?.journal ?? null, {
    title: redacted.title,
    workload_id: workloadHash(redacted),
  });
  return { directory, calibration, last, begun: outcomes, kept: await kept(setting, calibration) };
}

/** That it cannot be kept takes nothing away from what was found. */
async function kept({ env, emit }: RunSetting, calibration: Calibration): Promise<KeptCalibration | null> {
  try {
    return await keepCalibration(env, calibration);
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    const { failure } = error;
    const why = failure.kind === 'file' ? `${failure.path}: ${failure.code}` : 'there is no place for it';
    const remedy =
      'Name a directory of your own in ASSAY_DATA, and calibrate again with the same --out: nothing is run twice.';
    emit({ kind: 'limitation', message: `The calibration is not kept for later runs (${why}).`, remedy });
    return null;
  }
}

const WORDS = { what: 'calibration', again: 'calibrate with the file, --runs, --known and --arm as before' };

const ONE_BUILD = {
  message: 'One build of the reference is calibrated: how far builds differ is in no number here.',
  remedy: 'See how far they differ in a run of the experiment itself.',
};

/** The text that runs. Of a file without faults all that may be wrong is what was asked for. */
function textOf({ text }: ExperimentSource, request: CalibrationRequest, cost: string | null): string {
  const derived = calibrationText(text, { ...request, cost });
  const read = readExperiment(derived);
  if (read.ok) return derived;
  throw new AssayError({
    kind: 'usage',
    message: read.errors[0]?.message ?? 'this experiment cannot be calibrated',
    remedy: 'See assay calibrate --help, and docs/calibration.md.',
  });
}

function knownArm({ design, reference }: Experiment, named: string | null): string {
  const others = design.arms.filter((arm) => arm !== reference);
  const [only] = others;
  if (named !== null) return named;
  if (only !== undefined && others.length === 1) return only;
  throw new AssayError({
    kind: 'usage',
    message: `the experiment has ${others.length} arms beside the reference, and one of them is that of known cost`,
    remedy: `Name it with --arm: ${others.join(', ')}.`,
  });
}
