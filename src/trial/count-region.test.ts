import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isLike, regionOf } from './count-region.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-region-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

test.each([
  ['timed_sum', 'timed_*', true],
  ['timed_', 'timed_*', true],
  ['untimed_sum', 'timed_*', false],
  ['abab', '*ab', true],
  ['abc', 'a?c', true],
  ['ac', 'a?c', false],
  ['', '*', true],
  ['x', '', false],
  ['a'.repeat(200), `${'*a'.repeat(40)}b`, false],
])('%s is like %s: %s', (text, pattern, expected) => {
  expect(isLike(text, pattern)).toBe(expected);
});

test('a name without wildcards, and a program that is no executable, are taken as they stand', () => {
  expect(regionOf('a', '/nowhere', 'timed')).toBe('timed');
  const script = join(directory, 'script');
  writeFileSync(script, '#!/bin/sh\n');
  expect(regionOf('a', script, 'timed_*')).toBe('timed_*');
});

test.runIf(process.env['ASSAY_TEST_FULL'] === '1')('a pattern stands for the one function that it matches', () => {
  const build = (source: string, ...flags: readonly string[]) => {
    const program = join(directory, 'program');
    writeFileSync(join(directory, 'program.c'), source);
    execFileSync('gcc', ['-O1', '-o', program, join(directory, 'program.c'), ...flags]);
    return program;
  };
  const sum = 'volatile long sink; void timed_sum(int n) { for (int i = 0; i < n; i++) sink += i; }';
  expect(regionOf('a', build(`${sum} int main(void) { timed_sum(3); }`), 'timed_*')).toBe('timed_sum');
  const parts = sum.replace('for', '\n#pragma omp parallel for\nfor');
  expect(regionOf('a', build(`${parts} int main(void) { timed_sum(3); }`, '-fopenmp'), 'timed_*')).toBe('timed_sum');
  const two = build(`${sum} void timed_all(void) { timed_sum(3); } int main(void) { timed_all(); }`);
  expect(() => regionOf('a', two, 'timed_*')).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({ message: expect.stringContaining('matches 2 functions') }),
    }),
  );
  expect(regionOf('a', two, 'timed_all')).toBe('timed_all');
});
