/** Judgements of the processor, and of what it is shared with. */
import type { CounterKind } from '../experiment/counters.ts';
import { processorsText } from '../report/evidence.ts';
import { counted, formatNumber, formatShare } from '../report/numbers.ts';
import { PLAIN } from '../report/plain-text.ts';
import { formatBytes } from '../report/units.ts';
import {
  bad,
  graded,
  gradedRoom,
  isLinux,
  type Judge,
  type Judgement,
  MEMORY,
  type Observed,
  ok,
  unknown,
  usableCpus,
  warn,
} from './judgement.ts';
import type { CounterAvailability, MachineFacts } from './machine.ts';

/** Shares of the wanted time that the hypervisor gave to others. */
const STEAL = { warn: 0.01, bad: 0.1 };
/** Share of the periods of a control group in which it was stopped. */
const THROTTLED = { warn: 0, bad: 0.01 };
/** CPUs that others keep busy. */
const LEAST_BUSY = { warn: 0.2, bad: 0.5 };
const MOST_NAMED = 5;
const LONGEST_NAME = 32;

export function judgeCpus({ facts }: Observed): Judgement {
  const { cpus, allowed_cpus, isolated_cpus } = facts;
  const usable = usableCpus(facts);
  const use = usable < cpus ? `, of which Assay may use ${usable} (${allowed_cpus})` : '';
  const isolated = isolated_cpus === null || isolated_cpus === '' ? '' : `; isolated: ${isolated_cpus}`;
  const found = `${processorsText(facts, PLAIN.prose)}${use}${isolated}`;
  if (usable >= 2) return ok(found);
  return warn(found, 'Give it a second CPU: with one, Assay and the kernel’s own work share that of the trial.');
}

export function judgeSmt(observed: Observed): Judgement {
  const siblings = observed.facts.smt_siblings;
  if (siblings === null) return unknown(observed);
  if (siblings.length === 0) {
    return ok(observed.facts.virtual === true ? 'none that this virtual machine shows' : 'none: one CPU a core');
  }
  const shown = siblings.slice(0, 4).join(' and ');
  const rest = siblings.length > 4 ? ` and ${siblings.length - 4} more` : '';
  return warn(
    `CPUs share a core: ${shown}${rest}`,
    'Pin trials, and keep the sibling of that CPU idle (not for orchestrator_cpu, either); or switch SMT off: echo off > /sys/devices/system/cpu/smt/control.',
  );
}

/** Of all CPUs where they tell, else of the first. */
function governorsOf({ frequency, governor }: MachineFacts): readonly string[] {
  if (frequency !== null && frequency.governors.length > 0) return frequency.governors;
  return governor === null ? [] : [governor];
}

function isHeldHigh(facts: MachineFacts): boolean {
  const governors = governorsOf(facts);
  return governors.length > 0 && governors.every((name) => name === 'performance');
}

export function judgeGovernor(observed: Observed): Judgement {
  const governors = governorsOf(observed.facts);
  if (governors.length === 0) return unknown(observed);
  const driver = observed.facts.frequency?.driver ?? null;
  const found = `${governors.join(' and ')}${driver === null ? '' : ` (driver ${driver})`}`;
  return isHeldHigh(observed.facts) ? ok(found) : warn(found, 'Hold it high: cpupower frequency-set -g performance.');
}

export function judgeTurbo(observed: Observed): Judgement {
  const { turbo } = observed.facts;
  if (turbo === null) return unknown(observed);
  if (!turbo) return ok('off');
  return warn(
    'on: the clock depends on heat and on what other CPUs do',
    'Write 1 to /sys/devices/system/cpu/intel_pstate/no_turbo or 0 to /sys/devices/system/cpu/cpufreq/boost, whichever exists.',
  );
}

export function judgeFrequency(observed: Observed): Judgement {
  const { frequency } = observed.facts;
  if (frequency === null) return unknown(observed);
  const { min_hz, max_hz } = frequency;
  if (min_hz === max_hz) return ok(`${gigahertz(max_hz)}, fixed`);
  const found = `${gigahertz(min_hz)} to ${gigahertz(max_hz)}`;
  if (isHeldHigh(observed.facts)) return ok(`${found}, held high by the governor`);
  return warn(found, 'Make both limits one: cpupower frequency-set -d F -u F, with a frequency F that it can hold.');
}

function gigahertz(hz: number): string {
  return `${formatNumber(hz / 1e9)} GHz`;
}

