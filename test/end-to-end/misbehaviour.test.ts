/** Programs that misbehave: each ends in the stated way, no process is left, the journal is intact. */
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRig, processesWith, type Rig } from '../rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const TOKEN = `misbehaviour-${process.pid}`;

/** An experiment whose second arm runs `script`; the first prints a good result line. */
function experiment(script: string, more = ''): string {
  rig.write('bad.sh', `#!/bin/sh\n: ${TOKEN}\n${script}\n`);
  rig.write(
    'good.sh',
    `#!/bin/sh\necho '{"metrics": {"x": 1.5}, "checks": {"kept": {"ok": true, "detail": ""}}}'\necho 2 > value.txt\n`,
  );
  chmodSync(join(rig.directory, 'bad.sh'), 0o755);
  chmodSync(join(rig.directory, 'good.sh'), 0o755);
  return `
title: misbehaviour
arms:
  good: {command: [./good.sh, ${TOKEN}]}
  bad: {command: [./bad.sh, ${TOKEN}]}
workload: {timeout: 1s, max_output: 1 MiB}
metrics:
${more === '' ? '  - {name: wall, from: wall}' : more}
design: {confirmation: {pairs: 2}, warmup: 0, seed: 3}
`;
}

const X = '  - {name: x, unit: ns, from: /metrics/x}';
const FILE = '  - {name: v, unit: ns, from: {file: value.txt}}';
const GOOD_LINE = `echo '{"metrics": {"x": 1.5}}'`;

test.each([
  ['hangs', 'sleep 1000', '', 'timeout', /did not end within 1 s|timed? ?out/i],
  ['ignores SIGTERM', `trap '' TERM; while :; do sleep 0.1; done`, '', 'timeout', /1 s/],
  ['exits with an error', 'echo oops >&2; exit 7', '', 'check', /exit code.*7/],
  ['dies by a signal', 'kill -SEGV $$', '', 'signal', /SIGSEGV/],
  ['prints 100 MB', 'head -c 100000000 /dev/zero', '', 'output_limit', /1 MiB/],
  ['prints NaN', `echo '{"metrics": {"x": NaN}}'`, X, 'metric', /NaN|JSON/],
  ['prints a NaN string', `echo '{"metrics": {"x": "NaN"}}'`, X, 'metric', /number/],
  ['prints nothing', ':', X, 'metric', /no line that is one JSON object/],
  [
    'fails its own check and exits with 1',
    `echo '{"metrics": {"x": 1}, "checks": {"kept": {"ok": false, "detail": "lost key 18"}}}'; exit 1`,
    X,
    'check',
    /check driver: kept: lost key 18/,
  ],
  ['leaves a link where the file should be', 'ln -s /etc/hostname value.txt', FILE, 'metric', /symbolic link/],
  ['leaves a pipe where the file should be', 'mkfifo value.txt', FILE, 'metric', /pipe|not a regular file/],
  ['leaves no file', ':', FILE, 'metric', /value\.txt/],
  [
    'fails its own check',
    `echo '{"metrics": {"x": 1}, "checks": {"kept": {"ok": false, "detail": "lost key 17"}}}'`,
    X,
    'check',
    /lost key 17/,
  ],
] as const)('a program that %s fails its trial and the run', async (_what, script, metrics, kind, message) => {
  rig.write('experiment.yaml', experiment(script, metrics));
  const { code, stdout, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(stderr).not.toMatch(/defect/);
  expect(code).toBe(3);
  const journal = rig.journal('run');
  const failed = journal.trials.filter((trial) => trial.failure !== null);
  expect(failed.map((trial) => [trial.arm, trial.failure?.kind])).toEqual([['bad', kind]]);
  expect(journal.end?.reason.kind).toBe('trial_failed');
  expect(stdout.replace(/\s+/g, ' ')).toMatch(message);
  expect(processesWith(TOKEN)).toEqual([]);
  expect(existsSync(join(rig.directory, 'run.trials'))).toBe(false);
});

test.each([
  ['forks and exits', `(sleep 1000; : ${TOKEN}) &`],
  ['calls setsid twice', `setsid setsid sh -c 'sleep 1000; : ${TOKEN}' >/dev/null 2>&1 & sleep 0.1`],
])('a program that %s leaves no process, and the report says so', async (_what, script) => {
  rig.write('experiment.yaml', experiment(script));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--keep-going']);
  expect(processesWith(TOKEN)).toEqual([]);
  expect(stdout).toMatch(/left|behind/);
  expect([0, 1]).toContain(code);
});

test('a program that changes its own executable makes the run invalid', async () => {
  rig.write('experiment.yaml', experiment(`echo '# changed' >> "$0"`));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/bad\.sh/);
  expect(rig.journal('run').end?.reason).toMatchObject({ kind: 'changed', arm: 'bad' });
});

test('links, pipes and locked directories in the trial directory are removed with it', async () => {
  rig.write('victim/file', 'keep me');
  const script = `mkfifo pipe; ln -s ${rig.directory}/victim link; mkdir -p a/b; touch a/b/c; chmod 0 a; ${GOOD_LINE}`;
  rig.write('experiment.yaml', experiment(script, X));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(stdout).toMatch(/x/);
  expect([0, 1]).toContain(code);
  expect(rig.read('victim/file')).toBe('keep me');
  expect(existsSync(join(rig.directory, 'run.trials'))).toBe(false);
});

test('with --keep-going a failed run is finished, and stays invalid', async () => {
  rig.write('experiment.yaml', experiment('exit 1'));
  const { code } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--keep-going']);
  expect(code).toBe(3);
  expect(rig.journal('run').trials).toHaveLength(4);
});
