/**
 * Locks that end with whoever holds them. Node.js cannot call flock(2), so util-linux's flock(1) locks the open file that
 * it is handed: the lock stays with our descriptor when that program ends, and goes when we close it or die.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** macOS's open(2) takes the flock itself; the value is from its <fcntl.h>. */
const DARWIN_O_EXLOCK = 0x20;
const RETRY_MS = 50;

/** Opens the file of a lock, and makes it where it is missing. */
export function openLockFile(path: string, extraFlags = 0): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | extraFlags, 0o600);
}

/**
 * Takes the lock of a file if it is free.
 * @param fd of the file at the path
 * @param flock the path of flock(1); without it an abstract socket stands in, which the native launcher does not see
 * @returns what lets go of the lock, `fd` excepted, or null where someone else holds it
 */
export async function tryLock(path: string, fd: number, flock: string | null): Promise<(() => void) | null> {
  if (process.platform === 'darwin') return tryOpenLocked(path);
  return flock === null ? await trySocket(path) : await tryFlock(fd, flock);
}

/**
 * Runs `act` while this process holds the lock; the file is gone afterwards.
 * @param waiting called once where someone else holds it
 * @throws the reason of the signal where that comes first
 */
export async function whileLocked<T>(
  path: string,
  context: { readonly flock: string | null; readonly waiting: () => void; readonly signal?: AbortSignal | undefined },
  act: () => Promise<T>,
): Promise<T> {
  const { release } = await take(path, context);
  try {
    return await act();
  } finally {
    // Before the lock goes: whoever waits for this file sees that its name is gone, and makes a new one.
    rmSync(path, { force: true });
    release();
  }
}

async function take(
  path: string,
  { flock, waiting, signal }: Parameters<typeof whileLocked>[1],
): Promise<{ readonly release: () => void }> {
  for (let attempt = 1; ; attempt++) {
    const fd = openLockFile(path);
    const unlock = await tryLock(path, fd, flock);
    const release = () => {
      unlock?.();
      closeSync(fd);
    };
    if (unlock !== null && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino) return { release };
    release();
    if (unlock !== null) continue;
    if (attempt === 1) waiting();
    await delay(RETRY_MS, undefined, { signal });
  }
}

function tryFlock(fd: number, flock: string): Promise<(() => void) | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(flock, ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0 || code === 1) resolve(code === 0 ? () => undefined : null);
      else reject(new Error(`flock ended with ${code}`));
    });
  });
}

/** A second bind of the name fails as long as the first holder lives; the kernel keeps no stale names. */
function trySocket(path: string): Promise<(() => void) | null> {
  const name = createHash('sha256')
    .update(join(realpathSync(dirname(path)), basename(path)))
    .digest('hex')
    .slice(0, 40);
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen(`\0assay-${name}`, () => resolve(() => server.close()));
    server.unref();
  });
}

function tryOpenLocked(path: string): (() => void) | null {
  try {
    const fd = openLockFile(path, DARWIN_O_EXLOCK | constants.O_NONBLOCK);
    return () => closeSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
    throw error;
  }
}
