import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable, isExecutable } from './executable.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-executable-'));
  for (const name of ['one', 'two', 'three']) await mkdir(join(root, name));
  await writeFile(join(root, 'one', 'engine'), 'not executable');
  await mkdir(join(root, 'two', 'engine'));
  await writeFile(join(root, 'three', 'engine'), '#!/bin/sh\n');
  await chmod(join(root, 'three', 'engine'), 0o755);
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('isExecutable', () => {
  it('is so for regular files with the permission, and links to them', async () => {
    await symlink('three/engine', join(root, 'link'));
    expect(await isExecutable(join(root, 'three', 'engine'))).toBe(true);
    expect(await isExecutable(join(root, 'link'))).toBe(true);
    expect(await isExecutable(join(root, 'one', 'engine'))).toBe(false);
    expect(await isExecutable(join(root, 'two', 'engine'))).toBe(false);
    expect(await isExecutable(join(root, 'none'))).toBe(false);
  });
});

describe('findExecutable', () => {
  it('takes the first that can be executed', async () => {
    const path = ['one', 'two', 'none', 'three'].map((name) => join(root, name)).join(':');
    expect(await findExecutable('engine', path)).toBe(join(root, 'three', 'engine'));
  });

  it('finds nothing without a path, or where nothing is', async () => {
    expect(await findExecutable('engine', undefined)).toBeNull();
    expect(await findExecutable('engine', '')).toBeNull();
    expect(await findExecutable('absent', `${join(root, 'three')}::`)).toBeNull();
  });
});
