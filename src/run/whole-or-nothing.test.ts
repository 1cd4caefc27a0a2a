import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wholeOrNothing } from './whole-or-nothing.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-whole-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const NAMES = ['identity.json', 'raw', 'journal.jsonl'];
const full = new Error('full');

/** Writes two of three files, and fails. */
const fillHalf = (path: string) =>
  wholeOrNothing(path, NAMES, notLeft, ({ identity, path: made }) => {
    writeFileSync(identity, 'new');
    mkdirSync(join(made, 'raw', 'results'), { recursive: true });
    writeFileSync(join(made, 'raw', 'results', '1'), 'half');
    return Promise.reject(full);
  });

function notLeft(): void {
  throw new Error('something is left');
}

it('what is whole stays', async () => {
  const made = await wholeOrNothing(join(directory, 'run'), NAMES, notLeft, ({ identity }) => {
    writeFileSync(identity, 'new');
    return Promise.resolve(7);
  });
  expect(made).toBe(7);
  expect(readFileSync(join(directory, 'run', 'identity.json'), 'utf8')).toBe('new');
});

it('what fails is removed with the directories that were made for it', async () => {
  await expect(fillHalf(join(directory, 'assay-runs', 'deep', 'run'))).rejects.toBe(full);
  expect(readdirSync(directory)).toEqual([]);
});

it('a directory that was there stays, with what a killed run had left in it', async () => {
  writeFileSync(join(directory, 'identity.json'), 'old');
  await expect(fillHalf(directory)).rejects.toBe(full);
  expect(readdirSync(directory)).toEqual(['identity.json']);
});

it('a parent in which another has put something meanwhile stays', async () => {
  let left = 0;
  const parent = join(directory, 'assay-runs');
  const failing = wholeOrNothing(
    join(parent, 'run'),
    NAMES,
    () => {
      left += 1;
    },
    () => {
      writeFileSync(join(parent, 'of-another'), '');
      return Promise.reject(full);
    },
  );
  await expect(failing).rejects.toBe(full);
  expect(readdirSync(directory, { recursive: true })).toEqual(['assay-runs', 'assay-runs/of-another']);
  expect(left).toBe(0);
});

it('a directory in which something is, or that is none, is refused and left as it is', async () => {
  writeFileSync(join(directory, 'mine'), 'x');
  await expect(fillHalf(directory)).rejects.toMatchObject({ failure: { kind: 'usage' } });
  await expect(fillHalf(join(directory, 'mine'))).rejects.toMatchObject({ failure: { kind: 'file' } });
  await expect(fillHalf(join(directory, 'mine', 'run'))).rejects.toMatchObject({ failure: { kind: 'file' } });
  expect(readFileSync(join(directory, 'mine'), 'utf8')).toBe('x');
});
