/** The native launcher: one long-lived process of native/launcher.c, which this side asks for one trial at a time. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { AssayError } from '../failures.ts';
import { compileLauncher, type Unavailable } from './compile.ts';
import type { LaunchAccount, Launcher, LaunchRequest, SessionAccount, SessionRequest } from './launch.ts';
import { encodeCancel, encodeLaunch, errorName, parseAccount, parseLine } from './native-protocol.ts';
import { encodeSession, parseSession, SESSION_LINES } from './session-protocol.ts';

export interface NativeLauncherOptions {
  /** The run's lock file, absolute; it is created where missing and never removed. Null: no lock. */
  readonly lockPath: string | null;
  /** The CPU of the launcher itself; null: any but the subject's. */
  readonly orchestratorCpu: number | null;
  /** How long another holder of the lock is waited for: it may be killing what a dead Assay has left (10 s). */
  readonly lockWaitMs?: number;
}

const STDERR_KEPT = 2000;

/**
 * Compiles the launcher's C source (`source`) into the directory `cache` on first use, and starts it. Says why where
 * there is no Linux or no working compiler. Throws AssayError: `busy` when the lock is held by another Assay, `file`
 * when it cannot be made, `machine` when the launcher's CPU cannot be used, `launcher` when the launcher fails.
 */
export async function openNativeLauncher(
  options: NativeLauncherOptions & { readonly cache: string; readonly source: string },
): Promise<Launcher | Unavailable> {
  if (process.platform !== 'linux') {
    return {
      unavailable: `the native launcher works on Linux only, not on ${process.platform}`,
      remedy: 'Measure on Linux for exact accounting.',
    };
  }
  const searchPath = process.env['PATH'] ?? '/usr/bin:/bin';
  const compiled = await compileLauncher({ source: options.source, cache: options.cache, searchPath });
  return 'unavailable' in compiled ? compiled : await startNativeLauncher(compiled.executable, options);
}

function broken(message: string): AssayError {
  return new AssayError({
    kind: 'launcher',
    message,
    remedy: 'Resume the run. If it happens again, look for what kills processes of this user (the kernel log: dmesg).',
  });
}

/** Who holds the lock, as far as the lock file says: a launcher writes Assay's process id and its own. */
async function readHolder(lockPath: string): Promise<string> {
  try {
    const file = await open(lockPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
      const found = /^(\d{1,10}) (\d{1,10})\n$/.exec(buffer.toString('latin1', 0, bytesRead));
      return found === null ? 'an unknown process' : `process ${found[1]} (its launcher is ${found[2]})`;
    } finally {
      await file.close();
    }
  } catch {
    return 'an unknown process';
  }
}

async function refusal(line: string, options: NativeLauncherOptions): Promise<AssayError> {
  const { word, fields } = parseLine(line);
  const path = options.lockPath ?? '';
  if (word === 'busy') return new AssayError({ kind: 'busy', path, holder: await readHolder(path) });
  const step = fields.get('step') ?? 'unknown step';
  const code = errorName(Number(fields.get('value')));
  if (step === 'lock') return new AssayError({ kind: 'file', path, operation: 'lock', code });
  if (step === 'affinity') {
    return new AssayError({
      kind: 'machine',
      message: `CPU ${options.orchestratorCpu} cannot be used for Assay itself (${code})`,
      remedy: 'Choose an orchestrator CPU that is online and allowed to this process.',
    });
  }
  return broken(`the launcher did not start: ${step}: ${code}`);
}

