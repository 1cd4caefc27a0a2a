/** What must not have changed between the two halves of a run. */
import type { Experiment } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import type { PreparedArm, PreparedRecord, RunRecord } from '../journal/records.ts';
import { sameExperiment } from './first-record.ts';

/** @param machineId of this machine */
export function checkSameMachine(run: RunRecord, machineId: string): void {
  if (run.machine?.machine_id === machineId) return;
  throw new AssayError({
    kind: 'machine',
    message: `the run began on another machine (${run.machine?.cpu_model ?? 'unknown'}), and pairs of two machines are no pairs`,
    remedy: 'Go on where it began, or start a new run here.',
  });
}

/** @param experiment with identity redacted, as in the journal */
export function checkSameExperiment(run: RunRecord, experiment: Experiment): void {
  if (sameExperiment(run.experiment, experiment)) return;
  throw new AssayError({
    kind: 'usage',
    message: 'the experiment in identity.json is not that of the journal, or this Assay reads it differently',
    remedy: `Go on with Assay ${run.assay}, or start a new run.`,
  });
}

/** @param name of what counts instructions, null where nothing is counted */
export function checkSameTool(before: PreparedRecord | null, name: string | null): void {
  if (before === null || before.counting_tool === name) return;
  throw new AssayError({
    kind: 'machine',
    message: `the run began with ${before.counting_tool ?? 'nothing that counts'}, and here is ${name ?? 'none'}: two versions need not count alike`,
    remedy: 'Put the earlier version first on PATH and resume, or start a new run.',
  });
}

/** @param arms with identity redacted, as in the journal */
export function checkSameFiles(before: PreparedRecord, arms: readonly PreparedArm[]): void {
  for (const { arm, build, files } of before.arms) {
    const now = arms.find((candidate) => candidate.arm === arm && candidate.build === build);
    for (const file of files) {
      const same = now?.files.find((candidate) => candidate.path === file.path)?.sha256 === file.sha256;
      if (same) continue;
      throw new AssayError({
        kind: 'arm',
        arm,
        message: `${file.path} has changed since the run began`,
        detail: '',
        remedy: 'Put the file back as it was and resume, or start a new run.',
      });
    }
  }
}
