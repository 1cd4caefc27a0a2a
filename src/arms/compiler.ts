/** The C++ compiler that makes drivers, run without a shell and without the user's settings for other builds. */
import { spawn } from 'node:child_process';
import { isAbsolute, resolve } from 'node:path';
import { AssayError } from '../failures.ts';
import { findExecutable, isExecutable } from '../io/executable.ts';
import { signalGroup } from '../io/process-group.ts';
import { lastLines } from './last-lines.ts';

export interface Compiler {
  readonly path: string;
  readonly version: string;
  readonly linker: string;
}

export interface ToolContext {
  /** Assay's own environment: tools are given its search path, home and place for temporary files. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
}

export interface ToolCall extends ToolContext {
  readonly cwd: string;
  readonly stdin?: string;
  /** Default: 10 minutes. */
  readonly timeout_ms?: number;
  /** More variables that the tool may see, by name. */
  readonly passEnv?: readonly string[];
}

export type ToolOutcome =
  | { readonly kind: 'done'; readonly stdout: string }
  /** `output` is the end of what it printed, for a terminal. */
  | { readonly kind: 'failed'; readonly output: string }
  | { readonly kind: 'cancelled' };

const COMPILERS = ['c++', 'g++', 'clang++'];
const PASSED = ['PATH', 'HOME', 'TMPDIR'];
const TIMEOUT_MS = 600_000;
/** A tool that is asked for its version answers at once. */
export const VERSION_TIMEOUT_MS = 20_000;
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;

/**
 * Finds the compiler and asks it for its version and its linker's.
 * @param name a name on PATH, or a path that counts from `directory`; null: c++, g++ or clang++
 * @throws AssayError `arm` where there is none, or it does not run
 */
export async function findCxxCompiler(
  arm: string,
  name: string | null,
  directory: string,
  context: ToolContext,
): Promise<Compiler> {
  const path = await pathOf(name, directory, context.env['PATH']);
  const missing = (message: string, detail: string) =>
    new AssayError({
      kind: 'arm',
      arm,
      message,
      detail,
      remedy:
        name === null
          ? 'Install a C++ compiler (Debian, Ubuntu: apt install g++), or name one as `compiler`.'
          : 'Check `compiler`: a name on PATH, or a path.',
    });
  if (path === null) throw missing(`there is no C++ compiler (${name ?? COMPILERS.join(', ')})`, '');
  const call = { ...context, cwd: directory };
  const version = await runTool(path, ['--version'], { ...call, timeout_ms: VERSION_TIMEOUT_MS });
  if (version.kind === 'cancelled') throw stopped(arm);
  if (version.kind === 'failed') throw missing(`the C++ compiler ${path} does not run`, version.output);
  const linker = await runTool(path, ['-Wl,--version'], call);
  return {
    path,
    version: firstLine(version.stdout),
    linker: linker.kind === 'done' ? firstLine(linker.stdout) : 'unknown',
  };
}

/** The failure of an arm whose preparation the user stopped. */
export function stopped(arm: string): AssayError {
  return new AssayError({
    kind: 'arm',
    arm,
    message: 'compiling the driver was stopped',
    detail: '',
    remedy: 'Run again: nothing half-made is kept.',
  });
}

