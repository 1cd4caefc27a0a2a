import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRegistry, serveRegistry } from '../../../test/local-registry.ts';
import { digestTree } from '../../io/digest.ts';
import { type NpmSource, prepareNpmArm } from './npm.ts';

/** Each of the others takes one or two starts of npm. */
const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let root: string;
let registry: LocalRegistry;
let cache: string;
let progress: string[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'assay-npm-'));
  registry = await serveRegistry(root, [
    {
      name: 'engine',
      version: '1.0.0',
      dependencies: { '@scope/part': '^2.0.0' },
      scripts: { install: 'node install.js' },
      bin: 'run.js',
      files: {
        'install.js': "require('node:fs').writeFileSync('built', process.version);",
        'index.js': "module.exports = require('@scope/part');",
        'run.js': '#!/usr/bin/env node\n',
      },
    },
    { name: '@scope/part', version: '2.0.0', files: { 'index.js': "module.exports = '2.0.0';" } },
    { name: '@scope/part', version: '2.1.0', files: { 'index.js': "module.exports = '2.1.0';" } },
    { name: 'broken', version: '1.0.0', scripts: { install: 'node -e "process.exit(3)"' }, files: {} },
  ]);
});
afterAll(async () => {
  await registry.close();
  await rm(root, { recursive: true, force: true });
});
beforeEach(async () => {
  cache = await mkdtemp(join(root, 'cache-'));
  progress = [];
});

const source = (overrides: Partial<NpmSource> = {}): NpmSource => ({
  kind: 'npm',
  package: 'engine',
  version: '1.0.0',
  scripts: false,
  ...overrides,
});

function prepare(from = source(), env: NodeJS.ProcessEnv = registry.env, signal?: AbortSignal) {
  return prepareNpmArm('new', from, cache, { env, onProgress: (message) => progress.push(message), signal });
}

describe('prepareNpmArm', () => {
  let first: Awaited<ReturnType<typeof prepare>>;
  let said: readonly string[];
  beforeAll(async () => {
    cache = await mkdtemp(join(root, 'cache-'));
    progress = [];
    first = await prepare();
    said = progress;
  });
  /** Which entry of the cache it is. */
  const entryOf = ({ dir }: { readonly dir: string }) => basename(dirname(dir));

  it('installs the version with its dependencies, scripts off, and records where it came from', async () => {
    expect(await readdir(join(first.dir, 'node_modules', 'engine'))).not.toContain('built');
    expect(await readFile(join(first.dir, 'node_modules', '@scope', 'part', 'index.js'), 'utf8')).toContain('2.1.0');
    expect(first.tree).toEqual(await digestTree(first.dir));
    expect(first.provenance).toEqual({
      source: 'npm',
      package: 'engine',
      version: '1.0.0',
      integrity: expect.stringMatching(/^sha512-/),
      scripts: 'not run',
      node: process.version,
      tree_sha256: first.tree.sha256,
      tree_files: String(first.tree.files),
      tree_bytes: String(first.tree.bytes),
      lock_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(said).toEqual(['installing engine@1.0.0']);
  });

  it('names no registry in anything that is kept', async () => {
    const kept = ['package-lock.json', join('node_modules', '.package-lock.json'), join('..', 'entry.json')];
    for (const name of kept) {
      expect(await readFile(join(first.dir, name), 'utf8')).not.toContain('127.0.0.1');
    }
  });

  it('uses the cache again without asking the registry, and marks the use; what has changed in it is installed anew', async () => {
    const one = await prepare();
    const mark = join(one.dir, '..', 'used');
    await utimes(mark, 1, 1);
    const before = registry.requests.length;
    expect(await prepare()).toEqual(one);
    expect(registry.requests.length).toBe(before);
    expect(progress).toHaveLength(1);
    expect((await stat(mark)).mtimeMs).toBeGreaterThan(2000);
    await appendFile(join(one.dir, 'node_modules', 'engine', 'index.js'), '// changed');
    const two = await prepare();
    expect(two).toEqual(one);
    expect(await digestTree(two.dir)).toEqual(one.tree);
    expect(progress[1]).toContain('is not as it was installed');
  });

  it('runs scripts where asked, as an entry of its own', async () => {
    const on = await prepare(source({ scripts: true }));
    expect(entryOf(on)).not.toBe(entryOf(first));
    expect(await readFile(join(on.dir, 'node_modules', 'engine', 'built'), 'utf8')).toBe(process.version);
    expect(on.provenance['scripts']).toBe('run');
  });

  it.runIf(FULL)('may be called by two at once', async () => {
    const [one, two] = await Promise.all([prepare(), prepare()]);
    expect(two).toEqual(one);
    expect(await readdir(join(cache, 'npm'))).toHaveLength(1);
    expect(await readdir(join(cache, 'tmp'))).toEqual([]);
  });

  it.runIf(FULL)('is not led astray by what an outer npm leaves in the environment', async () => {
    const elsewhere = await mkdtemp(join(root, 'outer-'));
    const env = {
      ...registry.env,
      npm_config_local_prefix: elsewhere,
      npm_config_prefix: elsewhere,
      npm_config_global: 'true',
      npm_config_workspace: 'outer',
      npm_config_dry_run: 'true',
      npm_config_package_lock: 'false',
      INIT_CWD: elsewhere,
    };
    const arm = await prepare(source(), env);
    expect(await readdir(join(arm.dir, 'node_modules'))).toContain('engine');
    expect(await readdir(elsewhere)).toEqual([]);
    // Two installations have the same digest, wherever they lie.
    expect(arm.dir).not.toBe(first.dir);
    expect(entryOf(arm)).toBe(entryOf(first));
    expect(arm.tree).toEqual(first.tree);
    expect(arm.provenance).toEqual(first.provenance);
  });
});

describe('a failed installation', () => {
  const failure = (expected: object) => ({ failure: { kind: 'arm', arm: 'new', ...expected } });

  const FAILED = [
    ['ETARGET', source({ version: '9.9.9' }), /no version 9\.9\.9 of engine/, /npm view engine versions/],
    ['E404', source({ package: 'absent' }), /no package absent/, /spelling/],
    ['a script', source({ package: 'broken', scripts: true }), /could not install broken@1\.0\.0/, /compiler/],
  ] as const;
  it.each(FULL ? FAILED : FAILED.slice(0, 1))('says what happened: %s', async (_what, from, message, remedy) => {
    await expect(prepare(from)).rejects.toMatchObject(
      failure({
        message: expect.stringMatching(message),
        remedy: expect.stringMatching(remedy),
        detail: expect.stringMatching(/^npm error/),
      }),
    );
    expect(await readdir(join(cache, 'npm'))).toEqual([]);
    expect(await readdir(join(cache, 'tmp'))).toEqual([]);
  });

  it('says that the registry cannot be reached', async () => {
    const env = { ...registry.env, npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: join(cache, 'other') };
    await expect(prepare(source(), env)).rejects.toMatchObject(
      failure({ message: expect.stringContaining('cannot be reached'), remedy: expect.stringContaining('network') }),
    );
  });

  it('ends npm where it is cancelled, and keeps nothing', async () => {
    await expect(prepare(source(), registry.env, AbortSignal.timeout(100))).rejects.toMatchObject(
      failure({ message: expect.stringContaining('was stopped') }),
    );
    expect(await readdir(join(cache, 'tmp'))).toEqual([]);
  });
});
