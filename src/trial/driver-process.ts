/** A driver that is talked to over its descriptors 3 and 4, to see whether it keeps to the protocol of slices. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_LINE } from './driver-answers.ts';

/** Of stdout and stderr each. */
const OUTPUT_KEPT = 1 << 20;

export type Said =
  | { readonly kind: 'line'; readonly text: string; readonly took_ns: number }
  /** It closed its answers, or has ended. */
  | { readonly kind: 'closed' }
  /** More than a line may have, without an end. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'silent' };

export interface DriverProcess {
  /** Sends a line. */
  send(line: string): void;
  /** The next line of its answers. `took_ns` counts from the last line that was sent. */
  next(timeout_ms: number): Promise<Said>;
  /** What it has said by now that nobody has read yet. */
  unread(): string;
  /** Lets it see the end of its requests. */
  hangUp(): void;
  /** How it ended; null where it has not within the time. */
  ended(timeout_ms: number): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null } | null>;
  stdout(): string;
  stderr(): string;
  /** Kills its process group; resolves with whether anything of it was still alive, or holds its output open. */
  kill(): Promise<boolean>;
}

/** Resolves with the name of an errno where the program cannot be started. */
export async function startDriver(argv: readonly [string, ...string[]]): Promise<DriverProcess | string> {
  const [program, ...args] = argv;
  if (program === '') return 'ENOENT'; // Node throws
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'], detached: true });
  const failure = await new Promise<string | null>((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'EINVAL'));
  });
  return failure ?? talkTo(child);
}

function talkTo(child: ChildProcess): DriverProcess {
  // The types of Node know no descriptors above 2.
  const [, , , requests, answers] = child.stdio as unknown as [null, Readable, Readable, Writable, Readable];
  const out = collect(child.stdout);
  const err = collect(child.stderr);
  let heard = '';
  let isClosed = false;
  let wake = () => {};
  let sent_ns = process.hrtime.bigint();
  let heard_ns = sent_ns;
  requests.on('error', () => {}); // one that has died is noticed by its end
  answers.setEncoding('latin1');
  answers.on('data', (text: string) => {
    heard_ns = process.hrtime.bigint();
    // One that floods is not listened to: a line is all that is ever needed.
    if (heard.length <= 2 * LONGEST_LINE) heard += text;
    wake();
  });
  const close = () => {
    isClosed = true;
    wake();
  };
  answers.on('close', close).on('error', close);
  const end = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const within = <Value>(promise: Promise<Value>, timeout_ms: number): Promise<Value | null> => {
    const clock = new AbortController();
    const late = delay(timeout_ms, null, { signal: clock.signal }).catch(() => null);
    return Promise.race([promise, late]).finally(() => clock.abort());
  };
  const take = (): Said | null => {
    const at = heard.indexOf('\n');
    if (at >= 0 && at < LONGEST_LINE) {
      const text = heard.slice(0, at);
      heard = heard.slice(at + 1);
      return { kind: 'line', text, took_ns: Number(heard_ns - sent_ns) };
    }
    if (heard.length >= LONGEST_LINE) return { kind: 'endless' };
    return isClosed ? { kind: 'closed' } : null;
  };
  return {
    send(line) {
      sent_ns = process.hrtime.bigint();
      requests.write(`${line}\n`);
    },
    async next(timeout_ms) {
      const deadline = performance.now() + timeout_ms;
      for (;;) {
        const said = take();
        if (said !== null) return said;
        const rest = deadline - performance.now();
        if (rest <= 0) return { kind: 'silent' };
        await within(
          new Promise<void>((resolve) => {
            wake = resolve;
          }),
          rest,
        );
      }
    },
    unread: () => heard,
    hangUp: () => requests.end(),
    ended: (timeout_ms) => within(end, timeout_ms),
    stdout: out,
    stderr: err,
    async kill() {
      let isGone = false;
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        isGone = true; // nobody is left in the group
      }
      if ((await within(end, isGone ? 1000 : 10_000)) !== null) return !isGone;
      // What has left the group holds its output open: it is waited for no longer.
      for (const stream of child.stdio) stream?.destroy();
      await within(end, 1000);
      return true;
    },
  };
}

function collect(stream: Readable | null): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (part: string) => {
    if (text.length < OUTPUT_KEPT) text += part;
  });
  return () => text;
}
