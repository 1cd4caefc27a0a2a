import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { journalOf } from '../../test/journal-builder.ts';
import { AssayError } from '../failures.ts';
import { decodeRecord, encodeRecord } from './codec.ts';
import type { JournalRecord } from './records.ts';
import { replayJournal } from './replay.ts';
import { whole } from './whole.ts';
import { continueJournal, createJournal } from './writer.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-journal-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let files = 0;
const fresh = () => join(directory, `${files++}.jsonl`);

function written(records: readonly JournalRecord[]): string {
  const path = fresh();
  const [first, ...rest] = records;
  if (first?.kind !== 'run') throw new Error('a journal starts with the run');
  const writer = createJournal(path, first);
  for (const record of rest) writer.append(record);
  writer.close();
  return path;
}

const journal = journalOf({ values: { wall: { a: [1, 2, 3, 4], b: [2, 3, 4, 5] } } });
const records = [journal.run, journal.prepared, ...journal.trials, journal.end].filter((record) => record !== null);

test('what was appended is what is replayed', () => {
  const path = written(records);
  const { journal, torn_bytes, bytes } = replayJournal(path);
  expect(torn_bytes).toBe(0);
  expect(bytes).toBe(statSync(path).size);
  expect(whole(journal.trials)).toEqual(records.filter((record) => record.kind === 'trial'));
  expect(journal.run).toEqual(records[0]);
});

test('every line is JSON, so that any tool can read a journal', () => {
  for (const line of readFileSync(written(records), 'utf8').trimEnd().split('\n')) {
    expect(Object.keys(JSON.parse(line))).toEqual(['crc32', 'record']);
  }
});

test('a record survives its line, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (detail) => {
      const record = { kind: 'end', unix_ms: 1, reason: { kind: 'disk_space', message: detail } } as const;
      const line = encodeRecord(record);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      // JSON has no lone surrogates in UTF-8; they are escaped.
      expect(decodeRecord(Buffer.from(line.slice(0, -1)))).toEqual(record);
    }),
  );
});

test('a journal that is cut anywhere after its first line keeps every whole line before the cut', () => {
  const all = readFileSync(written(records));
  const first = all.indexOf(10) + 1;
  fc.assert(
    fc.property(fc.integer({ min: first, max: all.length }), (cut) => {
      const path = fresh();
      writeFileSync(path, all.subarray(0, cut));
      const replay = replayJournal(path);
      const lines = all.subarray(0, cut).toString('utf8').split('\n').length - 1;
      expect(replay.bytes + replay.torn_bytes).toBe(cut);
      expect(whole(replay.journal.trials)).toEqual(records.slice(0, lines).filter((record) => record.kind === 'trial'));
      // Going on cuts the torn line off and adds whole ones.
      const writer = continueJournal(path, { bytes: replay.bytes, crc32: 0, head_bytes: 0 });
      writer.append({ kind: 'resumed', unix_ms: 5, assay: '0', dropped_bytes: replay.torn_bytes });
      writer.close();
      const again = replayJournal(path);
      expect(again.torn_bytes).toBe(0);
      expect(again.journal.resumptions.at(-1)?.dropped_bytes).toBe(replay.torn_bytes);
    }),
    { numRuns: draws(60) },
  );
});

test('a changed byte in any line but the last is found', () => {
  const whole = readFileSync(written(records));
  const lastLine = whole.lastIndexOf(10, whole.length - 2) + 1;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: lastLine - 2 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const path = fresh();
      const copy = Buffer.from(whole);
      copy[at] = (copy[at] as number) ^ change;
      writeFileSync(path, copy);
      expect(() => replayJournal(path)).toThrow(AssayError);
    }),
    { numRuns: draws(200) },
  );
});

test('an empty file and a file of another kind are refused in a sentence', () => {
  for (const content of ['', 'hello\n', '{}\n{}\n']) {
    const path = fresh();
    writeFileSync(path, content);
    expect(() => replayJournal(path)).toThrow(AssayError);
  }
});

test('a later format is refused and named', () => {
  const [first] = records;
  if (first?.kind !== 'run') throw new Error('the builder starts with the run');
  const path = written([{ ...first, version: 99, assay: '9.9.9' }]);
  try {
    replayJournal(path);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(AssayError);
    if (error instanceof AssayError && error.failure.kind === 'journal')
      expect(error.failure.remedy).toContain('9.9.9');
  }
});

test('a resumed run has not ended', () => {
  const path = written(records);
  expect(replayJournal(path).journal.end).not.toBeNull();
  appendFileSync(path, encodeRecord({ kind: 'resumed', unix_ms: 2, assay: '0', dropped_bytes: 0 }));
  expect(replayJournal(path).journal.end).toBeNull();
});
