/** What a judgement of a fact is, and how one is made. */
import { parseCpuList } from './cpu-list.ts';
import type { BusyProcess, MachineFacts } from './machine.ts';

export const READINESS = ['ok', 'warn', 'bad'] as const;

export interface Judgement {
  readonly status: (typeof READINESS)[number];
  /** What was found, in a few words. */
  readonly found: string;
  /** Null where there is nothing to mend. */
  readonly remedy: string | null;
}

/** What is judged. The names of busy processes are those of the count in the facts. */
export interface Observed {
  readonly facts: MachineFacts;
  readonly busy: readonly BusyProcess[] | null;
}

/** Null where the machine has no such thing to judge. */
export type Judge = (observed: Observed) => Judgement | null;

/** Values beyond which something is no longer ok, and beyond which it is bad. */
interface Limits {
  readonly warn: number;
  readonly bad: number;
}

/** Bytes of memory that trials may use, less than which is little. */
export const MEMORY: Limits = { warn: 2 ** 30, bad: 2 ** 28 };

export function ok(found: string): Judgement {
  return { status: 'ok', found, remedy: null };
}

export function warn(found: string, remedy: string): Judgement {
  return { status: 'warn', found, remedy };
}

export function bad(found: string, remedy: string): Judgement {
  return { status: 'bad', found, remedy };
}

/** The more the worse: beyond `limits.warn` and `limits.bad`. */
export function graded(value: number, limits: Limits, found: string, remedy: string): Judgement {
  return value > limits.bad ? bad(found, remedy) : value > limits.warn ? warn(found, remedy) : ok(found);
}

/** The less the worse. */
export function gradedRoom(value: number, limits: Limits, found: string, remedy: string): Judgement {
  return graded(-value, { warn: -limits.warn, bad: -limits.bad }, found, remedy);
}

/** A frequency or the like that the machine does not show. What is not known cannot be called fit. */
export function unknown({ facts }: Observed): Judgement {
  const remedy =
    facts.platform !== 'linux'
      ? 'Measure on Linux, which says so.'
      : facts.virtual === true
        ? 'The host of this virtual machine decides and does not show it: ask who runs it, or measure on hardware of your own.'
        : 'This kernel does not show it: look into the settings of the firmware.';
  return warn('not known here', remedy);
}

export function isLinux({ facts }: Observed): boolean {
  return facts.platform === 'linux';
}

/** How many CPUs a trial may use. */
export function usableCpus({ allowed_cpus, cpus }: MachineFacts): number {
  return allowed_cpus === null ? cpus : parseCpuList(allowed_cpus).length;
}
