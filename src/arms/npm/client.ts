/** Running the user's own npm, without a shell. */
import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findExecutable, isExecutable } from '../../io/executable.ts';
import { lastLines } from '../last-lines.ts';

/** How one call of npm ended. `output` is the end of what it printed, control characters removed. */
export type NpmOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'timeout'; readonly output: string }
  /** `code` is npm's own error code, such as E404. */
  | { readonly kind: 'failed'; readonly code: string | null; readonly output: string };

const TAIL_BYTES = 16_384;
/** How long output of a process that has ended is waited for: a grandchild may hold the pipe. */
const DRAIN_MS = 1000;

/**
 * Runs `npm ARGUMENTS` with the user's settings: registry, proxy and credentials are theirs. The npm beside the running
 * Node.js is preferred to that on PATH, and is run by this Node.js.
 */
export async function runNpm(
  args: readonly string[],
  options: { readonly env: NodeJS.ProcessEnv; readonly timeout_ms: number; readonly signal?: AbortSignal | undefined },
): Promise<NpmOutcome> {
  const npm = await findNpm(options.env);
  if (npm === null) return { kind: 'missing' };
  if (options.signal?.aborted) return { kind: 'cancelled' };
  const child = spawn(npm.file, [...npm.args, ...args], {
    env: npmEnvironment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = Buffer.alloc(0);
  const keep = (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let stopped: 'timeout' | 'cancelled' | null = null;
  const stop = (why: 'timeout' | 'cancelled') => {
    stopped ??= why;
    child.kill('SIGKILL');
  };
  const timer = setTimeout(() => stop('timeout'), options.timeout_ms);
  const cancel = () => stop('cancelled');
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    await Promise.race([closed, delay(DRAIN_MS, undefined, { ref: false })]);
    const output = lastLines(tail.toString(), isNoise);
    if (stopped === 'cancelled') return { kind: 'cancelled' };
    if (stopped === 'timeout') return { kind: 'timeout', output };
    return code === 0 ? { kind: 'done' } : { kind: 'failed', code: errorCode(tail.toString()), output };
  } catch (error) {
    return { kind: 'failed', code: null, output: String(error) };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', cancel);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

async function findNpm(env: NodeJS.ProcessEnv): Promise<{ readonly file: string; readonly args: string[] } | null> {
  const beside = [process.execPath, await realpath(process.execPath)].map((node) => join(dirname(node), 'npm'));
  for (const candidate of [...beside, await findExecutable('npm', env['PATH'])]) {
    if (candidate === null || !(await isExecutable(candidate))) continue;
    const script = await realpath(candidate);
    // npm is a script whose first line looks for a Node.js on PATH, which may be an old one. A version manager's shim
    // is no script of Node.js and is run as it is.
    return script.endsWith('.js') ? { file: process.execPath, args: [script] } : { file: candidate, args: [] };
  }
  return null;
}

/** Settings that an outer `npm run` leaves in the environment, and that would send the installation elsewhere. */
const OF_OUTER_NPM =
  /^npm_(?:package_|lifecycle_|command$|config_(?:local_prefix|global_prefix|prefix|global|location|workspaces?|include_workspace_root|package_lock_only|dry_run|json)$)/i;

function npmEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_OUTER_NPM.test(name) && name !== 'INIT_CWD'));
}

function errorCode(output: string): string | null {
  return /^npm (?:error|ERR!) (?:code|errno) ([A-Z][A-Z0-9_]{1,40})\s*$/m.exec(output)?.[1] ?? null;
}

function isNoise(line: string): boolean {
  return line.includes('A complete log of this run can be found in');
}
