/** The noise probe: one loop over and over, as trials would run here, to see how much its time varies. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type ProbeSpread, probeSpread } from '../analysis/noise-probe.ts';
import { makeEmptyDirectory } from '../io/disk.ts';
import { findExecutable } from '../io/executable.ts';
import { bareLaunch } from '../trial/bare-launch.ts';
import { compileLauncher } from '../trial/compile.ts';
import type { Launcher } from '../trial/launch.ts';
import { openToAsk } from '../trial/open-launcher.ts';
import { parseCpuList, readAllowedCpus } from './allowed-cpus.ts';
import type { TrialNoise } from './machine.ts';
import { counterReader, noiseBetween } from './noise.ts';
import { leaveSubjectCpu } from './own-cpu.ts';

export interface NoiseProbe extends ProbeSpread {
  /** How loops were timed: as trials are, by the native launcher; or by themselves, in one process of Node.js. */
  readonly method: 'launcher' | 'node';
  /** The CPU that the loops were pinned to; null: they were not. */
  readonly cpu: number | null;
  /** Rates while the probe ran. */
  readonly noise: TrialNoise;
}

export interface ProbeSetting {
  /** Of compiled programs. */
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: (done: number, total: number) => void;
}

const SOURCE = fileURLToPath(new URL('../../native/noise-loop.c', import.meta.url));
const LOOP_NS = 100_000_000;
const LOOPS = 40;
/** Where the machine is so busy that the loops take longer, fewer are run. */
const LIMIT_NS = 8_000_000_000;
const FIRST_STEPS = 1_000_000;
const NS_PER_MS = 1e6;

/** Times of loops, and the CPU time of all of them where it is known. */
interface Loops {
  readonly times_ns: readonly number[];
  readonly cpu_ns: number | null;
}

/**
 * Runs a loop of about 0.1 s 40 times, pinned to the last CPU that this process may use, for at most about 8 s. Null
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
  { onProgress }: ProbeSetting,
): Promise<Loops> {
  const directory = await mkdtemp(join(tmpdir(), 'assay-probe-'));
  let cpu_ns: number | null = 0;
  const run = async (steps: number): Promise<number | null> => {
    const place = join(directory, 'loop');
    await makeEmptyDirectory(place);
    const account = await launcher.launch({ ...bareLaunch([executable, String(steps)], place), cpu });
    cpu_ns = cpu_ns === null || account.cpu_ns === null ? null : cpu_ns + account.cpu_ns;
    return account.outcome.kind === 'exited' && account.outcome.code === 0 ? account.wall_ns : null;
  };
  try {
    let steps = FIRST_STEPS;
    // From far away, then from near, where the time of starting a process matters little.
    for (let round = 0; round < 2; round++) {
      steps = Math.max(1, Math.round((steps * LOOP_NS) / ((await run(steps)) ?? LOOP_NS)));
    }
    const times_ns: number[] = [];
    const started = process.hrtime.bigint();
    while (times_ns.length < LOOPS && Number(process.hrtime.bigint() - started) < LIMIT_NS) {
      const time = await run(steps);
      if (time === null) break;
      times_ns.push(time);
      onProgress(times_ns.length, LOOPS);
    }
    return { times_ns, cpu_ns };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** All loops are in one process. It is given its CPU by taskset, where there is one. */
async function loopsInNode(taskset: string | null, cpu: number | null, { onProgress }: ProbeSetting): Promise<Loops> {
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
