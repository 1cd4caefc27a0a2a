import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import type { Declared } from '../storage/engines/analysis.ts';
import { declaredFacts } from './declared-facts.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-facts-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Of the arm that runs first in the plan of the builder: what each of its trials printed. */
function declaredBy(lines: readonly string[], alter: (path: string) => void = () => undefined): Declared {
  const raws = lines.map((line, at) => {
    const path = `raw/trial-${at + 1}/stdout`;
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), line);
    return { path, bytes: Buffer.byteLength(line), sha256: createHash('sha256').update(line).digest('hex') };
  });
  const values = lines.map((_, at) => at + 1);
  const journal = journalOf({
    values: { elapsed_ns: { before: values, after: values } },
    change: (trial) => ({ ...trial, raw: raws.slice(trial.block - 1, trial.block) }),
  });
  for (const { path } of raws) alter(path);
  return declaredFacts(directory, journal);
}

function line(facts: object): string {
  return `${JSON.stringify({ facts })}\n`;
}

test('texts, numbers and lists are facts; numbers that no double holds and anything else are not', () => {
  const said =
    '{"facts":{"sync":"commit","far":1e999,"low":-1e999,"kB":4,"list":["a"],"mixed":["a",1],"map":{},"none":null}}\n';
  const { facts, changed, unread } = declaredBy([said, said]);
  expect(facts['before']).toEqual({ sync: 'commit', kB: 4, list: ['a'] });
  expect([changed['before'], unread]).toEqual([[], []]);
});

test('what a later trial declares otherwise is found, with both values; what is measured may differ', () => {
  const first = { sync: 'commit', log: 'yes', settings: ['a=1'], clock_ns: 30, load_shape: ['0 1'] };
  const other = { sync: 'never', settings: ['a=1'], clock_ns: 31, load_shape: ['0 2'] };
  const { facts, changed } = declaredBy([first, first, other, first].map(line));
  expect(facts['before']).toEqual(first);
  expect(changed['before']).toEqual([
    {
      ...{ fact: 'log', trials: 4 },
      values: [
        { value: 'yes', trials: 3, block: 1 },
        { value: null, trials: 1, block: 3 },
      ],
    },
    {
      ...{ fact: 'sync', trials: 4 },
      values: [
        { value: 'commit', trials: 3, block: 1 },
        { value: 'never', trials: 1, block: 3 },
      ],
    },
  ]);
});

test('of very many values the first ones are kept', () => {
  const { changed } = declaredBy(Array.from({ length: 30 }, (_, at) => line({ version: String(at) })));
  expect(changed['before']?.[0]?.values.map(({ value }) => value)).toEqual(
    Array.from({ length: 10 }, (_, at) => String(at)),
  );
});

test('output that is gone is counted, unless it is that of the first trial; altered output is refused', () => {
  const lines = Array(4).fill(line({ sync: 'commit' }));
  const { facts, changed, unread } = declaredBy(lines, (path) => {
    if (path.includes('trial-3')) rmSync(join(directory, path));
  });
  expect([facts['before'], changed['before']]).toEqual([{ sync: 'commit' }, []]);
  expect(unread).toContainEqual({ engine: 'before', trials: 1, of: 4 });
  const refused = (alter: (path: string) => void) => () => declaredBy(lines, alter);
  const failure = expect.objectContaining({ failure: expect.objectContaining({ kind: 'journal' }) });
  expect(refused((path) => path.includes('trial-1') && rmSync(join(directory, path)))).toThrow(failure);
  // As long as it was.
  const altered = line({ sync: 'simmer' });
  expect(refused((path) => path.includes('trial-4') && writeFileSync(join(directory, path), altered))).toThrow(failure);
  expect(refused((path) => path.includes('trial-2') && truncateSync(join(directory, path), 3))).toThrow(failure);
});
