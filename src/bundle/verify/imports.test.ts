/** A bundle of results that were measured elsewhere: what its journal says must be what its files give. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compressed, type Entry, entriesOf, manifestOf, tarBytes, withManifest } from '../../../test/bundle-archive.ts';
import { answersOf, faultsOf, pack } from '../../../test/bundle-checks.ts';
import { benchmarkReport } from '../../../test/imported-runs.ts';
import { encodeRecord } from '../../journal/codec.ts';
import type { JournalRecord, RunRecord } from '../../journal/records.ts';
import { importAndAnalyse } from '../../pipeline.ts';
import { DEFAULT_LIMITS } from '../limits.ts';

let directory: string;
let archive: Buffer;
let entries: readonly Entry[];
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'assay-imports-'));
  const write = (name: string, ...rates: number[]) => {
    const path = join(directory, name);
    writeFileSync(path, benchmarkReport(rates.map((rate) => ({ test: 'x.t1', rate, p99: 5 }))));
    return path;
  };
  const files = [write('old.tsv', 100, 101, 102, 103), write('new.tsv', 120, 121, 125, 123)];
  await importAndAnalyse({
    sides: files.map((path, at) => ({ arm: at === 0 ? 'before' : 'after', files: [path] })),
    ...{ names: null, tool: null, metrics: [], interleaved: false, threshold: 0, margin: null, title: null },
    ...{ out: join(directory, 'run'), env: {}, emit: () => {} },
  });
  await pack(join(directory, 'run'));
  archive = readFileSync(join(directory, 'run.tar.gz'));
  entries = entriesOf(gunzipSync(archive));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const remade = async (files: readonly Entry[]) => compressed(await tarBytes(files, manifestOf(entries).started_unix_s));

/** With records of the journal changed, checksums and manifest made to fit. */
async function withJournal(change: (record: JournalRecord) => JournalRecord | null): Promise<Buffer> {
  const files = entries.map(({ name, content }) => {
    if (name !== 'journal.jsonl') return { name, content };
    const records = content.toString().trimEnd().split('\n');
    const lines = records.flatMap((line) => {
      const record = change(JSON.parse(line).record);
      return record === null ? [] : [encodeRecord(record)];
    });
    return { name, content: Buffer.concat(lines.map((line) => Buffer.from(line))) };
  });
  return remade(withManifest(files));
}

const inRun = (change: (record: RunRecord) => RunRecord) =>
  withJournal((record) => (record.kind === 'run' ? change(record) : record));

const trialsFault = async (bundle: Buffer) =>
  (await faultsOf(bundle)).find((fault) => fault.startsWith('trials: ')) ?? null;

