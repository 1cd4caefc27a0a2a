/** The terminal: what it can show, and writing to it when the other end of a pipe may be gone. */
import { EXIT } from './exit-codes.ts';

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly outColor: boolean;
  /** Columns of stdout; 120 where it is not a terminal. */
  readonly width: number;
  /** stderr is a terminal on which a line can be drawn again. */
  readonly live: boolean;
}

export function openStreams(env: NodeJS.ProcessEnv): Streams {
  survivePipes();
  const plain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    outColor: !plain && (process.stdout.isTTY === true || (env['FORCE_COLOR'] ?? '') !== ''),
    width: Math.max(60, process.stdout.columns ?? 120),
    live: process.stderr.isTTY === true && env['TERM'] !== 'dumb',
  };
}

/**
 * Lets a run go on when its output cannot be written. That a reader such as `head` has gone is no error of ours; any other
 * loss of stdout (a full disk) is said on stderr, and in the exit code.
 */
export function survivePipes(): void {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(
      `assay: cannot write to stdout (${error.code ?? error.message})\n  Send it elsewhere; a finished run shows its results again with: assay report DIR\n`,
    );
    process.once('exit', () => {
      process.exitCode = EXIT.failed;
    });
  });
}
