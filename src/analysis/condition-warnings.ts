/** Warnings about what the trials ran on and under: the launcher, the file system, other work, the hypervisor, the CPU's frequency. */
import type { Journal, TrialRecord } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import type { Warning } from './analysis.ts';
import { RunningMean } from './stats/moments.ts';
import { counted, listed, percent, quantity, short } from './wording.ts';

/** An empty command may take this share of a trial. */
const MOST_OVERHEAD = 0.01;
/** CPUs that others keep busy, and the share of a CPU that the hypervisor takes: mean over the trials. */
const MOST_OTHER_CPU = 0.2;
const MOST_STEAL = 0.01;
/** Between the mean frequencies of two arms. */
const MOST_FREQUENCY_DIFFERENCE = 0.01;

export type RunWarning = Omit<Warning, 'metric'>;

/** `attempts` are those of the confirmation. */
export function conditionWarnings(journal: Journal, attempts: Attempts): readonly RunWarning[] {
  const arms = journal.run.experiment.arms.map(({ name }) => name);
  const counting = attempts.filter(({ outcome }) => outcome === 'complete').trials();
  const conditions = conditionsOf(counting, arms);
  const warnings = [
    overhead(journal, conditions),
    ...limitations(journal),
    fileSystem(journal),
    ...leftovers(journal),
    otherWork(conditions, counting),
    steal(conditions),
    ...frequency(journal, conditions),
  ];
  return warnings.filter((warning) => warning !== null);
}

/** Means over the trials that count; null where none of them knows. */
interface Conditions {
  readonly by_arm: ReadonlyMap<string, { readonly wall_ns: number | null; readonly frequency_hz: number | null }>;
  readonly other_cpu: number | null;
  readonly steal: number | null;
}

/** Goes through the trials once: looking up what a trial has in a packed journal is most of the work. */
function conditionsOf(trials: readonly TrialRecord[], arms: readonly string[]): Conditions {
  const means = new Map(arms.map((name) => [name, { wall_ns: new RunningMean(), frequency_hz: new RunningMean() }]));
  const other_cpu = new RunningMean();
  const steal = new RunningMean();
  for (const { arm, account, noise } of trials) {
    const own = means.get(arm);
    if (account !== null) own?.wall_ns.add(account.wall_ns);
    const { frequency_hz, other_cpu: others, steal: taken } = noise;
    if (frequency_hz !== null) own?.frequency_hz.add(frequency_hz);
    if (others !== null) other_cpu.add(others);
    if (taken !== null) steal.add(taken);
  }
  const by_arm = new Map(
    [...means].map(([name, { wall_ns, frequency_hz }]) => [
      name,
      { wall_ns: wall_ns.value, frequency_hz: frequency_hz.value },
    ]),
  );
  return { by_arm, other_cpu: other_cpu.value, steal: steal.value };
}

function overhead({ run, prepared }: Journal, { by_arm }: Conditions): RunWarning | null {
  if (prepared === null) return null;
  const noun = run.experiment.design.slices === null ? 'trial' : 'session';
  // What slices tell begins after the start of a process.
  const isStarted = run.experiment.metrics.some(({ from }) => from.kind === 'system' && from.name !== 'max_rss');
  if (noun === 'session' && !isStarted) return null;
  const means = [...by_arm.values()].map(({ wall_ns }) => wall_ns).filter((wall_ns) => wall_ns !== null);
  const shortest = Math.min(...means);
  const { overhead_ns } = prepared.launcher;
  if (means.length === 0 || overhead_ns <= MOST_OVERHEAD * shortest) return null;
  return {
    code: 'short-trial',
    message: `An empty command takes ${quantity(overhead_ns, 'ns')}, more than ${percent(MOST_OVERHEAD)} of a ${noun} of ${quantity(shortest, 'ns')}.`,
    remedy: `Let a ${noun} do more work, so that it takes ${quantity(overhead_ns / MOST_OVERHEAD, 'ns')} or longer.`,
  };
}

