/** Arms that work in turns, where drivers fail, and where a run of them is cut off. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectComplete } from '../complete-run.ts';
import { openRig, processesWith, type Rig } from '../rig.ts';
import { adds, DESIGN, hostile, kindsOf, runQuietly, TOKEN, writeExperiment } from '../session-rig.ts';
import { packVerified } from '../verified-bundle.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const SHORT = DESIGN.replace('sessions: 4', 'sessions: 2');

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

describe('a driver at fault', () => {
  const EARLY = [
    ['not-ready', /no answer within 1 s, before it was ready/],
    ['miscount', /number of operations than it was asked for: "done/],
  ] as const;
  test.each(FULL ? EARLY : EARLY.slice(0, 1))(
    '%s: ends the run with a sentence, and no process is left',
    async (fault, message) => {
      const design = DESIGN.replace('20ms}', '20ms, answer_timeout: 1s}');
      writeExperiment(rig, adds(50), hostile(fault, '8'), '', design);
      const { code, stdout, stderr } = await runQuietly(rig);
      expect(stderr).not.toMatch(/defect/);
      expect(code).toBe(3);
      expect(stdout.replace(/\s+/g, ' ')).toMatch(message);
      expect(processesWith(TOKEN)).toEqual([]);
      const { trials, end } = rig.journal('run');
      expect(end?.reason.kind).toBe('trial_failed');
      const failed = trials.filter((trial) => trial.failure !== null);
      expect(failed.map(({ arm }) => arm)).toEqual(['after']);
      await packVerified(rig);
    },
  );

  const LATE = [
    ['garbage', 'slices', /does not allow: "\\u001b\[2J<b>"/],
    ['lie', 'check', /operations of the result line is \d+, and the driver was asked for \d+/],
    ['die', 'slices', /ended by SIGKILL/],
  ] as const;
  test.each(FULL ? LATE : LATE.slice(0, 1))(
    '%s in one session of the confirmation: the others are there, and the run is invalid',
    async (fault, kind, message) => {
      writeExperiment(rig, adds(50), adds(50, fault, 'confirmation-0002'), '', SHORT);
      const { code, stdout } = await runQuietly(rig, '--keep-going');
      expect(code).toBe(3);
      const text = stdout.replace(/\s+/g, ' ');
      expect(text).toMatch(message);
      expect(text).not.toContain('\u001b');
      expect(processesWith(TOKEN)).toEqual([]);
      const { trials } = rig.journal('run');
      expect(trials).toHaveLength(6);
      const block = trials.filter((trial) => trial.phase === 'confirmation' && trial.block === 2);
      expect(block.map((trial) => [trial.arm, trial.failure?.kind ?? null]).sort()).toEqual([
        ['after', kind],
        ['before', null],
      ]);
      const partner = block.find(({ arm }) => arm === 'before');
      expect(partner?.account.outcome).toEqual(kind === 'slices' ? { kind: 'abandoned' } : { kind: 'exited', code: 0 });
      expect(rig.read('run/trials.csv')).toMatch(/before.*partner failed/);
      expect(await packVerified(rig)).toContain('trials');
    },
  );

  test('a program that knows nothing of slices', async () => {
    writeExperiment(rig, adds(50), '[/bin/echo, hello]');
    const { code, stdout } = await runQuietly(rig);
    expect(code).toBe(3);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /it ended with exit code 0, before it was ready: told `--serve`, a driver says `ready` once it is set up/,
    );
    expect(stdout).toContain('hello');
  });
});

describe('what is cut off', () => {
  const KILLS = 6;
  const long = `${DESIGN.replace('sessions: 4', 'sessions: 6')}, warmup: 2`;

  test.runIf(FULL).each(['native', 'portable'])(
    'kill -9, then --resume, %s launcher: every session is complete once',
    async (launcher) => {
      const env = { ASSAY_LAUNCHER: launcher };
      writeExperiment(rig, adds(50, TOKEN), adds(60), '', long);
      const resume = ['run', '--resume', 'run', '--quiet'];
      const started = () => rig.list('.').includes('run') && rig.list('run').includes('journal.jsonl');
      let kills = 0;
      for (let moment = 7; kills < KILLS; kills++) {
        moment = (moment * 48_271) % 2_147_483_647;
        const { child, ended } = rig.start(
          started() ? resume : ['run', 'experiment.yaml', '--out', 'run', '--quiet'],
          env,
        );
        while (!started()) await sleep(5);
        const early = await Promise.race([ended, sleep(200 + (moment % 1500))]);
        if (early !== undefined) {
          expect(early.stderr).toBe('');
          break;
        }
        child.kill('SIGKILL');
        await ended;
      }
      const last = await rig.assay(resume, env);
      expect(last.stderr.replace(/^note: .*\n/gm, '')).toBe('');
      expect([0, 1]).toContain(last.code);
      expect(kills).toBeGreaterThan(1);
      const journal = rig.journal('run');
      expectComplete(journal);
      // A session is on record whole, or not at all.
      expect(journal.interruptions).toEqual([]);
      expect(journal.trials).toHaveLength(16);
      expect(processesWith(TOKEN)).toEqual([]);
      await packVerified(rig);
    },
    240_000,
  );

  test('Ctrl-C ends both processes, saves, and says how to go on', async () => {
    writeExperiment(rig, adds(50, TOKEN), adds(60), '', long.replace('20ms', '5s'));
    const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    const begun = () => rig.list('.').includes('run') && rig.list('run').includes('journal.jsonl');
    // In the first session of the confirmation, which takes 5 s.
    while (!begun() || kindsOf(rig).filter((kind) => kind === 'session').length < 2) await sleep(20);
    await sleep(300);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(130);
    expect(stderr).toContain('assay run --resume run');
    expect(processesWith(TOKEN)).toEqual([]);
    const { trials, end } = rig.journal('run');
    expect(end?.reason).toEqual({ kind: 'signal', signal: 'SIGINT' });
    expect(trials.length % 2).toBe(0);
    const halves = trials.map(({ phase, block, position }) => `${phase}-${String(block).padStart(4, '0')}-${position}`);
    // What was cut off has left nothing.
    expect(
      rig
        .list('run/raw')
        .map((name) => name.replace(/-[a-z]+$/, ''))
        .sort(),
    ).toEqual(halves.sort());
  });
});
