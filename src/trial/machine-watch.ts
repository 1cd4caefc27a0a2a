/** How busy the machine is around trials and pairs. Nothing is read while a trial runs. */
import type { Experiment } from '../experiment/experiment.ts';
import { type Look, lookAround } from '../host/look-around.ts';
import type { MachineState, TrialNoise } from '../host/machine.ts';
import { type Counters, counterReader, noiseBetween } from '../host/noise.ts';
import type { PlannedTrial } from '../plan/plan.ts';
import type { LaunchAccount } from './launch.ts';

export interface MachineWatch {
  before(planned: PlannedTrial): void;
  after(planned: PlannedTrial, account: LaunchAccount): { noise: TrialNoise; state: MachineState | null };
}

/** Counters around every trial; a look at all processes before the first trial of a block and after its last. */
export function openMachineWatch(experiment: Experiment): MachineWatch {
  const read = counterReader(experiment.machine.cpu);
  const arms = experiment.arms.length;
  let counters: Counters | null = null;
  let look: Look | null = null;
  let state: MachineState | null = null;
  const lookAgain = () => {
    look = lookAround(look, [process.pid]);
    return look.state;
  };
  return {
    before(planned) {
      state = planned.position === 1 ? lookAgain() : null;
      counters = read();
    },
    after(planned, account) {
      const after = read();
      const noise = noiseBetween(counters ?? after, after, account.cpu_ns);
      return { noise, state: planned.position === arms ? lookAgain() : state };
    },
  };
}
