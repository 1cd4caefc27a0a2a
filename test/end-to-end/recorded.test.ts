/** A real run, recorded: what the built program prints of it today, on any machine, is what stands in these files. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectGolden } from '../golden.ts';
import { outlineOf } from '../html-page.ts';
import { openRig, type Rig } from '../rig.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDED = 'test/recorded/rocksdb-versions';

let rig: Rig;
/** What it prints where nothing else is asked for. */
let plain: string;
beforeAll(async () => {
  rig = openRig();
  cpSync(join(ROOT, RECORDED), join(rig.directory, RECORDED), { recursive: true });
  const { code, stdout, stderr } = await rig.assay(['report', RECORDED]);
  expect([code, stderr]).toEqual([0, '']);
  plain = stdout;
});
afterAll(() => rig.remove());

test('the report as text', () => expectGolden('test/golden/recorded/rocksdb-versions.txt', plain));

test.each([
  ['markdown', 'md'],
  ['csv', 'trials.csv'],
  ['pairs-csv', 'pairs.csv'],
  ['json', 'json'],
])('the report as %s', async (format, extension) => {
  const { code, stdout, stderr } = await rig.assay(['report', RECORDED, '--format', format]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expectGolden(`test/golden/recorded/rocksdb-versions.${extension}`, stdout);
});

test('the report as html', async () => {
  const { code, stdout, stderr } = await rig.assay(['report', RECORDED, '--format', 'html']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expectGolden('test/golden/recorded/rocksdb-versions.html.txt', outlineOf(stdout));
});

test('no colour in a pipe, colour where it is asked for, none with NO_COLOR', async () => {
  const csi = '\u001b[';
  const report = async (env: NodeJS.ProcessEnv) => (await rig.assay(['report', RECORDED], env)).stdout;
  expect(plain).not.toContain(csi);
  expect(await report({ FORCE_COLOR: '1' })).toContain(csi);
  expect(await report({ FORCE_COLOR: '1', NO_COLOR: '1' })).not.toContain(csi);
});

test('--quiet keeps the findings only, and -o writes a file instead of printing', async () => {
  const { stdout } = await rig.assay(['report', RECORDED, '--quiet', '-o', 'out.txt']);
  expect(stdout).toBe('');
  const written = rig.read('out.txt');
  expect(written.split('\n').length).toBeLessThan(15);
  expect(written).toMatch(/^write is /);
});

test('the README shows what this version prints', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(plain);
});
