/** The experiment as it holds in one phase: the one place that knows how counting, controls and side comparisons differ. */
import { COUNTERS_VARIABLE, type CounterMode } from '../experiment/counters.ts';
import type {
  Argv,
  Check,
  Counting,
  Experiment,
  Machine,
  Metric,
  Param,
  SideDesign,
  Slices,
  Workload,
} from '../experiment/experiment.ts';
import type { Phase } from './plan.ts';

export interface PhaseSetting {
  /** With the limits and variables of this phase. */
  readonly workload: Workload;
  /** Of all arms, instead of theirs and the workload's; null where these hold. */
  readonly command: Argv | null;
  /** Win over those of workload and arms. */
  readonly params: Readonly<Record<string, Param>>;
  readonly counters: CounterMode;
  /** Those that are read. */
  readonly metrics: readonly Metric[];
  readonly checks: readonly Check[];
  readonly machine: Machine;
  /** Null where each trial is a process of its own time. */
  readonly slices: Slices | null;
  /** Null unless instructions are counted. */
  readonly counting: Counting | null;
}

/** What holds in a phase: of the experiment, of how it counts, or of the control or comparison of that name. */
export function phaseSetting(experiment: Experiment, phase: Phase): PhaseSetting {
  const { workload, counters, metrics, checks, machine, design, counting, sides } = experiment;
  const general = { command: null, params: {}, metrics, checks, machine, slices: design.slices, counting: null };
  if (phase === 'counting' && counting !== null) {
    const { params, timeout_ms } = counting;
    // A processor's events under valgrind are valgrind's, and its times nobody's.
    const limits = { ...uncounted(workload), timeout_ms, drop_caches: false };
    return { ...general, workload: limits, params, counters: 'off', metrics: [], slices: null, counting };
  }
  const side = sides.find(({ name }) => name === phase);
  if (side === undefined) return { ...general, workload, counters };
  return {
    ...general,
    workload: side.counters === 'off' ? uncounted(workload) : workload,
    command: side.command,
    params: side.params,
    counters: side.counters,
    metrics: metrics.filter((metric) => isRead(metric, side)),
  };
}

/** The phases in which an arm runs something else than it does in the confirmation. */
export function phasesOfOwn({ sides }: Pick<Experiment, 'sides'>, arm: string): readonly Phase[] {
  return sides.filter((side) => side.arms.includes(arm) && isOtherWork(side)).map(({ name }) => name);
}

/** Whether trials of a side comparison do other work than those of the confirmation. */
export function isOtherWork({ command, params }: Pick<SideDesign, 'command' | 'params'>): boolean {
  return command !== null || Object.keys(params).length > 0;
}

function isRead({ name, from }: Metric, { metrics, counters }: SideDesign): boolean {
  return (metrics === null || metrics.includes(name)) && (from.kind !== 'counter' || counters !== 'off');
}

/** A driver of the user's own that is told what to count is told to count nothing. */
function uncounted(workload: Workload): Workload {
  if (!Object.hasOwn(workload.env, COUNTERS_VARIABLE)) return workload;
  return { ...workload, env: { ...workload.env, [COUNTERS_VARIABLE]: 'off' } };
}
