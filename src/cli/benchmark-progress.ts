/** Progress of a run of the benchmark on stderr: which step, how many are left, and how long they take; never a result. */
import { escapeText } from '../report/plain-text.ts';
import type { BenchmarkEvent } from '../variance-run/run.ts';
import { spokenDuration } from './progress.ts';
import type { Streams } from './streams.ts';

export function benchmarkProgress(
  streams: Streams,
  quiet: boolean,
): { readonly emit: (event: BenchmarkEvent) => void; readonly finish: () => void } {
  if (quiet) return { emit: () => undefined, finish: () => undefined };
  let drawn = false;
  const clear = () => {
    if (drawn) streams.err('\r\u001b[K');
    drawn = false;
  };
  const emit = (event: BenchmarkEvent) => {
    clear();
    if (event.kind === 'limitation') {
      streams.err(`${escapeText(`note: ${event.message} ${event.remedy}`)}\n`);
      return;
    }
    const text = stepText(event);
    // A step is long: in a pipe each has its line.
    streams.err(streams.live ? text.slice(0, streams.width - 1) : `${text}\n`);
    drawn = streams.live;
  };
  return { emit, finish: clear };
}

function stepText({ planned, again, done, total, left }: Extract<BenchmarkEvent, { kind: 'step_started' }>): string {
  const { workload, threads, repetition, step } = planned;
  const what = `repetition ${repetition}, ${workload.name}, ${threads === 1 ? '1 thread' : `${threads} threads`}, ${step}`;
  const time =
    left.seconds === 0 ? '' : `, ${left.atLeast ? 'at least' : 'about'} ${spokenDuration(left.seconds * 1000)} left`;
  const note = again ? ' again, uncounted, since its database was cut off' : '';
  return `step ${done + 1} of ${total}: ${what}${note}${time}`;
}
