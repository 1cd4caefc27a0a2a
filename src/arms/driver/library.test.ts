import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkArtifacts } from './library.ts';

const kind = { libraryName: 'engine', headerFolder: 'engine', rttiClass: 'Engine', mark: 'engine' };
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-artifacts-'));
  mkdirSync(join(root, 'include/engine'), { recursive: true });
  mkdirSync(join(root, 'lib'));
  for (const name of ['libengine.a', 'libengine.so.1', 'libengine.so', 'engine.abc', 'x.sort']) {
    writeFileSync(join(root, 'lib', name), '');
  }
  mkdirSync(join(root, 'many'));
  for (let i = 0; i < 7; i++) writeFileSync(join(root, 'many', `lib${i}.a`), '');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const check = (library: string, include: readonly string[], isBuilt = true) =>
  checkArtifacts('mine', { kind: 'artifacts', include, library, link: null, metadata: [] }, kind, root, isBuilt);
const rejected = (message: RegExp, remedy: RegExp) => ({
  failure: { kind: 'arm', arm: 'mine', message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) },
});

test('what is there is not complained of', async () => {
  await check('lib/libengine.a', ['absent', 'include']);
});

test.each([
  [
    'lib/libenginex.a',
    /^Check the path\. In \S+\/lib: libengine\.a, libengine\.so, libengine\.so\.1\. The build is done/,
  ],
  ['many/lib.a', /lib0\.a, lib1\.a, lib2\.a, lib3\.a, lib4\.a and 2 more\./],
  ['include/lib.a', /There is no library in \S+\/include\./],
  ['absent/lib.a', /There is no directory \S+\/absent\./],
])('after a build, of the library %s that is not there those beside it are named', async (library, remedy) => {
  await expect(check(library, ['include'])).rejects.toMatchObject(rejected(/^there is no library /, remedy));
});

test('without a build the library may only be missing yet', async () => {
  await expect(check('lib/libenginex.a', ['include'], false)).rejects.toMatchObject(
    rejected(/^there is no library /, /only after it\. In \S+\/lib: [^T]*$/),
  );
});

test('an include directory that is not there is told from one that has no headers', async () => {
  await expect(check('lib/libengine.a', ['absent', 'lib'])).rejects.toMatchObject(
    rejected(
      /holds engine\/: \S+\/absent does not exist, \S+\/lib has no engine\/$/,
      /not that one itself\. The build is/,
    ),
  );
});
