import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeBytes, makeEmptyDirectory, removeTree, spaceProblem, spaceShort, treeBytes } from './disk.ts';

let root: string;
let tree: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-disk-'));
  tree = join(root, 'tree');
  mkdirSync(tree);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('removeTree', () => {
  it('removes files and directories', async () => {
    mkdirSync(join(tree, 'a/b/c'), { recursive: true });
    for (const name of ['x', 'a/x', 'a/b/x', 'a/b/c/x', 'a/.hidden']) writeFileSync(join(tree, name), 'x');
    await removeTree(tree);
    expect(readdirSync(root)).toEqual([]);
  });

  it('is harmless where there is nothing, and removes a file', async () => {
    await removeTree(join(root, 'none'));
    writeFileSync(join(root, 'file'), 'x');
    await removeTree(join(root, 'file'));
    expect(readdirSync(root)).toEqual(['tree']);
  });

  it('never follows links', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), 'x');
    mkdirSync(join(tree, 'sub'));
    symlinkSync(outside, join(tree, 'link'));
    symlinkSync(outside, join(tree, 'sub/link'));
    symlinkSync('nothing', join(tree, 'dangling'));
    symlinkSync('loop', join(tree, 'loop'));
    linkSync(join(outside, 'precious'), join(tree, 'hard'));
    symlinkSync(outside, join(root, 'top'));
    await removeTree(tree);
    await removeTree(join(root, 'top'));
    expect(readdirSync(root)).toEqual(['outside']);
    expect(readdirSync(outside)).toEqual(['precious']);
  });

  it('removes pipes and names that are not UTF-8', async () => {
    execFileSync('mkfifo', [join(tree, 'pipe')]);
    mkdirSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]));
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe, 0x2f, 0xe9])]), 'x');
    writeFileSync(join(tree, 'with\nnewline'), 'x');
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('removes directories without permissions', async () => {
    mkdirSync(join(tree, 'a/b/c'), { recursive: true });
    writeFileSync(join(tree, 'a/b/c/x'), 'x');
    writeFileSync(join(tree, 'a/b/x'), 'x');
    for (const [name, mode] of [
      ['a/b/c', 0o555],
      ['a/b', 0],
      ['a', 0o100],
      ['', 0],
    ] as const)
      chmodSync(join(tree, name), mode);
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('removes a tree that is deeper than a path can be long', async () => {
    // Each level is made from within the one above: no path names the last.
    const script =
      "for (let i = 0; i < 1200; i++) { fs.mkdirSync('deep'); process.chdir('deep'); } fs.writeFileSync('x', 'x');";
    execFileSync(process.execPath, ['-e', script], { cwd: tree });
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('removes wide trees', async () => {
    for (let i = 0; i < 10; i++) {
      for (let j = 0; j < 10; j++) mkdirSync(join(tree, `${i}/${j}/x`), { recursive: true });
    }
    for (let i = 0; i < 600; i++) writeFileSync(join(tree, `f${i}`), '');
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('says what will not go', async () => {
    await expect(removeTree('/proc/self/attr')).rejects.toMatchObject({
      failure: { kind: 'file', path: '/proc/self/attr', operation: 'remove the directory' },
    });
  });
});

describe('makeEmptyDirectory', () => {
  it('makes it, with its parents', async () => {
    await makeEmptyDirectory(join(root, 'a/b/c'));
    expect(readdirSync(join(root, 'a/b/c'))).toEqual([]);
  });

  it('removes what was there, links included', async () => {
    writeFileSync(join(tree, 'x'), 'x');
    await makeEmptyDirectory(tree);
    expect(readdirSync(tree)).toEqual([]);
    writeFileSync(join(tree, 'x'), 'x');
    symlinkSync(tree, join(root, 'link'));
    await makeEmptyDirectory(join(root, 'link'));
    expect(readdirSync(join(root, 'link'))).toEqual([]);
    expect(readdirSync(tree)).toEqual(['x']);
  });

  it('says why it cannot', async () => {
    writeFileSync(join(root, 'file'), 'x');
    await expect(makeEmptyDirectory(join(root, 'file/x'))).rejects.toMatchObject({
      failure: { kind: 'file', path: join(root, 'file/x'), code: 'ENOTDIR' },
    });
  });
});

describe('treeBytes', () => {
  it('counts blocks, each hard link once, and follows nothing', async () => {
    const empty = await treeBytes(tree);
    writeFileSync(join(tree, 'a'), Buffer.alloc(1 << 20, 1));
    const one = await treeBytes(tree);
    expect(one - empty).toBeGreaterThanOrEqual(1 << 20);
    linkSync(join(tree, 'a'), join(tree, 'b'));
    symlinkSync('/', join(tree, 'link'));
    expect((await treeBytes(tree)) - one).toBeLessThan(1 << 16);
  });

  it('does not count holes', async () => {
    const script = "fs.ftruncateSync(fs.openSync('sparse', 'w'), 1 << 30)";
    execFileSync(process.execPath, ['-e', script], { cwd: tree });
    expect(await treeBytes(tree)).toBeLessThan(1 << 20);
  });

  it('counts what lies in directories, and nothing where there is nothing', async () => {
    mkdirSync(join(tree, 'x/y'), { recursive: true });
    writeFileSync(join(tree, 'x/y/z'), Buffer.alloc(100_000, 1));
    expect(await treeBytes(tree)).toBeGreaterThanOrEqual(100_000);
    expect(await treeBytes(join(root, 'none'))).toBe(0);
  });
});

describe('free space', () => {
  it('is asked of the file system', async () => {
    expect(await freeBytes(root)).toBeGreaterThan(0);
    await expect(freeBytes(join(root, 'none'))).rejects.toMatchObject({ failure: { kind: 'file', code: 'ENOENT' } });
    expect(await spaceProblem(root, 0, 10)).toBeNull();
    expect(await spaceProblem(root, Number.MAX_SAFE_INTEGER, 10)).toMatch(/the 10 that are left need/);
  });

  it('must hold one trial, and what stays of all', () => {
    const MIB = 1 << 20;
    const need = { trial_bytes: 100 * MIB, kept_bytes: 2 * MIB, trials_left: 30 };
    expect(spaceShort(160 * MIB, need)).toBeNull();
    expect(spaceShort(160 * MIB - 1, need)).toMatch(
      /^the first trial took 100 MiB on the disk, 2.0 MiB of which stay: the 30 that are left need 160 MiB, and 160 MiB are free/,
    );
    expect(spaceShort(0, { ...need, trials_left: 0 })).toBeNull();
    expect(spaceShort(50 * MIB, { ...need, kept_bytes: 0 })).toMatch(/100 MiB on the disk: the 30/);
  });
});
