/** Runs made here, packed and verified: what is in a bundle, and that every change of it is found. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entriesOf } from '../../test/bundle-archive.ts';
import { failures, pack } from '../../test/bundle-checks.ts';
import { makeRun, program, sha256 } from '../../test/bundle-run.ts';
import { AssayError } from '../failures.ts';
import { encodeRecord } from '../journal/codec.ts';
import type { JournalRecord, TrialRecord } from '../journal/records.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Question } from './verify/answer.ts';
import { type Verification, verifyBundle } from './verify/verify.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-bundle-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const namesIn = (run: string) => entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`))).map(({ name }) => name);
const readmeOf = (run: string) =>
  entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)))
    .find(({ name }) => name === 'README.md')
    ?.content.toString() ?? '';

let serial = 0;
const fresh = () => join(directory, `run-${serial++}`);

const verify = (path: string) =>
  verifyBundle(path, { limits: DEFAULT_LIMITS, allowedSigners: [], onProgress: () => {} });

const outcome = ({ answers }: Verification, question: Question) =>
  answers.find((answer) => answer.question === question)?.outcome;

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof AssayError && 'message' in error.failure) return error.failure.message;
  throw error ?? new Error('it did not fail');
}

describe('a bundle', () => {
  it('verifies, as a file and unpacked', async () => {
    const run = fresh();
    makeRun(run, { pairs: 4, warmup: 1, screening: 2 });
    const packed = await pack(run);
    expect(packed.verification.verified).toBe(true);
    const verification = await verify(`${run}.tar.gz`);
    expect(
      verification.answers.filter((answer) => answer.outcome !== 'verified').map((answer) => answer.question),
    ).toEqual(['origin', 'signature']);
    expect(verification.signer).toBe(null);
    const unpacked = fresh();
    for (const { name, content } of entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)))) {
      mkdirSync(join(unpacked, name, '..'), { recursive: true });
      writeFileSync(join(unpacked, name), content);
    }
    expect(failures(await verify(unpacked))).toEqual([]);
    writeFileSync(join(unpacked, 'extra'), '');
    expect(failures(await verify(unpacked))).toEqual(['archive: refused: "extra" is not in manifest.json']);
    unlinkSync(join(unpacked, 'extra'));
    unlinkSync(join(unpacked, 'pairs.csv'));
    symlinkSync('/etc/hostname', join(unpacked, 'pairs.csv'));
    expect(failures(await verify(unpacked))).toEqual(['archive: refused: "pairs.csv" is not a regular file']);
  });

  it('leaves out what an arm left that is too large, and says what it was', async () => {
    const run = fresh();
    const kept = [
      { path: 'arms/new/patch', bytes: 1, sha256: sha256('y') },
      { path: 'arms/new/log', bytes: 70_000, sha256: sha256('x'.repeat(70_000)) },
    ];
    makeRun(run, { pairs: 2, change: (record) => (record.kind === 'prepared' ? { ...record, kept } : record) });
    mkdirSync(join(run, 'arms/new'), { recursive: true });
    writeFileSync(join(run, 'arms/new/log'), 'x'.repeat(70_000));
    writeFileSync(join(run, 'arms/new/patch'), 'y');
    const packed = await pack(run, { limits: { ...DEFAULT_LIMITS, file_bytes: 65_536 } });
    const sum = sha256('x'.repeat(70_000));
    const why = `too large: left out, 70000 bytes, SHA-256 ${sum}`;
    expect(packed.absent).toContainEqual({ what: 'arms/new/log', why });
    const entries = entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)));
    expect(entries.map(({ name }) => name)).toContain('arms/new/patch');
    expect(entries.find(({ name }) => name === 'README.md')?.content.toString()).toContain(sum);
  });

  it('holds what was kept of arms, and nothing else of them', async () => {
    const run = fresh();
    makeRun(run, { pairs: 2, evidence: true });
    await pack(run);
    const names = namesIn(run);
    expect(names).toEqual(
      expect.arrayContaining(['arms/new/from-old.diff', 'arms/new/build.log', 'arms/old/build.log']),
    );
    expect(names.filter((name) => name.startsWith('binaries/'))).toEqual([]);
    const readme = readmeOf(run);
    expect(readme).toContain('- `arms/ARM/from-OTHER.diff`: What differs between the sources of two arms');
    expect(readme).toContain('- executables and libraries: they are packed on request; their digests stand below.');
    expect(readme).toContain(`bench, ${Buffer.byteLength(program('new'))} bytes, SHA-256 ${sha256(program('new'))}\n`);
    writeFileSync(join(run, 'arms/new/notes'), 'x');
    expect(await failureOf(pack(run, { force: true }))).toBe(
      'the run does not hold: origin: arms/new/notes is none of the files that the run kept',
    );
    unlinkSync(join(run, 'arms/new/notes'));
    unlinkSync(join(run, 'arms/new/from-old.diff'));
    expect(await failureOf(pack(run, { force: true }))).toMatch(/from-old\.diff was kept by the run, and is not in/);
  });

  it('says why there is no diff', async () => {
    const run = fresh();
    makeRun(run, { pairs: 2 });
    await pack(run);
    expect(readmeOf(run)).toContain('- a diff of sources: no arm is a revision of git.');
    const other = fresh();
    const diffs = [{ kind: 'none', arm: 'new', reference: 'old', why: 'they come from <b>two` repositories' }] as const;
    const change = (record: JournalRecord): JournalRecord =>
      record.kind === 'prepared' ? { ...record, diffs, kept: record.kept?.slice(1) ?? null } : record;
    makeRun(other, { pairs: 2, evidence: true, change });
    unlinkSync(join(other, 'arms/new/from-old.diff'));
    await pack(other);
    expect(readmeOf(other)).toContain(
      '- a diff of the sources of old and new: they come from \\<b\\>two\\` repositories.',
    );
  });

  it('of a run that was changed tells its owner what to do', async () => {
    const run = fresh();
    makeRun(run, { pairs: 2 });
    const trial = readdirSync(join(run, 'raw'))[0] ?? '';
    writeFileSync(join(run, 'raw', trial, 'stdout'), 'other');
    const error = await pack(run).catch((reason: unknown) => reason);
    const failure = error instanceof AssayError && 'remedy' in error.failure ? error.failure : null;
    expect(failure).toMatchObject({ message: expect.stringMatching(/^the run does not hold: .*its digest differs/) });
    expect(failure?.remedy).toMatch(/^Something has changed its files .* run the experiment again/);
  });

  it('has the parts that its README tells of, the manifest first, and trials.csv at its top', async () => {
    const run = fresh();
    makeRun(run, { pairs: 2 });
    await pack(run);
    const entries = entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)));
    expect(entries.map(({ name }) => name)).toEqual([
      ...[
        'manifest.json',
        'journal.jsonl',
        'README.md',
        'environment.json',
        'experiment.yaml',
        'pairs.csv',
        'plan.json',
      ],
      ...[
        'provenance.json',
        'report.html',
        'report.md',
        'report.txt',
        'results.json',
        'trials.csv',
        'verification.json',
      ],
      ...['1-1', '1-2', '2-1', '2-2'].flatMap((place, at) =>
        ['account.json', 'files/size.txt', 'stderr', 'stdout'].map(
          (file) => `raw/confirmation-000${place}-${orders(run)[at]}/${file}`,
        ),
      ),
    ]);
    const readme = entries.find(({ name }) => name === 'README.md')?.content.toString() ?? '';
    for (const { name } of entries) {
      const part = name.includes('/') ? `${name.split('/')[0]}/` : name;
      if (part !== 'README.md') expect(readme).toContain(`\`${part}\``);
    }
  });

  it('is the same for the same run', async () => {
    const run = fresh();
    makeRun(run);
    await pack(run);
    await pack(run, { output: `${run}-again.tar.gz` });
    expect(readFileSync(`${run}-again.tar.gz`).equals(readFileSync(`${run}.tar.gz`))).toBe(true);
  });

  it('replaces no file without --force, and leaves no other behind', async () => {
    const run = fresh();
    makeRun(run);
    writeFileSync(`${run}.tar.gz`, 'mine');
    expect(await failureOf(pack(run))).toBe(`${run}.tar.gz exists`);
    expect(readFileSync(`${run}.tar.gz`, 'utf8')).toBe('mine');
    await pack(run, { force: true });
    expect((await verify(`${run}.tar.gz`)).verified).toBe(true);
  });

  it('of a run without its raw output says so', async () => {
    const run = fresh();
    makeRun(run);
    rmSync(join(run, 'raw'), { recursive: true });
    const { verification, absent } = await pack(run);
    expect(verification.verified).toBe(true);
    expect(outcome(verification, 'trials')).toBe('not possible');
    expect(outcome(verification, 'statistics')).toBe('not possible');
    expect(absent.map(({ what }) => what)).toContain('32 files of raw output that the journal names');
  });

  it('of a run that was cut off, its last line torn, verifies', async () => {
    const run = fresh();
    const records = makeRun(run, { pairs: 4 });
    const lines = records.slice(0, 6).map(encodeRecord).join('');
    writeFileSync(join(run, 'journal.jsonl'), `${lines}{"crc32":"00`);
    const { verification } = await pack(run);
    expect(failures(verification)).toEqual([]);
    expect(verification.answers.find(({ question }) => question === 'schema')?.why).toContain('12 bytes');
  });

  it('shows identity in raw output, packs it as it is, and the side file on request only', async () => {
    const run = fresh();
    makeRun(run, { stderr: 'opened /home/alice/db on machine-7\n' });
    const identity = {
      user: 'alice',
      host: 'machine-7',
      home: '/home/alice',
      experiment_dir: '/home/alice/x',
      env: {},
    };
    const source = { name: 'experiment.yaml', directory: '/home/alice/x', text: '' };
    writeFileSync(join(run, 'identity.json'), JSON.stringify({ identity, source }));
    const packed = await pack(run);
    expect(packed.identity.length).toBe(8);
    expect(packed.identity[0]?.path).toMatch(/^raw\/.*\/stderr$/);
    expect(packed.identity[0]?.kinds).toEqual(['the home directory', "the user's name", "the host's name"]);
    const names = entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`))).map(({ name }) => name);
    expect(names).not.toContain('identity.json');
    await pack(run, { keepIdentity: true, output: `${run}-kept.tar.gz` });
    const kept = entriesOf(gunzipSync(readFileSync(`${run}-kept.tar.gz`))).map(({ name }) => name);
    expect(kept).toContain('identity.json');
    expect(failures(await verify(`${run}-kept.tar.gz`))).toEqual([]);
  });
});

describe('with its binaries', () => {
  const withBinaries = true;
  const made = () => {
    const run = fresh();
    makeRun(run, { pairs: 2, evidence: true });
    return run;
  };

  it('a bundle has what was executed, and verifies', async () => {
    const run = made();
    const packed = await pack(run, { withBinaries });
    expect(failures(packed.verification)).toEqual([]);
    const content = entriesOf(gunzipSync(readFileSync(`${run}.tar.gz`)));
    expect(content.find(({ name }) => name === 'binaries/new/bench')?.content.toString()).toBe(program('new'));
    expect(readmeOf(run)).toContain('; here as binaries/new/bench\n');
    expect(readmeOf(run)).not.toContain('packed on request');
    const origin = packed.verification.answers.find(({ question }) => question === 'origin');
    expect(origin?.why).toContain('2 binaries with the digests of what was executed');
    await pack(run, { withBinaries, output: `${run}-again.tar.gz` });
    expect(readFileSync(`${run}-again.tar.gz`).equals(readFileSync(`${run}.tar.gz`))).toBe(true);
  });

  it('identity in them is shown', async () => {
    const run = made();
    const file = join(run, 'identity.json');
    const known = JSON.parse(readFileSync(file, 'utf8'));
    // Beyond the end of the first piece that is read, too.
    const text = `${'.'.repeat(2 ** 20 - 5)}/home/alice${program('new')}`;
    writeFileSync(`${run}.programs/new`, text);
    writeFileSync(file, JSON.stringify({ ...known, identity: { ...known.identity, home: '/home/alice' } }));
    const lines = entriesIn(run).map((record) => {
      if (record.kind !== 'prepared') return record;
      const files = [{ path: '{arm.dir}/bench', sha256: sha256(text), bytes: text.length }];
      return { ...record, arms: record.arms.map((arm) => (arm.arm === 'new' ? { ...arm, files } : arm)) };
    });
    writeFileSync(join(run, 'journal.jsonl'), lines.map(encodeRecord).join(''));
    const { identity } = await pack(run, { withBinaries });
    expect(identity).toEqual([{ path: 'binaries/new/bench', kinds: ['the home directory'] }]);
  });

  it('one that is larger than a file may be is left out, with its digest', async () => {
    const run = made();
    const limits = { ...DEFAULT_LIMITS, file_bytes: 65_536 };
    const large = `\x7fELF${'x'.repeat(65_536)}`;
    writeFileSync(`${run}.programs/new`, large);
    const lines = entriesIn(run).map((record) => {
      if (record.kind !== 'prepared') return record;
      const files = [{ path: '{arm.dir}/bench', sha256: sha256(large), bytes: large.length }];
      return { ...record, arms: record.arms.map((arm) => (arm.arm === 'new' ? { ...arm, files } : arm)) };
    });
    writeFileSync(join(run, 'journal.jsonl'), lines.map(encodeRecord).join(''));
    const { absent } = await pack(run, { withBinaries, limits });
    const why = `too large (--max-file-size): left out, ${large.length} bytes, SHA-256 ${sha256(large)}`;
    expect(absent).toContainEqual({ what: 'binaries/new/bench', why });
  });

  it.each([
    [
      'has changed',
      (path: string) => writeFileSync(path, program('NEW')),
      /bench of new has changed since it was exec/,
    ],
    [
      'is longer',
      (path: string) => writeFileSync(path, 'x', { flag: 'a' }),
      /bench of new has changed since it was exec/,
    ],
    ['is gone', (path: string) => unlinkSync(path), /bench of new is not there any more: .*programs\/new$/],
    [
      'is a directory now',
      (path: string) => {
        unlinkSync(path);
        mkdirSync(path);
      },
      /bench of new is no regular file any more/,
    ],
    [
      'is a pipe now',
      (path: string) => {
        unlinkSync(path);
        execFileSync('mkfifo', [path]);
      },
      /bench of new is no regular file any more/,
    ],
    [
      'lies nobody knows where',
      (path: string) => unlinkSync(path.replace(/\.programs.*/, '/identity.json')),
      /is not known/,
    ],
  ])('a run whose program %s is not packed', async (_, change, message) => {
    const run = made();
    change(`${run}.programs/new`);
    expect(await failureOf(pack(run, { withBinaries }))).toMatch(message);
    expect(readdirSync(directory).filter((name) => name.includes('.tmp'))).toEqual([]);
    await pack(run);
  });
});

