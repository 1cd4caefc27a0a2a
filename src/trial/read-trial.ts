/** What became of a trial: its account is kept beside its output, and both are read for metrics and checks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandIn } from '../arms/prepared-arm.ts';
import { fileFailure } from '../io/file-failure.ts';
import type { TrialLine } from '../journal/records.ts';
import { phaseSetting } from '../plan/phase-setting.ts';
import type { PlannedTrial } from '../plan/plan.ts';
import { keepCount } from './count.ts';
import { wordingOf } from './driver-wording.ts';
import type { LaunchAccount } from './launch.ts';
import { preparedFor, type TrialSetting } from './launch-request.ts';
import { collectRawOutput } from './raw-output.ts';
import { readOutput } from './read-output.ts';
import type { SessionHalf } from './slice-metrics.ts';
import { SLICES_FILE } from './slices-file.ts';

/** A trial that has ended. */
export interface Ended {
  readonly planned: PlannedTrial;
  readonly attempt: number;
  readonly account: LaunchAccount;
  /** The trial's folder, and its raw folder within the run's directory. */
  readonly place: string;
  readonly raw: string;
  /** Null where it was no half of a session. */
  readonly half: SessionHalf | null;
}

/**
 * Its line of the journal, but for what the machine did meanwhile.
 * @param first whether its arm has not told yet what its driver says of the workload
 */
export function readTrial(
  setting: TrialSetting,
  { planned, attempt, account, place, raw, half }: Ended,
  first: boolean,
): Omit<TrialLine, 'noise' | 'state'> {
  const { experiment, runPath } = setting;
  const inPhase = phaseSetting(experiment, planned.phase);
  const { counting } = inPhase;
  try {
    const document = {
      trial: { ...planned, attempt },
      command: commandIn(preparedFor(setting, planned), planned.phase).shown,
      // Its parameters win over those in the command.
      ...(counting === null ? {} : { counting }),
      account,
      ...(half === null ? {} : { session: { fault: half.fault, asked: half.asked } }),
    };
    const text = JSON.stringify(setting.redact(document), null, 2);
    writeFileSync(join(runPath, raw, 'account.json'), `${text}\n`);
  } catch (error) {
    throw fileFailure(error, join(runPath, raw, 'account.json'), "write the trial's account");
  }
  const slicesFile = half?.subject === 0 ? [SLICES_FILE] : [];
  const { output, files } = collectRawOutput(inPhase, account, join(place, 'data'), runPath, raw, slicesFile);
  const count = counting === null ? null : keepCount(place, runPath, raw);
  return {
    kind: 'trial',
    ...planned,
    attempt,
    account,
    ...readOutput(inPhase, output, count?.output ?? null, half),
    wording: first ? wordingOf(output.stdout) : null,
    raw: [...files, ...(count?.files ?? [])],
  };
}
