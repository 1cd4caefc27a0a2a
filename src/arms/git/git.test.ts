import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure, useGitRig } from '../../../test/git-rig.ts';
import { tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';
import { digestTree } from '../../io/digest.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const rig = useGitRig();

describe('prepareGitArm', () => {
  it('builds a revision, and records where it came from', async () => {
    const arm = await rig.prepare(rig.source());
    expect(readFileSync(join(arm.dir, 'built.txt'), 'utf8')).toBe('two\n');
    expect(arm.tree).toEqual(await digestTree(arm.dir));
    const log = readFileSync(arm.keep[0] ?? '', 'utf8');
    expect(log).toBe('$ ./build.sh\na word of the build\n');
    const { cc: _cc, cxx: _cxx, ld: _ld, ...provenance } = arm.provenance;
    expect(provenance).toEqual({
      source: 'git',
      repo: 'engine',
      rev: 'main',
      commit: rig.second,
      parent: rig.first,
      tree: rig.engine.git('rev-parse', 'main^{tree}'),
      subject: 'Second: faster',
      work_tree: 'clean',
      submodules: 'not fetched',
      build: './build.sh',
      build_env: `COUNT=${rig.count}`,
      build_log_sha256: createHash('sha256').update(log).digest('hex'),
      build_seconds: expect.stringMatching(/^\d+\.\d$/),
      tree_sha256: arm.tree.sha256,
      tree_files: String(arm.tree.files),
      tree_bytes: String(arm.tree.bytes),
    });
    expect(rig.builds).toBe(1);
  });

  it.each([
    ['v1', 'one\n'],
    ['HEAD~1', 'one\n'],
    ['v1^{commit}', 'one\n'],
    [':/First of', 'one\n'],
    ['refs/heads/main', 'two\n'],
    ['main@{0}', 'two\n'],
  ])('understands %s', async (rev, text) => {
    const arm = await rig.prepare(rig.source({ rev, build: [] }));
    expect(readFileSync(join(arm.dir, 'source.txt'), 'utf8')).toBe(text);
    expect(arm.provenance['commit']).toBe(text === 'one\n' ? rig.first : rig.second);
    expect(arm.provenance['build']).toBe('none');
    expect(arm.keep).toEqual([]);
  });

  it.runIf(FULL)('takes a commit that no branch or tag leads to', async () => {
    const tree = rig.engine.git('rev-parse', 'v1^{tree}');
    const stray = rig.engine.git('commit-tree', tree, '-m', 'stray');
    const arm = await rig.prepare(rig.source({ rev: stray, build: [] }));
    expect(arm.provenance).toMatchObject({ commit: stray, parent: 'none', subject: 'stray' });
  });

  it.runIf(FULL)('takes a linked work tree and a bare repository', async () => {
    rig.engine.git('worktree', 'add', '--quiet', '--detach', join(rig.root, 'linked'), 'v1');
    rig.engine.git('clone', '--quiet', '--bare', rig.engine.path, join(rig.root, 'bare.git'));
    for (const [repo, commit] of [
      ['linked', rig.first],
      ['bare.git', rig.second],
      ['engine/.git', rig.second],
    ] as const) {
      expect((await rig.prepare(rig.source({ repo, rev: 'HEAD', build: [] }))).provenance['commit']).toBe(commit);
    }
    rig.engine.git('worktree', 'remove', join(rig.root, 'linked'));
  });

  it('takes a repository of another user', async () => {
    // Git's own tests have this variable. Its clones are not of another user.
    const other = `[ "$PWD" = "${rig.engine.path}" ] || [ "$1" = clone ] && export GIT_TEST_ASSUME_DIFFERENT_OWNER=1`;
    const env = { PATH: rig.pathWithGit(other) };
    expect(() =>
      execFileSync('git', ['log'], { cwd: rig.engine.path, env: { ...env, HOME: rig.root }, stdio: 'pipe' }),
    ).toThrow(/dubious/);
    expect((await rig.prepare(rig.source({ build: [] }), { env })).provenance['commit']).toBe(rig.second);
  });

  it.runIf(FULL)('takes a branch of another repository as the clone knows it', async () => {
    const clone = tinyRepository(join(rig.root, 'own-clone'));
    clone.git('remote', 'add', 'origin', rig.engine.path);
    clone.git('fetch', '--quiet', 'origin');
    clone.commit('of its own', { 'source.txt': 'own\n' });
    const arm = await rig.prepare(rig.source({ repo: 'own-clone', rev: 'origin/main', build: [] }));
    expect(arm.provenance).toMatchObject({ commit: rig.second, parent: rig.first });
    expect(readFileSync(join(arm.dir, 'source.txt'), 'utf8')).toBe('two\n');
  });

  it.runIf(FULL)('takes a shallow clone as far as it goes', async () => {
    rig.engine.git('clone', '--quiet', '--depth=1', `file://${rig.engine.path}`, join(rig.root, 'shallow'));
    const arm = await rig.prepare(rig.source({ repo: 'shallow', rev: 'HEAD', build: [] }));
    expect(arm.provenance).toMatchObject({ commit: rig.second, parent: rig.first });
    await expect(rig.prepare(rig.source({ repo: 'shallow', rev: 'HEAD~1' }))).rejects.toMatchObject(
      failure({ remedy: expect.stringContaining('--unshallow') }),
    );
  });

  it('gives the build a git that knows the commit, and no way back', async () => {
    const arm = await rig.prepare(
      rig.source({
        rev: 'v1',
        build: [
          ['git', 'rev-parse', 'HEAD'],
          ['git', 'describe'],
          ['git', 'remote'],
        ],
      }),
    );
    const log = readFileSync(arm.keep[0] ?? '', 'utf8');
    expect(log).toBe(`$ git rev-parse HEAD\n${rig.first}\n$ git describe\nv1\n$ git remote\n`);
    const leads = (path: string) => readFileSync(path, 'utf8').includes(rig.engine.path);
    expect(['config', 'packed-refs', 'HEAD'].filter((name) => leads(join(arm.dir, '..', 'repository', name)))).toEqual(
      [],
    );
  });

  it('gives builds a small environment, in which their own variables win', async () => {
    const build: GitSource['build'] = [['/bin/sh', '-c', 'echo "$A-$B-$LC_ALL"; env > environment']];
    const arm = await rig.prepare(rig.source({ build, build_env: { A: 'own', LC_ALL: 'POSIX' } }), {
      env: { A: 'outer', B: 'outer', GIT_DIR: '/x' },
    });
    expect(readFileSync(arm.keep[0] ?? '', 'utf8')).toContain('\nown--POSIX\n');
    expect(readFileSync(join(arm.dir, 'environment'), 'utf8')).not.toContain('GIT_DIR');
    expect(arm.provenance['build']).toBe('echo "$A-$B-$LC_ALL"; env > environment');
  });
});

describe('the work tree', () => {
  it('is said to be dirty where its commit is what is measured', async () => {
    const dirty = tinyRepository(join(rig.root, 'dirty'));
    dirty.commit('x', { a: '1', b: '2' });
    dirty.commit('y', { c: '3' });
    dirty.write({ a: 'changed', b: 'changed', untracked: '' });
    const arm = await rig.prepare(rig.source({ repo: 'dirty', rev: 'HEAD', build: [] }));
    expect(arm.provenance['work_tree']).toBe('2 changed files are not in this revision');
    expect(rig.notes).toEqual([
      '2 changed files in the work tree of dirty are not in HEAD, and not in what was built.',
    ]);
    expect(readFileSync(join(arm.dir, 'a'), 'utf8')).toBe('1');
    const other = await rig.prepare(rig.source({ repo: 'dirty', rev: 'HEAD~1', build: [] }));
    expect(other.provenance).not.toHaveProperty('work_tree');
    expect(rig.notes).toHaveLength(1);
  });
});

describe('a patch', () => {
  const patch = () => {
    rig.engine.write({ 'source.txt': 'patched\n' });
    writeFileSync(join(rig.root, 'fix.diff'), `${rig.engine.git('diff')}\n`);
    rig.engine.git('checkout', '--quiet', '--', '.');
  };

  it('is applied before the build, recorded and kept', async () => {
    patch();
    const arm = await rig.prepare(rig.source({ patch: 'fix.diff' }));
    expect(readFileSync(join(arm.dir, 'built.txt'), 'utf8')).toBe('patched\n');
    const bytes = readFileSync(join(rig.root, 'fix.diff'));
    expect(arm.provenance['patch_sha256']).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(readFileSync(arm.keep[1] ?? '')).toEqual(bytes);
    expect((await rig.prepare(rig.source())).dir).not.toBe(arm.dir);
  });

  it('that does not apply is a failure, and leaves nothing', async () => {
    patch();
    await expect(rig.prepare(rig.source({ rev: 'v1', patch: 'fix.diff' }))).rejects.toMatchObject(
      failure({
        message: 'the patch fix.diff does not apply',
        detail: expect.stringContaining('source.txt'),
        remedy: expect.stringContaining('this revision'),
      }),
    );
    expect(readdirSync(join(rig.cache, 'git'))).toEqual([]);
  });

  it('that is not there is a failure', async () => {
    await expect(rig.prepare(rig.source({ patch: 'absent.diff' }))).rejects.toMatchObject(
      failure({ message: expect.stringMatching(/the patch .*absent\.diff does not exist/) }),
    );
  });

  it('cannot reach out of the source', async () => {
    const path = join(rig.cache, 'escaped');
    symlinkSync(rig.cache, join(rig.engine.path, 'out'));
    rig.engine.commit('a link', {});
    const text = '--- /dev/null\n+++ b/out/escaped\n@@ -0,0 +1 @@\n+x\n';
    writeFileSync(
      join(rig.root, 'escape.diff'),
      `diff --git a/out/escaped b/out/escaped\nnew file mode 100644\n${text}`,
    );
    await expect(rig.prepare(rig.source({ patch: 'escape.diff' }))).rejects.toMatchObject(
      failure({ message: 'the patch escape.diff does not apply' }),
    );
    expect(existsSync(path)).toBe(false);
    rig.engine.git('reset', '--quiet', '--hard', rig.second);
  });
});