describe('a run is not packed', () => {
  const raw = (run: string) =>
    (entriesIn(run).find((record) => record.kind === 'trial') as TrialRecord).raw[0]?.path ?? '';

  it('where its raw output is not what the journal says', async () => {
    const run = fresh();
    makeRun(run);
    writeFileSync(join(run, raw(run)), '{"metrics": {"write": 1}}\n');
    expect(await failureOf(pack(run))).toMatch(/stdout is not what the journal says/);
  });

  it('through a link', async () => {
    const run = fresh();
    makeRun(run);
    const path = join(run, raw(run));
    cpSync(path, join(directory, 'elsewhere'));
    unlinkSync(path);
    symlinkSync(join(directory, 'elsewhere'), path);
    expect(await failureOf(pack(run))).toMatch(/stdout is a symbolic link/);
  });

  it('where the journal names files outside the run', async () => {
    const run = fresh();
    const change = (record: JournalRecord): JournalRecord =>
      record.kind === 'trial'
        ? { ...record, raw: [{ path: '../../etc/hostname', bytes: 1, sha256: sha256('') }] }
        : record;
    makeRun(run, { change });
    expect(await failureOf(pack(run))).toMatch(/not in raw\//);
  });

  it('where the user stops it', async () => {
    const run = fresh();
    makeRun(run);
    const stop = new AbortController();
    stop.abort('SIGINT');
    expect(await failureOf(pack(run, { stop: stop.signal }))).toMatch(/^stopped/);
  });
});

function entriesIn(run: string): JournalRecord[] {
  return readFileSync(join(run, 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).record);
}

function orders(run: string): string[] {
  return entriesIn(run).flatMap((record) => (record.kind === 'trial' ? [record.arm] : []));
}
