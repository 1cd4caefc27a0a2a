import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findExecutable } from './executable.ts';
import { whileLocked } from './file-lock.ts';

let root: string;
let flock: string | null;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-lock-'));
  flock = await findExecutable('flock', process.env['PATH']);
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe.each(['flock', 'socket'])('whileLocked, by %s', (kind) => {
  const take = (name: string, act: () => Promise<void>, more: { waiting?: () => void; signal?: AbortSignal } = {}) =>
    whileLocked(
      join(root, `${kind}-${name}`),
      { flock: kind === 'flock' ? flock : null, waiting: more.waiting ?? (() => undefined), signal: more.signal },
      act,
    );

  it('lets one in at a time, and leaves no file', async () => {
    let inside = 0;
    let most = 0;
    let waited = 0;
    const act = async () => {
      inside++;
      most = Math.max(most, inside);
      await delay(20);
      inside--;
    };
    await Promise.all(Array.from({ length: 5 }, () => take('one', act, { waiting: () => waited++ })));
    expect(most).toBe(1);
    expect(waited).toBe(4);
    expect(existsSync(join(root, `${kind}-one`))).toBe(false);
  });

  it('is free again after a failure', async () => {
    await expect(take('two', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
    await take('two', async () => undefined);
  });

  it('does not wait once the user wants an end', async () => {
    const stop = new AbortController();
    await take('three', async () => {
      const second = take('three', async () => undefined, { waiting: () => stop.abort(), signal: stop.signal });
      await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    });
  });
});
