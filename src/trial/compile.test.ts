import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileLauncher, findCompiler } from './compile.ts';

let directory: string;
let cache: string;
let source: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-compile-'));
  cache = join(directory, 'cache', 'launchers');
  source = join(directory, 'launcher.c');
  writeFileSync(source, 'int main(void) { return 0; }\n');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A stand-in for a compiler: copies the source, counts its runs. */
function fakeCompiler(name: string, version: string, body = 'cp "$7" "$6"'): string {
  const bin = join(directory, name);
  mkdirSync(bin, { recursive: true });
  const script = [
    '#!/bin/sh',
    `[ "$1" != --version ] || { echo "${version}"; exit 0; }`,
    `echo run >> "${directory}/runs"`,
    body,
  ].join('\n');
  writeFileSync(join(bin, 'cc'), `${script}\n`, { mode: 0o755 });
  return `${bin}:/usr/bin:/bin`;
}

function runs(): number {
  return readFileSync(join(directory, 'runs'), 'utf8').trim().split('\n').length;
}

async function executable(searchPath: string): Promise<string> {
  const compiled = await compileLauncher({ source, cache, searchPath });
  if ('unavailable' in compiled) throw new Error(compiled.unavailable);
  return compiled.executable;
}

describe('compileLauncher', () => {
  it('compiles once for a source and a version of a compiler', async () => {
    // -std -O2 -Wall -Wextra -o target source
    const searchPath = fakeCompiler('bin', 'cc 1.0');
    const first = await executable(searchPath);
    expect(await executable(searchPath)).toBe(first);
    expect(runs()).toBe(1);
    expect(statSync(first).mode & 0o777).toBe(0o700);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
    expect(readFileSync(first, 'utf8')).toBe(readFileSync(source, 'utf8'));

    expect(await executable(fakeCompiler('bin', 'cc 1.1'))).not.toBe(first);
    writeFileSync(source, 'int main(void) { return 1; }\n');
    expect(await executable(fakeCompiler('bin', 'cc 1.0'))).not.toBe(first);
    writeFileSync(join(directory, 'part.h'), '/* a part */\n');
    const second = await executable(fakeCompiler('bin', 'cc 1.0'));
    writeFileSync(join(directory, 'part.h'), '/* another part */\n');
    expect(await executable(fakeCompiler('bin', 'cc 1.0'))).not.toBe(second);
    expect(runs()).toBe(5);
    expect(readdirSync(cache)).toHaveLength(5);
  });

  it('keeps the programs of two sources apart', async () => {
    const searchPath = fakeCompiler('bin', 'cc 1.0');
    const launcher = await executable(searchPath);
    source = join(directory, 'other.c');
    writeFileSync(source, readFileSync(join(directory, 'launcher.c')));
    expect(await executable(searchPath)).not.toBe(launcher);
  });

  it('gives several at once the same whole file', async () => {
    const searchPath = fakeCompiler('bin', 'cc 1.0');
    const found = await Promise.all(Array.from({ length: 8 }, () => executable(searchPath)));
    expect(new Set(found).size).toBe(1);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  it('does not run what others may have put into the cache', async () => {
    const searchPath = fakeCompiler('bin', 'cc 1.0');
    const path = await executable(searchPath);
    chmodSync(path, 0o722);
    await executable(searchPath);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    rmSync(path);
    symlinkSync('/bin/sh', path);
    await executable(searchPath);
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(source, 'utf8'));
    expect(runs()).toBe(3);
  });

  it('keeps the last lines of a compiler that fails, without control characters, and no half-made file', async () => {
    const body = 'touch "$6"; for i in 1 2 3 4 5 6 7 8 9; do printf "error \\033[31m%s\\n" $i >&2; done; exit 1';
    const compiled = await compileLauncher({ source, cache, searchPath: fakeCompiler('bin', 'cc 1.0', body) });
    expect(compiled).toMatchObject({ unavailable: expect.stringMatching(/error {2}\[31m9$/) });
    expect('unavailable' in compiled && compiled.unavailable).not.toContain('31m4');
    expect(readdirSync(cache)).toEqual([]);
  });

  it('says that there is no compiler', async () => {
    expect(await findCompiler(`/nonexistent:.:${directory}`)).toBeNull();
    expect(await compileLauncher({ source, cache, searchPath: directory })).toMatchObject({
      unavailable: expect.stringContaining('no C compiler'),
      remedy: expect.stringContaining('Install'),
    });
  });

  it('says that the cache cannot be written', async () => {
    writeFileSync(join(directory, 'cache'), 'a file');
    expect(await compileLauncher({ source, cache, searchPath: fakeCompiler('bin', 'cc 1.0') })).toMatchObject({
      unavailable: expect.stringContaining('cache'),
      remedy: expect.stringContaining('ASSAY_CACHE'),
    });
  });
});
