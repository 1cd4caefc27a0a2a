/**
 * The launcher for machines without a C compiler, and for macOS: a second Node process (watcher.ts)
 * runs the trials with what the system offers, and says what is coarser.
 */
import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { AssayError } from '../../failures.ts';
import { fileFailure } from '../../io/file-failure.ts';
import type { Unavailable } from '../compile.ts';
import type { Launcher } from '../launch.ts';
import { checkRequest } from '../native-protocol.ts';
import { checkSession } from '../session-protocol.ts';
import type { Limitation } from './limitations.ts';
import { COOKIE_NAME, findDescendants, killAll, type Traces } from './processes.ts';
import type { FromWatcher, ToWatcher } from './watcher.ts';
import type { Means } from './wrappers.ts';

export interface PortableLauncherOptions {
  /** The file whose lock is held until the launcher is closed or its processes are dead; null: no lock. */
  readonly lockPath: string | null;
  /** How long another holder of the lock is waited for: it may be killing what a dead Assay has left (10 s). */
  readonly lockWaitMs?: number;
  /** The CPU that the watcher process is pinned to. */
  readonly orchestratorCpu: number | null;
  /** What to leave unused though it is there: so the coarser ways can be tested. */
  readonly without?: readonly Means[];
  /** Why there is no native launcher. */
  readonly insteadOf?: Unavailable;
}

function makeScratch(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'assay-watcher-'));
  } catch (error) {
    throw fileFailure(error, tmpdir(), 'make a temporary directory', 'Name a directory that can be written in TMPDIR.');
  }
}

/** How long the operating system may take to get rid of the last process. */
const KILL_LIMIT_MS = 60_000;

/**
 * Starts the watcher. Throws AssayError: `busy` when the lock stays taken, `file` when it cannot be made, `machine`
 * when the orchestrator's CPU cannot be used, `launcher` when the watcher does not work.
 */
export async function openPortableLauncher(options: PortableLauncherOptions): Promise<Launcher> {
  const { lockWaitMs = 10_000, orchestratorCpu, without = [], insteadOf } = options;
  const lockPath = options.lockPath === null ? null : resolve(options.lockPath);
  const lock = lockPath === null ? randomUUID() : createHash('sha256').update(lockPath).digest('hex');
  const cookie = `${lock}.${randomUUID()}`;
  const scratch = makeScratch();
  const watcher = startWatcher(cookie, scratch);
  const opened = await watcher.ask({ kind: 'open', lockPath, lockWaitMs, orchestratorCpu, cookie, scratch, without });
  if (opened.kind !== 'ready') {
    await watcher.end();
    throw failureOf(opened);
  }
  let running: Promise<FromWatcher> | null = null;
  let isClosed = false;
  const ask = async (message: ToWatcher): Promise<FromWatcher> => {
    if (running !== null) throw new Error('a launch was asked for while another trial was running');
    if (isClosed) throw new Error('a launch was asked for after close');
    running = watcher.ask(message);
    const reply = await running;
    running = null;
    return reply;
  };
  const cancel = () => {
    if (running !== null) watcher.send({ kind: 'cancel' });
  };
  return {
    kind: 'portable',
    limitations: insteadOf === undefined ? opened.limitations : [whyPortable(insteadOf), ...opened.limitations],
    async launch(request) {
      checkRequest(request);
      const reply = await ask({ kind: 'launch', request });
      if (reply.kind !== 'account') throw failureOf(reply);
      return reply.account;
    },
    async launchSession(request) {
      checkSession(request);
      const answer = await ask({ kind: 'session', request });
      if (answer.kind !== 'session') throw failureOf(answer);
      const { reply } = answer;
      if (reply.kind === 'account') return reply.account;
      throw new AssayError({ kind: 'file', path: request.slices, operation: 'write', code: reply.code });
    },
    cancel,
    async close() {
      isClosed = true;
      cancel();
      await running;
      await watcher.end();
    },
  };
}

function whyPortable({ unavailable, remedy }: Unavailable): Limitation {
  return { message: `The portable launcher is used: ${unavailable}.`, remedy };
}

interface Watcher {
  send(message: ToWatcher): void;
  /** Sends a message and resolves with the reply to it: `failed` when the watcher has died. */
  ask(message: ToWatcher): Promise<FromWatcher>;
  /** Lets the watcher kill what is left and end. */
  end(): Promise<void>;
}

/** In a session of its own: an interrupt from the terminal is for Assay to handle. */
function startWatcher(cookie: string, scratch: string): Watcher {
  // From source (in tests) the built program is started: Node 20 runs no TypeScript.
  const here = import.meta.url.replace(/\/src\/(trial\/portable\/[^/]*)\.ts$/, '/dist/$1.js');
  const program = fileURLToPath(new URL('./watcher.js', here));
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C' };
  // Options that were meant for Assay.
  delete env['NODE_OPTIONS'];
  const child = spawn(process.execPath, [program], {
    // It may outlive us: it must not keep a file system busy.
    cwd: '/',
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  let answer: ((reply: FromWatcher) => void) | null = null;
  let death: FromWatcher | null = null;
  const reply = (message: FromWatcher) => {
    answer?.(message);
    answer = null;
  };
  let isAsked = false;
  const die = async (reason: string) => {
    if (!isAsked) await killMarked(cookie);
    rmSync(scratch, { recursive: true, force: true });
    const message = `the launcher's process ${reason}`;
    death ??= { kind: 'failed', failure: { kind: 'launcher', message, remedy: 'Resume the run.' } };
    reply(death);
  };
  // A watcher that has died is noticed by its end.
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => reply(JSON.parse(line)));
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => void die(`could not be started: ${error.message}`).then(resolve));
    // `close` comes after the last line was read.
    child.once('close', (code, signal) => void die(`ended: ${signal ?? `exit code ${code}`}`).then(resolve));
  });
  const send = (message: ToWatcher) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  return {
    send,
    ask: (message) =>
      new Promise((resolve) => {
        if (death !== null) return resolve(death);
        answer = resolve;
        send(message);
      }),
    async end() {
      isAsked = true;
      child.stdin.end();
      await ended;
    },
  };
}

/** Does the duty of a watcher that was killed. */
async function killMarked(cookie: string): Promise<void> {
  const traces: Traces = { cookie: `${COOKIE_NAME}=${cookie}`, parent: null, subject: null, known: new Map() };
  await killAll(() => findDescendants(traces, true), traces.cookie, KILL_LIMIT_MS);
}

function failureOf(reply: FromWatcher): AssayError {
  if (reply.kind === 'failed') return new AssayError(reply.failure);
  throw new Error(`the launcher's process said ${reply.kind} out of turn`);
}