describe('a bundle of an import', () => {
  it('holds its files under plain names, and verifies', async () => {
    expect(entries.map(({ name }) => name).filter((name) => name.startsWith('raw/'))).toEqual([
      'raw/results/1-old.tsv',
      'raw/results/2-new.tsv',
    ]);
    const answers = await answersOf(archive);
    expect(answers.filter(({ outcome }) => outcome !== 'verified').map(({ question }) => question)).toEqual([
      'origin',
      'signature',
    ]);
    expect(answers.find(({ question }) => question === 'trials')?.why).toBe(
      '8 repetitions with their metrics, made again from the files that were imported',
    );
  });

  it.each<[string, RegExp, (record: JournalRecord) => JournalRecord | null]>([
    [
      'a value',
      /after in repetition 2 has other values/,
      (record) =>
        record.kind === 'trial' && record.block === 2 && record.arm === 'after'
          ? { ...record, metrics: { ...record.metrics, 'x.t1.ops_per_second': 90 } }
          : record,
    ],
    [
      'a time that nobody took',
      /has other values/,
      (record) => (record.kind === 'trial' ? { ...record, noise: { ...record.noise, steal: 0 } } : record),
    ],
    [
      'an order that the files do not show',
      /something else of how they were measured/,
      (record) =>
        record.kind === 'run' && record.imported !== null
          ? { ...record, imported: { ...record.imported, order: 'shown', warnings: [] } }
          : record,
    ],
    [
      'a warning left out',
      /something else of how they were measured/,
      (record) =>
        record.kind === 'run' && record.imported !== null
          ? { ...record, imported: { ...record.imported, warnings: [] } }
          : record,
    ],
    [
      'another metric that decides',
      /give another experiment/,
      (record) => {
        if (record.kind !== 'run') return record;
        const [first, second, ...rest] = record.experiment.metrics;
        if (second === undefined) throw new Error('two metrics');
        const metrics = [{ ...first, primary: false }, { ...second, primary: true }, ...rest] as const;
        return { ...record, experiment: { ...record.experiment, metrics } };
      },
    ],
    [
      'a pair left out',
      /the files have 8 repetitions, the journal 6/,
      (record) => (record.kind === 'trial' && record.block === 4 ? null : record),
    ],
  ])('is found to say %s', async (_, fault, change) => {
    expect(await trialsFault(await withJournal(change))).toMatch(fault);
  });

  const SAID = 'The order of the sides was under control.';
  const reworded = (record: RunRecord): RunRecord => {
    if (record.imported === null) throw new Error('an import');
    const warnings = record.imported.warnings.map((warning) => ({ ...warning, message: SAID, remedy: SAID }));
    return { ...record, imported: { ...record.imported, warnings } };
  };

  it('has the sentences that this version writes', async () => {
    expect(await trialsFault(await inRun(reworded))).toMatch(/something else of how they were measured/);
  });

  it('of another version may have others, which no report repeats', async () => {
    const path = join(directory, 'run', 'journal.jsonl');
    const own = readFileSync(path, 'utf8');
    const [first = '', ...rest] = own.split('\n');
    const forged = encodeRecord(reworded({ ...JSON.parse(first).record, assay: '9.9.9' })).toString();
    writeFileSync(path, `${forged}${rest.join('\n')}`);
    try {
      await pack(join(directory, 'run'), { output: join(directory, 'forged.tar.gz') });
    } finally {
      writeFileSync(path, own);
    }
    const packed = entriesOf(gunzipSync(readFileSync(join(directory, 'forged.tar.gz'))));
    const telling = packed.filter(({ content }) => content.includes(SAID)).map(({ name }) => name);
    expect(telling).toEqual(['journal.jsonl']);
  });

  it('does not hold with a file of other results', async () => {
    const files = entries.map((entry) =>
      entry.name === 'raw/results/2-new.tsv'
        ? { ...entry, content: Buffer.from(entry.content.toString().replace('125', '100')) }
        : entry,
    );
    expect(await trialsFault(await remade(withManifest(files)))).toMatch(/2-new\.tsv is not what the journal says/);
  });

  it('is not possible to verify without its files', async () => {
    const files = entries.filter(({ name }) => name !== 'raw/results/2-new.tsv');
    const answers = await answersOf(await remade(withManifest(files)));
    expect(answers.find(({ question }) => question === 'trials')).toMatchObject({
      outcome: 'not possible',
      why: 'not all files that were imported are in the bundle',
    });
  });

  it('has no machine, no seed and no arms that were prepared', async () => {
    const machine = await inRun((record) => ({ ...record, plan: { ...record.plan, seed: 1 } }));
    expect((await faultsOf(machine))[0]).toMatch(/neither machine nor seed/);
  });

  it('names no other files in its text', async () => {
    const bundle = await inRun((record) => {
      const text = record.source.text.replace('raw/results/2-new.tsv', 'raw/results/1-old.tsv');
      return { ...record, source: { ...record.source, text } };
    });
    expect(await trialsFault(bundle)).toMatch(/names other files/);
  });

  it('is read within the time that there is', async () => {
    const answers = await answersOf(archive, { ...DEFAULT_LIMITS, seconds: 0 });
    expect(answers.find(({ question }) => question === 'trials')).toMatchObject({ outcome: 'not possible' });
  });
});
