/** A run, packed and verified by the built program as users do it, from the trial to the signature. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Packed } from '../../src/bundle/pack.ts';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const DRIVER = `
printf %s $((7 + $$ % 10)) >value.txt
echo "home is $REAL_HOME" >&2
echo '{"metrics": {"write": '$((10000 + $$ * 7919 % 997))'}, "facts": {"keys": 42}}'
`;

const EXPERIMENT = `
title: to be verified
arms:
  one: {}
  two: {}
workload:
  command: [/bin/sh, '{experiment.dir}/driver.sh']
  pass_env: [REAL_HOME]
metrics:
  - {name: write, unit: ns, primary: true, threshold: 1000%, from: /metrics/write}
  - {name: value, unit: things, from: {file: value.txt}}
  - {name: wall}
checks: [{equal: /facts/keys}]
design: {screening: {pairs: 2}, confirmation: {pairs: 4}, warmup: 1}
`;

let rig: Rig;
/** What was said of the bundle in run.tar.gz. */
let packed: Packed;
beforeAll(async () => {
  rig = openRig();
  rig.write('driver.sh', DRIVER);
  rig.write('experiment.yaml', EXPERIMENT);
  const ran = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], {
    REAL_HOME: '/home/somebody-real',
  });
  expect(ran.code).toBe(0);
  const bundled = await rig.assay(['bundle', 'run', '--json']);
  packed = JSON.parse(bundled.stdout);
  expect(bundled.stderr).toMatch(
    /^warning: \d+ files hold the value of REAL_HOME; they are packed as they are:\n {2}raw\//,
  );
  expect(bundled.code).toBe(0);
});
afterAll(() => rig.remove());

test('verifies; without a signature its origin is unknown', async () => {
  const { code, stdout, stderr } = await rig.assay(['verify', 'run.tar.gz']);
  expect(stderr).toBe('');
  expect(stdout).toMatch(/\nconsistent; origin unknown\n$/);
  expect(stdout).not.toMatch(/failed/);
  expect(code).toBe(0);
});

test('unpacked by tar it verifies and is reported on, but not resumed', async () => {
  mkdirSync(join(rig.directory, 'unpacked'));
  execFileSync('tar', ['xzf', join(rig.directory, 'run.tar.gz'), '-C', join(rig.directory, 'unpacked')]);
  const { stdout } = await rig.assay(['report', 'unpacked', '--json']);
  expect(stdout).toBe(readFileSync(join(rig.directory, 'unpacked/results.json'), 'utf8'));
  const resumed = await rig.assay(['run', '--resume', 'unpacked']);
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('is an unpacked bundle');
  expect(existsSync(join(rig.directory, 'unpacked/identity.json'))).toBe(false);
  // As it was, after all that.
  const { code, stdout: verified } = await rig.assay(['verify', 'unpacked', '--json']);
  expect(code).toBe(0);
  const json = JSON.parse(verified);
  expect(json.verified).toBe(true);
  expect(json.answers.map(({ question }: { question: string }) => question)).toEqual([
    ...[
      'archive',
      'digests',
      'schema',
      'experiment',
      'plan',
      'screening',
      'rejections',
      'origin',
      'trials',
      'statistics',
    ],
    ...['reports', 'signature'],
  ]);
});

test('what lies in the journal and in account.json has no identity', () => {
  expect(new Set(packed.identity.map(({ path }) => path.split('/').at(-1)))).toEqual(new Set(['stderr']));
});