function limitations({ prepared }: Journal): readonly RunWarning[] {
  const messages = new Map<string, string[]>();
  for (const { message, remedy } of prepared?.launcher.limitations ?? []) {
    messages.set(remedy, [...(messages.get(remedy) ?? []), message]);
  }
  return [...messages].map(([remedy, told]) => ({ code: 'launcher', message: told.join(' '), remedy }));
}

const UNFIT_FILE_SYSTEMS = new Map([
  ['tmpfs', 'lies in memory: nothing was written to a device'],
  ['ramfs', 'lies in memory: nothing was written to a device'],
  ['overlay', 'copies files when they are first written: that is in the measurements'],
  ['overlayfs', 'copies files when they are first written: that is in the measurements'],
]);

function fileSystem({ run }: Journal): RunWarning | null {
  const name = run.machine?.file_system ?? null;
  const why = name === null ? undefined : UNFIT_FILE_SYSTEMS.get(name);
  return why === undefined
    ? null
    : {
        code: 'file-system',
        message: `Trials ran on ${name}, which ${why}.`,
        remedy: 'Set trial_dir to a directory on the file system that matters.',
      };
}

/** Of all trials, whatever their phase. */
function leftovers({ run, trials }: Journal): readonly RunWarning[] {
  const found = new Map<string, number>();
  for (const { arm, account } of trials) {
    if (account !== null && account.leftovers > 0) found.set(arm, (found.get(arm) ?? 0) + 1);
  }
  return run.experiment.arms.flatMap(({ name }) => {
    const left = found.get(name);
    if (left === undefined) return [];
    return [
      {
        code: 'leftovers',
        message: `${counted(left, 'trial')} of ${name} left processes behind, which were killed.`,
        remedy: 'Let the command wait for all that it starts; work of theirs that was cut off is in no number.',
      },
    ];
  });
}

function otherWork({ other_cpu: others }: Conditions, trials: readonly TrialRecord[]): RunWarning | null {
  if (others === null || others <= MOST_OTHER_CPU) return null;
  const shares = new Map<string, { cpu: number }>();
  for (const { state } of trials) {
    for (const { name, cpu } of state?.busiest ?? []) {
      const share = shares.get(name);
      if (share === undefined) shares.set(name, { cpu });
      else share.cpu += cpu;
    }
  }
  const names = [...shares].sort(([, a], [, b]) => b.cpu - a.cpu).map(([name]) => name);
  const most = names.length === 0 ? '' : `, most of all ${listed(names.slice(0, 3), 3)}`;
  return {
    code: 'busy-machine',
    message: `Other processes kept ${short(others)} ${short(others) === '1' ? 'CPU' : 'CPUs'} busy during the trials${most}.`,
    remedy: 'Stop them, or have trials rejected by a rule on other_cpu that stands in the experiment beforehand.',
  };
}

function steal({ steal: taken }: Conditions): RunWarning | null {
  if (taken === null || taken <= MOST_STEAL) return null;
  return {
    code: 'steal',
    message: `The hypervisor took ${percent(taken)} of the CPU during the trials.`,
    remedy: 'Use a machine of your own, or a rule on steal that stands in the experiment beforehand.',
  };
}

function frequency({ run }: Journal, { by_arm }: Conditions): readonly RunWarning[] {
  const { reference } = run.experiment;
  const base = by_arm.get(reference)?.frequency_hz ?? null;
  if (base === null) return [];
  return [...by_arm].flatMap(([name, { frequency_hz: own }]) => {
    if (name === reference || own === null || !(Math.abs(own / base - 1) > MOST_FREQUENCY_DIFFERENCE)) return [];
    return [
      {
        code: 'frequency',
        message: `The CPU ran at ${short(own / 1e9)} GHz under ${name} and at ${short(base / 1e9)} GHz under ${reference}.`,
        remedy: 'Fix the frequency (governor performance, turbo off), unless it is what the arms differ in.',
      },
    ];
  });
}
