/** The terminal: what it can show, and writing to it when the other end of a pipe may be gone. */

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
  for (const stream of [process.stdout, process.stderr]) {
    // A reader such as `head` has gone: that is no error of ours, and the run goes on.
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  const plain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    outColor: !plain && (process.stdout.isTTY === true || (env['FORCE_COLOR'] ?? '') !== ''),
    width: Math.max(60, process.stdout.columns ?? 120),
    live: process.stderr.isTTY === true && env['TERM'] !== 'dumb',
  };
}
