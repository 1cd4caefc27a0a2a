/** Building a source with the user's commands, which run the code of a repository. */
import { spawn } from 'node:child_process';
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { quoteCommand } from '../experiment/command-line.ts';
import type { Argv, GitSource } from '../experiment/experiment.ts';
import { findExecutable } from '../io/executable.ts';
import { fileFailure } from '../io/file-failure.ts';
import { signalGroup } from '../io/process-group.ts';
import { armFailure } from './arm-failure.ts';
import { buildHint } from './build-hints.ts';
import { runTool } from './compiler.ts';
import { lastLines } from './last-lines.ts';

interface BuildRequest {
  /** The name of the arm, for failures. */
  readonly arm: string;
  readonly source: Pick<GitSource, 'build' | 'build_timeout_ms'>;
  /** Where the commands start. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** The file that takes what the commands print; it is written anew. */
  readonly log: string;
  readonly signal?: AbortSignal | undefined;
  /** What could be the reason, where nothing in the log tells; null: nothing is known. */
  readonly otherwise: string | null;
}

const TAIL_BYTES = 1 << 20;
const MOST_LOG_BYTES = 256 * 2 ** 20;
const WATCH_MS = 1000;
const GRACE_MS = 2000;

/** What a build has of Assay's own environment: enough to find tools, nothing that differs from one terminal to another. */
const PASSED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'],
];

/** The variables of a build. */
export function buildEnvironment(source: Pick<GitSource, 'build_env'>, env: NodeJS.ProcessEnv): Record<string, string> {
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...Object.fromEntries(passed), LC_ALL: 'C', ...source.build_env };
}

/** A command of a build as a person reads it. */
export function shownCommand(command: Argv): string {
  const [program, option, text] = command;
  return program === '/bin/sh' && option === '-c' && command.length === 3 ? (text ?? '') : quoteCommand(command);
}

/**
 * The first lines of what the compilers and the linker of a build say about their version, by `cc`, `cxx` and `ld`, for
 * those that there are. CC and CXX of the build stand for `cc` and `c++`.
 */
export async function toolVersions(env: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> {
  const tools: [string, string][] = [
    ['cc', env['CC'] ?? 'cc'],
    ['cxx', env['CXX'] ?? 'c++'],
    ['ld', env['LD'] ?? 'ld'],
  ];
  const versions: Record<string, string> = {};
  for (const [name, command] of tools) {
    const [program = '', ...args] = command.split(' ').filter((word) => word !== '');
    const path = program.includes('/') ? program : await findExecutable(program, env['PATH']);
    if (path === null) continue;
    const outcome = await runTool(path, [...args, '--version'], { env, cwd: '/' });
    if (outcome.kind === 'done') versions[name] = lastLines(outcome.stdout.split('\n')[0] ?? '');
  }
  return versions;
}

/**
 * Runs the commands of a build one after the other. With each end all processes that it started and that did not leave
 * its process group.
 * @throws AssayError `arm` where one fails: its last lines, where the log is, and what is probably missing
 */
export async function runBuild(request: BuildRequest): Promise<void> {
  const { arm, source, log } = request;
  const file = await open(log, 'w+', 0o600).catch((error: unknown) => {
    throw fileFailure(error, log, 'write the log of the build');
  });
  try {
    const deadline = performance.now() + source.build_timeout_ms;
    for (const command of source.build) {
      await file.appendFile(`$ ${shownCommand(command)}\n`);
      const before = (await file.stat()).size;
      const end = await runCommand(command, file, deadline - performance.now(), request);
      if (end === 'done') continue;
      if (end === 'cancelled') throw armFailure(arm, 'the build was stopped', 'Run again: it begins anew.');
      const tail = await tailOf(file);
      const message = `the build failed: ${shownCommand(command)} ${ending(end, source.build_timeout_ms)}`;
      if ((await file.stat()).size === before) {
        const silent = `It printed nothing: run it by hand in ${request.directory} to see why.`;
        throw armFailure(arm, message, request.otherwise === null ? silent : `${silent} ${request.otherwise}`);
      }
      const hint = buildHint(tail) ?? request.otherwise ?? 'Its last lines stand above.';
      throw armFailure(arm, message, `${hint} The whole log: ${log}`, lastLines(tail));
    }
  } finally {
    await file.close();
  }
}

type Ending =
  | 'done'
  | 'cancelled'
  | 'timeout'
  | 'log'
  | { readonly code: number }
  | { readonly signal: string }
  | { readonly start: string };

function ending(end: Exclude<Ending, 'done' | 'cancelled'>, timeout_ms: number): string {
  if (end === 'timeout') return `was not ready after ${timeout_ms / 60_000} min (build_timeout)`;
  if (end === 'log') return `printed more than ${MOST_LOG_BYTES / 2 ** 20} MiB`;
  if ('code' in end) return `exited with ${end.code}`;
  if ('signal' in end) return `was ended by ${end.signal}`;
  return end.start === 'ENOENT' ? 'names a program that is not there' : `could not be started (${end.start})`;
}

async function runCommand(
  [program, ...args]: Argv,
  log: FileHandle,
  timeout_ms: number,
  { directory, env, signal }: BuildRequest,
): Promise<Ending> {
  if (signal?.aborted === true) return 'cancelled';
  const child = spawn(program, args, { cwd: directory, env, stdio: ['ignore', log.fd, log.fd], detached: true });
  let stopped: 'cancelled' | 'timeout' | 'log' | null = null;
  let hard: NodeJS.Timeout | undefined;
  const stop = (why: NonNullable<typeof stopped>) => {
    if (stopped !== null) return;
    stopped = why;
    signalGroup(child.pid, 'SIGTERM');
    hard = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS);
  };
  const cancel = () => stop('cancelled');
  const timer = setTimeout(() => stop('timeout'), Math.max(0, timeout_ms));
  const watch = setInterval(() => {
    if (fstatSync(log.fd).size > MOST_LOG_BYTES) stop('log');
  }, WATCH_MS);
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await new Promise<Ending>((settle) => {
      child.once('error', (error: NodeJS.ErrnoException) => settle({ start: error.code ?? error.message }));
      child.once('exit', (code, name) =>
        settle(stopped ?? (code === null ? { signal: name ?? '' } : code === 0 ? 'done' : { code })),
      );
    });
  } finally {
    clearTimeout(timer);
    clearTimeout(hard);
    clearInterval(watch);
    signal?.removeEventListener('abort', cancel);
    // What a command leaves running would disturb the trials.
    signalGroup(child.pid, 'SIGKILL');
  }
}

async function tailOf(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(TAIL_BYTES),
    0,
    TAIL_BYTES,
    Math.max(0, size - TAIL_BYTES),
  );
  return buffer.subarray(0, bytesRead).toString();
}
