/** Waiting until what earlier trials wrote has reached the disk. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;
const LIMIT_MS = 10_000;
const SETTLED_KIB = 256;

/**
 * `sync`, then a wait of at most 10 s until write-back is over, or has not fallen for five looks (somebody else is
 * writing). Ends early when `signal` is aborted.
 */
export async function settle(sync: string | null, signal: AbortSignal): Promise<void> {
  if (sync !== null) await runSync(sync, signal);
  const deadline = performance.now() + LIMIT_MS;
  let least = Number.POSITIVE_INFINITY;
  for (let looks = 0; looks < 5 && performance.now() < deadline && !signal.aborted; looks += 1) {
    const { dirty, writeback } = readWritebackKib();
    if (writeback <= SETTLED_KIB) return;
    if (dirty + writeback < least) {
      least = dirty + writeback;
      looks = 0;
    }
    await delay(POLL_MS);
  }
}

function runSync(sync: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(sync, [], { stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
    signal.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  });
}

/** Zeros where the system does not say. */
function readWritebackKib(): { readonly dirty: number; readonly writeback: number } {
  let text = '';
  try {
    text = readFileSync('/proc/meminfo', 'latin1');
  } catch {
    // Not Linux.
  }
  return {
    dirty: Number(/^Dirty:\s+([0-9]+) kB$/m.exec(text)?.[1] ?? 0),
    writeback: Number(/^Writeback:\s+([0-9]+) kB$/m.exec(text)?.[1] ?? 0),
  };
}
