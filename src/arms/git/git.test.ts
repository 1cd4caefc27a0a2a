import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TinyRepository, tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';
import { digestTree } from '../../io/digest.ts';
import { prepareGitArm } from './git.ts';

/** Proves that it ran by a file of its own, which also counts how often. */
const BUILD = '#!/bin/sh\necho built >> "$COUNT"\ncp source.txt built.txt\necho "a word of the build"\n';

let root: string;
let cache: string;
let count: string;
let engine: TinyRepository;
let first: string;
let second: string;
let progress: string[];
let notes: string[];
let builds: number;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-git-test-'));
  engine = tinyRepository(join(root, 'engine'));
  first = engine.commit('First of all\n\nbody', { 'source.txt': 'one\n', 'build.sh': BUILD });
  engine.git('tag', '-a', '-m', 'a tag', 'v1');
  second = engine.commit('Second: faster', { 'source.txt': 'two\n' });
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  cache = await mkdtemp(join(root, 'cache-'));
  count = join(cache, 'count');
  progress = [];
  notes = [];
  builds = 0;
});

const source = (overrides: Partial<GitSource> = {}): GitSource => ({
  kind: 'git',
  repo: 'engine',
  rev: 'main',
  submodules: false,
  patch: null,
  build: [['./build.sh']],
  build_env: { COUNT: count },
  build_timeout_ms: 60_000,
  again: null,
  ...overrides,
});

function prepare(from: GitSource, more: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {}) {
  return prepareGitArm('new', from, root, cache, {
    env: { PATH: process.env['PATH'], HOME: root, ...more.env },
    onProgress: (message) => progress.push(message),
    onNote: (message) => notes.push(message),
    onBuild: () => builds++,
    signal: more.signal,
  });
}

const built = () => (existsSync(count) ? readFileSync(count, 'utf8').split('\n').length - 1 : 0);
const failure = (expected: object) => ({ failure: { kind: 'arm', arm: 'new', ...expected } });

