/** Bundles whose every digest fits, and which contradict themselves all the same. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressed, type Entry, entriesOf, manifestOf, tarBytes, withManifest } from '../../../test/bundle-archive.ts';
import { answersOf, pack } from '../../../test/bundle-checks.ts';
import { makeRun, sha256 } from '../../../test/bundle-run.ts';
import { encodeRecord } from '../../journal/codec.ts';
import type {
  CodeComparison,
  JournalRecord,
  ObjectComparison,
  PreparedRecord,
  TrialLine,
} from '../../journal/records.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

let directory: string;
let entries: readonly Entry[];
let attributed: readonly Entry[];
let revisions: readonly Entry[];
let mtime: number;
const bundleOf = async (name: string, options: Parameters<typeof makeRun>[1]) => {
  const run = join(directory, name);
  makeRun(run, options);
  await pack(run);
  return entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)));
};
const COMPARISON: CodeComparison = {
  arm: 'new',
  reference: 'old',
  file: 'executable',
  arm_path: '/bin/new',
  reference_path: '/bin/old',
  same_file: false,
  same_text: false,
  same_data: true,
  symbols: 'all',
  functions: { same: 3, differ: 1, only_in_arm: 0, only_in_reference: 0 },
  differing: [{ name: 'put', reference_bytes: 10, arm_bytes: 12 }],
  rest: 0,
  named: [],
  disassemblies: [],
};
const OBJECTS: ObjectComparison = {
  ...{ arm: 'new', reference: 'old', arm_path: '/bin/new', reference_path: '/bin/old' },
  ...{ same: 3, differ: 1, only_in_arm: 0, only_in_reference: 0, rest: 0, as_bytes: 0 },
  unequal: [{ name: 'put.o', where: 'both' }],
};
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'assay-bundle-'));
  entries = await bundleOf('run', { pairs: 2, facts: { timed: 'the writes' } });
  const change = (record: JournalRecord): JournalRecord =>
    record.kind === 'prepared' ? { ...record, attribution: [COMPARISON], objects: [OBJECTS] } : record;
  attributed = await bundleOf('attributed', { pairs: 2, more: 'attribution: {}\n', change });
  revisions = await bundleOf('revisions', { pairs: 2, evidence: true });
  mtime = manifestOf(entries).started_unix_s;
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

type Edit = (records: readonly JournalRecord[]) => readonly JournalRecord[];

/** All answers to a bundle with another journal, by question. */
async function answers(
  edit: Edit,
  keep: (name: string) => boolean = () => true,
  of = entries,
  limits = DEFAULT_LIMITS,
) {
  const files = of.flatMap(({ name, content }) => {
    if (!keep(name)) return [];
    if (name !== 'journal.jsonl') return [{ name, content }];
    const lines = content.toString().trimEnd().split('\n');
    const records = edit(lines.map((line) => JSON.parse(line).record as JournalRecord));
    return [{ name, content: Buffer.from(records.map(encodeRecord).join('')) }];
  });
  const found = await answersOf(compressed(await tarBytes(withManifest(files), mtime)), limits);
  return Object.fromEntries(found.map(({ question, outcome, why }) => [question, `${outcome}: ${why}`]));
}

const inTrials =
  (change: (trial: TrialLine, at: number) => TrialLine): Edit =>
  (records) =>
    records.map((record, at) => (record.kind === 'trial' ? change(record, at) : record));
const inPrepared =
  (change: (record: PreparedRecord) => PreparedRecord): Edit =>
  (records) =>
    records.map((record) => (record.kind === 'prepared' ? change(record) : record));
const same: Edit = (records) => records;

test('nothing, where nothing was changed', async () => {
  for (const of of [entries, attributed, revisions]) {
    const all = Object.values(await answers(same, undefined, of));
    expect(all.filter((answer) => answer.startsWith('failed'))).toEqual([]);
  }
});

test.each(['stdout', 'stderr', 'account.json'])('%s of trials taken out of bundle and journal', async (name) => {
  const isIt = (path: string) => path.startsWith('raw/') && path.endsWith(`/${name}`);
  const edit = inTrials((trial) => ({ ...trial, raw: trial.raw.filter(({ path }) => !isIt(path)) }));
  const { trials } = await answers(edit, (path) => !isIt(path));
  expect(trials).toMatch(new RegExp(`^failed: .*the journal names no ${name}`));
});

test('all raw output taken out of bundle and journal', async () => {
  const edit = inTrials((trial) => ({ ...trial, raw: [] }));
  expect((await answers(edit, (path) => !path.startsWith('raw/')))['trials']).toMatch(/^failed: .*names no/);
});

