/** A look at the machine between pairs: its load, and which processes kept it busy. */
import { readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { BusyProcess, MachineState } from './machine.ts';
import { counterReader, noiseBetween } from './noise.ts';
import {
  type ProcessTicks,
  parseChildren,
  parseLoad,
  parsePressure,
  parseProcess,
  processName,
  TICK_NS,
} from './proc-stat.ts';
import { readText } from './proc-text.ts';

/** What one look saw, for the next one to compare with. */
export interface Look {
  readonly state: MachineState;
  readonly at_ns: number;
  readonly processes: ReadonlyMap<number, ProcessTicks>;
}

/** As machine.ts says. */
const MOST_BUSIEST = 5;
const LEAST_SHARE = 0.01;
/** Processes are accounted for in ticks of 10 ms: over a shorter time their shares say nothing, and the look costs. */
const LEAST_BETWEEN_NS = 500_000_000;
/** A process is busy from this share of one CPU on: over 0.2 s that is two ticks. */
const BUSY_SHARE = 0.1;

/**
 * Looks at load, CPU pressure and all processes: about 20 µs a process, so never while a trial runs. The busiest are
 * those that used most CPU since the previous look; the first look has none, and who came and went between two looks is
 * not seen. Within half a second of the previous look its processes are shown again.
 * @param own process ids that are not counted, nor are their descendants: Assay and its launcher
 * @param root where proc is
 */
export function lookAround(previous: Look | null, own: readonly number[], root = '/'): Look {
  const proc = `${root}proc`;
  const at_ns = Number(process.hrtime.bigint());
  const load = readText(`${proc}/loadavg`);
  const load_1m = load === null ? (loadavg()[0] ?? null) : parseLoad(load);
  const cpu_pressure = parsePressure(readText(`${proc}/pressure/cpu`) ?? '');
  if (previous !== null && at_ns - previous.at_ns < LEAST_BETWEEN_NS) {
    return { ...previous, state: { load_1m, cpu_pressure, busiest: previous.state.busiest } };
  }
  const { texts, processes } = readProcesses(proc);
  const shares = previous === null ? [] : sharesSince(previous, at_ns, processes, own);
  return {
    at_ns,
    processes,
    state: { load_1m, cpu_pressure, busiest: named(shares.slice(0, MOST_BUSIEST), texts) },
  };
}

/** What others did for a while. */
export interface OtherWork {
  /** Those that kept a tenth of a CPU or more busy, the busiest first; null where the system does not list them. */
  readonly busy: readonly BusyProcess[] | null;
  /** CPUs kept busy by all others together, those included that came and went meanwhile; null where it is not known. */
  readonly other_cpu: number | null;
}

/** What others did while `work` went on, for at least `least_ms`. @param own as for `lookAround`; @param root where proc is */
export async function watchOthers<T>(
  work: () => Promise<T>,
  least_ms: number,
  own: readonly number[],
  root = '/',
): Promise<OtherWork & { readonly result: T }> {
  const proc = `${root}proc`;
  const read = counterReader(null, root);
  const lookNow = () => ({ counters: read(), children_ns: childrenNs(proc), ...readProcesses(proc) });
  const before = lookNow();
  const [result] = await Promise.all([work(), delay(least_ms)]);
  const { counters, children_ns, texts, processes } = lookNow();
  const previous = { at_ns: before.counters.at_ns, processes: before.processes };
  const busy = sharesSince(previous, counters.at_ns, processes, own).filter(({ cpu }) => cpu >= BUSY_SHARE);
  const ours_ns = before.children_ns === null || children_ns === null ? null : children_ns - before.children_ns;
  return {
    result,
    busy: processes.size === 0 ? null : named(busy, texts),
    other_cpu: noiseBetween(before.counters, counters, ours_ns).other_cpu,
  };
}

/** CPU time of the children of this process that have ended. */
function childrenNs(proc: string): number | null {
  const ticks = parseChildren(readText(`${proc}/self/stat`) ?? '');
  return ticks === null ? null : ticks * TICK_NS;
}

function named(shares: readonly ProcessShare[], texts: ReadonlyMap<number, string>): readonly BusyProcess[] {
  return shares.map(({ pid, cpu }) => ({ name: processName(utf8(texts.get(pid) ?? '')), cpu }));
}

function readProcesses(proc: string): {
  readonly texts: ReadonlyMap<number, string>;
  readonly processes: ReadonlyMap<number, ProcessTicks>;
} {
  const texts = new Map<number, string>();
  const processes = new Map<number, ProcessTicks>();
  for (const name of listProcesses(proc)) {
    const text = readText(`${proc}/${name}/stat`);
    const parsed = text === null ? null : parseProcess(text);
    if (text === null || parsed === null) continue;
    texts.set(parsed.pid, text);
    processes.set(parsed.pid, parsed);
  }
  return { texts, processes };
}

/** A name may be UTF-8. Everything else is ASCII, and reading all of it as Latin-1 is faster. */
function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

interface ProcessShare {
  readonly pid: number;
  /** Of one CPU. */
  readonly cpu: number;
}

/** Of those that used 1 % of a CPU or more, the busiest first. */
function sharesSince(
  previous: Pick<Look, 'at_ns' | 'processes'>,
  at_ns: number,
  processes: ReadonlyMap<number, ProcessTicks>,
  own: readonly number[],
): readonly ProcessShare[] {
  const elapsed_ns = at_ns - previous.at_ns;
  if (elapsed_ns <= 0) return [];
  const shares: ProcessShare[] = [];
  const ours = new Set(own);
  for (const each of processes.values()) {
    const last = previous.processes.get(each.pid);
    // Whoever was not there, or is another process of the same number, has used all its time since.
    const earlier = last?.started === each.started ? last.ticks : 0;
    const cpu = ((each.ticks - earlier) * TICK_NS) / elapsed_ns;
    if (cpu >= LEAST_SHARE && !descendsFrom(each.pid, ours, processes)) shares.push({ pid: each.pid, cpu });
  }
  return shares.sort((a, b) => b.cpu - a.cpu || a.pid - b.pid);
}

function descendsFrom(pid: number, own: ReadonlySet<number>, processes: ReadonlyMap<number, ProcessTicks>): boolean {
  const seen = new Set<number>();
  // Processes are read one after the other, so that the chain of parents may be inconsistent, even circular.
  for (let at = pid; !seen.has(at); ) {
    if (own.has(at)) return true;
    seen.add(at);
    const parent = processes.get(at)?.parent;
    if (parent === undefined) return false;
    at = parent;
  }
  return false;
}

function listProcesses(proc: string): string[] {
  try {
    return readdirSync(proc).filter((name) => name >= '0' && name < ':');
  } catch {
    return [];
  }
}
