/** The noise probe: one loop over and over, as trials would run here, to see how much its time varies. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { probeSpread } from '../analysis/noise-probe.ts';
import { makeEmptyDirectory } from '../io/disk.ts';
import { findExecutable } from '../io/executable.ts';
import { bareLaunch } from '../trial/bare-launch.ts';
import { compileLauncher } from '../trial/compile.ts';
import type { Launcher } from '../trial/launch.ts';
import { openToAsk } from '../trial/open-launcher.ts';
import { readAllowedCpus } from './allowed-cpus.ts';
import { parseCpuList } from './cpu-list.ts';
import { counterReader, noiseBetween } from './noise.ts';
import { leaveSubjectCpu } from './own-cpu.ts';
import type { NoiseProbe } from './readiness.ts';

export interface ProbeSetting {
  /** Of compiled programs. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (done: number, total: number) => void;
  /** Aborted when the user wants it to end. */
  readonly stop: AbortSignal;
}

const SOURCE = fileURLToPath(new URL('../../native/noise-loop.c', import.meta.url));
const LOOP_NS = 100_000_000;
const LOOPS = 40;
/** Where the machine is so busy that the loops take longer, fewer are run. */
const LIMIT_NS = 7_000_000_000;
const FIRST_STEPS = 1_000_000;
const NS_PER_MS = 1e6;

/** Times of loops, and the CPU time of all of them where it is known. */
interface Loops {
  readonly times_ns: readonly number[];
  readonly cpu_ns: number | null;
}

/**
 * Runs a loop of about 0.1 s 40 times, pinned to the last CPU that this process may use, for at most about 8 s in all. Null
 * where that gave no spread. Takes Assay itself off that CPU, for good.
 */
export async function probeNoise(setting: ProbeSetting): Promise<NoiseProbe | null> {
  const allowed = parseCpuList(readAllowedCpus());
  const wanted = allowed.at(-1) ?? null;
  await leaveSubjectCpu({ cpu: wanted, orchestrator_cpu: null }, Math.max(...allowed, 0) + 1);
  const native = await openNative(setting);
  const taskset = native === null ? await findExecutable('taskset', setting.env['PATH']) : null;
  const cpu = native === null && taskset === null ? null : wanted;
  const read = counterReader(cpu);
  const before = read();
  const { times_ns, cpu_ns } =
    native === null
      ? await loopsInNode(taskset, cpu, setting)
      : await loopsByLauncher(native, cpu, setting).finally(() => native.launcher.close());
  const noise = noiseBetween(before, read(), cpu_ns);
  const spread = probeSpread(times_ns);
  return spread === null ? null : { ...spread, method: native === null ? 'node' : 'launcher', cpu, noise };
}

interface Native {
  readonly launcher: Launcher;
  readonly executable: string;
}

async function openNative({ cache, env }: ProbeSetting): Promise<Native | null> {
  const launcher = await openToAsk(cache, env);
  if ('unavailable' in launcher) return null;
  const compiled = await compileLauncher({ source: SOURCE, cache, searchPath: env['PATH'] ?? '' });
  if (!('unavailable' in compiled)) return { launcher, executable: compiled.executable };
  await launcher.close();
  return null;
}

/** Every loop is a process, timed as a trial is. */
async function loopsByLauncher(
  { launcher, executable }: Native,
  cpu: number | null,
  { onProgress, stop }: ProbeSetting,
): Promise<Loops> {
  const cancel = () => launcher.cancel();
  stop.addEventListener('abort', cancel);
  const directory = await mkdtemp(join(tmpdir(), 'assay-probe-'));
  let cpu_ns: number | null = 0;
  const run = async (steps: number): Promise<{ readonly wall_ns: number; readonly busy_ns: number } | null> => {
    const place = join(directory, 'loop');
    await makeEmptyDirectory(place);
    const account = await launcher.launch({ ...bareLaunch([executable, String(steps)], place), cpu });
    cpu_ns = cpu_ns === null || account.cpu_ns === null ? null : cpu_ns + account.cpu_ns;
    const { outcome, wall_ns } = account;
    return outcome.kind === 'exited' && outcome.code === 0 ? { wall_ns, busy_ns: account.cpu_ns ?? wall_ns } : null;
  };
  const started = process.hrtime.bigint();
  try {
    let steps = FIRST_STEPS;
    // From far away, then from near, where the time of starting a process matters little. By CPU time, which is about
    // the same however many others wait.
    for (let round = 0; round < 2; round++) {
      const tried = await run(steps);
      steps = Math.max(1, Math.round((steps * LOOP_NS) / Math.max(1, tried?.busy_ns ?? LOOP_NS)));
    }
    const times_ns: number[] = [];
    while (!stop.aborted && times_ns.length < LOOPS && Number(process.hrtime.bigint() - started) < LIMIT_NS) {
      const ran = await run(steps);
      if (ran === null) break;
      times_ns.push(ran.wall_ns);
      onProgress(times_ns.length, LOOPS);
    }
    return { times_ns, cpu_ns };
  } finally {
    stop.removeEventListener('abort', cancel);
    await rm(directory, { recursive: true, force: true });
  }
}

/** All loops are in one process. It is given its CPU by taskset, where there is one. */
async function loopsInNode(
  taskset: string | null,
  cpu: number | null,
  { onProgress, stop }: ProbeSetting,
): Promise<Loops> {
  // From source (in tests) the built program is started: Node 20 runs no TypeScript.
  const here = import.meta.url.replace(/\/src\/(host\/[^/]*)\.ts$/, '/dist/$1.js');
  const program = fileURLToPath(new URL('./noise-loop.js', here));
  const node = [process.execPath, program, String(LOOP_NS), String(LOOPS), String(LIMIT_NS)];
  const [file = '', ...args] = taskset === null || cpu === null ? node : [taskset, '-c', String(cpu), ...node];
  const child = spawn(file, args, {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: (3 * LIMIT_NS) / NS_PER_MS,
    signal: stop,
  });
  const times_ns: number[] = [];
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (!/^\d{1,15}$/.test(line)) break;
    times_ns.push(Number(line));
    onProgress(times_ns.length, LOOPS);
  }
  await ended;
  return { times_ns, cpu_ns: null };
}