test('stderr taken out of the bundle alone', async () => {
  const { trials } = await answers(same, (path) => !path.endsWith('/stderr'));
  expect(trials).toMatch(/^not possible: the raw output of 4 of 4 trials is not in the bundle/);
});

test('what the driver says, left out, or said by another trial', async () => {
  const none = await answers(inTrials((trial) => ({ ...trial, wording: null })));
  expect(none['trials']).toMatch(/^failed: .*what its driver says of the workload/);
  const wording = { timed: 'the writes', not_a_claim_about: [] };
  const all = await answers(inTrials((trial) => ({ ...trial, wording })));
  expect(all['trials']).toMatch(/^failed: 2 of 4 trials differ: .*what its driver says of the workload/);
});

test('patterns that could take longer than they may', async () => {
  const none = await answers(same, undefined, entries, { ...DEFAULT_LIMITS, seconds: 1e-9 });
  expect(none['trials']).toMatch(/^not possible: patterns could take too long on that of 4 .*; 0 were computed again/);
  expect(none['statistics']).toMatch(/^not possible: all that is published agrees/);
  expect(none['reports']).toMatch(/^verified/);
});

const ORDERS: readonly (readonly [what: string, edit: Edit, reason: RegExp])[] = [
  ['a second run', (all) => all.toSpliced(3, 0, ...all.slice(0, 1)), /line 4 is a second run record/],
  ['a second preparation', (all) => all.toSpliced(3, 0, ...all.slice(1, 2)), /line 4 is a second record of prepared/],
  ['no preparation', (all) => all.toSpliced(1, 1), /line 2 is a trial before arms were prepared/],
  ['two ends', (all) => [...all, ...all.slice(-1)], /line 8 \(end\) follows the end of the run/],
  ['a trial after the end', (all) => all.toSpliced(-2, 2, ...all.slice(-2).reverse()), /\(trial\) follows the end/],
];
test.each(ORDERS)('%s', async (_, edit, reason) => {
  const { schema } = await answers(edit);
  expect(schema).toMatch(/^failed: the journal is in an order that no run gives/);
  expect(schema).toMatch(reason);
});

const ORIGINS: readonly (readonly [
  what: string,
  change: (record: PreparedRecord) => PreparedRecord,
  reason: RegExp,
])[] = [
  ['an unknown arm', (all) => ({ ...all, arms: all.arms.map((arm) => ({ ...arm, arm: `${arm.arm}x` })) }), /oldx was/],
  ['an arm twice', (all) => ({ ...all, arms: [...all.arms, ...all.arms] }), /arm old was prepared twice/],
  ['an arm left out', (all) => ({ ...all, arms: all.arms.slice(1) }), /arm old was not prepared/],
  ['no digests', (all) => ({ ...all, arms: all.arms.map((arm) => ({ ...arm, files: [] })) }), /no file of old/],
  ['no comparison', (all) => ({ ...all, attribution: [] }), /was not compared, and nothing says why/],
  ['unknown arms compared', compare({ arm: 'zz' }), /zz was compared with old, which/],
  ['a file that is unknown', compare({ arm_path: '/bin/x' }), /\/bin\/x is none of the files/],
  ['two files as one', compare({ same_file: true, same_text: true, functions: null }), /their digests differ/],
  ['more functions than counted', compare({ rest: 5 }), /6 functions are listed/],
  ['a listing that is not there', compare({ disassemblies: ['arms/nope.txt'] }), /arms\/nope.txt is not in the/],
  ['no diff', (all) => ({ ...all, diffs: [] }), /sources of new and old were not compared, and nothing says why/],
  [
    'a diff twice',
    (all) => ({ ...all, diffs: [...all.diffs, ...all.diffs] }),
    /sources of new and old are compared twice/,
  ],
  [
    'a diff of what is no revision',
    (all) => ({ ...all, diffs: [{ kind: 'same', arm: 'new', reference: 'old' }] }),
    /which are not both revisions of git/,
  ],
  ['object files of unknown arms', objects({ arm: 'zz' }), /zz and old: the experiment does not compare them/],
  ['object files of an unknown library', objects({ arm_path: '/x.a' }), /\/x\.a is none of the files/],
  ['object files of one library', objects({ arm: 'new', arm_path: '/bin/new', reference_path: '/bin/new' }), /is none/],
  ['more object files than counted', objects({ rest: 5 }), /6 are listed, which are not as many/],
  ['a listing outside', compare({ disassemblies: ['journal.jsonl'] }), /journal.jsonl is not in the bundle/],
];
function compare(change: Partial<CodeComparison>) {
  return (all: PreparedRecord): PreparedRecord => ({ ...all, attribution: [{ ...COMPARISON, ...change }] });
}
function objects(change: Partial<ObjectComparison>) {
  return (all: PreparedRecord): PreparedRecord => ({ ...all, objects: [{ ...OBJECTS, ...change }] });
}
test.each(ORIGINS)('origin: %s', async (_, change, reason) => {
  const { origin } = await answers(inPrepared(change), undefined, attributed);
  expect(origin).toMatch(/^failed/);
  expect(origin).toMatch(reason);
});

