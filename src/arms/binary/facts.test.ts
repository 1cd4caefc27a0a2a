import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleElf } from '../../../test/example-elf.ts';
import { digestFile } from '../../io/digest.ts';
import { executableFacts, isSoname, libraryFacts, loadedLibrary } from './facts.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-facts-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const MARKS = { rttiClass: 'engine::Listener', mark: 'engine_build:' };
const symbols = (...names: string[]) =>
  names.map((name) => ({ name: name.replace(/^!/, ''), defined: !name.startsWith('!') }));

async function library(name: string, elf: Partial<Parameters<typeof exampleElf>[0]>, after = ''): Promise<string> {
  const path = join(root, name);
  const bytes = exampleElf({ text: Buffer.from('code'), dynamic: {}, symbols: [], ...elf });
  await writeFile(path, Buffer.concat([bytes, Buffer.from(after)]));
  return path;
}

describe('libraryFacts', () => {
  it('knows a shared library by its symbols and by what it needs', async () => {
    const names = symbols('!__assert_fail', '_ZTIN6engine8ListenerE', '!ZSTD_compress', 'LZ4_compress_default');
    const path = await library('full.so', { symbols: names, dynamic: { 1: ['libz.so.1'], 14: ['libfull.so.1'] } });
    expect(await libraryFacts(path, MARKS)).toMatchObject({
      ...(await digestFile(path)),
      linkage: 'shared',
      asserting_objects: 1,
      symbols_known: true,
      rtti: 'yes',
      uses: ['zlib', 'lz4', 'zstd'],
      lacks: [],
      dynamic: { soname: 'libfull.so.1' },
      marked: null,
    });
  });

  it.each([
    ['no', ['_ZTVN6engine8ListenerE']],
    // Used, but not there.
    ['no', ['_ZTVN6engine8ListenerE', '!_ZTIN6engine8ListenerE']],
    ['unknown', ['other']],
    ['unknown', ['_ZTVN6engine8ListenerE', '__gnu_lto_slim']],
  ])('says of run-time type information: %s', async (rtti, names) => {
    const path = await library('rtti.so', { symbols: symbols(...names) });
    expect(await libraryFacts(path, MARKS)).toMatchObject({ rtti });
  });

  it('does not call a library without symbols free of assertions', async () => {
    expect(await libraryFacts(await library('bare.so', {}), MARKS)).toMatchObject({
      asserting_objects: 0,
      symbols_known: false,
    });
  });

  it.each([0, (1 << 20) - 500, (1 << 20) - 5, 1 << 20, 3 * (1 << 20) - 40])(
    'finds the mark of a build wherever it stands (%d)',
    async (before) => {
      const path = await library('marked.so', {}, `${'.'.repeat(before)}engine_build:0123abc\0 more`);
      expect(await libraryFacts(path, MARKS)).toMatchObject({ marked: '0123abc' });
    },
  );

  it.each([
    ['text', 'is neither a static nor a shared library'],
    ['!<thin>\n', 'is a thin archive: it only names its objects, which may change behind it'],
    ['!<arch>\nx', 'is a damaged archive'],
    ['!<arch>\n', 'holds no object files of a 64-bit little-endian machine'],
  ])('says what cannot be used: %j', async (content, reason) => {
    await writeFile(join(root, 'other'), content);
    expect(await libraryFacts(join(root, 'other'), MARKS)).toBe(reason);
  });

  it('refuses names that a terminal would obey', async () => {
    const path = await library('named.so', { dynamic: { 14: ['lib\u001b[2J.so'] } });
    expect(await libraryFacts(path, MARKS)).toBe('has control characters in a name');
  });

  it('does not take a directory for a library', async () => {
    expect(await libraryFacts(root, MARKS)).toBe('is no regular file');
  });
});

describe('executableFacts', () => {
  it.runIf(process.platform === 'linux')('reads that of Node.js', async () => {
    const facts = await executableFacts(process.execPath, null);
    expect(facts).toMatchObject({ ...(await digestFile(process.execPath)) });
    expect(facts?.text_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(facts?.dynamic.needed.some((name) => isSoname(name, 'libc.so'))).toBe(true);
  });
});

describe('loadedLibrary', () => {
  const dynamic = (paths: { rpath?: string[]; runpath?: string[] }) => ({
    needed: [],
    soname: null,
    rpath: [],
    runpath: [],
    ...paths,
  });

  it('looks where the loader looks, in its order', async () => {
    for (const name of ['a', 'b', 'bin']) await mkdir(join(root, name));
    const [a, b] = [join(root, 'a'), join(root, 'b')];
    await writeFile(join(a, 'libx.so.1.2'), 'a');
    await symlink('libx.so.1.2', join(a, 'libx.so.1'));
    await writeFile(join(b, 'libx.so.1'), 'b');
    const program = join(root, 'bin', 'program');
    const load = (paths: object, libraryPath?: string) =>
      loadedLibrary('libx.so.1', program, dynamic(paths), libraryPath);
    const [inA, inB] = [join(a, 'libx.so.1.2'), join(b, 'libx.so.1')];
    expect(await load({ rpath: [a] }, b)).toBe(inA);
    expect(await load({ runpath: [a] }, b)).toBe(inB);
    expect(await load({ runpath: [a], rpath: [b] })).toBe(inA);
    expect(await load({ rpath: ['$ORIGIN/../b'] })).toBe(inB);
    expect(await load({ rpath: [join(root, 'bin'), `\${ORIGIN}/../a`] })).toBe(inA);
    expect(await load({})).toBeNull();
    expect(await loadedLibrary(inB, program, dynamic({ rpath: [a] }), a)).toBe(inB);
  });
});
