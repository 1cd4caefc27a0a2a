/** A repository that a stranger made runs nothing before its build, whatever it holds. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Canaries, canaries } from '../../../test/canaries.ts';
import { failure, stateOf, useGitRig } from '../../../test/git-rig.ts';
import { type TinyRepository, tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const rig = useGitRig();

let hostile: TinyRepository;
let birds: Canaries;

beforeEach(() => {
  birds = canaries(rig.cache);
  rmSync(join(rig.root, 'hostile'), { recursive: true, force: true });
  hostile = tinyRepository(join(rig.root, 'hostile'));
});

const ATTRIBUTES = '* filter=evil diff=evil merge=evil text ident working-tree-encoding=UTF-8\n';

/** Everything in it that git could be made to execute leaves a mark. */
function arm(repository: TinyRepository, name: string): void {
  const attributes = ['core.attributesFile', join(repository.path, '.gitattributes')] as const;
  appendFileSync(join(repository.path, '.git', 'config'), birds.configuration(name, [attributes]));
  for (const hook of readdirSync(birds.hooks(name))) {
    const text = readFileSync(join(birds.hooks(name), hook));
    mkdirSync(join(repository.path, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(repository.path, '.git', 'hooks', hook), text, { mode: 0o755 });
  }
}

const head = (overrides: Partial<GitSource> = {}) =>
  rig.source({ repo: 'hostile', rev: 'HEAD', build: [], ...overrides });

describe('hooks, filters and attributes', () => {
  beforeEach(() => {
    hostile.write({
      'file.txt': 'text\n',
      'same.txt': 'same\n',
      'new\nline\u001b[31m.txt': 'text\n',
      '.gitattributes': ATTRIBUTES,
      '.githooks/post-checkout': `#!/bin/sh\n${birds.command('committed')}\n`,
    });
    symlinkSync('/etc/passwd', join(hostile.path, 'link'));
    symlinkSync('..', join(hostile.path, 'up'));
    hostile.git('add', '--all');
    // What lies in the place of a submodule is a repository of its own, as hostile.
    const inner = tinyRepository(join(hostile.path, 'dep'));
    inner.commit('inner', { 'file.txt': 'text\n', '.gitattributes': ATTRIBUTES });
    hostile.git('update-index', '--add', '--cacheinfo', `160000,${inner.git('rev-parse', 'HEAD')},dep`);
    hostile.git('commit', '--quiet', '-m', 'subject \u001b[31mred');
    for (const [repository, name] of [
      [hostile, 'outer'],
      [inner, 'inner'],
    ] as const) {
      arm(repository, name);
      // So that git compares its content, and would ask the filter.
      writeFileSync(join(repository.path, 'file.txt'), 'TEXT\n');
    }
    // Not changed, but not known to be: git would write that down.
    writeFileSync(join(hostile.path, 'same.txt'), 'same\n');
  });

  it('run nothing before the build, and leave the repository as it was', async () => {
    const before = await stateOf(hostile.path);
    const build: GitSource['build'] = [['/bin/sh', '-c', `ls ${birds.mark('.')}`]];
    const made = await rig.prepare(head({ build, build_env: {} }));
    expect(birds.fired()).toEqual([]);
    expect(await stateOf(hostile.path)).toEqual(before);
    expect(readFileSync(join(made.dir, 'file.txt'), 'utf8')).toBe('text\n');
    expect(readdirSync(made.dir)).toContain('new\nline\u001b[31m.txt');
    expect(made.provenance['work_tree']).toBe('1 changed file is not in this revision');
  });

  it('would run under a git that is not held back', () => {
    expect(() => hostile.git('status', '--porcelain')).toThrow();
    expect(birds.fired()).toEqual(expect.arrayContaining(['outer-fsmonitor', 'outer-process']));
  });

  it.runIf(FULL)('run nothing where git cannot list the filters', async () => {
    const env = { PATH: rig.pathWithGit('[ "$1" != config ] || exit 3') };
    const made = await rig.prepare(head(), { env });
    expect(birds.fired()).toEqual([]);
    expect(made.provenance).not.toHaveProperty('work_tree');
  });

  const GITS = [
    ['this git', 'true', 'partial clone', null],
    ['a git that fetches them by itself', 'export GIT_NO_LAZY_FETCH=0', '', null],
    ['such a git, from a path, by a program', 'export GIT_NO_LAZY_FETCH=0', '', '/nowhere'],
  ] as const;
  it.each(FULL ? GITS : GITS.slice(1, 2))(
    'do not say how missing objects are fetched: %s',
    async (_what, before, text, url) => {
      if (url !== null) hostile.git('config', 'remote.evil.url', url);
      hostile.git('config', 'core.repositoryFormatVersion', '1');
      hostile.git('config', 'extensions.partialClone', 'evil');
      hostile.git('config', 'remote.evil.promisor', 'true');
      const lose = (rev: string) => {
        const hash = hostile.git('rev-parse', rev);
        rmSync(join(hostile.path, '.git', 'objects', hash.slice(0, 2), hash.slice(2)));
      };
      lose('HEAD:.gitattributes');
      const ended = () => rig.prepare(head(), { env: { PATH: rig.pathWithGit(before) } });
      const remedy = expect.stringContaining(text);
      await expect(ended()).rejects.toMatchObject(failure({ message: 'hostile cannot be cloned', remedy }));
      lose('HEAD');
      await expect(ended()).rejects.toMatchObject(failure({ message: 'hostile has no commit HEAD', remedy }));
      expect(birds.fired()).toEqual([]);
    },
  );
});

describe('objects that stand for others', () => {
  it('replacements do not stand for a commit', async () => {
    const real = hostile.commit('real', { 'file.txt': 'real\n' });
    const other = hostile.commit('other', { 'file.txt': 'other\n' });
    hostile.git('replace', real, other);
    const made = await rig.prepare(head({ rev: real }));
    expect(made.provenance).toMatchObject({ commit: real, subject: 'real' });
    expect(readFileSync(join(made.dir, 'file.txt'), 'utf8')).toBe('real\n');
  });

  it.runIf(FULL)('objects that the repository borrows are copied', async () => {
    hostile.commit('lent', { 'file.txt': 'lent\n' });
    const borrower = join(rig.root, 'borrower');
    hostile.git('clone', '--quiet', '--shared', hostile.path, borrower);
    const made = await rig.prepare(head({ repo: 'borrower' }));
    const store = join(made.dir, '..', 'repository', 'objects');
    expect(existsSync(join(store, 'info', 'alternates'))).toBe(false);
    expect(readFileSync(join(made.dir, 'file.txt'), 'utf8')).toBe('lent\n');
  });
});

describe('names in the tree', () => {
  /** A commit that git would not make: a hook below these directories, the innermost first. */
  function commitWith(...directories: readonly string[]): string {
    writeFileSync(join(hostile.path, 'hook'), `#!/bin/sh\n${birds.command('tree')}\n`);
    const file = treeOf('100755', 'post-checkout', hostile.git('hash-object', '-w', 'hook'));
    const tree = directories.reduce((inner, name) => treeOf('40000', name, inner), file);
    return hostile.git('commit-tree', tree, '-m', 'x');
  }

  function treeOf(mode: string, name: string, hash: string): string {
    const path = join(hostile.path, 'tree');
    writeFileSync(path, Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]));
    return hostile.git('hash-object', '-t', 'tree', '-w', '--literally', path);
  }

  it.each(['.git', '..', ...(FULL ? ['.GIT', 'git~1'] : [])])('%s is not checked out', async (name) => {
    const rev = commitWith('hooks', name);
    await expect(rig.prepare(head({ rev }))).rejects.toMatchObject(
      failure({ message: `${rev} cannot be checked out` }),
    );
    expect(birds.fired()).toEqual([]);
    expect(existsSync(join(rig.cache, 'git', 'hooks'))).toBe(false);
  });
});

