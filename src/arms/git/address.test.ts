import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileServer, serveFiles } from '../../../test/file-server.ts';
import { failure, useGitRig } from '../../../test/git-rig.ts';
import { type TinyRepository, tinyRepository } from '../../../test/tiny-repository.ts';
import type { GitSource } from '../../experiment/experiment.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const rig = useGitRig();

describe('a repository at an address', () => {
  let server: FileServer;
  let address: string;
  let served: TinyRepository;

  beforeAll(async () => {
    served = tinyRepository(join(rig.root, 'served'));
    served.commit('one', { 'source.txt': 'one\n' });
    served.git('branch', 'other');
    served.commit('two', { 'source.txt': 'two\n' });
    const outer = tinyRepository(join(rig.root, 'outer-served'));
    server = await serveFiles(rig.root);
    address = server.address;
    outer.commit('outer', { '.gitmodules': `[submodule "dep"]\n\tpath = dep\n\turl = ${address}/served/.git\n` });
    outer.git('update-index', '--add', '--cacheinfo', `160000,${served.git('rev-parse', 'HEAD')},dep`);
    outer.git('commit', '--quiet', '-m', 'with a submodule');
    publish();
  });
  afterAll(() => server.close());

  const publish = () => served.git('update-server-info');
  const from = (overrides: Partial<GitSource>) =>
    rig.source({ repo: `${address}/served/.git`, build: [], ...overrides });

  it('is cloned once, then fetched; a commit that is there needs no network', async () => {
    const two = await rig.prepare(from({ rev: 'HEAD' }));
    expect(readFileSync(join(two.dir, 'source.txt'), 'utf8')).toBe('two\n');
    const one = await rig.prepare(from({ rev: 'other' }));
    expect(readFileSync(join(one.dir, 'source.txt'), 'utf8')).toBe('one\n');

    const three = served.commit('three', { 'source.txt': 'three\n' });
    publish();
    expect((await rig.prepare(from({ rev: 'main' }))).provenance['commit']).toBe(three);
    const before = server.requests.length;
    expect((await rig.prepare(from({ rev: three }))).provenance['commit']).toBe(three);
    expect(server.requests.length).toBe(before);
    served.commit('four', {});
    publish();
    expect((await rig.prepare(from({ rev: 'main' }), { recorded: three })).provenance['commit']).toBe(three);
    expect(server.requests.length).toBe(before);
    expect(one.provenance).not.toHaveProperty('work_tree');
    expect(rig.progress.filter((message) => message.startsWith('cloning'))).toHaveLength(1);
  });

  it('that is not there is a failure, and leaves nothing', async () => {
    await expect(rig.prepare(rig.source({ repo: `${address}/absent/.git` }))).rejects.toMatchObject(
      failure({ message: `${address}/absent/.git cannot be cloned`, detail: expect.stringContaining('not found') }),
    );
    expect(readdirSync(join(rig.cache, 'git'))).toEqual([]);
  });

  it.runIf(FULL)('brings submodules where they are asked for', async () => {
    const arm = await rig.prepare(rig.source({ repo: 'outer-served', rev: 'HEAD', submodules: true, build: [] }));
    expect(readFileSync(join(arm.dir, 'dep', 'source.txt'), 'utf8')).toMatch(/two|three/);
    const without = await rig.prepare(rig.source({ repo: 'outer-served', rev: 'HEAD', build: [] }));
    expect(readdirSync(join(without.dir, 'dep'))).toEqual([]);
    expect(without.dir).not.toBe(arm.dir);
  });
});