/** Runs a tool; with it end all processes that it started. Messages are in English, so that causes can be recognised. */
export async function runTool(file: string, args: readonly string[], call: ToolCall): Promise<ToolOutcome> {
  if (call.signal?.aborted) return { kind: 'cancelled' };
  const names = [...PASSED, ...(call.passEnv ?? [])];
  const env = Object.fromEntries(
    names.flatMap((name) => (call.env[name] === undefined ? [] : [[name, call.env[name]]])),
  );
  const child = spawn(file, args, {
    cwd: call.cwd,
    env: { ...env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // Of a tool that did not read what it was given, its own words say more.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.stdin ?? '');
  const { timeout_ms = TIMEOUT_MS } = call;
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  let end: 'timeout' | 'cancelled' | null = null;
  const kill = (why: 'timeout' | 'cancelled') => {
    end ??= why;
    signalGroup(child.pid, 'SIGKILL');
  };
  const timer = setTimeout(() => kill('timeout'), timeout_ms);
  const cancel = () => kill('cancelled');
  call.signal?.addEventListener('abort', cancel, { once: true });
  try {
    const code = await new Promise<number | null>((settle, reject) => {
      child.once('error', reject);
      child.once('close', settle);
    });
    if (end === 'cancelled') return { kind: 'cancelled' };
    if (code === 0) return { kind: 'done', stdout: stdout() };
    const output = lastLines(`${stdout()}\n${stderr()}`);
    return {
      kind: 'failed',
      output: end === 'timeout' ? `${output}\nstopped after ${timeout_ms / 1000} s` : output,
    };
  } catch (error) {
    return { kind: 'failed', output: lastLines(String(error)) };
  } finally {
    clearTimeout(timer);
    call.signal?.removeEventListener('abort', cancel);
  }
}

/** What usually helps against what a compiler or linker printed. */
export function compileRemedy(output: string): string {
  for (const [pattern, remedy] of REMEDIES) {
    const match = pattern.exec(output);
    if (match !== null) return remedy.replaceAll('$1', match.slice(1).find((group) => group !== undefined) ?? '');
  }
  return 'The last lines of the compiler stand above.';
}

/** The most telling first: one fault often causes others. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'Free some space, or name a cache elsewhere in ASSAY_CACHE.'],
  [
    /fatal error: ['‘]?([\w./+-]{1,100})['’]?(?:: No such file| file not found)/,
    'The header $1 is not in the directories of `include`: name the one that holds it, or install the package that has it.',
  ],
  [
    /(?:unrecognized command-line option|invalid value).{0,40}?(-std=[\w+]{1,20})/,
    'This compiler does not know $1: name a newer one as `compiler`, or an older `standard`.',
  ],
  [
    /cannot find -l([\w.+-]{1,60})|unable to find library -l([\w.+-]{1,60})/,
    'Install the library $1 with its development files, or correct `link`.',
  ],
  [
    /undefined reference to ['`‘]?typeinfo for/,
    'The library has no run-time type information: add -fno-rtti to `flags`.',
  ],
  [
    /undefined (?:reference|symbol)/,
    'The library leaves these functions to another one that `link` must name (-lsnappy, -lz, -lbz2, -llz4, -lzstd, -luring, -lnuma, …; ' +
      'a tree of RocksDB lists them as PLATFORM_LDFLAGS in make_config.mk), or headers and library are of different versions.',
  ],
  [
    /file (?:format )?not recognized|incompatible|wrong format/,
    'The library is for another kind of machine, or for link-time optimisation by another compiler.',
  ],
  [
    /recompile with -f(?:PIC|PIE)/,
    'The library was not compiled for position-independent programs: add -no-pie to `flags`, for all arms.',
  ],
  [
    /-Werror/,
    'A warning of this compiler counts as an error: switch that one off in `flags` (-Wno-…), or use another compiler.',
  ],
];

async function pathOf(name: string | null, directory: string, path: string | undefined): Promise<string | null> {
  if (name === null) {
    for (const one of COMPILERS) {
      const found = await findExecutable(one, path);
      if (found !== null) return found;
    }
    return null;
  }
  if (!name.includes('/')) return findExecutable(name, path);
  const absolute = isAbsolute(name) ? name : resolve(directory, name);
  return (await isExecutable(absolute)) ? absolute : null;
}

/** Keeps the beginning of a stream and its end, whatever comes between. */
function collect(stream: NodeJS.ReadableStream): () => string {
  let kept: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    kept.push(chunk);
    bytes += chunk.length;
    if (bytes <= MOST_OUTPUT_BYTES) return;
    const all = Buffer.concat(kept);
    kept = [all.subarray(-MOST_OUTPUT_BYTES / 2)];
    bytes = MOST_OUTPUT_BYTES / 2;
  });
  return () => Buffer.concat(kept).toString();
}

function firstLine(text: string): string {
  return lastLines(text.split('\n')[0] ?? '');
}
