/** The environment of a subject: nothing of the user's but PATH and what the experiment names. */
import { join } from 'node:path';
import { countersEnvironment } from '../experiment/counters.ts';
import { namedEnvironment } from '../experiment/environment.ts';
import type { Arm, Experiment } from '../experiment/experiment.ts';

/** The variable that lengthens the environment by a drawn size. */
const PADDING = 'ASSAY_PADDING';

/**
 * Variables of a trial. HOME and TMPDIR are empty directories of the trial; an arm's own variables win.
 * @param setting `own`: Assay's own environment; `padding`: bytes that lengthen it
 */
export function subjectEnvironment(setting: {
  readonly experiment: Pick<Experiment, 'workload' | 'counters' | 'machine'>;
  readonly arm: Arm;
  readonly values: Readonly<Record<string, string>>;
  readonly place: string;
  readonly padding: number;
  readonly own: NodeJS.ProcessEnv;
}): Record<string, string> {
  const { experiment, arm, values, place, padding, own } = setting;
  return {
    LC_ALL: 'C',
    TZ: 'UTC',
    HOME: join(place, 'home'),
    TMPDIR: join(place, 'tmp'),
    ...(experiment.machine.environment_padding === 0 ? {} : { [PADDING]: 'x'.repeat(padding) }),
    ...countersEnvironment(experiment),
    ...namedEnvironment(experiment, arm, values, own),
  };
}
