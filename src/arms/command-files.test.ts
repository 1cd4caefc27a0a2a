import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { namedFiles } from './command-files.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-files-'));
  await mkdir(join(root, 'bin'));
  for (const name of ['engine', 'tool']) await program(join('bin', name), '\x7fELF');
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function program(name: string, text: string): Promise<string> {
  await writeFile(join(root, name), text);
  await chmod(join(root, name), 0o755);
  return join(root, name);
}

const named = (...command: string[]) => namedFiles(command, { directories: [root], path: join(root, 'bin') });

describe('namedFiles', () => {
  it('lists the program and whatever its arguments could name', async () => {
    expect(await named('/x/engine', 'driver.mjs', '/data/keys', '--config=a/b.conf', '--sync')).toEqual([
      '/x/engine',
      join(root, 'driver.mjs'),
      '/data/keys',
      join(root, '--config=a/b.conf'),
      join(root, 'a/b.conf'),
      join(root, '--sync'),
    ]);
  });

  it('finds the programs of a shell’s text on PATH, and the files that it names', async () => {
    const files = await named('/bin/sh', '-c', 'A=1 engine --db /tmp/x < in.txt | ./filter && tool -v; echo engine2');
    for (const path of [
      join(root, 'bin/engine'),
      join(root, 'bin/tool'),
      '/tmp/x',
      join(root, 'in.txt'),
      join(root, 'filter'),
    ]) {
      expect(files).toContain(path);
    }
    expect(files).not.toContain(join(root, 'bin/echo'));
  });

  it('does not take the text of another program for shell', async () => {
    expect(await named('/x/python3', '-c', 'engine')).not.toContain(join(root, 'bin/engine'));
  });

  it.each([
    ['#!/bin/the-shell -e\n', ['/bin/the-shell']],
    ['#! /usr/bin/env engine\n', ['/usr/bin/env', 'bin/engine']],
    ['#!/usr/bin/env -S A=1 tool --fast\n', ['/usr/bin/env', 'bin/tool']],
    ['#!/usr/bin/env absent\n', ['/usr/bin/env']],
    ['#!relative\n', []],
    ['#!', []],
    ['no script\n', []],
  ])('follows the first line %j', async (text, interpreters) => {
    const script = await program('script', text);
    const expected = interpreters.map((path) => (path.startsWith('/') ? path : join(root, path)));
    expect(await named(script)).toEqual([script, ...expected]);
  });

  it('does not follow a script that is not executable', async () => {
    await writeFile(join(root, 'notes'), '#!/bin/the-shell\n');
    expect(await named('/x/cat', 'notes')).not.toContain('/bin/the-shell');
  });
});