describe('prepareGitArm', () => {
  it('builds a revision, and records where it came from', async () => {
    const arm = await prepare(source());
    expect(readFileSync(join(arm.dir, 'built.txt'), 'utf8')).toBe('two\n');
    expect(arm.tree).toEqual(await digestTree(arm.dir));
    const log = readFileSync(arm.keep[0] ?? '', 'utf8');
    expect(log).toBe('$ ./build.sh\na word of the build\n');
    const { cc: _cc, cxx: _cxx, ld: _ld, ...provenance } = arm.provenance;
    expect(provenance).toEqual({
      source: 'git',
      repo: 'engine',
      rev: 'main',
      commit: second,
      parent: first,
      tree: engine.git('rev-parse', 'main^{tree}'),
      subject: 'Second: faster',
      work_tree: 'clean',
      submodules: 'not fetched',
      build: './build.sh',
      build_env: `COUNT=${count}`,
      build_log_sha256: createHash('sha256').update(log).digest('hex'),
      tree_sha256: arm.tree.sha256,
      tree_files: String(arm.tree.files),
      tree_bytes: String(arm.tree.bytes),
    });
    expect(builds).toBe(1);
  });

  it.each([
    ['v1', 'one\n'],
    ['HEAD~1', 'one\n'],
    ['v1^{commit}', 'one\n'],
    [':/First of', 'one\n'],
    ['refs/heads/main', 'two\n'],
    ['main@{0}', 'two\n'],
  ])('understands %s', async (rev, text) => {
    const arm = await prepare(source({ rev, build: [] }));
    expect(readFileSync(join(arm.dir, 'source.txt'), 'utf8')).toBe(text);
    expect(arm.provenance['commit']).toBe(text === 'one\n' ? first : second);
    expect(arm.provenance['build']).toBe('none');
    expect(arm.keep).toEqual([]);
  });

  it('takes a commit that no branch or tag leads to', async () => {
    const tree = engine.git('rev-parse', 'v1^{tree}');
    const stray = engine.git('commit-tree', tree, '-m', 'stray');
    const arm = await prepare(source({ rev: stray, build: [] }));
    expect(arm.provenance).toMatchObject({ commit: stray, parent: 'none', subject: 'stray' });
  });

  it('takes a linked work tree and a bare repository', async () => {
    engine.git('worktree', 'add', '--quiet', '--detach', join(root, 'linked'), 'v1');
    engine.git('clone', '--quiet', '--bare', engine.path, join(root, 'bare.git'));
    for (const [repo, commit] of [
      ['linked', first],
      ['bare.git', second],
      ['engine/.git', second],
    ] as const) {
      expect((await prepare(source({ repo, rev: 'HEAD', build: [] }))).provenance['commit']).toBe(commit);
    }
    engine.git('worktree', 'remove', join(root, 'linked'));
  });

  it('takes a repository of another user', async () => {
    const bin = join(cache, 'bin');
    mkdirSync(bin);
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    // Git's own tests have this variable. Its clones are not of another user.
    const other = `[ "$PWD" = "${engine.path}" ] || [ "$1" = clone ] && export GIT_TEST_ASSUME_DIFFERENT_OWNER=1`;
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${other}\nexec ${real} "$@"\n`, { mode: 0o755 });
    const env = { PATH: `${bin}:${process.env['PATH']}` };
    expect(() =>
      execFileSync('git', ['log'], { cwd: engine.path, env: { ...env, HOME: root }, stdio: 'pipe' }),
    ).toThrow(/dubious/);
    expect((await prepare(source({ build: [] }), { env })).provenance['commit']).toBe(second);
  });

  it('gives the build a git that knows the commit, and no way back', async () => {
    const arm = await prepare(
      source({
        rev: 'v1',
        build: [
          ['git', 'rev-parse', 'HEAD'],
          ['git', 'describe'],
          ['git', 'remote'],
        ],
      }),
    );
    const log = readFileSync(arm.keep[0] ?? '', 'utf8');
    expect(log).toBe(`$ git rev-parse HEAD\n${first}\n$ git describe\nv1\n$ git remote\n`);
    const leads = (path: string) => readFileSync(path, 'utf8').includes(engine.path);
    expect(['config', 'packed-refs', 'HEAD'].filter((name) => leads(join(arm.dir, '..', 'repository', name)))).toEqual(
      [],
    );
  });

  it('gives builds a small environment, in which their own variables win', async () => {
    const build: GitSource['build'] = [['/bin/sh', '-c', 'echo "$A-$B-$LC_ALL"; env > environment']];
    const arm = await prepare(source({ build, build_env: { A: 'own', LC_ALL: 'POSIX' } }), {
      env: { A: 'outer', B: 'outer', GIT_DIR: '/x' },
    });
    expect(readFileSync(arm.keep[0] ?? '', 'utf8')).toContain('\nown--POSIX\n');
    expect(readFileSync(join(arm.dir, 'environment'), 'utf8')).not.toContain('GIT_DIR');
    expect(arm.provenance['build']).toBe('echo "$A-$B-$LC_ALL"; env > environment');
  });
});

describe('the cache', () => {
  it('builds once for the same tree, whatever the revision is called', async () => {
    const one = await prepare(source());
    const two = await prepare(source({ rev: second }));
    expect(two.dir).toBe(one.dir);
    expect(built()).toBe(1);
    expect(builds).toBe(1);
    expect(two.tree).toEqual(one.tree);
  });

  it.each<[string, Partial<GitSource>]>([
    ['commands', { build: [['./build.sh'], ['true']] }],
    ['environment', { build_env: { COUNT: '/dev/null' } }],
    ['revision', { rev: 'v1' }],
    ['compiler', { build_env: { CC: 'true' } }],
  ])('builds anew for another %s', async (_what, other) => {
    const one = await prepare(source());
    const two = await prepare(source({ build: [['true']], ...other }));
    expect(two.dir).not.toBe(one.dir);
    expect(two.dir.length).toBe(one.dir.length);
  });

  it('builds anew what has changed in it, and says so', async () => {
    const one = await prepare(source());
    writeFileSync(join(one.dir, 'built.txt'), 'swapped');
    const two = await prepare(source());
    expect(two.tree).toEqual(one.tree);
    expect(built()).toBe(2);
    expect(progress).toContain(`main (${second.slice(0, 12)}) in the cache is not as it was built: building it again`);
  });

  it('begins anew where a build was cut short', async () => {
    const one = await prepare(source());
    rmSync(join(one.dir, '..', 'entry.json'));
    writeFileSync(join(one.dir, 'half'), '');
    expect((await prepare(source())).tree).toEqual(one.tree);
    expect(built()).toBe(2);
  });

  it('builds once where two want the same at once', async () => {
    const slow = source({ build: [['/bin/sh', '-c', './build.sh; sleep 0.3']] });
    const [one, two] = await Promise.all([prepare(slow), prepare(slow)]);
    expect(two).toEqual(one);
    expect(built()).toBe(1);
    expect(progress).toContain('waiting for another Assay that prepares the same');
    expect(readdirSync(join(cache, 'locks'))).toEqual([]);
  });

  it('prepares the same source again from nothing in a directory of its own', async () => {
    const one = await prepare(source());
    const two = await prepare(source({ again: { of: 'old', copy: 1 } }));
    const three = await prepare(source({ again: { of: 'old', copy: 2 } }));
    expect(new Set([one.dir, two.dir, three.dir]).size).toBe(3);
    expect(new Set([one.dir.length, two.dir.length, three.dir.length]).size).toBe(1);
    expect(two.tree).toEqual(one.tree);
    expect(built()).toBe(3);
    expect(two.provenance['again']).toContain('old');
  });
});

describe('the work tree', () => {
  it('is said to be dirty where its commit is what is measured', async () => {
    const dirty = tinyRepository(join(root, 'dirty'));
    dirty.commit('x', { a: '1', b: '2' });
    dirty.commit('y', { c: '3' });
    dirty.write({ a: 'changed', b: 'changed', untracked: '' });
    const arm = await prepare(source({ repo: 'dirty', rev: 'HEAD', build: [] }));
    expect(arm.provenance['work_tree']).toBe('2 changed files are not in this revision');
    expect(notes).toEqual(['2 changed files in the work tree of dirty are not in HEAD.']);
    expect(readFileSync(join(arm.dir, 'a'), 'utf8')).toBe('1');
    const other = await prepare(source({ repo: 'dirty', rev: 'HEAD~1', build: [] }));
    expect(other.provenance).not.toHaveProperty('work_tree');
    expect(notes).toHaveLength(1);
  });
});

describe('a patch', () => {
  const patch = () => {
    engine.write({ 'source.txt': 'patched\n' });
    writeFileSync(join(root, 'fix.diff'), `${engine.git('diff')}\n`);
    engine.git('checkout', '--quiet', '--', '.');
  };

  it('is applied before the build, recorded and kept', async () => {
    patch();
    const arm = await prepare(source({ patch: 'fix.diff' }));
    expect(readFileSync(join(arm.dir, 'built.txt'), 'utf8')).toBe('patched\n');
    const bytes = readFileSync(join(root, 'fix.diff'));
    expect(arm.provenance['patch_sha256']).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(readFileSync(arm.keep[1] ?? '')).toEqual(bytes);
    expect((await prepare(source())).dir).not.toBe(arm.dir);
  });

  it('that does not apply is a failure, and leaves nothing', async () => {
    patch();
    await expect(prepare(source({ rev: 'v1', patch: 'fix.diff' }))).rejects.toMatchObject(
      failure({
        message: 'the patch fix.diff does not apply',
        detail: expect.stringContaining('source.txt'),
        remedy: expect.stringContaining('this revision'),
      }),
    );
    expect(readdirSync(join(cache, 'git'))).toEqual([]);
  });

  it('that is not there is a failure', async () => {
    await expect(prepare(source({ patch: 'absent.diff' }))).rejects.toMatchObject(
      failure({ message: expect.stringMatching(/the patch .*absent\.diff does not exist/) }),
    );
  });

  it('cannot reach out of the source', async () => {
    const path = join(cache, 'escaped');
    symlinkSync(cache, join(engine.path, 'out'));
    engine.commit('a link', {});
    const text = '--- /dev/null\n+++ b/out/escaped\n@@ -0,0 +1 @@\n+x\n';
    writeFileSync(join(root, 'escape.diff'), `diff --git a/out/escaped b/out/escaped\nnew file mode 100644\n${text}`);
    await expect(prepare(source({ patch: 'escape.diff' }))).rejects.toMatchObject(
      failure({ message: 'the patch escape.diff does not apply' }),
    );
    expect(existsSync(path)).toBe(false);
    engine.git('reset', '--quiet', '--hard', second);
  });
});

describe('what cannot be had', () => {
  it.each<[string, Partial<GitSource>, RegExp, RegExp]>([
    ['no such revision', { rev: 'absent' }, /^engine has no revision absent$/, /spelling/],
    ['a file', { rev: 'HEAD:source.txt' }, /^engine has no commit HEAD:source\.txt$/, /./],
    ['a range', { rev: 'v1..main' }, /has no revision v1\.\.main/, /./],
    ['an option', { rev: '--all' }, /has no revision --all/, /./],
    ['no directory', { repo: 'absent' }, /^there is no directory .*absent/, /directory of the experiment/],
    ['no repository', { repo: '.' }, /cannot be used as a git repository/, /top directory/],
    ['a folder within one', { repo: 'engine/inner' }, /cannot be used as a git repository/, /top directory/],
  ])('%s', async (_what, overrides, message, remedy) => {
    mkdirSync(join(engine.path, 'inner'), { recursive: true });
    await expect(prepare(source(overrides))).rejects.toMatchObject(
      failure({ message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) }),
    );
    expect(built()).toBe(0);
  });

  it('git', async () => {
    await expect(prepare(source(), { env: { PATH: '/nowhere' } })).rejects.toMatchObject(
      failure({ message: 'a git arm needs git: git was not found on PATH' }),
    );
  });

  it('an old git', async () => {
    const bin = join(cache, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.31.9\n', { mode: 0o755 });
    await expect(prepare(source(), { env: { PATH: bin } })).rejects.toMatchObject(
      failure({ message: expect.stringContaining('2.32 or newer is needed') }),
    );
  });

  it('a build that fails: its last lines, the log, and the source to look at', async () => {
    const build: GitSource['build'] = [
      [
        '/bin/sh',
        '-c',
        'seq 1 100; printf "\\033[31mx.cc:1:10: fatal error: zstd.h: No such file or directory\\n"; exit 2',
      ],
      ['./build.sh'],
    ];
    const ended = prepare(source({ build }));
    await expect(ended).rejects.toMatchObject(
      failure({
        message: expect.stringMatching(/^the build failed: seq 1 100; .* exited with 2$/),
        detail: expect.stringMatching(/^90\n(?:\d+\n){10}x\.cc:1:10: fatal error: zstd\.h: No such file or directory$/),
        remedy: expect.stringMatching(/^The header zstd\.h is missing.* The whole log: .*build\.log$/),
      }),
    );
    expect(built()).toBe(0);
    const log = await ended.catch((error: { failure: { remedy: string } }) => error.failure.remedy.split('log: ')[1]);
    expect(readFileSync(String(log), 'utf8')).toContain('\n42\n');
    expect((await prepare(source())).provenance['build']).toBe('./build.sh');
  });

  it('a build that takes too long, with whatever it has started', async () => {
    const build: GitSource['build'] = [['/bin/sh', '-c', '(trap "" TERM; sleep 47.11) & sleep 47.11; true']];
    await expect(prepare(source({ build, build_timeout_ms: 300 }))).rejects.toMatchObject(
      failure({ message: expect.stringContaining('build_timeout') }),
    );
    expect(running('sleep 47.11')).toEqual([]);
  });

  it('a build that the user stops', async () => {
    const stop = new AbortController();
    const build: GitSource['build'] = [['/bin/sh', '-c', 'echo begun >> "$COUNT"; sleep 48.11']];
    const ended = prepare(source({ build }), { signal: stop.signal });
    ended.catch(() => undefined);
    while (built() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    await expect(ended).rejects.toMatchObject(failure({ message: 'the build was stopped' }));
    expect(running('sleep 48.11')).toEqual([]);
    expect(readdirSync(join(cache, 'git'))).toEqual([]);
    expect(readdirSync(join(cache, 'locks'))).toEqual([]);
  });

  it('a program that is not there', async () => {
    await expect(prepare(source({ build: [['no-such-tool', '-j4']] }))).rejects.toMatchObject(
      failure({ message: 'the build failed: no-such-tool -j4 names a program that is not there' }),
    );
  });

  it('submodules that were not asked for are a hint', async () => {
    const outer = tinyRepository(join(root, 'outer'));
    outer.commit('x', { '.gitmodules': '[submodule "dep"]\n\tpath = dep\n\turl = https://example.org/dep\n' });
    await expect(prepare(source({ repo: 'outer', build: [['false']] }))).rejects.toMatchObject(
      failure({ remedy: expect.stringContaining('`submodules: true`') }),
    );
  });
});

function running(command: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.startsWith(command));
}

describe('a hostile repository', () => {
  let hostile: TinyRepository;
  let canary: string;

  /** Everything in it that git could be made to execute leaves a mark. */
  beforeEach(() => {
    canary = join(cache, 'canary');
    rmSync(join(root, 'hostile'), { recursive: true, force: true });
    hostile = tinyRepository(join(root, 'hostile'));
    hostile.write({
      'file.txt': 'text\n',
      'new\nline.txt': 'text\n',
      '.gitattributes': '* filter=evil diff=evil merge=evil text ident working-tree-encoding=UTF-8\n',
      '.gitmodules': `[submodule "dep"]\n\tpath = dep\n\turl = ext::touch ${canary}\n`,
      '.githooks/post-checkout': `#!/bin/sh\ntouch ${canary}\n`,
    });
    symlinkSync('/etc/passwd', join(hostile.path, 'link'));
    symlinkSync('..', join(hostile.path, 'up'));
    hostile.git('add', '--all');
    hostile.git('update-index', '--add', '--cacheinfo', `160000,${second},dep`);
    hostile.git('commit', '--quiet', '-m', 'subject \u001b[31mred');
    const mark = `touch ${canary}; cat`;
    const settings = {
      'filter.evil.clean': mark,
      'filter.evil.smudge': mark,
      'filter.evil.process': mark,
      'filter.evil.required': 'true',
      'diff.evil.textconv': mark,
      'diff.external': mark,
      'merge.evil.driver': mark,
      'core.fsmonitor': mark,
      'core.sshCommand': mark,
      'core.editor': mark,
      'core.pager': mark,
      'core.alternateRefsCommand': mark,
      'core.attributesFile': join(hostile.path, '.gitattributes'),
      'uploadpack.packObjectsHook': mark,
      'pager.status': mark,
      'alias.status': `!${mark}`,
      'protocol.ext.allow': 'always',
      'remote.evil.url': `ext::touch ${canary}`,
      'remote.evil.uploadpack': mark,
      'status.submoduleSummary': 'true',
      'core.hooksPath': join(hostile.path, '.git', 'hooks'),
    };
    for (const [name, value] of Object.entries(settings)) hostile.git('config', name, value);
    mkdirSync(join(hostile.path, '.git', 'hooks'), { recursive: true });
    const hooks = [
      'post-checkout',
      'reference-transaction',
      'post-index-change',
      'pre-auto-gc',
      'fsmonitor-watchman',
      'post-merge',
    ];
    for (const hook of hooks) {
      writeFileSync(join(hostile.path, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    }
    // So that git compares its content, and would ask the filter.
    writeFileSync(join(hostile.path, 'file.txt'), 'TEXT\n');
  });

  it('runs nothing before the build, and is as it was afterwards', async () => {
    const before = await stateOf(hostile.path);
    const build: GitSource['build'] = [['/bin/sh', '-c', `test ! -e ${canary} && echo clean`]];
    const arm = await prepare(source({ repo: 'hostile', rev: 'HEAD', build, build_env: {} }));
    expect(existsSync(canary)).toBe(false);
    expect(await stateOf(hostile.path)).toEqual(before);
    expect(readFileSync(join(arm.dir, 'file.txt'), 'utf8')).toBe('text\n');
    expect(readdirSync(arm.dir)).toContain('new\nline.txt');
    expect(arm.provenance['work_tree']).toBe('1 changed file is not in this revision');
  });

  it('would run something under a git that is not held back', () => {
    expect(() => hostile.git('status', '--porcelain')).toThrow(/filter/);
    expect(existsSync(canary)).toBe(true);
  });

  it('runs nothing where its submodules are asked for', async () => {
    await expect(prepare(source({ repo: 'hostile', rev: 'HEAD', submodules: true }))).rejects.toMatchObject(
      failure({
        message: 'the submodules of hostile cannot be fetched',
        detail: expect.stringContaining('not allowed'),
        remedy: expect.stringContaining('could run programs'),
      }),
    );
    expect(existsSync(canary)).toBe(false);
  });

  it('does not have missing objects fetched in its own way', async () => {
    hostile.git('config', 'core.repositoryFormatVersion', '1');
    hostile.git('config', 'extensions.partialClone', 'evil');
    hostile.git('config', 'remote.evil.promisor', 'true');
    const lose = (rev: string) => {
      const hash = hostile.git('rev-parse', rev);
      rmSync(join(hostile.path, '.git', 'objects', hash.slice(0, 2), hash.slice(2)));
    };
    lose('HEAD:.gitattributes');
    const ended = () => prepare(source({ repo: 'hostile', rev: 'HEAD', build: [] }));
    await expect(ended()).rejects.toMatchObject(failure({ message: 'hostile cannot be cloned' }));
    lose('HEAD');
    await expect(ended()).rejects.toMatchObject(failure({ message: 'hostile has no commit HEAD' }));
    expect(existsSync(canary)).toBe(false);
  });

  it('is not led elsewhere by variables that a hook of the user has', async () => {
    const env = {
      GIT_DIR: join(engine.path, '.git'),
      GIT_WORK_TREE: engine.path,
      GIT_INDEX_FILE: join(cache, 'index'),
    };
    const arm = await prepare(source({ repo: 'hostile', rev: 'HEAD', build: [] }), { env });
    expect(readdirSync(arm.dir)).toContain('file.txt');
    expect(existsSync(join(cache, 'index'))).toBe(false);
  });
});