describe('words that become arguments', () => {
  it('a place of the repository is no text for a shell', async () => {
    const name = `we'ird $(touch ${birds.mark('path').replaceAll('/', '\\057')}) ; touch x`;
    const weird = tinyRepository(join(rig.root, name));
    weird.commit('x', { 'file.txt': 'text\n' });
    const made = await rig.prepare(head({ repo: name }));
    expect(readFileSync(join(made.dir, 'file.txt'), 'utf8')).toBe('text\n');
    expect(birds.fired()).toEqual([]);
  });

  const REVISIONS = [
    '$(touch MARK)',
    '--upload-pack=touch MARK',
    'HEAD\ntouch MARK',
    '`touch MARK`',
    'HEAD; touch MARK',
    '-h',
    '--branches',
  ];
  it.each(FULL ? REVISIONS : REVISIONS.slice(0, 3))('the revision %j is none', async (text) => {
    hostile.commit('x', {});
    const rev = text.replace('MARK', birds.mark('rev'));
    await expect(rig.prepare(head({ rev }))).rejects.toMatchObject(failure({}));
    expect(birds.fired()).toEqual([]);
  });

  it.each(['--upload-pack=touch x:y', '-oProxyCommand=touch x:y'])('the repository %s is a host', async (repo) => {
    await expect(rig.prepare(head({ repo }))).rejects.toMatchObject(
      failure({ message: `${repo} cannot be cloned`, detail: expect.stringContaining('strange hostname') }),
    );
  });

  it('the repository --template=x is a directory', async () => {
    await expect(rig.prepare(head({ repo: '--template=x' }))).rejects.toMatchObject(
      failure({ message: expect.stringMatching(/^there is no directory .*--template=x /) }),
    );
  });
});
