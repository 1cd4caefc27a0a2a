/** What scripts/demo.js makes of the exit codes of `assay run`, with a program in its place that only ends. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-demo-'));
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'scripts'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  copyFileSync(fileURLToPath(new URL('../../scripts/demo.js', import.meta.url)), join(root, 'scripts', 'demo.js'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function demo(assay: string, ...args: readonly string[]) {
  writeFileSync(join(root, 'bin', 'assay.js'), assay);
  return spawnSync(process.execPath, [join(root, 'scripts', 'demo.js'), ...args], { encoding: 'utf8', cwd: tmpdir() });
}

it.each([0, 1])('succeeds with the verdict that exit code %i stands for, and says how to see it again', (code) => {
  const { status, stdout } = demo(`console.log(process.argv.slice(2).join(' ')); process.exit(${code});`);
  expect(status).toBe(0);
  const out = /^run examples\/rocksdb-versions\/experiment\.yaml --out (\S+)$/m.exec(stdout)?.[1];
  expect(out).toMatch(/^assay-runs\/\d{8}T\d{6}Z-demo$/);
  expect(stdout).toContain(`\n  node bin/assay.js report ${out}\n`);
});

it('runs the native experiment where that is asked for', () => {
  const { stdout } = demo(`console.log(process.argv.slice(2).join(' '));`, 'native');
  expect(stdout).toMatch(/^run examples\/rocksdb\/protection-bytes\.yaml --out assay-runs\/\d{8}T\d{6}Z-native$/m);
});

it.each([2, 3, 130])('passes exit code %i on', (code) => {
  const { status, stdout } = demo(`process.exit(${code});`);
  expect(status).toBe(code);
  expect(stdout).not.toContain('report');
});

it('fails where the program is killed', () => {
  expect(demo(`process.kill(process.pid, 'SIGKILL');`).status).toBe(3);
});
