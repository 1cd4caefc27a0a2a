/** How busy the machine is around trials and pairs. Nothing is read while a trial runs. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Experiment } from '../experiment/experiment.ts';
import { type Look, lookAround } from '../host/look-around.ts';
import type { MachineState, TrialNoise } from '../host/machine.ts';
import { type Counters, counterReader, noiseBetween, SHORTEST_WINDOW_NS } from '../host/noise.ts';
import type { PlannedTrial } from '../plan/plan.ts';
import type { LaunchAccount } from './launch.ts';

export interface MachineWatch {
  /** Of trials that run at the same time, in their order. */
  before(planned: readonly PlannedTrial[]): Promise<void>;
  /** Of each of them: what the machine did while they ran is the same for all. */
  after(planned: readonly PlannedTrial[], accounts: readonly Pick<LaunchAccount, 'cpu_ns'>[]): readonly Seen[];
}

interface Seen {
  readonly noise: TrialNoise;
  readonly state: MachineState | null;
}

/** A reading before a trial, and the CPU time of all subjects until then (null once one was unknown). */
interface Mark {
  readonly counters: Counters;
  readonly subjects_ns: number | null;
}

/** Counters around every trial; a look at all processes before the first trial of a block and after its last. */
export function openMachineWatch(experiment: Experiment): MachineWatch {
  const read = counterReader(experiment.machine.cpu);
  const armsOf = ({ phase }: PlannedTrial) =>
    (experiment.sides.find(({ name }) => name === phase) ?? experiment.design).arms.length;
  let subjects_ns: number | null = 0;
  /** The oldest first; the first is always old enough for the window of the next trial. */
  let marks: Mark[] = [{ counters: read(), subjects_ns }];
  let look: Look | null = null;
  let state: MachineState | null = null;
  const lookAgain = () => {
    look = lookAround(look, [process.pid]);
    return look.state;
  };
  return {
    async before(planned) {
      const first = marks[0]?.counters.at_ns ?? 0;
      const missing_ns = SHORTEST_WINDOW_NS - (read().at_ns - first);
      if (missing_ns > 0) await delay(missing_ns / 1e6 + 1);
      state = planned.some(({ position }) => position === 1) ? lookAgain() : null;
      marks.push({ counters: read(), subjects_ns });
    },
    after(planned, accounts) {
      const counters = read();
      for (const { cpu_ns } of accounts) {
        subjects_ns = subjects_ns === null || cpu_ns === null ? null : subjects_ns + cpu_ns;
      }
      // The latest mark that is old enough; a trial of 100 ms and more has its own window.
      const isOld = (mark: Mark) => counters.at_ns - mark.counters.at_ns >= SHORTEST_WINDOW_NS;
      const index = marks.findLastIndex(isOld);
      marks = marks.slice(Math.max(0, index));
      const [start] = marks;
      const spent =
        subjects_ns === null || start === undefined || start.subjects_ns === null
          ? null
          : subjects_ns - start.subjects_ns;
      const noise = noiseBetween(start?.counters ?? counters, counters, spent);
      return planned.map((trial) => {
        if (trial.position === armsOf(trial)) return { noise, state: lookAgain() };
        return { noise, state: trial.position === 1 ? state : null };
      });
    },
  };
}
