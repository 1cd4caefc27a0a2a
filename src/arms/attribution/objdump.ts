/** objdump of binutils, read line by line: the disassembly of a large library is hundreds of megabytes of text. */
import { spawn } from 'node:child_process';
import { signalGroup } from '../../io/process-group.ts';
import type { ToolContext } from '../compiler.ts';
import { lastLines } from '../last-lines.ts';

export type LinesOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'cancelled' };

export interface LinesCall extends ToolContext {
  readonly timeout_ms?: number;
}

const TIMEOUT_MS = 300_000;
const LONGEST_LINE = 16_384;
const MOST_COMPLAINT = 4096;

/**
 * Runs a program without a shell and gives every line that it prints to `onLine`, bytes as characters of the same
 * number. Of longer lines only the first 16,384 bytes are given. With the program end all processes that it started.
 * @param onLine false: enough, end the program
 */
export async function eachLine(
  program: string,
  args: readonly string[],
  onLine: (line: string) => boolean,
  { env, signal, timeout_ms = TIMEOUT_MS }: LinesCall,
): Promise<LinesOutcome> {
  if (signal?.aborted) return { kind: 'cancelled' };
  const path = env['PATH'];
  const child = spawn(program, args, {
    cwd: '/',
    env: { ...(path === undefined ? {} : { PATH: path }), LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let end: 'enough' | 'timeout' | 'cancelled' | 'broken' | null = null;
  let fault: unknown = null;
  const kill = (why: NonNullable<typeof end>) => {
    if (end !== null) return;
    end = why;
    signalGroup(child.pid, 'SIGKILL');
  };
  let complaint = '';
  child.stderr.setEncoding('latin1').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MOST_COMPLAINT);
  });
  const split = splitLines(onLine);
  child.stdout.setEncoding('latin1').on('data', (text: string) => {
    if (end !== null) return;
    try {
      if (!split.add(text)) kill('enough');
    } catch (error) {
      // Thrown on where somebody waits for it: here it would end the process.
      fault = error;
      kill('broken');
    }
  });
  const timer = setTimeout(() => kill('timeout'), timeout_ms);
  const cancel = () => kill('cancelled');
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const code = await new Promise<number | null>((settle, reject) => {
      child.once('error', reject);
      child.once('close', settle);
    });
    const why = end as typeof end | 'broken';
    if (why === 'broken') throw fault;
    if (why === 'cancelled') return { kind: 'cancelled' };
    if (why === 'timeout') return { kind: 'failed', why: `it was not ready after ${timeout_ms / 1000} s` };
    if (why === 'enough') return { kind: 'done' };
    if (code === 0) {
      split.end();
      return { kind: 'done' };
    }
    return { kind: 'failed', why: lastLines(complaint) || `it ended with ${code ?? 'a signal'}` };
  } catch (error) {
    if (fault !== null) throw fault;
    return { kind: 'failed', why: lastLines(String(error)) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

function splitLines(onLine: (line: string) => boolean): { add: (text: string) => boolean; end: () => void } {
  let begun = '';
  return {
    add: (text) => {
      let from = 0;
      for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
        const line = begun === '' ? text.slice(from, Math.min(to, from + LONGEST_LINE)) : begun + text.slice(from, to);
        begun = '';
        from = to + 1;
        if (!onLine(line.slice(0, LONGEST_LINE))) return false;
      }
      begun = (begun + text.slice(from, from + LONGEST_LINE)).slice(0, LONGEST_LINE);
      return true;
    },
    end: () => {
      if (begun !== '') onLine(begun);
    },
  };
}
