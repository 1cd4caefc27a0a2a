import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectories } from './make-directories.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-make-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('makes what is missing, and leaves what is there', () => {
  makeDirectories(join(directory, 'a/b/c'), 0o700);
  makeDirectories(join(directory, 'a/b/c'));
  expect(statSync(join(directory, 'a/b/c')).mode & 0o777).toBe(0o700);
  symlinkSync('a', join(directory, 'link'));
  makeDirectories(join(directory, 'link'));
  makeDirectories(join(directory, 'link/d'));
  expect(statSync(join(directory, 'a/d')).isDirectory()).toBe(true);
});

test('says what stands in the way', () => {
  writeFileSync(join(directory, 'file'), '');
  symlinkSync('nowhere', join(directory, 'dangling'));
  const codeOf = (path: string) => {
    try {
      makeDirectories(path);
      return null;
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : error;
    }
  };
  expect(codeOf(join(directory, 'file'))).toBe('EEXIST');
  expect(codeOf(join(directory, 'file/below'))).toBe('ENOTDIR');
  expect(codeOf(join(directory, 'dangling'))).toBe('EEXIST');
  expect(codeOf(join(directory, 'x'.repeat(300), 'below'))).toBe('ENAMETOOLONG');
  expect(codeOf('')).toBe('ENOENT');
  // Nobody can make a directory in /proc: where node:fs says ENOENT of a path below, this says what the first step met.
  if (process.platform === 'linux') expect(codeOf('/proc/assay-none')).toBe('ENOENT');
});
