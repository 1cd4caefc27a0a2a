/** The first line of a journal: all that is settled before anything runs. */
import { createHash } from 'node:crypto';
import { workloadText } from '../experiment/calibrated.ts';
import { canonicalJson, experimentId } from '../experiment/canonical.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { MachineFacts } from '../host/machine.ts';
import { assayVersion, softwareVersions } from '../io/version.ts';
import type { Calibration } from '../journal/calibration.ts';
import { JOURNAL_VERSION, type RunRecord } from '../journal/records.ts';
import type { Plan } from '../plan/plan.ts';
import { earlierRuns } from './earlier.ts';

/** Of what is settled, with identity redacted: so that hashes hold for what stands in the journal. */
export function firstRecord(
  settled: {
    readonly experiment: Experiment;
    readonly source: { readonly name: string; readonly text: string };
    readonly plan: Plan;
    readonly machine: MachineFacts;
  },
  runPath: string,
  calibration: Calibration | null,
): RunRecord {
  const { experiment, source, plan, machine } = settled;
  const id = experimentHash(experiment);
  return {
    kind: 'run',
    version: JOURNAL_VERSION,
    assay: assayVersion(),
    versions: softwareVersions(),
    started_unix_ms: Date.now(),
    source: { ...source, sha256: sha256(source.text) },
    experiment,
    experiment_id: id,
    plan,
    imported: null,
    machine,
    calibration,
    earlier: earlierRuns(runPath, id),
  };
}

/** What makes two runs the same experiment: all but title and seed. */
export function experimentHash(experiment: Experiment): string {
  return sha256(experimentId(experiment));
}

/** What makes two experiments the same workload, whatever they compare: what a calibration of one says holds for the other. */
export function workloadHash(experiment: Experiment): string {
  return sha256(workloadText(experiment));
}

/** Whether two experiments say the same, field by field. */
export function sameExperiment(a: Experiment, b: Experiment): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
