import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import { SLICES, sessionOf } from '../../test/session-slices.ts';
import { analyse } from '../analysis/analyse.ts';
import { AssayError } from '../failures.ts';
import { FORMATS } from '../report/formats.ts';
import { encodeRecord } from './codec.ts';
import { checkRecord } from './record-schema.ts';
import type { JournalRecord, RunRecord, SessionRecord } from './records.ts';
import { replayJournal } from './replay.ts';
import { whole } from './whole.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
/** How many of the wrong values each part meets, at least. */
const MET = FULL ? 4 : 1;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-records-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const journal = journalOf({
  values: { wall: { a: [1, 2, 3, 4], b: [2, 3, 4, 5] } },
  checks: [{ kind: 'exit_code', code: 0 }],
  rules: [{ fact: 'steal', when: 'above', limit: 0.1 }],
});
const lines = journal.trials.map(({ session: _, ...line }) => line);
const records: readonly JournalRecord[] = [journal.run, journal.prepared, ...lines, journal.end].filter(
  (record) => record !== null,
);

const [first, second, ...others] = lines;
if (first === undefined || second === undefined) throw new Error('there are four pairs');
const slices = sessionOf([{ ns: [1, 2, 3, 4] }, { leader: 1, operations: 32, ns: [5, 6, 7, 8] }], {
  counters: { cycles: [1, 2, 3, 4, 5, 6, 7, 8] },
});
const session: SessionRecord = { kind: 'session', trials: [first, second], slices };
const { design } = journal.run.experiment;
const sliced: RunRecord = {
  ...journal.run,
  experiment: { ...journal.run.experiment, design: { ...design, slices: SLICES } },
};
const withSession: readonly JournalRecord[] = [sliced, session, ...others].flatMap((record) =>
  record === sliced ? [sliced, ...records.filter(({ kind }) => kind === 'prepared')] : [record],
);

const WRONG: readonly unknown[] = [null, true, -1, 1.5, 1e308, '', '\u001b[31m', [], {}, [[]], { a: 1 }, undefined];

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? [...value.entries()].slice(0, 2) : Object.entries(value);
  return [path, ...inner.flatMap(([key, item]) => pathsOf(item, [...path, key]))];
}

/** A copy with one part replaced; `undefined` takes the part away. */
function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.with(Number(key), replaced(value[Number(key)], rest, by));
  return { ...Object(value), [key]: replaced(Object(value)[key], rest, by) };
}

const ALL = Object.values(FORMATS);

/** Damage by someone who mends the checksum: a failure in words, or a report in each of the formats. */
async function read(content: readonly unknown[], formats = ALL): Promise<AssayError | null> {
  const path = join(directory, 'journal.jsonl');
  writeFileSync(path, content.map((record) => encodeRecord(record as JournalRecord)).join(''));
  try {
    const { journal } = replayJournal(path);
    const options = { color: false, quiet: false, width: 80 };
    const input = { journal, analysis: analyse(journal), directory: null, options };
    for (const format of formats) await format(input);
    return null;
  } catch (error) {
    if (error instanceof AssayError) return error;
    throw error;
  }
}

test('records pass unchanged', () => {
  for (const record of [...records, ...withSession]) expect(checkRecord(record)).toEqual({ ok: true, record });
});

/** What 0.1.0 recorded of a machine. */
const FIRST_FACTS = [
  ...['platform', 'arch', 'kernel', 'cpu_model', 'cpus', 'memory_bytes', 'virtual', 'governor', 'turbo', 'node'],
  ...['machine_id', 'boot_id', 'file_system'],
];

test('a journal of before more was recorded of a machine says nothing of it', () => {
  const facts = Object.entries(journal.run.machine);
  const machine = Object.fromEntries(facts.filter(([name]) => FIRST_FACTS.includes(name)));
  const unknown = Object.fromEntries(facts.map(([name]) => [name, null]));
  expect(Object.keys(machine)).toHaveLength(FIRST_FACTS.length);
  expect(checkRecord({ ...journal.run, machine })).toEqual({
    ok: true,
    record: { ...journal.run, machine: { ...unknown, ...machine } },
  });
});

test.each(['run', 'prepared', 'trial', 'session', 'end'])(
  'any wrong part of a %s record ends in a sentence or a report',
  async (kind) => {
    const of = kind === 'session' ? withSession : records;
    const at = of.findIndex((record) => record.kind === kind);
    let refused = 0;
    const paths = pathsOf(of[at]);
    // All values are met, also where there are few parts.
    const met = Math.max(MET, Math.ceil(WRONG.length / paths.length));
    for (const [index, path] of paths.entries()) {
      for (let shift = 0; shift < met; shift++) {
        const wrong = WRONG[(index * met + shift) % WRONG.length];
        const content = of.with(at, replaced(of[at], path, wrong) as JournalRecord);
        // In the quick tests the formats take turns.
        const formats = FULL ? ALL : ALL.slice(index % ALL.length).slice(0, 1);
        const failure = (await read(content, formats))?.failure;
        if (failure === undefined) continue;
        expect(failure).toMatchObject({ kind: 'journal', message: expect.stringMatching(/^(is damaged|has format)/) });
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(4);
  },
  // Many reports are made, on a machine that others may use.
  240_000,
);

test('a session is two trials with the slices of both', async () => {
  const path = join(directory, 'session.jsonl');
  writeFileSync(path, withSession.map(encodeRecord).join(''));
  const { trials } = replayJournal(path).journal;
  expect(trials.slice(0, 2)).toEqual([first, second].map((line) => ({ ...line, session: slices })));
  expect(whole(trials.slice(2))).toEqual(others.map((line) => ({ ...line, session: null })));
});

test('columns of a session that are not equally long are refused', async () => {
  for (const column of ['wall_ns', 'prelude', 'counters'] as const) {
    const shorter = column === 'counters' ? { cycles: [1, 2, 3] } : slices[column].slice(1);
    const content = withSession.with(2, { ...session, slices: { ...slices, [column]: shorter } });
    const problem = await read(content);
    expect(problem?.failure).toMatchObject({
      message: expect.stringContaining(
        'line 3: /slices of the session record: the columns of its slices are not equally',
      ),
    });
  }
});

test('says which part of which line', async () => {
  const broken = { ...journal.trials[0], block: 'one' };
  const problem = await read([...records.slice(0, 2), broken]);
  expect(problem?.failure).toMatchObject({ message: expect.stringContaining('line 3: /block of the trial record') });
  const stranger = { ...journal.run, plan: { seed: 1, phases: [{ phase: 'confirmation', blocks: [['a', 'c']] }] } };
  expect((await read([stranger]))?.failure).toMatchObject({ message: expect.stringContaining('/plan/phases') });
});
