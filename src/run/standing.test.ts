import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { draws } from '../../test/draws.ts';
import { journalOf } from '../../test/journal-builder.ts';
import { progressOf } from '../analysis/stopping.ts';
import { AssayError } from '../failures.ts';
import { encodeRecord } from '../journal/codec.ts';
import type { Journal } from '../journal/records.ts';
import { createJournal } from '../journal/writer.ts';
import { createRunDirectory, type RunDirectory } from './directory.ts';
import { progressNotes, standingOf } from './standing.ts';

let parent: string;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'assay-standing-'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

const values = Array.from({ length: 20 }, (_, index) => 1 + index / 100);
const quiet = journalOf({
  warmup: 1,
  values: { wall: { a: values, b: values } },
  rules: [{ fact: 'steal', when: 'above', limit: 0.1 }],
});
/** Every fifth pair is rejected, so that its repeat is due at the end. */
const run = {
  ...quiet,
  trials: quiet.trials.map((trial) =>
    trial.block % 5 === 0 ? { ...trial, noise: { ...trial.noise, steal: 0.5 } } : trial,
  ),
};

let directories = 0;

/** The directory of a run of these trials, with a note after each of them that could have one until `lines` lines were written. */
function recorded({ run, prepared, trials }: Journal, lines: number): RunDirectory {
  const directory = createRunDirectory(join(parent, String(directories++)));
  const writer = createJournal(directory.journal, run);
  if (prepared !== null) writer.append(prepared);
  const note = progressNotes(directory, writer.extent, 1);
  const progress = progressOf({
    ...({ run, prepared } as Journal),
    trials: [],
    interruptions: [],
    resumptions: [],
    end: null,
  });
  for (const [index, { session: _, ...trial }] of trials.entries()) {
    writer.append(trial);
    progress.record({ ...trial, session: null });
    if (index < lines) note(progress, null);
  }
  writer.close();
  return directory;
}

/** Where the run stands, in what a resume takes from it; or what is wrong with its journal. */
function told(directory: RunDirectory) {
  try {
    const { journal, extent, torn_bytes, progress } = standingOf(directory);
    const { run, prepared, end } = journal;
    const left = [progress.next(), progress.unfinished(), progress.trialsLeft(), progress.recorded()];
    return { run, prepared, end, extent, torn_bytes, left };
  } catch (error) {
    if (error instanceof AssayError) return error.failure;
    throw error;
  }
}

function toldWithoutNote(directory: RunDirectory) {
  rmSync(directory.progress, { force: true });
  return told(directory);
}

test('a note spares the lines before it', () => {
  const directory = recorded(run, 30);
  const { trials } = standingOf(directory).journal;
  expect(trials.length).toBeGreaterThan(0);
  expect(trials.length).toBeLessThan(run.trials.length - 25);
});

test('a journal that was cut, damaged or gone on with stands where a replay of all of it says', () => {
  const whole = readFileSync(recorded(run, 0).journal);
  const damage = fc.record({
    lines: fc.nat({ max: run.trials.length }),
    cut: fc.option(fc.nat({ max: whole.length }), { nil: whole.length }),
    changed: fc.option(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 })), { nil: null }),
    more: fc.constantFrom(
      '',
      '{"crc32":"',
      'damaged\n',
      encodeRecord({ kind: 'resumed', unix_ms: 1, assay: '0', dropped_bytes: 0 }),
      encodeRecord({ kind: 'end', unix_ms: 1, reason: { kind: 'complete' } }),
    ),
  });
  fc.assert(
    fc.property(damage, ({ lines, cut, changed, more }) => {
      const directory = recorded(run, lines);
      const bytes = readFileSync(directory.journal);
      if (changed !== null) bytes[changed[0]] = (bytes[changed[0]] ?? 0) ^ changed[1];
      writeFileSync(directory.journal, bytes.subarray(0, cut));
      appendFileSync(directory.journal, more);
      expect(told(directory)).toEqual(toldWithoutNote(directory));
    }),
    { numRuns: draws(25) },
  );
}, 60_000);

test('a note that is no note, or of another version, is as none', () => {
  for (const edit of [() => '', () => '{}', (text: string) => text.replace(/"assay":"[^"]*"/, '"assay":"0.0.0"')]) {
    const directory = recorded(run, 30);
    writeFileSync(directory.progress, edit(readFileSync(directory.progress, 'utf8')));
    expect(standingOf(directory).journal.trials).toHaveLength(run.trials.length);
  }
});
