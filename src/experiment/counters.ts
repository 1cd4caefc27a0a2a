/** Events that are counted during a trial: which there are, and the metrics that become of them. */
import type { Experiment } from './experiment.ts';

export const COUNTER_MODES = ['hardware', 'software', 'off'] as const;
export type CounterMode = (typeof COUNTER_MODES)[number];
/** `hardware`: events of the processor; `software`: events of the kernel, which every machine has. */
export type CounterKind = Exclude<CounterMode, 'off'>;

/** By this variable a driver learns what it is to count. */
export const COUNTERS_VARIABLE = 'ASSAY_COUNTERS';

interface CounterEvent {
  readonly name: string;
  /** As reports print it, and scale it where it is a time. */
  readonly unit: string;
  /** Counts that may be zero have no ratio. */
  readonly kind: 'ratio' | 'difference';
}

/** In the order in which the launcher and the drivers count them. */
export const COUNTER_EVENTS = {
  hardware: [
    { name: 'cycles', unit: 'cycles', kind: 'ratio' },
    { name: 'instructions', unit: 'instructions', kind: 'ratio' },
    { name: 'branch_misses', unit: 'misses', kind: 'ratio' },
    { name: 'cache_misses', unit: 'misses', kind: 'ratio' },
  ],
  software: [
    { name: 'task_clock', unit: 'ns', kind: 'ratio' },
    { name: 'context_switches', unit: 'switches', kind: 'difference' },
    { name: 'page_faults', unit: 'faults', kind: 'difference' },
    { name: 'cpu_migrations', unit: 'migrations', kind: 'difference' },
  ],
} as const satisfies Record<CounterKind, readonly CounterEvent[]>;

export type CounterName = (typeof COUNTER_EVENTS)[CounterKind][number]['name'];

const ALL = [...COUNTER_EVENTS.hardware, ...COUNTER_EVENTS.software];

export const COUNTER_NAMES: readonly CounterName[] = ALL.map(({ name }) => name);

const PREFIX = 'counters.';

/** What `from` of a metric says where the metric is a counter: `counters.cycles`. */
export const COUNTER_SOURCES = ALL.map(({ name }) => `${PREFIX}${name}` as const);

/** The counter that a metric's `from` names; null where it names something else. */
export function counterOf(from: unknown): CounterName | null {
  return COUNTER_NAMES.find((name) => from === `${PREFIX}${name}`) ?? null;
}

export function counterUnit(counter: CounterName): string {
  return ALL.find(({ name }) => name === counter)?.unit ?? '';
}

export function isCountedBy(kind: CounterKind, counter: string): boolean {
  return COUNTER_EVENTS[kind].some(({ name }) => name === counter);
}

/** The variable, where a driver of Assay's is to count; every arm has the same. */
export function countersEnvironment({
  counters,
  workload,
}: Pick<Experiment, 'counters' | 'workload'>): Readonly<Record<string, string>> {
  return workload.driver === null || counters === 'off' ? {} : { [COUNTERS_VARIABLE]: counters };
}

/**
 * What holds where the experiment says nothing: hardware counters where a driver of Assay's reads them, else none; none
 * where the arms work in turns.
 */
export function counterMode(said: CounterMode | undefined, hasDriver: boolean, isSliced: boolean): CounterMode {
  return said ?? (hasDriver && !isSliced ? 'hardware' : 'off');
}
