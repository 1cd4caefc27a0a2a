/** The packed artefact: what a user installs has all that it needs, and nothing else. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let directory: string;
let tarball: string;
let files: readonly string[];
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'assay-packed-'));
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
  const listed: unknown = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }));
  const [packed] = Object.values(listed as Record<string, { filename: string; files: { path: string }[] }>);
  if (packed === undefined) throw new Error('npm pack made nothing');
  tarball = join(directory, packed.filename);
  files = packed.files.map(({ path }) => path);
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('program, launcher source, schemas, examples and documents are in it; tests and sources are not', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'bin/assay.js',
      'dist/cli/main.js',
      'dist/trial/portable/watcher.js',
      'native/launcher.c',
      'native/noise-loop.c',
      'dist/host/noise-loop.js',
      'native/trial.h',
      'schemas/experiment.schema.json',
      'schemas/results.schema.json',
      'schemas/doctor.schema.json',
      'schemas/calibration.schema.json',
      'schemas/variance.schema.json',
      'schemas/variance-study.schema.json',
      'examples/rocksdb-versions/experiment.yaml',
      'examples/rocksdb/revisions.yaml',
      'docs/methods.md',
      'LICENSE',
      'README.md',
    ]),
  );
  expect(files.filter((path) => /^(src|test|scripts|node_modules)\/|\.test\.|tsbuildinfo/.test(path))).toEqual([]);
});

test.runIf(FULL)(
  'installed elsewhere it runs',
  () => {
    const npm = (...args: string[]) => execFileSync('npm', args, { cwd: directory, encoding: 'utf8' });
    npm('init', '-y');
    npm('install', '--no-audit', '--no-fund', tarball);
    const assay = join(directory, 'node_modules/.bin/assay');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(execFileSync(assay, ['--version'], { encoding: 'utf8' }).trim()).toBe(version);
    execFileSync(assay, ['init'], { cwd: directory });
    execFileSync(assay, ['init', 'mine.yaml', '--template', 'rocksdb-revisions'], { cwd: directory });
    execFileSync(assay, ['compare', 'true', 'true', '--pairs', '2', '--threshold', '500%', '--quiet', '--out', 'run'], {
      cwd: directory,
      env: { ...process.env, ASSAY_CACHE: join(directory, 'cache') },
    });
    expect(readFileSync(join(directory, 'run/report.md'), 'utf8')).toMatch(/^# /);
  },
  240_000,
);
