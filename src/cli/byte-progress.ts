/** Progress of work in steps of one kind, on stderr of a terminal: what is being done, how much of it, and the time left. */
import type { Streams } from './streams.ts';

/** Shorter work shows nothing. */
const FROM_MS = 2000;
const INTERVAL_MS = 200;

export interface ByteProgress {
  readonly show: (step: string, done: number, total: number) => void;
  /** Clears the line. */
  readonly finish: () => void;
}

export function byteProgress(streams: Streams, now: () => number): ByteProgress {
  const started = now();
  let step = { name: '', at: started };
  let drawn = Number.NEGATIVE_INFINITY;
  return {
    show(name, done, total) {
      const at = now();
      if (name !== step.name) step = { name, at };
      if (!streams.live || at - started < FROM_MS || at - drawn < INTERVAL_MS || done === 0) return;
      drawn = at;
      const left = Math.ceil((((at - step.at) / done) * (total - done)) / 1000);
      streams.err(`\r\u001b[K${name}: ${Math.floor((100 * done) / total)} %, about ${left} s left`);
    },
    finish() {
      if (drawn > Number.NEGATIVE_INFINITY) streams.err('\r\u001b[K');
    },
  };
}
