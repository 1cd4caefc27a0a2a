/** Progress on stderr, drawn between trials only: pair k of n, time left, never an interim effect. */
import type { BlockUnit, Emit, Progress, RunEvent } from '../events.ts';
import type { PlannedTrial } from '../plan/plan.ts';
import { escapeText } from '../report/plain-text.ts';
import type { Streams } from './streams.ts';

/** In a pipe a line is printed at most this often. */
const PIPE_INTERVAL_MS = 10_000;

export interface ProgressDisplay {
  readonly emit: Emit;
  /** Clears the line that is being drawn. */
  readonly finish: () => void;
}

export function progressDisplay(streams: Streams, quiet: boolean, now: () => number): ProgressDisplay {
  if (quiet) return { emit: () => undefined, finish: () => undefined };
  let drawn = false;
  let lastRemedy = '';
  let lastPrinted = now();
  let first: { at: number; done: number; counting: boolean } | null = null;
  let builds: { since: number; begun: number } | null = null;

  const clear = () => {
    if (drawn) streams.err('\r\u001b[K');
    drawn = false;
  };
  const line = (text: string) => {
    clear();
    streams.err(`${escapeText(text)}\n`);
  };
  const draw = (text: string) => {
    if (streams.live) {
      streams.err(`\r\u001b[K${escapeText(text).slice(0, streams.width - 1)}`);
      drawn = true;
    } else if (now() - lastPrinted >= PIPE_INTERVAL_MS) {
      lastPrinted = now();
      line(text);
    }
  };
  const timeLeft = (planned: PlannedTrial, { done, total, counted_later }: Progress) => {
    // How long a count takes the trials before it do not tell.
    if (first?.counting !== (planned.phase === 'counting')) {
      first = { at: now(), done, counting: planned.phase === 'counting' };
    }
    const measured = done - first.done;
    if (measured === 0) return '';
    const left = spokenDuration(((total - done - counted_later) * (now() - first.at)) / measured);
    return `, about ${left} left${counted_later === 0 ? '' : `, then ${counted_later} counted trials`}`;
  };

  /** From the builds that are over; those to come may lie in the cache. */
  const buildsLeft = (number: number, total: number) => {
    builds ??= { since: now(), begun: 0 };
    const { since, begun } = builds;
    builds = { since, begun: begun + 1 };
    const left = total - number + 1;
    if (begun === 0) return '';
    return `, about ${spokenDuration((left * (now() - since)) / begun)} of builds left, less where the cache has them`;
  };

  const show = (event: RunEvent) => {
    switch (event.kind) {
      case 'directory':
        // What was measured of an earlier run says nothing of this one.
        first = null;
        return line(`run: ${event.path}`);
      case 'preparing':
        return line(`${event.arm}: ${event.message}`);
      case 'building':
        if (event.total === 1) return undefined;
        return line(`${event.arm}: build ${event.number} of ${event.total}${buildsLeft(event.number, event.total)}`);
      case 'limitation':
        line(`note: ${event.message}${event.remedy === lastRemedy ? '' : ` ${event.remedy}`}`);
        lastRemedy = event.remedy;
        return undefined;
      case 'resumed':
        if (event.dropped_bytes === 0) return undefined;
        return line(`note: a torn last line of ${event.dropped_bytes} bytes was dropped from the journal`);
      case 'trial_started': {
        const { planned, attempt, blocks, unit, progress } = event;
        const what = placeWord(planned.phase, unit);
        const again = attempt > 1 ? `, attempt ${attempt}` : '';
        // Both arms of a session run.
        const arm = unit === 'session' ? '' : `, ${planned.arm}`;
        return draw(`${what} ${planned.block} of ${blocks}${arm}${again}${timeLeft(planned, progress)}`);
      }
      case 'rejected': {
        const { record, unit, reason } = event;
        const place = `${placeWord(record.phase, unit)} ${record.block}`;
        const what = unit === 'session' ? '' : `${record.arm} `;
        return line(`${place}: ${what}rejected (${reason}); the ${unit} will be repeated`);
      }
      case 'trial_ended':
        return undefined;
      case 'verifying':
        return draw('checking that nothing has changed');
    }
  };
  return { emit: show, finish: clear };
}

/** `pair`, `warmup pair`, `again session`. */
function placeWord(phase: PlannedTrial['phase'], unit: BlockUnit): string {
  if (phase === 'counting') return 'count';
  return phase === 'confirmation' ? unit : `${phase} ${unit}`;
}

/** 75000 → "1 min 15 s". */
export function spokenDuration(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
