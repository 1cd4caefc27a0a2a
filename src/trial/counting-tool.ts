/** Valgrind, which counts instructions: where it is, and how a trial runs under it. */
import { runTool, type ToolCall, VERSION_TIMEOUT_MS } from '../arms/compiler.ts';
import { callgrindWords } from '../experiment/callgrind.ts';
import type { Counting, Machine } from '../experiment/experiment.ts';
import { AssayError } from '../failures.ts';
import { freeCpu } from '../host/allowed-cpus.ts';
import { findExecutable } from '../io/executable.ts';
import type { Launcher, LaunchRequest } from './launch.ts';

export interface CountingTool {
  /** Of valgrind, absolute. */
  readonly path: string;
  /** As the journal has it: `callgrind (valgrind-3.19.0)`. */
  readonly name: string;
  /** What the portable launcher lacks: programs that fix the layout of memory, and that pin to a CPU. */
  readonly setarch: string | null;
  readonly taskset: string | null;
}

const REMEDY = 'Install valgrind (Debian, Ubuntu: apt install valgrind), or leave `counting` out of the experiment.';

/**
 * Finds valgrind and asks it for its version.
 * @throws AssayError `machine` where there is none, or it does not run
 */
export async function findCountingTool(call: ToolCall): Promise<CountingTool> {
  const search = call.env['PATH'];
  const missing = (message: string) => new AssayError({ kind: 'machine', message, remedy: REMEDY });
  const path = await findExecutable('valgrind', search);
  if (path === null) throw missing('instructions are counted by valgrind, and there is none on PATH');
  const version = await runTool(path, ['--version'], { ...call, timeout_ms: VERSION_TIMEOUT_MS });
  if (version.kind === 'failed') throw missing(`${path} does not run: ${version.output}`);
  const name = version.kind === 'done' ? (version.stdout.split('\n')[0]?.trim() ?? '') : '';
  if (!/^valgrind-[\w.+~-]{1,60}$/.test(name)) throw missing(`${path} does not say which version of valgrind it is`);
  return {
    path,
    name: `callgrind (${name})`,
    setarch: await findExecutable('setarch', search),
    taskset: await findExecutable('taskset', search),
  };
}

/**
 * The CPU of counted trials where the experiment names none: the last that Assay may use and is not its own. Null where
 * trials cannot be pinned.
 */
export function countingCpu(
  { taskset }: CountingTool,
  launcher: Launcher['kind'],
  allowed: readonly number[],
  { orchestrator_cpu }: Pick<Machine, 'orchestrator_cpu'>,
): number | null {
  if (launcher === 'portable' && taskset === null) return null;
  return freeCpu(allowed, orchestrator_cpu);
}

/** What keeps repeats of a count from being the same, in words. */
export function countingLimitations(
  { setarch, taskset }: CountingTool,
  launcher: Launcher['kind'],
): Launcher['limitations'] {
  if (launcher === 'native') return [];
  const remedy = 'Install a C compiler, or util-linux (setarch, taskset).';
  return [
    ...(setarch === null
      ? [{ message: 'Addresses are random where instructions are counted: counts vary.', remedy }]
      : []),
    ...(taskset === null ? [{ message: 'Counted trials are not pinned to one CPU: counts vary.', remedy }] : []),
  ];
}

/** In the trial's folder: their paths are of one length in all trials. `%p` is the process that writes. */
const OUT = 'callgrind.out';
export const LOG = 'valgrind.log';

/** What the process of that number leaves in the trial's folder. */
export function profileOf(pid: string): string {
  return `${OUT}.${pid}`;
}

/**
 * The request of a trial, changed so that its instructions are counted: under valgrind, on one CPU, with a fixed layout,
 * so that repeats do the same. Children are not traced.
 * @param place the trial's folder; `cpu` null: it cannot be pinned; `launcher` whose kind decides who fixes the layout
 */
export function countedRequest(
  request: LaunchRequest,
  counting: Counting,
  tool: CountingTool,
  setting: { readonly place: string; readonly cpu: number | null; readonly launcher: Launcher['kind'] },
): LaunchRequest {
  const { place, cpu, launcher } = setting;
  const { path, setarch } = tool;
  // Valgrind expands %.
  const within = (name: string) => `${place.replaceAll('%', '%%')}/${name}`;
  const valgrind = [path, ...callgrindWords(within(`${OUT}.%p`), counting.region, within(LOG))];
  const portable = launcher === 'portable';
  const [program = path, ...args] = [...(portable && setarch !== null ? [setarch, '-R'] : []), ...valgrind];
  return {
    ...request,
    argv: [program, ...args, ...request.argv],
    cpu,
    fixed_layout: !portable,
    real_time: false,
    timeout_ms: counting.timeout_ms,
    settle: false,
  };
}
