/** The run's lock, held by the watcher for as long as it lives: a flock, the same that the native launcher takes. */
import { ftruncateSync, readSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { openLockFile, tryLock } from '../../io/file-lock.ts';

const RETRY_MS = 50;

/**
 * Takes the lock, waiting up to `wait_ms`. Resolves with null when it is ours, else with a word about the holder.
 * `flock` is the path of flock(1); without it the native launcher does not see the lock.
 */
export async function acquireLock(path: string, flock: string | null, wait_ms: number): Promise<string | null> {
  const deadline = performance.now() + wait_ms;
  const fd = openLockFile(path);
  while ((await tryLock(path, fd, flock)) === null) {
    if (performance.now() >= deadline) return describeHolder(fd);
    await delay(RETRY_MS);
  }
  ftruncateSync(fd, 0);
  writeSync(fd, `${process.ppid} ${process.pid}\n`, 0);
  return null;
}

/** The file holds the process ids of Assay and of its launcher. */
function describeHolder(fd: number): string {
  const buffer = Buffer.alloc(32);
  const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0));
  const pids = /^([0-9]{1,10}) ([0-9]{1,10})\n/.exec(text);
  return pids === null ? 'an unknown process' : `process ${pids[1]} (its launcher is ${pids[2]})`;
}