/** Names, contents and times of everything, `.git` included. */
async function stateOf(path: string): Promise<unknown> {
  const times = (directory: string): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const child = join(directory, entry.name);
      if (entry.isDirectory()) return [`${child} ${statSync(child).mtimeMs}`, ...times(child)];
      return entry.isFile() ? [`${child} ${statSync(child).mtimeMs}`] : [];
    });
  return { digest: await digestTree(path), times: times(path) };
}

describe('a repository at an address', () => {
  let server: Server;
  let address: string;
  let requests: string[];
  let served: TinyRepository;

  beforeAll(async () => {
    served = tinyRepository(join(root, 'served'));
    served.commit('one', { 'source.txt': 'one\n' });
    served.git('branch', 'other');
    served.commit('two', { 'source.txt': 'two\n' });
    const outer = tinyRepository(join(root, 'outer-served'));
    requests = [];
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      const path = join(root, decodeURIComponent((request.url ?? '').split('?')[0] ?? ''));
      if (!existsSync(path) || statSync(path).isDirectory()) response.writeHead(404).end();
      else response.end(readFileSync(path));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    outer.commit('outer', { '.gitmodules': `[submodule "dep"]\n\tpath = dep\n\turl = ${address}/served/.git\n` });
    outer.git('update-index', '--add', '--cacheinfo', `160000,${served.git('rev-parse', 'HEAD')},dep`);
    outer.git('commit', '--quiet', '-m', 'with a submodule');
    publish();
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const publish = () => served.git('update-server-info');
  const from = (overrides: Partial<GitSource>) => source({ repo: `${address}/served/.git`, build: [], ...overrides });

  it('is cloned once, then fetched; a commit that is there needs no network', async () => {
    const two = await prepare(from({ rev: 'HEAD' }));
    expect(readFileSync(join(two.dir, 'source.txt'), 'utf8')).toBe('two\n');
    const one = await prepare(from({ rev: 'other' }));
    expect(readFileSync(join(one.dir, 'source.txt'), 'utf8')).toBe('one\n');

    const three = served.commit('three', { 'source.txt': 'three\n' });
    publish();
    expect((await prepare(from({ rev: 'main' }))).provenance['commit']).toBe(three);
    const before = requests.length;
    expect((await prepare(from({ rev: three }))).provenance['commit']).toBe(three);
    expect(requests.length).toBe(before);
    expect(one.provenance).not.toHaveProperty('work_tree');
    expect(progress.filter((message) => message.startsWith('cloning'))).toHaveLength(1);
  });

  it('that is not there is a failure, and leaves nothing', async () => {
    await expect(prepare(source({ repo: `${address}/absent/.git` }))).rejects.toMatchObject(
      failure({ message: `${address}/absent/.git cannot be cloned`, detail: expect.stringContaining('not found') }),
    );
    expect(readdirSync(join(cache, 'git'))).toEqual([]);
  });

  it('brings submodules where they are asked for', async () => {
    const arm = await prepare(source({ repo: 'outer-served', rev: 'HEAD', submodules: true, build: [] }));
    expect(readFileSync(join(arm.dir, 'dep', 'source.txt'), 'utf8')).toMatch(/two|three/);
    const without = await prepare(source({ repo: 'outer-served', rev: 'HEAD', build: [] }));
    expect(readdirSync(join(without.dir, 'dep'))).toEqual([]);
    expect(without.dir).not.toBe(arm.dir);
  });
});
