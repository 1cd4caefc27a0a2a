/** Submodules are fetched where they are asked for, and run nothing either. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Canaries, canaries } from '../../../test/canaries.ts';
import { type FileServer, serveFiles } from '../../../test/file-server.ts';
import { failure, useGitRig } from '../../../test/git-rig.ts';
import { tinyRepository } from '../../../test/tiny-repository.ts';

const rig = useGitRig();

let birds: Canaries;
let server: FileServer;
let inner: string;
let made = 0;

beforeAll(async () => {
  const dep = tinyRepository(join(rig.root, 'dep'));
  inner = dep.commit('a submodule', { 'file.txt': 'text\n', '.gitattributes': '* filter=evil\n' });
  dep.git('update-server-info');
  server = await serveFiles(rig.root);
});
afterAll(() => server.close());
beforeEach(() => {
  birds = canaries(rig.cache);
});

/** An arm with a submodule as .gitmodules says it. */
function arm(settings: string, { name = 'dep', path = 'dep' } = {}) {
  made += 1;
  const outer = tinyRepository(join(rig.root, `outer-${made}`));
  outer.commit('x', { '.gitmodules': `[submodule "${name}"]\n\tpath = ${path}\n\t${settings}\n` });
  outer.git('update-index', '--add', '--cacheinfo', `160000,${inner},${path}`);
  outer.git('commit', '--quiet', '-m', 'with a submodule');
  return rig.source({ repo: `outer-${made}`, rev: 'HEAD', submodules: true, build: [] });
}

const served = () => `url = ${server.address}/dep/.git`;

it('are fetched without hooks of a template', async () => {
  const env = { PATH: rig.pathWithGit(`export GIT_TEMPLATE_DIR=${birds.template('template')}`) };
  const { dir } = await rig.prepare(arm(served()), { env });
  expect(existsSync(join(dir, 'dep', 'file.txt'))).toBe(true);
  expect(birds.fired()).toEqual([]);
});

it.each([
  ['a program', () => `url = ext::touch ${birds.mark('ext')}`],
  ['this machine', () => `url = ${rig.root}/dep/.git`],
  ['this machine, as an address', () => `url = file://${rig.root}/dep/.git`],
  ['beside the repository', () => 'url = ../dep'],
])('that come from %s are refused', async (_what, settings) => {
  await expect(rig.prepare(arm(settings()))).rejects.toMatchObject(
    failure({
      message: expect.stringMatching(/^the submodules of outer-\d+ cannot be fetched$/),
      detail: expect.stringContaining('not allowed'),
      remedy: expect.stringContaining('could run programs'),
    }),
  );
  expect(birds.fired()).toEqual([]);
});

it('cannot name a command as their update', async () => {
  const update = `update = !${birds.command('update')}`;
  await expect(rig.prepare(arm(`${served()}\n\t${update}`))).rejects.toMatchObject(failure({}));
  expect(birds.fired()).toEqual([]);
});

it.each([
  ['a name that leads out', () => arm(served(), { name: '../../../evil' })],
  ['an address that is an option', () => arm(`url = -u./evil`)],
  ['a path that is an option', () => arm(served(), { path: '-evil' })],
])('with %s are not fetched', async (_what, source) => {
  const { dir } = await rig.prepare(source()).catch(() => ({ dir: null }));
  for (const path of dir === null ? [] : ['dep', '-evil']) {
    expect(existsSync(join(dir ?? '', path, 'file.txt'))).toBe(false);
  }
  expect(existsSync(join(rig.cache, 'git', 'evil'))).toBe(false);
  expect(birds.fired()).toEqual([]);
});
