import { expect, test } from 'vitest';
import { eachLine } from './objdump.ts';

const NODE = process.execPath;

async function linesOf(script: string, options: { signal?: AbortSignal; timeout_ms?: number } = {}, most = 1e6) {
  const lines: string[] = [];
  const onLine = (line: string) => lines.push(line) < most;
  const outcome = await eachLine(NODE, ['-e', script], onLine, { env: process.env, ...options });
  return { outcome, lines };
}

test('lines, however they come, also one without an end', async () => {
  const { outcome, lines } = await linesOf(
    'process.stdout.write("one\\ntw", () => setTimeout(() => process.stdout.write("o\\n\\nfour"), 50))',
  );
  expect(outcome).toEqual({ kind: 'done' });
  expect(lines).toEqual(['one', 'two', '', 'four']);
});

test('a very long line is cut', async () => {
  const { lines } = await linesOf('process.stdout.write("x".repeat(3e6) + "\\nnext\\n")');
  expect(lines.map((line) => line.length)).toEqual([16_384, 4]);
});

test('what fails says why', async () => {
  expect((await linesOf('console.error("\\x1b[31mno such\\x07 file"); process.exit(3)')).outcome).toEqual({
    kind: 'failed',
    why: 'no such file',
  });
  expect((await eachLine('/no/such/program', [], () => true, { env: {} })).kind).toBe('failed');
});

test('a program that does not end is ended, with what it started', async () => {
  const { outcome } = await linesOf(
    'require("child_process").spawn("sleep", ["600"], { stdio: "inherit" }); setInterval(() => {}, 1e6)',
    { timeout_ms: 300 },
  );
  expect(outcome).toEqual({ kind: 'failed', why: 'it was not ready after 0.3 s' });
});

test('the user stops it', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  expect((await linesOf('setInterval(() => {}, 1e6)', { signal: stop.signal })).outcome).toEqual({ kind: 'cancelled' });
  expect((await linesOf('', { signal: AbortSignal.abort() })).outcome).toEqual({ kind: 'cancelled' });
});

test('it is ended where enough was read', async () => {
  const { outcome, lines } = await linesOf('for (;;) process.stdout.write("line\\n".repeat(1e4))', {}, 3);
  expect(outcome).toEqual({ kind: 'done' });
  expect(lines).toHaveLength(3);
});

test('a fault of the reader is thrown where it is waited for', async () => {
  const fail = () => {
    throw new Error('a mistake');
  };
  await expect(eachLine(NODE, ['-e', 'console.log(1)'], fail, { env: {} })).rejects.toThrow('a mistake');
});
