import { appendFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateOf, useGitRig } from '../../../test/git-rig.ts';
import { tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';
import { type ArmRevision, type DiffOutcome, diffSources, MOST_DIFF_BYTES } from './source-diff.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const rig = useGitRig('for-all');
const ENV = { PATH: process.env['PATH'], HOME: rig.root };

async function revisionOf(source: Partial<GitSource>): Promise<ArmRevision> {
  return (await rig.prepare(rig.source({ build: [], ...source }))).revision;
}

async function diffOf(
  before: ArmRevision | null,
  after: ArmRevision | null,
  env: NodeJS.ProcessEnv = {},
): Promise<DiffOutcome> {
  const sides = [
    { arm: 'old', revision: before },
    { arm: 'new', revision: after },
  ] as const;
  const outcome = await diffSources(...sides, { env: { ...ENV, ...env } });
  if (outcome === null) throw new Error('nobody stopped it');
  return outcome;
}

const textOf = ({ content }: DiffOutcome) => content?.toString() ?? '';
/** Without what stands before it. */
const bareOf = (outcome: DiffOutcome) => textOf(outcome).replace(/^[\s\S]*?\n\n/, '');

describe('diffSources', () => {
  it('tells what two revisions differ in, and of which trees it is', async () => {
    const [before, after] = [await revisionOf({ rev: rig.first }), await revisionOf({})];
    const outcome = await diffOf(before, after);
    const expected = rig.engine.git('diff', '--full-index', '--no-renames', rig.first, rig.second);
    expect(bareOf(outcome)).toBe(`${expected}\n`);
    expect(outcome.diff).toEqual({
      ...{ kind: 'diff', arm: 'new', reference: 'old', path: 'arms/new/from-old.diff' },
      ...{ files: 1, lines_added: 1, lines_removed: 1 },
      ...{ bytes: expected.length + 1, kept_bytes: expected.length + 1 },
    });
    for (const { commit, tree } of [before, after]) {
      expect(textOf(outcome)).toMatch(new RegExp(`^(?:from old|to new): commit ${commit}, tree ${tree}$`, 'm'));
    }
  });

  it('writes to neither the repository nor the clones, and leaves nothing behind', async () => {
    const [before, after] = [await revisionOf({ rev: rig.first }), await revisionOf({})];
    writeFileSync(join(rig.root, 'add.patch'), '--- a/source.txt\n+++ b/source.txt\n@@ -1 +1 @@\n-two\n+three\n');
    const patched = await revisionOf({ patch: 'add.patch' });
    const temporary = join(rig.cache, 'tmp-of-test');
    mkdirSync(temporary);
    const all = [rig.engine.path, before.repository, after.repository, patched.repository, temporary];
    const states = async () => JSON.stringify(await Promise.all(all.map(stateOf)));
    const was = await states();
    const own = process.env['TMPDIR'];
    process.env['TMPDIR'] = temporary;
    try {
      await diffOf(before, after);
      await diffOf(after, patched);
    } finally {
      if (own === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = own;
    }
    // Its times have changed, and nothing is in it.
    expect(JSON.parse(await states()).slice(0, 4)).toEqual(JSON.parse(was).slice(0, 4));
    expect((await stateOf(temporary)) as object).toMatchObject({ times: [] });
  });

  it('has the patch of an arm in it', async () => {
    const patch = '--- a/source.txt\n+++ b/source.txt\n@@ -1 +1,2 @@\n two\n+three\n';
    writeFileSync(join(rig.root, 'own.patch'), patch);
    const [plain, patched] = [await revisionOf({}), await revisionOf({ patch: 'own.patch' })];
    const outcome = await diffOf(plain, patched);
    expect(bareOf(outcome).split('\n').slice(2).join('\n')).toBe(patch);
    expect(textOf(outcome)).toContain('with its patch, tree ');
    expect((await diffOf(patched, patched)).diff).toEqual({ kind: 'same', arm: 'new', reference: 'old' });
  });

  it('says of one tree that it is the same', async () => {
    const outcome = await diffOf(await revisionOf({}), await revisionOf({ again: { of: 'new', copy: 1 } }));
    expect(outcome).toEqual({ diff: { kind: 'same', arm: 'new', reference: 'old' }, content: null });
  });

  it('says why there is none', async () => {
    const one = await revisionOf({});
    const why = ({ diff }: DiffOutcome) => (diff.kind === 'none' ? diff.why : diff.kind);
    expect(why(await diffOf(one, null))).toBe('new is no revision of git');
    expect(why(await diffOf(null, null))).toBe('old and new are no revisions of git');
    expect(why(await diffOf(one, { ...one, from: '/elsewhere' }))).toBe('old and new come from two repositories');
    const absent = 'ab'.repeat(20);
    expect(why(await diffOf(one, { ...one, tree: absent }))).toMatch(
      /^git could not compare old and new: fatal: .*abab/,
    );
    writeFileSync(join(rig.root, 'other.patch'), '--- a/source.txt\n+++ b/source.txt\n@@ -1 +1 @@\n-six\n+x\n');
    const patched = { ...one, patch: join(rig.root, 'other.patch') };
    expect(why(await diffOf(one, patched))).toMatch(/^git could not compare old and new: error: .*does not apply/);
  });

  it.runIf(FULL)('is stopped by the user', async () => {
    const one = await revisionOf({ rev: rig.first });
    const sides = { one: { arm: 'old', revision: one }, other: { arm: 'new', revision: await revisionOf({}) } };
    const signal = AbortSignal.abort('SIGINT');
    expect(await diffSources(sides.one, sides.other, { env: ENV, signal })).toBeNull();
  });
});

describe('whatever surrounds it', () => {
  it('runs nothing that any configuration or attribute names, and looks the same', async () => {
    const engine = tinyRepository(join(rig.root, 'hostile'));
    const first = engine.commit('one', {
      'a.txt': 'one\n',
      '.gitattributes': '*.txt diff=evil\n*.cc -diff\n',
      'b.cc': '1\n',
    });
    const second = engine.commit('two', { 'a.txt': 'two\n', 'b.cc': '2\n' });
    const ran = join(rig.root, 'ran');
    const evil = `touch '${ran}'; true`;
    const config = `[diff]\n\texternal = ${evil}\n\tnoprefix = true\n\tmnemonicPrefix = true\n\trenames = copies\n\tcontext = 0\n\tinterHunkContext = 9
[color]\n\tui = always\n[core]\n\tquotePath = false\n\tabbrev = 4\n[diff "evil"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n\tbinary = true\n`;
    const sources = [
      await revisionOf({ repo: 'hostile', rev: first }),
      await revisionOf({ repo: 'hostile', rev: second }),
    ];
    const quiet = bareOf(await diffOf(sources[0] ?? null, sources[1] ?? null));
    expect(quiet).toMatch(/^-one$[\s\S]*^\+two$[\s\S]*^-1$[\s\S]*^\+2$/m);
    writeFileSync(join(rig.root, '.gitconfig'), config);
    appendFileSync(join(engine.path, '.git', 'config'), config);
    for (const source of sources) appendFileSync(join(source.repository, 'config'), config);
    const env = {
      ...{ GIT_EXTERNAL_DIFF: evil, GIT_DIFF_OPTS: '--unified=0', GIT_CONFIG_GLOBAL: join(rig.root, '.gitconfig') },
      ...{ GIT_DIR: engine.path, GIT_OBJECT_DIRECTORY: '/nowhere', GIT_PAGER: evil },
    };
    expect(bareOf(await diffOf(sources[0] ?? null, sources[1] ?? null, env))).toBe(quiet);
    expect(await stateOf(rig.root).then((state) => JSON.stringify(state).includes('/ran '))).toBe(false);
  });

  it('names of files that a terminal would obey are written in escapes, what is in them as it is', async () => {
    const engine = tinyRepository(join(rig.root, 'names'));
    const first = engine.commit('\u001b[31mone', { plain: 'one\n' });
    const name = '\u001b[2J\n+++ b/forged\n"\u202eabc';
    const second = engine.commit('two', { [name]: '\u001b[31mred\n', plain: 'one\n-- x\n++ y\n' });
    const outcome = await diffOf(
      await revisionOf({ repo: 'names', rev: first }),
      await revisionOf({ repo: 'names', rev: second }),
    );
    const lines = textOf(outcome).split('\n');
    const steering = lines.filter((line) => /(?!\t)[\p{Cc}\p{Cf}]/u.test(line));
    expect(steering).toEqual(['+\u001b[31mred']);
    const quoted = '"b/\\033[2J\\n+++ b/forged\\n\\"\\342\\200\\256abc"';
    const heads = lines.filter((line) => line.startsWith('+++ ')).map((line) => line.trimEnd());
    // The last is a line of a file, which begins with a plus of its own.
    expect(heads).toEqual([`+++ ${quoted}`, '+++ b/plain', '+++ y']);
    expect(outcome.diff).toMatchObject({ files: 2, lines_added: 3, lines_removed: 0 });
  });

  it.runIf(FULL)('a clone at a place of any name can be compared', async () => {
    const [before, after] = [await revisionOf({ rev: rig.first }), await revisionOf({})];
    const odd = join(rig.cache, '#odd "name"\\\nof a place');
    symlinkSync(before.repository, odd);
    const expected = bareOf(await diffOf(before, after));
    expect(bareOf(await diffOf({ ...before, repository: odd }, after))).toBe(expected);
    renameSync(odd, `${odd}.`);
  });

  it.runIf(FULL)('repositories with SHA-256 can be compared', async () => {
    const path = join(rig.root, 'longer');
    mkdirSync(path);
    rig.engine.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main', path);
    const engine = tinyRepository(path);
    const first = engine.commit('one', { a: '1\n' });
    expect(first).toHaveLength(64);
    const second = engine.commit('two', { a: '2\n' });
    const outcome = await diffOf(
      await revisionOf({ repo: 'longer', rev: first }),
      await revisionOf({ repo: 'longer', rev: second }),
    );
    expect(outcome.diff).toMatchObject({ kind: 'diff', files: 1 });
  });

  it.runIf(FULL)('of a very long one the beginning is kept, in whole lines, and it says so', async () => {
    const engine = tinyRepository(join(rig.root, 'large'));
    const first = engine.commit('one', { a: 'one\n', z: 'last\n' });
    const line = `${'x'.repeat(98)}\n`;
    const second = engine.commit('two', { a: line.repeat(Math.ceil((1.5 * MOST_DIFF_BYTES) / 99)), z: 'changed\n' });
    const outcome = await diffOf(
      await revisionOf({ repo: 'large', rev: first }),
      await revisionOf({ repo: 'large', rev: second }),
    );
    if (outcome.diff.kind !== 'diff') throw new Error('they differ');
    const { bytes, kept_bytes, files } = outcome.diff;
    expect(bytes).toBeGreaterThan(1.4 * MOST_DIFF_BYTES);
    expect(kept_bytes).toBeLessThanOrEqual(MOST_DIFF_BYTES);
    expect(MOST_DIFF_BYTES - kept_bytes).toBeLessThan(100);
    expect(files).toBe(2);
    expect(bareOf(outcome)).toHaveLength(kept_bytes);
    expect(textOf(outcome)).toMatch(new RegExp(`^Cut: these are the first ${kept_bytes} of ${bytes} bytes`, 'm'));
    expect(bareOf(outcome).endsWith(`+${line}`)).toBe(true);
  });
});
