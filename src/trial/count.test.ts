import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountOf } from '../../test/journal-builder.ts';
import type { Counting } from '../experiment/experiment.ts';
import { keepCount, readCount } from './count.ts';

const COUNTING: Counting = { tool: 'callgrind', repeats: 2, region: null, params: {}, per: 10, timeout_ms: 1 };
const LOG = '==12== Callgrind\n==34== of a child\n';

let directory: string;
let place: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-count-'));
  place = join(directory, 'trial');
  mkdirSync(place);
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Of functions with so many instructions each. */
function profile(functions: readonly (readonly [string, number])[], totals?: number): string {
  const lines = functions.map(([name, instructions]) => `fn=${name}\n1 ${instructions}\n`);
  return `events: Ir\n${lines.join('')}totals: ${totals ?? functions.reduce((sum, [, cost]) => sum + cost, 0)}\n`;
}

function read(files: Readonly<Record<string, string>>, changes: Partial<Counting> = {}, stdout = '') {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  const output = { stdout, stderr: '', files: {}, account: accountOf() };
  const kept = keepCount(place, directory, 'raw');
  return { ...readCount({ ...COUNTING, ...changes }, output, kept.output), files: kept.files };
}

test('the process that was started is counted, not those that it forked', () => {
  const count = read({
    'valgrind.log': LOG,
    'callgrind.out.12': profile([['f', 30]]),
    'callgrind.out.34': profile([['f', 1]]),
  });
  expect(count).toMatchObject({
    failure: null,
    counted: { instructions: 30, operations: 10, functions: [{ name: 'f', instructions: 30 }], rest: 0 },
  });
  expect(count.files.map(({ path }) => path)).toEqual(['raw/valgrind.log', 'raw/callgrind.out']);
  expect(readFileSync(join(directory, 'raw/callgrind.out'), 'utf8')).toContain('totals: 30');
});

test('a thousand functions are listed, and the rest is a sum', () => {
  const many = Array.from({ length: 1500 }, (_, index) => [`f${index}`, index + 1] as const);
  const { counted } = read({ 'valgrind.log': LOG, 'callgrind.out.12': profile(many) });
  expect(counted?.functions).toHaveLength(1000);
  expect(counted?.functions[0]).toEqual({ name: 'f1499', instructions: 1500 });
  expect(counted?.rest).toBe((500 * 501) / 2);
});

test('names are bounded, and have no control characters', () => {
  const long = (end: string) => `f<${'x'.repeat(5000)}${end}>`;
  const { counted } = read({
    'valgrind.log': LOG,
    'callgrind.out.12': profile([
      ['a\u001b[2Jb', 4],
      [long('1'), 2],
      [long('2'), 1],
    ]),
  });
  expect(counted?.functions.map(({ name }) => name.length)).toEqual([6, 501, 501]);
  expect(counted?.functions[0]?.name).toBe('a\ufffd[2Jb');
  expect(new Set(counted?.functions.map(({ name }) => name)).size).toBe(3);
});

test('operations are a number, or in the result line', () => {
  const files = { 'valgrind.log': LOG, 'callgrind.out.12': profile([['f', 3]]) };
  expect(read(files, { per: null }).counted?.operations).toBeNull();
  rmSync(join(directory, 'raw'), { recursive: true });
  const per = { pointer: '/facts/keys' };
  expect(read(files, { per }, '{"facts": {"keys": 7}}').counted?.operations).toBe(7);
  rmSync(join(directory, 'raw'), { recursive: true });
  expect(read(files, { per }, '{"facts": {"keys": 0}}').failure).toBe(
    'its operations are not known: the result line, at "/facts/keys", has 0 where a whole number from 1 to 2^53 should stand',
  );
  rmSync(join(directory, 'raw'), { recursive: true });
  expect(read(files, { per }, '').failure).toBe(
    'its operations are not known: stdout has no line that is one JSON object',
  );
});

test.each([
  [{}, "valgrind's log does not exist"],
  [{ 'valgrind.log': 'something else' }, "valgrind's log does not begin as it should"],
  [{ 'valgrind.log': LOG }, "callgrind's profile does not exist"],
  [
    { 'valgrind.log': LOG, 'callgrind.out.12': '' },
    "callgrind's profile is empty: a program that puts another in its place (exec) is not counted",
  ],
  [
    { 'valgrind.log': LOG, 'callgrind.out.12': 'events: Ir\nfn=f\n1 2\n' },
    "callgrind's profile cannot be read: it ends before its totals",
  ],
  [{ 'valgrind.log': LOG, 'callgrind.out.12': profile([]) }, 'callgrind counted no instruction'],
  [
    { 'valgrind.log': LOG, 'callgrind.out.12': profile([['f', 3]], 2) },
    "callgrind's profile cannot be read: its functions add up to 3 instructions, and its totals say 2",
  ],
])('a count that cannot be made says why (%#)', (files, failure) => {
  expect(read(files)).toMatchObject({ counted: null, failure });
});

test('a profile that a program puts a link in the place of is not read', () => {
  writeFileSync(join(directory, 'secret'), profile([['f', 3]]));
  symlinkSync(join(directory, 'secret'), join(place, 'callgrind.out.12'));
  expect(read({ 'valgrind.log': LOG }).failure).toBe("callgrind's profile is a symbolic link");
});