const EVIDENCE: typeof ORIGINS = [
  [
    'said to differ',
    (all) => ({ ...all, arms: all.arms.map((arm) => withFacts(arm, { tree: 'one' })) }),
    /same digests/,
  ],
  [
    'without its diff',
    (all) => ({ ...all, diffs: all.diffs.map((diff) => ({ ...diff, path: 'arms/x' })) }),
    /arms\/x is n/,
  ],
  [
    'fewer files kept',
    (all) => ({ ...all, kept: all.kept?.slice(1) ?? null }),
    /from-old\.diff is none of the files that/,
  ],
  [
    'another log',
    (all) => ({ ...all, arms: all.arms.map((arm) => withFacts(arm, { build_log_sha256: 'x' })) }),
    /build\.log/,
  ],
  [
    'no log',
    (all) => ({ ...all, arms: all.arms.map((arm) => withFacts(arm, { patch_sha256: 'x' })) }),
    /applied\.patch/,
  ],
  [
    'a file outside',
    (all) => ({ ...all, kept: [{ path: 'plan.json', bytes: 1, sha256: '' }] }),
    /which is not in arms/,
  ],
];
function withFacts(arm: PreparedRecord['arms'][number], facts: Readonly<Record<string, string>>) {
  return { ...arm, provenance: { ...arm.provenance, ...facts } };
}
test.each(EVIDENCE)('evidence of arms: %s', async (_, change, reason) => {
  const { origin } = await answers(inPrepared(change), undefined, revisions);
  expect(origin).toMatch(/^failed/);
  expect(origin).toMatch(reason);
});

test('a journal of an earlier version does not say what was kept', async () => {
  const { origin } = await answers(
    inPrepared((all) => ({ ...all, kept: null, diffs: [] })),
    undefined,
    revisions,
  );
  expect(origin).toMatch(/^not possible/);
});

test('what is the word of the run is said', async () => {
  expect((await answers(same))['origin']).toMatch(
    /^not possible: the versions of Assay .* when it ran, .* launcher .* machine .* earlier runs .* are the word of the run\. So are digests, provenance/,
  );
});

const TEXTS: readonly (readonly [what: string, change: (text: string) => string, answer: RegExp])[] = [
  ['is none', () => '@@', /^failed: its text gives no experiment \(line 1/],
  ['is another, with a placeholder in a comment', (text) => `${text.replace('2', '7')}# <home>\n`, /^failed/],
  ['is another', (text) => text.replace('write path', 'read path'), /^failed: its text is another/],
  ['is broken beside a placeholder in a comment', (text) => `${text}@@ # <home>\n`, /^failed: its text gives no/],
  ['has a placeholder where it stands for anything', (text) => text.replace('/bin/old', '<home>/old'), /^failed/],
  [
    'cannot be read with a placeholder',
    (text) => text.replace('new:', '"<user>":'),
    /^not possible: .*<user> in line 4/,
  ],
  [
    'has a placeholder in the name of a metric',
    (text) => text.replace('name: write', 'name: <user>'),
    /^not possible: .*<user> in line 6/,
  ],
  ['has other ends of lines', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`, /^verified/],
];
test.each(TEXTS)('a text of the experiment that %s', async (_, change, answer) => {
  const { experiment } = await answers((all) =>
    all.map((record) => {
      if (record.kind !== 'run') return record;
      const text = change(record.source.text);
      return { ...record, source: { ...record.source, text, sha256: sha256(text) } };
    }),
  );
  expect(experiment).toMatch(answer);
});

test('a run that was resumed after its end is in order, and each arm says again what it does', async () => {
  const resumed: JournalRecord = { kind: 'resumed', unix_ms: 1_800_000_000_000, assay: '0.1.0', dropped_bytes: 0 };
  const end: JournalRecord = { kind: 'end', unix_ms: 1_800_000_000_000, reason: { kind: 'signal', signal: 'SIGINT' } };
  const wording = { timed: 'the writes', not_a_claim_about: [] };
  const { schema, trials } = await answers((all) =>
    all.map((record) => (record.kind === 'trial' ? { ...record, wording } : record)).toSpliced(4, 0, end, resumed),
  );
  expect(schema).toMatch(/^verified/);
  expect(trials).toMatch(/^verified/);
});
