/**
 * The run's lock, held by the watcher for as long as it lives: a flock, the same that the native launcher takes. Node
 * cannot call flock(2), so util-linux's flock(1) locks the open file that it is handed; the lock stays with our
 * descriptor when that program ends, and goes when we die.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, ftruncateSync, openSync, readSync, realpathSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** macOS's open(2) takes the flock itself; the value is from its <fcntl.h>. */
const DARWIN_O_EXLOCK = 0x20;
const RETRY_MS = 50;

/**
 * Takes the lock, waiting up to `wait_ms`. Resolves with null when it is ours, else with a word about the holder.
 * `flock` is the path of flock(1); without it an abstract socket stands in, which the native launcher does not see.
 */
export async function acquireLock(path: string, flock: string | null, wait_ms: number): Promise<string | null> {
  const deadline = performance.now() + wait_ms;
  const tryOnce = process.platform === 'darwin' ? tryOpenLocked : flock === null ? tryAbstractSocket : tryFlock;
  const fd = openLockFile(path, 0);
  while (!(await tryOnce(path, fd, flock ?? ''))) {
    if (performance.now() >= deadline) return describeHolder(fd);
    await delay(RETRY_MS);
  }
  ftruncateSync(fd, 0);
  writeSync(fd, `${process.ppid} ${process.pid}\n`, 0);
  return null;
}

function openLockFile(path: string, extraFlags: number): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | extraFlags, 0o600);
}

function tryFlock(_path: string, fd: number, flock: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(flock, ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0 || code === 1) resolve(code === 0);
      else reject(new Error(`flock ended with ${code}`));
    });
  });
}

/** A second bind of the name fails as long as the first holder lives; the kernel keeps no stale names. */
function tryAbstractSocket(path: string): Promise<boolean> {
  const name = createHash('sha256').update(realpathSync(path)).digest('hex').slice(0, 40);
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(`\0assay-${name}`, () => resolve(true));
    server.unref();
  });
}

async function tryOpenLocked(path: string): Promise<boolean> {
  try {
    openLockFile(path, DARWIN_O_EXLOCK | constants.O_NONBLOCK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw error;
  }
}

/** The file holds the process ids of Assay and of its launcher. */
function describeHolder(fd: number): string {
  const buffer = Buffer.alloc(32);
  const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0));
  const pids = /^([0-9]{1,10}) ([0-9]{1,10})\n/.exec(text);
  return pids === null ? 'an unknown process' : `process ${pids[1]} (its launcher is ${pids[2]})`;
}
