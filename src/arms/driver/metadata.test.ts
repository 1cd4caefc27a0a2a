import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MOST_METADATA_BYTES, readMetadata } from './metadata.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-metadata-'));
  mkdirSync(join(root, 'source/build'), { recursive: true });
  mkdirSync(join(root, 'elsewhere'));
  writeFileSync(join(root, 'source/make_config.mk'), 'ROCKSDB_MAJOR=7\n');
  writeFileSync(join(root, 'source/build/CMakeCache.txt'), Buffer.from([0xff, 0, 0x0a]));
  writeFileSync(join(root, 'elsewhere/secret'), 'secret');
  symlinkSync('../elsewhere/secret', join(root, 'source/link'));
  symlinkSync('../elsewhere', join(root, 'source/folder'));
  execFileSync('mkfifo', [join(root, 'source/pipe')]);
  writeFileSync(join(root, 'source/large'), Buffer.alloc(MOST_METADATA_BYTES + 1));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const read = (...named: string[]) => readMetadata('mine', named, join(root, 'source'), true);
const rejection = (path: string, isSource = true) => {
  try {
    readMetadata('mine', [path], join(root, 'source'), isSource);
  } catch (error) {
    return error;
  }
  return null;
};

test('files of a source are read as they are', () => {
  const [first, second] = read('make_config.mk', './build/CMakeCache.txt');
  expect(first).toMatchObject({ named: 'make_config.mk', bytes: Buffer.from('ROCKSDB_MAJOR=7\n') });
  expect(second).toMatchObject({ named: './build/CMakeCache.txt', bytes: Buffer.from([0xff, 0, 0x0a]) });
  expect(second?.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['absent.mk', /^absent\.mk, named as metadata of its library, does not exist in .*source$/],
  ['link', /is a symbolic link$/],
  ['folder/secret', /lies behind a symbolic link$/],
  ['../elsewhere/secret', /is not a plain path within the directory$/],
  ['/etc/hostname', /is not a plain path within the directory$/],
  ['pipe', /is a pipe$/],
  ['build', /is a directory$/],
  ['large', /is larger than 8 MiB$/],
])('of a source that a stranger made, %s is refused', (path, message) => {
  expect(rejection(path)).toMatchObject({
    failure: {
      kind: 'arm',
      arm: 'mine',
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(/built source/),
    },
  });
});

test('paths of the user’s own may lead anywhere, but to no link or pipe', () => {
  const own = (path: string) => readMetadata('mine', [path], join(root, 'source'), false)[0]?.bytes.toString();
  expect(own('../elsewhere/secret')).toBe('secret');
  expect(own(join(root, 'elsewhere/secret'))).toBe('secret');
  expect(own('folder/secret')).toBe('secret');
  expect(rejection('link', false)).toMatchObject({
    failure: { message: expect.stringMatching(/is a symbolic link$/) },
  });
  expect(rejection('pipe', false)).toMatchObject({ failure: { message: expect.stringMatching(/is a pipe$/) } });
});
