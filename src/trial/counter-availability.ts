/** Which counters the native launcher can open on this machine: it is asked to, for a command that does nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COUNTER_EVENTS, type CounterKind } from '../experiment/counters.ts';
import { AssayError } from '../failures.ts';
import { printable } from '../host/linux-facts.ts';
import type { CounterAvailability } from '../host/machine.ts';
import { makeEmptyDirectory } from '../io/disk.ts';
import { bareLaunch, EMPTY_COMMAND } from './bare-launch.ts';
import type { CounterReading, Launcher } from './launch.ts';
import { openToAsk } from './open-launcher.ts';

type Availabilities = Readonly<Record<CounterKind, CounterAvailability>>;

/** @param cache of compiled launchers. Never fails: a launcher that does not work counts nothing. */
export async function availableCounters(cache: string, env: NodeJS.ProcessEnv): Promise<Availabilities> {
  try {
    const launcher = await openToAsk(cache, env);
    if ('unavailable' in launcher) return none(`only the native launcher counts: ${launcher.unavailable}`);
    return await askForAll(launcher).finally(() => launcher.close());
  } catch (error) {
    return none(messageOf(error));
  }
}

function none(text: string): Availabilities {
  const reason = printable(text);
  return { hardware: { available: false, reason }, software: { available: false, reason } };
}

function messageOf(error: unknown): string {
  if (error instanceof AssayError && 'message' in error.failure) return error.failure.message;
  return error instanceof Error ? error.message : String(error);
}

async function askForAll(launcher: Launcher): Promise<Availabilities> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-counters-'));
  try {
    const ask = async (kind: CounterKind): Promise<CounterAvailability> => {
      const place = join(directory, kind);
      await makeEmptyDirectory(place);
      const { counters } = await launcher.launch({ ...bareLaunch(EMPTY_COMMAND, place), counters: kind });
      return availability(kind, counters);
    };
    return { hardware: await ask('hardware'), software: await ask('software') };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/**
 * What a reading says of the machine. Some virtual machines let the events of the processor be opened, and then count
 * none: a command that ran has executed instructions.
 */
export function availability(kind: CounterKind, reading: CounterReading | null): CounterAvailability {
  if (reading === null) return { available: false, reason: 'the launcher did not try' };
  if ('unsupported' in reading) return { available: false, reason: reading.unsupported };
  const main = COUNTER_EVENTS[kind][0].name;
  if ((reading.events[main] ?? 0) > 0) return { available: true };
  return { available: false, reason: `${main} could be opened, but counted nothing` };
}