test.runIf(FULL)(
  'a passed value that is the name of an arm: the run completes, is packed with a warning, and verifies',
  async () => {
    rig.write(
      'named.yaml',
      `
title: named
arms: {old: {}, new: {}}
workload: {command: [/bin/sh, -c, 'echo "ops: 12"; echo "$WHICH"; # new', '{arm.name}'], pass_env: [WHICH, HOW]}
metrics: [{name: wall, threshold: 1000%}, {name: n, unit: things, from: {stdout: '^ops: ([0-9]+)'}}]
checks: [{must_match: {stdout: 'new'}}]
design: {confirmation: {pairs: 2}, seed: 1}
`,
    );
    const ran = await rig.assay(['run', 'named.yaml', '--out', 'named'], { WHICH: 'new', HOW: 'stdout' });
    expect(ran.stderr).toContain('name "new" in arms holds the value of WHICH');
    expect(ran.stderr).toContain('pattern "new" in checks holds the value of WHICH');
    expect(ran.code).toBe(0);
    const { run, prepared } = rig.journal('named');
    expect(run.experiment.arms.map(({ name }) => name)).toEqual(['old', 'new']);
    expect(run.experiment.metrics[1]?.from).toEqual({ kind: 'pattern', stream: 'stdout', pattern: '^ops: ([0-9]+)' });
    expect(prepared?.arms[1]?.command).toContain('echo "ops: 12"; echo "$WHICH"; # <env WHICH>');
    const packed = await rig.assay(['bundle', 'named']);
    expect(packed.stdout).toMatch(/named\.tar\.gz: \d+ files, \d+ bytes; verified\n$/);
    expect(packed.stderr).toMatch(
      /^warning: \d+ files hold the value of HOW, the value of WHICH; they are packed as they are:/,
    );
    for (const path of ['journal.jsonl', 'pairs.csv']) expect(packed.stderr).toContain(`  ${path} (the value of `);
    const { code, stdout } = await rig.assay(['verify', 'named.tar.gz']);
    expect(stdout).toMatch(/experiment +verified/);
    expect(stdout).not.toMatch(/failed/);
    expect(code).toBe(0);
  },
);

test('signed, it verifies against the allowed signers of the verifier only', async () => {
  for (const name of ['key', 'other']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(rig.directory, name)]);
  }
  rig.write('signers', `bench@example.com ${rig.read('key.pub')}`);
  rig.write('others', `other@example.com ${rig.read('other.pub')}`);
  expect((await rig.assay(['bundle', 'run', '-o', 'signed.tar.gz', '--sign', 'key'])).code).toBe(0);
  const allowed = ['others', 'signers'].flatMap((list) => ['--allowed-signers', list]);
  const trusted = await rig.assay(['verify', 'signed.tar.gz', ...allowed]);
  expect(trusted.stdout).toMatch(/\nconsistent; signed by bench@example\.com\n$/);
  expect(trusted.code).toBe(0);
  const unsigned = await rig.assay(['verify', 'run.tar.gz', '--allowed-signers', 'signers']);
  expect(unsigned.stdout).toMatch(/signature +failed +there is none/);
  expect(unsigned.code).toBe(1);
  expect((await rig.assay(['verify', 'signed.tar.gz', '--allowed-signers', 'missing'])).code).toBe(2);
});

test('a key that is none, and an output that is there, are refused; nothing is left behind', async () => {
  rig.write('no-key', 'x');
  const signed = await rig.assay(['bundle', 'run', '-o', 'bad.tar.gz', '--sign', 'no-key']);
  expect(signed.stderr).toMatch(/^assay: cannot sign with no-key/m);
  expect(signed.stderr).toMatch(/ssh-agent/);
  expect(signed.code).toBe(3);
  const there = await rig.assay(['bundle', 'run']);
  expect(there.stderr).toMatch(/run\.tar\.gz exists/);
  expect(there.code).toBe(2);
  expect(rig.list('.').filter((name) => name.includes('bad') || name.includes('.tmp'))).toEqual([]);
});

test('what is no bundle ends with 2 and a sentence', async () => {
  for (const [path, words] of [
    ['nothing', 'there is no file nothing'],
    ['run', 'is the directory of a run, not a bundle'],
    ['/dev/null', 'neither a file nor a folder'],
  ] as const) {
    const { code, stdout, stderr } = await rig.assay(['verify', path]);
    expect(stderr).toContain(words);
    expect(stdout).toBe('');
    expect(code).toBe(2);
  }
  expect((await rig.assay(['verify', 'experiment.yaml'])).code).toBe(1);
  expect((await rig.assay(['bundle', 'nothing'])).code).toBe(2);
});

test('limits are set by the verifier', async () => {
  const { code, stdout } = await rig.assay(['verify', 'run.tar.gz', '--max-files', '5']);
  expect(stdout).toMatch(/more than 5 files/);
  expect(code).toBe(1);
  expect((await rig.assay(['verify', 'run.tar.gz', '--max-size', '1KiB'])).stdout).toMatch(
    /more than the limit of 1024/,
  );
});