export function judgeNuma({ facts: { numa_nodes } }: Observed): Judgement | null {
  if (numa_nodes === null) return null;
  if (numa_nodes.length === 1) return ok('one');
  return warn(
    `${numa_nodes.length}, with the CPUs ${numa_nodes.map((cpus) => cpus || 'none').join(' and ')}`,
    'Keep a trial and its memory on one: begin its command with numactl --cpunodebind=0 --membind=0.',
  );
}

export function judgeCounters(kind: CounterKind): Judge {
  const remedy = {
    hardware:
      'Mend what it names, or measure where there are some; counting: callgrind counts instructions without them.',
    software: 'Mend what it names; times are measured without them.',
  }[kind];
  return ({ facts: { counters } }) => {
    const found: CounterAvailability | undefined = counters?.[kind];
    if (found === undefined) return null;
    return found.available ? ok('available') : warn(found.reason, remedy);
  };
}

export function judgeVirtual(observed: Observed): Judgement {
  const { virtual } = observed.facts;
  if (virtual === null) return unknown(observed);
  if (!virtual) return ok('no');
  return warn(
    'yes: its neighbours use the same caches, memory and disks',
    'Measure small effects on hardware of your own; here, take more pairs.',
  );
}

export function judgeSteal({ facts: { steal } }: Observed): Judgement | null {
  if (steal === null) return null;
  const found = `${formatShare(steal)} of the CPU time that was wanted since the start of this machine`;
  return graded(steal, STEAL, found, 'Its host has too little CPU for all: move to one that is not overbooked.');
}

export function judgeQuota(observed: Observed): Judgement | null {
  const { control_group: group } = observed.facts;
  if (group === null || group.cpu_quota === null) return isLinux(observed) ? ok('none') : null;
  const usable = usableCpus(observed.facts);
  const found = `${counted(Number(formatNumber(group.cpu_quota)), 'CPU')} of time for ${counted(usable, 'CPU')} that may be used (cgroup v${group.version})`;
  if (group.cpu_quota >= usable) return ok(found);
  return bad(
    found,
    'Whoever reaches it is stopped for the rest of a period, trials too: lift it, or allow as few CPUs as it pays for (docker: --cpuset-cpus, not --cpus; systemd: AllowedCPUs, not CPUQuota).',
  );
}

export function judgeThrottling(observed: Observed): Judgement | null {
  const group = observed.facts.control_group;
  if (!isLinux(observed) || group === null) return null;
  const { periods, throttled_periods, throttled_ns } = group;
  if (periods === null || throttled_periods === null || periods === 0) return ok('none');
  const time = throttled_ns === null ? '' : `, ${formatNumber(throttled_ns / 1e9)} s in all`;
  const found = `in ${throttled_periods} of ${counted(periods, 'period')}${time}`;
  return graded(throttled_periods / periods, THROTTLED, found, 'Lift the CPU quota of this group and of those above.');
}

export function judgeMemoryLimit(observed: Observed): Judgement | null {
  const { control_group: group } = observed.facts;
  if (group === null || group.memory_limit_bytes === null) return isLinux(observed) ? ok('none') : null;
  const found = `${formatBytes(group.memory_limit_bytes)}, the page cache of trials included (cgroup v${group.version})`;
  return gradedRoom(
    group.memory_limit_bytes,
    MEMORY,
    found,
    'Raise it: trials that reach it are slowed down or killed.',
  );
}

export function judgeBusy({ facts, busy }: Observed): Judgement {
  const { busy_processes: count, other_cpu } = facts;
  if (count === null && other_cpu === null) return warn('not known here', 'Look with top whether others work.');
  const names = (busy ?? [])
    .slice(0, MOST_NAMED)
    .map(({ name, cpu }) => `${[...name].slice(0, LONGEST_NAME).join('')} ${Math.round(100 * cpu)} %`);
  const rest = (count ?? 0) > names.length && names.length > 0 ? ', …' : '';
  const listed = names.length === 0 ? '' : ` (of a CPU: ${names.join(', ')}${rest})`;
  const cpus = other_cpu === null ? '' : `; all others together keep ${formatNumber(other_cpu, 2)} CPUs busy`;
  const found = `${count ?? 'not known here'}${listed}${cpus}`;
  const remedy = 'Stop them, or wait until they have ended.';
  // One CPU must be left for a trial.
  const bad = Math.max(usableCpus(facts) - 1, LEAST_BUSY.bad);
  const judged = graded(other_cpu ?? 0, { warn: LEAST_BUSY.warn, bad }, found, remedy);
  return judged.status === 'ok' && (count ?? 0) > 0 ? warn(found, remedy) : judged;
}
