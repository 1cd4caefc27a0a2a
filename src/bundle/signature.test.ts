/** Bundles signed by a key that the test makes, against lists of signers of every kind. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entriesOf } from '../../test/bundle-archive.ts';
import { failures, pack } from '../../test/bundle-checks.ts';
import { makeRun } from '../../test/bundle-run.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { verifyBundle } from './verify/verify.ts';

let directory: string;
const at = (name: string) => join(directory, name);
const read = (name: string) => readFileSync(at(name), 'utf8');

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'assay-signed-'));
  for (const name of ['key', 'other']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)]);
  }
  makeRun(at('run'), { pairs: 2 });
  await pack(at('run'), { output: at('signed.tar.gz'), key: at('key') });
  await pack(at('run'), { output: at('unsigned.tar.gz') });
  for (const { name, content } of entriesOf(gunzipSync(readFileSync(at('signed.tar.gz'))))) {
    mkdirSync(dirname(at(`unpacked/${name}`)), { recursive: true });
    writeFileSync(at(`unpacked/${name}`), content);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Verifies it, with a list of the signers in `lines`; none: nobody is named. */
async function verify(name: string, ...lines: readonly string[]) {
  writeFileSync(at('signers'), `${lines.join('\n')}\n`);
  const allowedSigners = lines.length === 0 ? [] : [at('signers')];
  return verifyBundle(at(name), { limits: DEFAULT_LIMITS, allowedSigners, onProgress: () => {} });
}

test('the signer is who the list of the verifier says', async () => {
  for (const [who, signer] of [
    ['bench@example.com', 'bench@example.com'],
    ['first@example.com,bench@example.com', 'first@example.com'],
    ['*', 'a key allowed by the pattern `*`'],
  ] as const) {
    const lines = [`other@example.com ${read('other.pub')}`, `${who} ${read('key.pub')}`];
    expect(await verify('signed.tar.gz', ...lines)).toMatchObject({ verified: true, signer });
  }
});

test('a stranger, and nobody, do not pass where signers are named', async () => {
  const stranger = await verify('signed.tar.gz', `other@example.com ${read('other.pub')}`);
  expect(failures(stranger)).toEqual(['signature: it is by none of the allowed signers']);
  const unsigned = await verify('unsigned.tar.gz', `bench@example.com ${read('key.pub')}`);
  expect(failures(unsigned)).toEqual(['signature: there is none, and only bundles of the allowed signers are taken']);
});

test('where nobody is named, whose signature it is stays unknown', async () => {
  expect(await verify('signed.tar.gz')).toMatchObject({ verified: true, signer: null });
});

test('a manifest changed after it was signed, and a damaged signature, are found', async () => {
  expect((await verify('unpacked')).verified).toBe(true);
  const manifest = read('unpacked/manifest.json');
  writeFileSync(at('unpacked/manifest.json'), manifest.replace('"version": 1', '"version": 1 '));
  expect((await verify('unpacked')).verified).toBe(false);
  writeFileSync(at('unpacked/manifest.json'), manifest);
  const signature = read('unpacked/manifest.json.sig');
  writeFileSync(at('unpacked/manifest.json.sig'), signature.replace('BEGIN SSH', 'BEGIN PGP'));
  expect(failures(await verify('unpacked')).join()).toMatch(/^signature: it is not of this manifest/);
});
