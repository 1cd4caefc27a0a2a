/** Every change of a bundle is found, whoever made it and whatever else was made to fit. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gunzipSync } from 'node:zlib';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compressed, type Entry, entriesOf, manifestOf, tarBytes, withManifest } from '../../../test/bundle-archive.ts';
import { faultsOf, pack } from '../../../test/bundle-checks.ts';
import { makeRun, sha256 } from '../../../test/bundle-run.ts';
import { encodeRecord } from '../../journal/codec.ts';
import type { EndReason, JournalRecord } from '../../journal/records.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const CHANGES = FULL ? 10_000 : 20;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-bundle-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('what is found', () => {
  let archive: Buffer;
  let entries: readonly Entry[];
  let mtime: number;
  beforeAll(async () => {
    const run = join(directory, 'run');
    makeRun(run, { pairs: 4, warmup: 1, screening: 2, evidence: true });
    await pack(run, { withBinaries: true });
    archive = readFileSync(`${run}.tar.gz`);
    entries = entriesOf(gunzipSync(archive));
    mtime = manifestOf(entries).started_unix_s;
  });
  let copy: Entry[];
  beforeEach(() => {
    copy = entries.map(({ name, content }) => ({ name, content: Buffer.from(content) }));
  });

  /** Files of one trial stand for those of all in the quick tests. */
  const isOfAnotherTrial = (name: string): boolean => {
    const [, trial = ''] = entries.find((entry) => entry.name.startsWith('raw/'))?.name.split('/') ?? [];
    return !FULL && name.startsWith('raw/') && name.split('/')[1] !== trial;
  };
  const edited = async (files: readonly Entry[]) => faultsOf(compressed(await tarBytes(files, mtime)));
  const edit = (name: string, from: string | RegExp, to: string): Entry[] => {
    const file = copy.find((entry) => entry.name === name);
    const text = file?.content.toString() ?? '';
    expect(text.search(from)).not.toBe(-1);
    return copy.map((entry) => (entry === file ? { name, content: Buffer.from(text.replace(from, to)) } : entry));
  };
  /** The journal with records changed, their checksums right. */
  const editJournal = (change: (record: JournalRecord, at: number) => JournalRecord | null): Entry[] => {
    const file = copy.find(({ name }) => name === 'journal.jsonl');
    const records = (file?.content.toString() ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).record);
    const lines = records.map(change).flatMap((record) => (record === null ? [] : [encodeRecord(record)]));
    return copy.map((entry) => (entry === file ? { name: entry.name, content: Buffer.from(lines.join('')) } : entry));
  };

  it('nothing, where nothing was changed', async () => {
    expect(await edited(copy)).toEqual([]);
    expect(await edited(withManifest(copy))).toEqual([]);
    expect(await faultsOf(archive)).toEqual([]);
  });

  /** Of the fewest trials: each change costs as much as reading all. */
  const small = async () => {
    const run = join(directory, 'small');
    if (!existsSync(run)) {
      makeRun(run, { pairs: 2 });
      await pack(run);
    }
    const file = readFileSync(`${run}.tar.gz`);
    return { file, tar: gunzipSync(file) };
  };

  it(`${CHANGES} changes of one byte of the uncompressed archive`, async () => {
    const { tar } = await small();
    const random = xoroshiro128plus(20_260_131);
    for (let change = 0; change < CHANGES; change++) {
      const at = uniformInt(random, 0, tar.length - 1);
      const changed = Buffer.from(tar);
      changed[at] = (changed[at] ?? 0) ^ uniformInt(random, 1, 255);
      const found = await faultsOf(compressed(changed), false);
      expect(found.length, `byte ${at}`).toBeGreaterThan(0);
    }
  }, 1_800_000);

  it(`${CHANGES} changes of one byte of the file, where they change what is in it`, async () => {
    const { file, tar } = await small();
    const random = xoroshiro128plus(20_260_201);
    let altered = 0;
    for (let change = 0; change < CHANGES; change++) {
      const at = uniformInt(random, 0, file.length - 1);
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ uniformInt(random, 1, 255);
      if (inflated(changed)?.equals(tar) === true) continue;
      altered += 1;
      expect((await faultsOf(changed, false)).length, `byte ${at}`).toBeGreaterThan(0);
    }
    expect(altered).toBeGreaterThan(0.9 * CHANGES);
  }, 1_800_000);

  /** What is done to the file at a place; null where it cannot be done there. */
  const DONE: readonly (readonly [what: string, change: (at: number, file: Entry) => readonly Entry[] | null])[] = [
    ['removed', (at) => entries.filter((_, index) => index !== at)],
    ['renamed', (at, { name, content }) => entries.with(at, { name: `${name}x`, content })],
    ['another before', (at) => entries.toSpliced(at, 0, { name: 'added', content: Buffer.from('x') })],
    [
      'swapped with the next',
      (at, file) => {
        const next = entries[at + 1];
        return next === undefined ? null : entries.with(at, next).with(at + 1, file);
      },
    ],
    [
      'with the content of the next',
      (at, { name, content }) => {
        const next = entries[at + 1];
        return next === undefined || next.content.equals(content)
          ? null
          : entries.with(at, { name, content: next.content });
      },
    ],
  ];

  it.each(DONE)(
    'every file: %s',
    async (what, change) => {
      let tried = 0;
      for (const [at, file] of entries.entries()) {
        if (isOfAnotherTrial(file.name)) continue;
        const changed = change(at, file);
        if (changed === null) continue;
        tried += 1;
        expect(await faultsOf(compressed(await tarBytes(changed, mtime)), false), `${file.name} ${what}`).not.toEqual(
          [],
        );
      }
      expect(tried).toBeGreaterThan(15);
    },
    120_000,
  );

  it('every file removed together with its line in the manifest', async () => {
    for (const { name } of entries.slice(1)) {
      if (isOfAnotherTrial(name)) continue;
      const found = await edited(withManifest(entries.filter((entry) => entry.name !== name)));
      // What is left of a trial without one of its files is told, and is no proof of anything.
      if (!name.startsWith('raw/')) expect(found, name).not.toEqual([]);
      else expect(found.join(), name).toMatch(/reports/);
    }
  }, 120_000);

  it('results.json edited together with its manifest', async () => {
    const files = withManifest(edit('results.json', /"change": 0\.\d+/, '"change": 0.5'));
    const found = await edited(files);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^statistics: write: new against old: change is 0.5 as published, 0\.\d+ recalculated/);
    expect(found[1]).toMatch(/^reports: .*results.json/);
  });

  it.each([
    'report.md',
    'report.html',
    'report.txt',
    'trials.csv',
    'pairs.csv',
    'verification.json',
    'provenance.json',
    'README.md',
    'plan.json',
  ])('%s edited together with its manifest', async (name) => {
    expect(await edited(withManifest(edit(name, /[a-z]/, 'X')))).toEqual([
      expect.stringMatching(new RegExp(`^reports: .*${name}`)),
    ]);
  });

  it.each([
    ['arms/new/from-old.diff', /^origin: arms\/new\/from-old\.diff is not what the run kept/],
    ['arms/old/build.log', /^origin: arms\/old\/build\.log is not what the run kept/],
    ['binaries/new/bench', /^origin: binaries\/new\/bench is not what was executed/],
  ])('%s edited together with its manifest', async (name, reason) => {
    expect(await edited(withManifest(edit(name, /[a-z]/, 'X')))).toEqual([expect.stringMatching(reason)]);
  });

  it.each([
    ['arms/new/more', /^origin: arms\/new\/more is none of the files that the run kept/],
    ['binaries/new/more', /^origin: binaries\/new\/more is none of the files that were executed/],
  ])('%s added together with its manifest', async (name, reason) => {
    const files = withManifest([...copy, { name, content: Buffer.from('x') }]);
    expect((await edited(files))[0]).toMatch(reason);
  });

  it('a file that Assay does not make, though it is in the manifest', async () => {
    const files = withManifest([...copy, { name: 'report.htm', content: Buffer.from('<p>faster') }]);
    expect((await edited(files)).join()).toMatch(/report/);
  });

  it('raw output edited together with its manifest', async () => {
    const name = copy.find((entry) => entry.name.endsWith('/stdout'))?.name ?? '';
    const found = await edited(withManifest(edit(name, /"write":\d+/, '"write":55')));
    expect(found[0]).toMatch(/^trials: raw\/.*stdout is not what the journal says/);
  });

  it('raw output edited together with its manifest and the digest in the journal', async () => {
    const name = copy.find((entry) => entry.name.endsWith('/stdout'))?.name ?? '';
    copy = edit(name, /"write":[\d.]+/, '"write":55');
    const sum = sha256(copy.find((entry) => entry.name === name)?.content ?? '');
    copy = editJournal((record) =>
      record.kind === 'trial'
        ? { ...record, raw: record.raw.map((file) => (file.path === name ? { ...file, sha256: sum } : file)) }
        : record,
    );
    expect((await edited(withManifest(copy)))[0]).toMatch(
      /^trials: 1 of 14 trials differ: .*write is 55 in the raw output/,
    );
  });

  it('a metric edited in the journal', async () => {
    copy = editJournal((record, at) =>
      record.kind === 'trial' && at === 8 ? { ...record, metrics: { ...record.metrics, write: 1 } } : record,
    );
    expect((await edited(withManifest(copy)))[0]).toMatch(/^trials: 1 of 14 trials differ/);
  });

  it('a check edited in the journal', async () => {
    copy = editJournal((record, at) =>
      record.kind === 'trial' && at === 8 ? { ...record, checks: record.checks.slice(1) } : record,
    );
    expect((await edited(withManifest(copy)))[0]).toMatch(/^trials: 1 of 14 trials differ: .*checks/);
  });

  it('operations edited in the journal', async () => {
    copy = editJournal((record, at) =>
      record.kind === 'trial' && at === 8 ? { ...record, operations: { '/operations': 5 } } : record,
    );
    expect((await edited(withManifest(copy)))[0]).toMatch(
      /^trials: 1 of 14 trials differ: .*the operations that it did/,
    );
  });

  it('a time of the launcher edited in the journal', async () => {
    copy = editJournal((record, at) =>
      record.kind === 'trial' && at === 8 && record.account !== null
        ? { ...record, account: { ...record.account, wall_ns: 5 } }
        : record,
    );
    expect((await edited(withManifest(copy)))[0]).toMatch(/^trials: 1 of 14 trials differ: .*account.json/);
  });

  it('a trial left out of the journal', async () => {
    copy = editJournal((record, at) => (record.kind === 'trial' && at === 8 ? null : record));
    expect((await edited(withManifest(copy))).join()).toMatch(/plan: .* was not due/);
  });

  const HOUR_MS = 3_600_000;
  const ends = (reason: EndReason) => (record: JournalRecord) =>
    record.kind === 'end' ? { ...record, reason } : record;
  it.each<[string, (record: JournalRecord) => JournalRecord, RegExp]>([
    [
      'an end before the run',
      (record) => (record.kind === 'end' ? { ...record, unix_ms: record.unix_ms - HOUR_MS } : record),
      /plan: the run ended at .*, before its start /,
    ],
    [
      'an end before the last trial',
      (record) => {
        if (record.kind === 'run') return { ...record, started_unix_ms: record.started_unix_ms - 2 * HOUR_MS };
        return record.kind === 'end' ? { ...record, unix_ms: record.unix_ms - HOUR_MS } : record;
      },
      /plan: the run ended at .*, before warmup block 1, position 1 .*one of both is wrong, or the clock/,
    ],
    [
      'a start after the first trial',
      (record) => (record.kind === 'run' ? { ...record, started_unix_ms: record.started_unix_ms + HOUR_MS } : record),
      /plan: the run began at .*, after warmup block 1, position 1 /,
    ],
    [
      'an end by a trial that failed',
      ends({ kind: 'trial_failed' }),
      /plan: .* ended with a trial that failed, and none/,
    ],
    [
      'an end by an arm that is none',
      ends({ kind: 'changed', arm: 'zz', path: 'x' }),
      /plan: .* ended since zz had changed, which was not/,
    ],
  ])('%s', async (_, change, reason) => {
    copy = editJournal(change);
    expect((await edited(withManifest(copy))).join()).toMatch(reason);
  });

  it('but not an end that a clock being set right puts some seconds too early', async () => {
    copy = editJournal((record) => (record.kind === 'end' ? { ...record, unix_ms: record.unix_ms - 20_000 } : record));
    expect((await edited(withManifest(copy))).join()).not.toMatch(/plan:/);
  });

  it('a plan that is not that of the seed', async () => {
    copy = editJournal((record) =>
      record.kind === 'run'
        ? {
            ...record,
            plan: {
              ...record.plan,
              phases: record.plan.phases.map((one) => ({ ...one, blocks: one.blocks.toReversed() })),
            },
          }
        : record,
    );
    expect((await edited(withManifest(copy))).join()).toMatch(/plan: the recorded plan is not the one/);
  });

  it('a rule of rejection changed after the run', async () => {
    copy = editJournal((record) =>
      record.kind === 'run'
        ? { ...record, experiment: { ...record.experiment, reject: { rules: [], max_repeats: 2 } } }
        : record,
    );
    expect((await edited(withManifest(copy))).join()).toMatch(/experiment: its identity/);
  });

  it('an experiment that is too large to be computed with, or too deep', async () => {
    const untouched = copy;
    const changed = (change: (experiment: object) => object) => {
      copy = untouched;
      return editJournal((record) =>
        record.kind === 'run' ? ({ ...record, experiment: change(record.experiment) } as JournalRecord) : record,
      );
    };
    const huge = changed((experiment) => {
      const design = 'design' in experiment ? (experiment.design as object) : {};
      return { ...experiment, design: { ...design, confirmation_pairs: 2 ** 50 } };
    });
    expect((await edited(withManifest(huge))).join()).toMatch(/schema: .*pairs, more than 10000/);
    copy = untouched;
    const file = copy.find(({ name }) => name === 'journal.jsonl');
    const [first = '', ...others] = (file?.content.toString() ?? '').split('\n');
    // As text, since JSON.stringify does not go so deep.
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = JSON.stringify(JSON.parse(first).record).replace(
      '"constructed":false',
      `"constructed":true,"more":${deep}`,
    );
    const line = `{"crc32":"${crc32(body).toString(16).padStart(8, '0')}","record":${body}}`;
    const files = copy.map((entry) =>
      entry === file ? { name: entry.name, content: Buffer.from([line, ...others].join('\n')) } : entry,
    );
    expect((await edited(withManifest(files))).join()).toMatch(/experiment: its identity/);
  });

  it('a block that was interrupted without a cause', async () => {
    const cut: JournalRecord = { kind: 'interrupted', phase: 'confirmation', block: 1, attempt: 1, reason: 'gap' };
    const file = copy.find(({ name }) => name === 'journal.jsonl');
    const text = `${file?.content.toString() ?? ''}${encodeRecord(cut)}`;
    const files = copy.map((entry) => (entry === file ? { name: entry.name, content: Buffer.from(text) } : entry));
    expect((await edited(withManifest(files))).join()).toMatch(/plan: /);
  });
});

function inflated(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes);
  } catch {
    return null;
  }
}
