/** A look at the machine between pairs: its load, and which processes kept it busy. */
import { readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { MachineState } from './machine.ts';
import { type ProcessTicks, parseLoad, parsePressure, parseProcess, processName, TICK_NS } from './proc-stat.ts';
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
  const texts = new Map<number, string>();
  const processes = new Map<number, ProcessTicks>();
  for (const name of listProcesses(proc)) {
    const text = readText(`${proc}/${name}/stat`);
    const parsed = text === null ? null : parseProcess(text);
    if (text === null || parsed === null) continue;
    texts.set(parsed.pid, text);
    processes.set(parsed.pid, parsed);
  }
  const busiest = previous === null ? [] : busiestSince(previous, at_ns, processes, new Set(own));
  return {
    at_ns,
    processes,
    state: {
      load_1m,
      cpu_pressure,
      busiest: busiest.map(({ pid, cpu }) => ({ name: processName(utf8(texts.get(pid) ?? '')), cpu })),
    },
  };
}

/** A name may be UTF-8. Everything else is ASCII, and reading all of it as Latin-1 is faster. */
function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

function busiestSince(
  previous: Look,
  at_ns: number,
  processes: ReadonlyMap<number, ProcessTicks>,
  own: ReadonlySet<number>,
): readonly { readonly pid: number; readonly cpu: number }[] {
  const elapsed_ns = at_ns - previous.at_ns;
  if (elapsed_ns <= 0) return [];
  const shares: { pid: number; cpu: number }[] = [];
  for (const each of processes.values()) {
    const last = previous.processes.get(each.pid);
    // Whoever was not there, or is another process of the same number, has used all its time since.
    const earlier = last?.started === each.started ? last.ticks : 0;
    const cpu = ((each.ticks - earlier) * TICK_NS) / elapsed_ns;
    if (cpu >= LEAST_SHARE && !descendsFrom(each.pid, own, processes)) shares.push({ pid: each.pid, cpu });
  }
  return shares.sort((a, b) => b.cpu - a.cpu || a.pid - b.pid).slice(0, MOST_BUSIEST);
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
