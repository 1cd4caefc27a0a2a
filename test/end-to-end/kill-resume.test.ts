/** kill -9 at random moments, each followed by --resume: every planned pair is complete once, in the planned order. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NATIVE } from '../compiler.ts';
import { expectComplete } from '../complete-run.ts';
import { openRig, processesWith, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const KILLS = FULL ? 30 : 3;
const TOKEN = `3.${process.pid}`;

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const experiment = (token: string) => `
title: killed at random
arms:
  a: {command: [sh, -c, 'sleep 0.02; : ${token}']}
  b: {command: [sh, -c, 'sleep 0.03; : ${token}']}
metrics: [{name: wall, from: wall}]
design: {confirmation: {pairs: 12}, warmup: 1, seed: 5}
`;

test.each(FULL ? ['native', 'portable'] : ['native'])(
  `${KILLS} times kill -9, then --resume (%s launcher)`,
  async (launcher) => {
    const token = `${launcher}-${TOKEN}`;
    rig.write('experiment.yaml', experiment(token));
    const env = { ASSAY_LAUNCHER: launcher };
    const started = () => rig.list('.').includes('run') && rig.list('run').includes('journal.jsonl');
    const resume = ['run', '--resume', 'run', '--quiet'];
    let kills = 0;
    // A multiplicative sequence: spread over the time of a run, the same in every test.
    for (let moment = 1; kills < KILLS; kills++) {
      moment = (moment * 48_271) % 2_147_483_647;
      const { child, ended } = rig.start(
        started() ? resume : ['run', 'experiment.yaml', '--out', 'run', '--quiet'],
        env,
      );
      while (!started()) await sleep(5);
      const early = await Promise.race([ended, sleep(moment % 900)]);
      if (early !== undefined) {
        expect(early.stderr).toBe('');
        break;
      }
      child.kill('SIGKILL');
      await ended;
    }
    const last = await rig.assay(resume, env);
    expect(last.stderr).toBe('');
    expect([0, 1]).toContain(last.code);
    const journal = rig.journal('run');
    expectComplete(journal);
    expect(kills).toBeGreaterThan(2);
    expect(processesWith(token)).toEqual([]);
    expect(rig.list('.').filter((name) => name.endsWith('.trials'))).toEqual([]);
  },
  240_000,
);

test.runIf(FULL)('resume of a complete run only writes the reports anew', async () => {
  rig.write('experiment.yaml', experiment(`complete-${TOKEN}`));
  await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  const journal = rig.read('run/journal.jsonl');
  const results = rig.read('run/results.json');
  rig.write('run/results.json', 'damaged');
  const again = await rig.assay(['run', '--resume', 'run']);
  expect([0, 1]).toContain(again.code);
  expect(rig.read('run/journal.jsonl')).toBe(journal);
  expect(rig.read('run/results.json')).toBe(results);
});

test('two Assays never share a run', async () => {
  rig.write('experiment.yaml', experiment(`shared-${TOKEN}`).replaceAll('sleep 0.0', 'sleep 20'));
  const first = rig.start(['run', 'experiment.yaml', '--out', 'run']);
  while (!rig.list('.').includes('run') || !rig.list('run').includes('raw')) await sleep(20);
  const second = await rig.assay(['run', '--resume', 'run']);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/in use by another Assay/);
  first.child.kill('SIGTERM');
  expect((await first.ended).code).toBe(143);
});

test.runIf(FULL)('where another Assay is about to begin a run, a second start touches nothing', async () => {
  const token = `starting-${TOKEN}`;
  rig.write('experiment.yaml', experiment(token).replaceAll('sleep 0.0', 'sleep 20'));
  const first = rig.start(['run', 'experiment.yaml', '--out', 'run']);
  while (processesWith(token).length === 0) await sleep(20);
  const late = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(late.code).toBe(2);
  expect(late.stderr).toMatch(/run is not empty\n.*or go on with what was begun in it/);
  // As it is until the first has written something.
  rmSync(`${rig.directory}/run.trials`, { recursive: true });
  for (const name of rig.list('run')) if (name !== 'lock') rmSync(`${rig.directory}/run/${name}`, { recursive: true });
  const second = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(second.code).toBe(3);
  expect(second.stderr).toMatch(/run\/lock is in use by another Assay \(process \d+ /);
  expect(rig.list('run')).toEqual(['lock']);
  first.child.kill('SIGKILL');
  await first.ended;
});

test.runIf(NATIVE)('a launcher or its guard that is killed is no signal of the user', async () => {
  // The guard is the parent of the launcher, which is that of the subject.
  const guard = 'cut -d" " -f4 /proc/$PPID/stat';
  for (const victim of FULL ? ['echo $PPID', guard] : [guard]) {
    const name = victim === guard ? 'guard' : 'launcher';
    const command = JSON.stringify(`kill -KILL $(${victim}); sleep 20; : ${name}-${TOKEN}`);
    rig.write(
      'experiment.yaml',
      `title: t\nmetrics: [{name: wall, from: wall}]\narms: {a: {command: [sh, -c, ${command}]}, b: {command: ['true']}}\ndesign: {confirmation: {pairs: 2}, warmup: 1}\n`,
    );
    const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', name]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/ended (the launcher )?during a trial: SIGKILL\n {2}Resume the run\./);
    expect(stderr).not.toContain('SIGTERM');
    expect(rig.journal(name).end).toBeNull();
    expect(processesWith(`${name}-${TOKEN}`)).toEqual([]);
  }
});

test('Ctrl-C ends the trial, saves, says how to go on, and exits 130', async () => {
  const token = `interrupted-${TOKEN}`;
  rig.write('experiment.yaml', experiment(token));
  const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run']);
  while (!rig.list('.').includes('run') || !rig.list('run').includes('raw')) await sleep(20);
  child.kill('SIGINT');
  const { code, stderr, stdout } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain('assay run --resume run');
  expect(stdout).not.toMatch(/slower|faster/);
  expect(processesWith(token)).toEqual([]);
  expect(rig.journal('run').end?.reason).toEqual({ kind: 'signal', signal: 'SIGINT' });
  const resumed = await rig.assay(['run', '--resume', 'run']);
  expect([0, 1]).toContain(resumed.code);
  const journal = rig.journal('run');
  expectComplete(journal);
});
