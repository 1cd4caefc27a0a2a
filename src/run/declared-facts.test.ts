import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import { declaredFacts } from './declared-facts.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-facts-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function factsOf(line: string): Promise<unknown> {
  const raw = { path: 'raw/first/stdout', bytes: line.length, sha256: createHash('sha256').update(line).digest('hex') };
  mkdirSync(dirname(join(directory, raw.path)), { recursive: true });
  writeFileSync(join(directory, raw.path), line);
  const journal = journalOf({
    values: { elapsed_ns: { before: [1, 2], after: [1, 2] } },
    change: (trial) => ({ ...trial, raw: [raw] }),
  });
  return Object.values(await declaredFacts(directory, journal))[0];
}

test('texts, numbers and lists are facts; numbers that no double holds and anything else are not', async () => {
  const line =
    '{"facts":{"sync":"commit","far":1e999,"low":-1e999,"kB":4,"list":["a"],"mixed":["a",1],"map":{},"none":null}}\n';
  expect(await factsOf(line)).toEqual({ sync: 'commit', kB: 4, list: ['a'] });
});
