import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDirectory, listCache, makeEntry, markUsed, openCache, pruneCache, removeEntry } from './cache.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-cache-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const fill = (text: string) => (directory: string) => writeFile(join(directory, 'content'), text);

describe('cacheDirectory', () => {
  it.each([
    [{ ASSAY_CACHE: '/a', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/a'],
    [{ ASSAY_CACHE: '', XDG_CACHE_HOME: '/x', HOME: '/h' }, '/x/assay'],
    [{ XDG_CACHE_HOME: 'relative', HOME: '/h' }, '/h/.cache/assay'],
    [{ HOME: '/h' }, '/h/.cache/assay'],
    [{}, join(homedir(), '.cache', 'assay')],
  ])('of %o is %s', (env, expected) => {
    expect(cacheDirectory(env)).toBe(expected);
  });
});

describe('openCache', () => {
  const env = () => ({ ASSAY_CACHE: join(root, 'deep', 'cache') });

  it('makes a directory for its owner alone, and opens it again', async () => {
    const cache = await openCache(env());
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
    expect(await openCache(env())).toBe(cache);
  });

  it.each([0o720, 0o702, 0o777])('refuses mode %o with a remedy', async (mode) => {
    const cache = await openCache(env());
    await chmod(cache, mode);
    await expect(openCache(env())).rejects.toMatchObject({
      failure: {
        kind: 'usage',
        message: expect.stringContaining('others may write'),
        remedy: expect.stringContaining('chmod 700'),
      },
    });
  });

  it('refuses a directory of another user', async () => {
    // Only root can give a directory away; for everyone else, / is someone else's.
    const foreign = process.getuid?.() === 0 ? join(root, 'foreign') : '/';
    if (foreign !== '/') {
      await mkdir(foreign, { mode: 0o700 });
      await chown(foreign, 12_345, 12_345);
    }
    await expect(openCache({ ASSAY_CACHE: foreign })).rejects.toMatchObject({
      failure: { kind: 'usage', message: expect.stringContaining('another user') },
    });
  });

  it('says which path cannot be made', async () => {
    await writeFile(join(root, 'file'), '');
    const path = join(root, 'file', 'cache');
    await expect(openCache({ ASSAY_CACHE: path })).rejects.toMatchObject({
      failure: { kind: 'file', path, code: 'ENOTDIR' },
    });
  });
});

describe('entries', () => {
  it('get their name only when they are complete', async () => {
    const path = await makeEntry(root, 'npm', 'a@1-x', async (directory) => {
      expect(await readdir(join(root, 'npm'))).toEqual([]);
      await fill('whole')(directory);
    });
    expect(await readFile(join(path, 'content'), 'utf8')).toBe('whole');
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  it('leave nothing behind when making them fails', async () => {
    const broken = makeEntry(root, 'npm', 'a@1-x', async (directory) => {
      await fill('half')(directory);
      throw new Error('no network');
    });
    await expect(broken).rejects.toThrow('no network');
    expect(await readdir(join(root, 'npm'))).toEqual([]);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  it('are made by the first of several at once, and all of them get it', async () => {
    const paths = await Promise.all(
      Array.from({ length: 8 }, (_, at) => makeEntry(root, 'npm', 'a@1-x', fill(`by ${at}`))),
    );
    expect(new Set(paths).size).toBe(1);
    expect(await readFile(join(paths[0] ?? '', 'content'), 'utf8')).toMatch(/^by [0-7]$/);
    expect(await readdir(join(root, 'tmp'))).toEqual([]);
  });

  it('can be removed twice', async () => {
    const path = await makeEntry(root, 'npm', 'a@1-x', fill('x'));
    await removeEntry(root, path);
    await removeEntry(root, path);
    expect(await listCache(root)).toEqual([]);
  });
});

describe('listCache and pruneCache', () => {
  beforeEach(async () => {
    const old = await makeEntry(root, 'npm', 'old@1-x', fill('12345'));
    await utimes(join(old, 'used'), daysAgo(40), daysAgo(40));
    await makeEntry(root, 'npm', 'new@1-x', fill('123'));
    await mkdir(join(root, 'bin'));
    await writeFile(join(root, 'bin', 'launcher-1'), 'binary');
    await utimes(join(root, 'bin', 'launcher-1'), daysAgo(20), daysAgo(20));
  });

  const names = (entries: readonly { readonly name: string }[]) => entries.map(({ name }) => name);

  it('lists kind, size and last use, the latest first', async () => {
    const entries = await listCache(root);
    expect(entries).toMatchObject([
      { kind: 'npm', name: 'new@1-x', bytes: 3 },
      { kind: 'launcher', name: 'launcher-1', bytes: 6 },
      { kind: 'npm', name: 'old@1-x', bytes: 5 },
    ]);
  });

  it('is empty where there is no cache', async () => {
    expect(await listCache(join(root, 'none'))).toEqual([]);
    expect(await pruneCache(join(root, 'none'), { olderThanDays: 0 })).toEqual([]);
  });

  it('removes what was not used for so long, and no more', async () => {
    expect(names(await pruneCache(root, { olderThanDays: 30 }))).toEqual(['old@1-x']);
    expect(names(await listCache(root))).toEqual(['new@1-x', 'launcher-1']);
  });

  it('keeps what was used meanwhile', async () => {
    await markUsed(join(root, 'npm', 'old@1-x'));
    expect(await pruneCache(root, { olderThanDays: 30 })).toEqual([]);
  });

  it('removes everything where asked', async () => {
    await mkdir(join(root, 'tmp', 'new-1'), { recursive: true });
    expect(names(await pruneCache(root, { olderThanDays: 0 })).sort()).toEqual([
      'launcher-1',
      'new-1',
      'new@1-x',
      'old@1-x',
    ]);
    expect(await listCache(root)).toEqual([]);
  });

  it('clears away what killed Assays left: an hour old when pruning, a day old when making entries', async () => {
    const leave = async (name: string, age: Date) => {
      await mkdir(join(root, 'tmp', name), { recursive: true });
      await writeFile(join(root, 'tmp', name, 'half'), 'x');
      await utimes(join(root, 'tmp', name), age, age);
    };
    await leave('new-days', daysAgo(2));
    await leave('new-hours', daysAgo(0.1));
    await leave('new-now', new Date());
    await makeEntry(root, 'npm', 'b@1-x', fill('x'));
    expect((await readdir(join(root, 'tmp'))).sort()).toEqual(['new-hours', 'new-now']);
    expect(names(await pruneCache(root, { olderThanDays: 3000 }))).toEqual(['new-hours']);
    expect(await readdir(join(root, 'tmp'))).toEqual(['new-now']);
  });
});