interface Pending {
  readonly id: string;
  /** Of the reply: how many there are, and those that have come. */
  readonly expected: number;
  readonly lines: string[];
  readonly resolve: (lines: readonly string[]) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts a compiled launcher, in a session of its own so that a terminal's Ctrl-C does not reach it. Throws as
 * `openNativeLauncher` does.
 */
export async function startNativeLauncher(executable: string, options: NativeLauncherOptions): Promise<Launcher> {
  const args = [options.lockPath ?? '', String(options.lockWaitMs ?? 10_000), String(options.orchestratorCpu ?? -1)];
  const child = spawn(executable, args, { cwd: '/', env: {}, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text.replaceAll(/\p{Cc}/gu, ' ')).slice(-STDERR_KEPT);
  });
  child.stdin.on('error', () => {}); // a launcher that has died is noticed by its end
  let endReason: string | null = null;
  const ended = new Promise<string>((resolve) => {
    const end = (reason: string): void => {
      endReason ??= reason;
      resolve(endReason);
    };
    child.on('error', (error) => end(error.message));
    child.on('close', (code, signal) => end(`${signal ?? `exit code ${code}`} ${complaint}`.trim()));
  });
  const lines = createInterface({ input: child.stdout });
  const firstLine = new Promise<string>((resolve) => {
    lines.once('line', resolve);
  });
  const first = await Promise.race([firstLine, ended.then(() => null)]);
  if (first === null) throw broken(`the launcher did not start: ${endReason}`);
  if (!first.startsWith('ready ')) {
    child.stdin.end();
    await ended;
    throw await refusal(first, options);
  }
  const pageBytes = Number(parseLine(first).fields.get('page'));

  let launches = 0;
  let pending: Pending | null = null;
  let closed = false;
  /** Whether the trial that runs is to end early. */
  let cancelling = false;
  lines.on('line', (line) => {
    if (pending === null || pending.lines.push(line) < pending.expected) return;
    const answered = pending;
    pending = null;
    answered.resolve(answered.lines);
  });
  void ended.then((reason) => {
    pending?.reject(broken(`the launcher ended during a trial: ${reason}`));
    pending = null;
  });

  /** Sends a request and reads the reply to it by `parse`. */
  const ask = async <Reply>(
    encode: (id: string) => Buffer,
    expected: number,
    parse: (lines: readonly string[], id: string) => Reply,
  ): Promise<Reply> => {
    if (pending !== null) throw new Error('a launch was asked for while another trial was running');
    if (closed) throw new Error('a launch was asked for after close');
    if (endReason !== null) throw broken(`the launcher has ended: ${endReason}`);
    launches += 1;
    cancelling = false;
    const id = String(launches);
    const bytes = encode(id);
    const reply = await new Promise<readonly string[]>((resolve, reject) => {
      pending = { id, expected, lines: [], resolve, reject };
      child.stdin.write(bytes);
    });
    try {
      return parse(reply, id);
    } catch (error) {
      throw broken(error instanceof Error ? error.message : String(error));
    }
  };

  /** A launcher that is told to end by somebody else, or whose guard was killed, cancels what it runs and ends. */
  const expectOwnEnd = async (...accounts: readonly LaunchAccount[]): Promise<void> => {
    if (cancelling || accounts.every(({ outcome }) => outcome.kind !== 'cancelled')) return;
    const reason = await ended;
    // The same signal to all processes of a service may come to us a little later.
    if (!cancelling) throw broken(`something else than Assay ended the launcher during a trial: ${reason}`);
  };

  return {
    kind: 'native',
    limitations: [],
    async launch(request: LaunchRequest): Promise<LaunchAccount> {
      const encode = (id: string): Buffer => encodeLaunch(id, request);
      const account = await ask(encode, 1, ([line = ''], id) => parseAccount(line, id, pageBytes));
      await expectOwnEnd(account);
      return account;
    },
    async launchSession(request: SessionRequest): Promise<SessionAccount> {
      const encode = (id: string): Buffer => encodeSession(id, request);
      const parse = (reply: readonly string[], id: string) => parseSession(reply, id, pageBytes);
      const { account, write_error } = await ask(encode, SESSION_LINES, parse);
      await expectOwnEnd(...account.subjects);
      if (write_error === null) return account;
      throw new AssayError({ kind: 'file', path: request.slices, operation: 'write', code: write_error });
    },
    cancel(): void {
      cancelling = true;
      if (pending !== null && !closed) child.stdin.write(encodeCancel(pending.id));
    },
    async close(): Promise<void> {
      closed = true;
      cancelling = true;
      child.stdin.end();
      await ended;
    },
  };
}
