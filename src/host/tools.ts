/** What this machine has for making and counting programs: compilers, valgrind, the C library. Versions, never paths. */
import { runTool, type ToolOutcome } from '../arms/compiler.ts';
import { findExecutable } from '../io/executable.ts';
import { printable } from './linux-facts.ts';
import type { MachineFacts } from './machine.ts';

const C_COMPILERS = ['cc', 'gcc', 'clang'];
const CXX_COMPILERS = ['c++', 'g++', 'clang++'];
/** A tool that hangs when it is asked for its version is not used. */
const TIMEOUT_MS = 5000;
const LONGEST_VERSION = 200;

/** Null for what is not on PATH or does not run. */
export async function toolFacts(env: NodeJS.ProcessEnv): Promise<Pick<MachineFacts, 'tools' | 'c_library'>> {
  const [c_compiler, cxx_compiler, valgrind, c_library] = await Promise.all([
    versionOfFirst(C_COMPILERS, env),
    versionOfFirst(CXX_COMPILERS, env),
    versionOfFirst(['valgrind'], env),
    cLibrary(env),
  ]);
  return { tools: { c_compiler, cxx_compiler, valgrind }, c_library };
}

async function versionOfFirst(names: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  for (const name of names) {
    const outcome = await ask(name, ['--version'], env);
    if (outcome !== null) return outcome.kind === 'done' ? firstLine(outcome.stdout) : null;
  }
  return null;
}

/** `glibc 2.36` or `musl 1.2.4`. Musl's ldd takes no options, but says what it is when it refuses them. */
async function cLibrary(env: NodeJS.ProcessEnv): Promise<string | null> {
  const glibc = await ask('getconf', ['GNU_LIBC_VERSION'], env);
  if (glibc?.kind === 'done') return /^glibc [0-9.]{1,20}$/.exec(glibc.stdout.trim())?.[0] ?? null;
  const musl = await ask('ldd', ['--version'], env);
  const version =
    musl?.kind === 'failed' ? /^musl libc .*\nVersion ([0-9.]{1,20})$/m.exec(musl.output)?.[1] : undefined;
  return version === undefined ? null : `musl ${version}`;
}

/** Null where there is no such program. */
async function ask(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<ToolOutcome | null> {
  const path = await findExecutable(name, env['PATH']);
  return path === null ? null : await runTool(path, args, { env, cwd: '/', timeout_ms: TIMEOUT_MS });
}

function firstLine(text: string): string | null {
  const line = text.split('\n')[0]?.trim() ?? '';
  return line === '' ? null : printable(line).slice(0, LONGEST_VERSION);
}
