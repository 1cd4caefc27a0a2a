/** Bundles of sessions: what is as it was, and what was changed with every digest mended. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressed, type Entry, entriesOf, manifestOf, tarBytes, withManifest } from '../../../test/bundle-archive.ts';
import { answersOf, pack } from '../../../test/bundle-checks.ts';
import { makeSessionRun } from '../../../test/session-run.ts';
import { encodeRecord } from '../../journal/codec.ts';
import type { JournalRecord, SessionRecord } from '../../journal/records.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

let directory: string;
let entries: readonly Entry[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'assay-sessions-'));
  const run = join(directory, 'run');
  makeSessionRun(run);
  await pack(run);
  entries = entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The bundle with journal and raw output of a run whose slices are others. */
function forged(name: string, change: Parameters<typeof makeSessionRun>[1]): readonly Entry[] {
  const run = join(directory, name);
  makeSessionRun(run, change);
  const isOfRun = (path: string) => path === 'journal.jsonl' || path.startsWith('raw/');
  return entries.map((entry) =>
    isOfRun(entry.name) ? { name: entry.name, content: readFileSync(join(run, entry.name)) } : entry,
  );
}

async function answers(files: readonly Entry[]): Promise<Readonly<Record<string, string>>> {
  const mtime = manifestOf(entries).started_unix_s;
  const found = await answersOf(compressed(await tarBytes(withManifest(files), mtime)), DEFAULT_LIMITS);
  return Object.fromEntries(found.map(({ question, outcome, why }) => [question, `${outcome}: ${why}`]));
}

/** The bundle with sessions of its journal changed, and nothing else. */
function edited(change: (record: SessionRecord, at: number) => SessionRecord): readonly Entry[] {
  return entries.map(({ name, content }) => {
    if (name !== 'journal.jsonl') return { name, content };
    const lines = content.toString().trimEnd().split('\n');
    const records = lines.map((line) => JSON.parse(line).record as JournalRecord);
    const all = records.map((record, at) => (record.kind === 'session' ? change(record, at) : record));
    return { name, content: Buffer.from(all.map(encodeRecord).join('')) };
  });
}

test('sessions as they were are verified, and their slices are in the bundle', async () => {
  const found = await answers(entries);
  expect(Object.values(found).filter((answer) => answer.startsWith('failed'))).toEqual([]);
  expect(found['trials']).toMatch(
    /^verified: metrics and checks of 6 trials.* what slices took that of the drivers\)$/,
  );
  expect(entries.filter(({ name }) => name.endsWith('/slices.tsv'))).toHaveLength(3);
});

test('a time that is another in the journal than in the raw file', async () => {
  const { trials } = await answers(
    edited((record, at) => {
      if (at !== 3 || record.slices === null) return record;
      const { wall_ns } = record.slices;
      return { ...record, slices: { ...record.slices, wall_ns: wall_ns.with(5, (wall_ns[5] ?? 0) + 1) } };
    }),
  );
  expect(trials).toMatch(/^failed: .*slices.tsv is another than in the journal/);
});

test('a number of either half that does not follow from its slices', async () => {
  for (const half of [0, 1] as const) {
    const { trials } = await answers(
      edited((record, at) => {
        if (at !== 3) return record;
        const changed = { ...record.trials[half], metrics: { ...record.trials[half].metrics, write: 1 } };
        return { ...record, trials: half === 0 ? [changed, record.trials[1]] : [record.trials[0], changed] };
      }),
    );
    expect(trials).toMatch(/^failed: .*write is \d.* in the raw output, 1 in the journal/);
  }
});

test('slices that are left out', async () => {
  const without = edited((record) => ({
    ...record,
    trials: [
      { ...record.trials[0], raw: record.trials[0].raw.filter(({ path }) => !path.endsWith('.tsv')) },
      record.trials[1],
    ],
  })).filter(({ name }) => !name.endsWith('.tsv'));
  expect((await answers(without))['trials']).toMatch(/^failed: .*the journal names no slices.tsv/);
  const none = edited((record) => ({ ...record, slices: null }));
  expect((await answers(none))['plan']).toMatch(/^failed: .* has no slices/);
});

test('quads that were not drawn', async () => {
  const other = forged('led-by-the-other', (session, phase) =>
    phase === 'warmup' ? session : { ...session, leader: session.leader.map((each) => (each === 0 ? 1 : 0)) },
  );
  const { plan, trials } = await answers(other);
  expect(trials).toMatch(/^verified/);
  expect(plan).toMatch(
    /^failed: quad 1 of confirmation block 1, position 1, attempt 1 is not the one that seed and warm-up/,
  );
});

test('quads that are missing', async () => {
  const other = forged('missing', (session, phase, block) => {
    if (phase === 'warmup' || block === 1) return session;
    const cut = <T>(column: readonly T[], each = 1) => column.slice(0, -each);
    return {
      ...session,
      ...{ leader: cut(session.leader), operations: cut(session.operations) },
      ...{ prelude: cut(session.prelude), gap_ns: cut(session.gap_ns) },
      ...{ wall_ns: cut(session.wall_ns, 4), cpu_ns: cut(session.cpu_ns, 4) },
      voluntary_switches: cut(session.voluntary_switches, 4),
      involuntary_switches: cut(session.involuntary_switches, 4),
    };
  });
  expect((await answers(other))['plan']).toMatch(
    /^failed: confirmation block 2, .* quads of \d+, and nothing cut it off/,
  );
});
