/** Programs that misbehave: each ends in the stated way, no process is left, the journal is intact. */
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failureText } from '../../src/analysis/trial-status.ts';
import { openRig, processesWith, type Rig } from '../rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const TOKEN = `misbehaviour-${process.pid}`;

/** An experiment whose second arm runs `script`; the first prints a good result line and leaves a good file. */
function experiment(script: string, pairs = 2): string {
  rig.write('bad.sh', `#!/bin/sh\n: ${TOKEN}\n${script}\n`);
  rig.write('good.sh', `#!/bin/sh\n${GOOD}\n`);
  chmodSync(join(rig.directory, 'bad.sh'), 0o755);
  chmodSync(join(rig.directory, 'good.sh'), 0o755);
  return `
title: misbehaviour
arms:
  good: {command: [./good.sh, ${TOKEN}]}
  bad: {command: [./bad.sh, ${TOKEN}]}
workload: {timeout: 1s, max_output: 1 MiB}
metrics:
  - {name: wall, from: wall}
  - {name: x, unit: ns, from: /metrics/x}
  - {name: v, unit: ns, from: {file: value.txt}}
design: {confirmation: {pairs: ${pairs}}, warmup: 0, seed: 3}
`;
}

const FILE = 'echo 2 >value.txt';
const LINE = `echo '{"metrics": {"x": 1.5}, "checks": {"kept": {"ok": true, "detail": ""}}}'`;
const GOOD = `${FILE}; ${LINE}`;

/** One trial after the other does these in its turn. */
const inTurn = (scripts: readonly string[]): string => {
  const calls = join(rig.directory, 'calls');
  const cases = scripts.map((script, at) => `${'x'.repeat(at + 1)})\n${script}\n;;`).join('\n');
  return `printf x >>${calls}\ncase $(cat ${calls}) in\n${cases}\nesac`;
};

const FAULTS = [
  ['hangs', 'sleep 1000', 'timeout', /^timeout after 1 s/],
  ['ignores SIGTERM', `trap '' TERM; while :; do sleep 0.1; done`, 'timeout', /^timeout after 1 s/],
  ['exits with an error', `${GOOD}; echo oops >&2; exit 7`, 'check', /exit code.*7/],
  ['dies by a signal', 'kill -SEGV $$', 'signal', /SIGSEGV/],
  ['prints 100 MB', 'head -c 100000000 /dev/zero', 'output_limit', /1 MiB/],
  ['prints NaN', `${FILE}; echo '{"metrics": {"x": NaN}}'`, 'metric', /NaN|JSON/],
  ['prints a NaN string', `${FILE}; echo '{"metrics": {"x": "NaN"}}'`, 'metric', /number/],
  ['prints nothing', FILE, 'metric', /no line that is one JSON object/],
  [
    'fails its own check and exits with 1',
    `${FILE}; echo '{"metrics": {"x": 1}, "checks": {"kept": {"ok": false, "detail": "lost key 18"}}}'; exit 1`,
    'check',
    /check driver: kept: lost key 18/,
  ],
  ['leaves a link where the file should be', `${LINE}; ln -s /etc/hostname value.txt`, 'metric', /symbolic link/],
  ['leaves a pipe where the file should be', `${LINE}; mkfifo value.txt`, 'metric', /pipe|not a regular file/],
  ['leaves no file', LINE, 'metric', /value\.txt/],
  [
    'fails its own check',
    `${FILE}; echo '{"metrics": {"x": 1}, "checks": {"kept": {"ok": false, "detail": "lost key 17"}}}'`,
    'check',
    /lost key 17/,
  ],
  ['does as it should', GOOD, null, /./],
] as const;

test('each way to misbehave fails its trial, in its own way, and the run', async () => {
  rig.write('experiment.yaml', experiment(inTurn(FAULTS.map(([, script]) => script)), FAULTS.length));
  const { code, stdout, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--keep-going']);
  expect(stderr).not.toMatch(/defect/);
  expect(code).toBe(3);
  const { trials } = rig.journal('run');
  const failures = (arm: string) => trials.filter((trial) => trial.arm === arm).map(({ failure }) => failure);
  expect(failures('good')).toEqual(FAULTS.map(() => null));
  const said = stdout.replace(/\s+/g, ' ');
  for (const [at, [what, , kind, message]] of FAULTS.entries()) {
    const failure = failures('bad')[at];
    expect(failure?.kind ?? null, what).toBe(kind);
    if (failure === null || failure === undefined) continue;
    expect(failureText(failure), what).toMatch(message);
    // The report tells of the first ones, and how many more there are.
    if (at < 5) expect(said, what).toContain(`bad in pair ${at + 1} failed: ${failureText(failure)}`);
  }
  expect(said).toContain('; 8 more trials failed.');
  expect(processesWith(TOKEN)).toEqual([]);
  expect(existsSync(join(rig.directory, 'run.trials'))).toBe(false);
});

test('the first trial that fails ends the run', async () => {
  rig.write('experiment.yaml', experiment('exit 7'));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(code).toBe(3);
  const { trials, end } = rig.journal('run');
  expect(trials.filter(({ failure }) => failure !== null).map(({ arm }) => arm)).toEqual(['bad']);
  expect(end?.reason.kind).toBe('trial_failed');
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/exit code.*7/);
});

test('a program that forks and exits, or calls setsid twice, leaves no process, and the report says so', async () => {
  const scripts = [
    `${GOOD}; (sleep 1000; : ${TOKEN}) &`,
    `${GOOD}; setsid setsid sh -c 'sleep 1000; : ${TOKEN}' >/dev/null 2>&1 & sleep 0.1`,
  ];
  rig.write('experiment.yaml', experiment(inTurn(scripts)));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--keep-going']);
  expect(processesWith(TOKEN)).toEqual([]);
  const bad = rig.journal('run').trials.filter(({ arm }) => arm === 'bad');
  expect(bad.map(({ account }) => account.leftovers > 0)).toEqual([true, true]);
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
  const script = `mkfifo pipe; ln -s ${rig.directory}/victim link; mkdir -p a/b; touch a/b/c; chmod 0 a; ${GOOD}`;
  rig.write('experiment.yaml', experiment(script));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(stdout).toMatch(/x/);
  expect([0, 1]).toContain(code);
  expect(rig.read('victim/file')).toBe('keep me');
  expect(existsSync(join(rig.directory, 'run.trials'))).toBe(false);
});
