/** Arms that work in turns, through the real program: from the file to the verified bundle, and all that may go wrong. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { operationsAsked } from '../../src/trial/slices-file.ts';
import { expectComplete } from '../complete-run.ts';
import type { RanTrial } from '../ran.ts';
import { openRig, processesWith, type Rig } from '../rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const TOKEN = `sessions-${process.pid}`;
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/slices/${name}`, import.meta.url));
const adds = (...args: (string | number)[]) => JSON.stringify([process.execPath, fixture('adds.mjs'), ...args, TOKEN]);
const DESIGN = 'slices: {length: 200us, session: 20ms}, confirmation: {sessions: 4}, seed: 3';

function write(before: string, after: string, more = '', design = DESIGN): void {
  rig.write(
    'experiment.yaml',
    `title: in turns\narms: {before: {command: ${before}}, after: {command: ${after}}}\ndesign: {${design}}\n${more}\n`,
  );
}

const run = (...args: string[]) => rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet', ...args]);
const kinds = () =>
  rig
    .read('run/journal.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).record.kind);
const sessions = (): readonly (readonly [RanTrial, RanTrial])[] => {
  const { trials } = rig.journal('run');
  return trials.flatMap((trial, at) => {
    const other = trials[at + 1];
    return trial.position === 1 && other !== undefined ? [[trial, other] as const] : [];
  });
};

test('a complete run: sessions, their raw output, reports, and a bundle that a stranger can check', async () => {
  write(adds(50), adds(1000), 'controls: {again: {same: before, sessions: 2}}\nchecks: [{driver: [all]}]');
  const { code, stderr, stdout } = await run();
  expect(stderr).toBe('');
  // An A/A control on a live machine fails now and then, by the machine or by chance.
  const failedControl = /^The run is invalid, and its numbers decide nothing: the control again failed: /;
  expect(stdout).toMatch(code === 3 ? failedControl : /^wall is slower: /);
  expect([1, 3]).toContain(code);
  expect(kinds()).toEqual(['run', 'prepared', ...Array(7).fill('session'), 'end']);
  const journal = rig.journal('run');
  expectComplete(journal);
  const phases = sessions().map(([{ phase }]) => phase);
  expect(phases).toEqual(['warmup', ...Array(4).fill('confirmation'), 'again', 'again']);
  for (const [first, second] of sessions()) {
    const { session } = first;
    expect(second.session).toEqual(session);
    expect([first.failure, second.failure]).toEqual([null, null]);
    if (session === null) throw new Error('a session has slices');
    // Both are alive at the same time, and do the same work.
    expect(second.account.started_boot_ns).toBeGreaterThan(first.account.started_boot_ns);
    expect(second.account.started_boot_ns).toBeLessThan(first.account.ended_boot_ns);
    const asked = { name: 'slices: operations', ok: true, detail: String(operationsAsked(session)) };
    for (const { checks } of [first, second]) expect(checks).toContainEqual(asked);
    const { raw } = first;
    expect(raw.map(({ path }) => path.split('/')[2]).sort()).toEqual([
      'account.json',
      'slices.tsv',
      'stderr',
      'stdout',
    ]);
    expect(first.noise).toEqual(second.noise);
  }
  // Twenty times the additions: more time, on any machine.
  const confirmed = sessions().filter(([{ phase }]) => phase === 'confirmation');
  for (const [one, other] of confirmed) {
    const [before, after] = one.arm === 'before' ? [one, other] : [other, one];
    expect(after.metrics['wall']).toBeGreaterThan(2 * (before.metrics['wall'] ?? Number.NaN));
  }
  expect(rig.read('run/trials.csv').trimEnd().split('\n')).toHaveLength(15);

  expect((await rig.assay(['bundle', 'run', '--output', 'run.tar.gz'])).code).toBe(0);
  const verified = await rig.assay(['verify', 'run.tar.gz']);
  expect(verified.stdout).not.toMatch(/failed/);
  expect(verified.stdout).toMatch(/^trials +verified/m);
  expect(verified.code).toBe(0);
});

test('the pace is found in the warm-up, and everything else follows from it and the seed; a plan says so', async () => {
  write(adds(50), adds(50), '', DESIGN.replace('200us', '400us'));
  expect((await rig.assay(['plan', 'experiment.yaml'])).stdout).toMatch(
    /5 sessions, seed 3[\s\S]*warmup: 1 session\n[\s\S]*confirmation: 4 sessions\n[\s\S]*slices of about 400 µs, sessions of about 20 ms[\s\S]*time: unknown/,
  );
  await run();
  const [warmup, ...others] = sessions();
  const ramp = warmup?.[0].session;
  expect(ramp?.operations[0]).toBe(8);
  const nominal = others.flatMap(([{ session }]) => session?.operations ?? []);
  expect(nominal.every((operations) => operations % 8 === 0)).toBe(true);
  // Log-uniform between half and twice one number.
  expect(Math.max(...nominal) / Math.min(...nominal)).toBeLessThanOrEqual(4.2);
  const drawn = others.map(([{ session }]) => JSON.stringify([session?.leader, session?.operations, session?.gap_ns]));
  expect(new Set(drawn).size).toBe(others.length);

  // The next plan takes the time of sessions from this run.
  const { stdout } = await rig.assay(['plan', 'experiment.yaml', '--from', 'run']);
  const seconds = Number(/^time: about ([0-9.]+) s \(as in run\)$/m.exec(stdout)?.[1]);
  const { trials } = rig.journal('run');
  const starts = trials.filter(({ position }) => position === 1).map(({ account }) => account.started_unix_ms);
  const mean = ((starts.at(-1) ?? 0) - (starts[0] ?? 0)) / (starts.length - 1) / 1000;
  // The median distance between two sessions is no less than a third of their mean, five times.
  expect(seconds).toBeGreaterThan((5 * mean) / 3);
  expect(seconds).toBeLessThan(5 * mean * 3);
  expect(stdout).toMatch(/spread: that of 4 sessions in the confirmation of run \(/);
});

describe('a driver at fault', () => {
  const EARLY = [
    ['not-ready', /no answer within 1 s, before it was ready/],
    ['miscount', /number of operations than it was asked for: "done/],
  ] as const;
  test.each(FULL ? EARLY : EARLY.slice(0, 1))(
    '%s: ends the run with a sentence, and no process is left',
    async (fault, message) => {
      const design = DESIGN.replace('20ms}', '20ms, answer_timeout: 1s}');
      const bad = JSON.stringify([process.execPath, fixture('hostile.mjs'), fault, '8', TOKEN]);
      write(adds(50), bad, '', design);
      const { code, stdout, stderr } = await run();
      expect(stderr).not.toMatch(/defect/);
      expect(code).toBe(3);
      expect(stdout.replace(/\s+/g, ' ')).toMatch(message);
      expect(processesWith(TOKEN)).toEqual([]);
      const { trials, end } = rig.journal('run');
      expect(end?.reason.kind).toBe('trial_failed');
      const failed = trials.filter((trial) => trial.failure !== null);
      expect(failed.map(({ arm }) => arm)).toEqual(['after']);
      const verified = await bundled();
      expect(verified.stdout).not.toMatch(/failed/);
    },
  );

  async function bundled() {
    await rig.assay(['bundle', 'run', '--output', 'run.tar.gz']);
    return await rig.assay(['verify', 'run.tar.gz']);
  }

  const LATE = [
    ['garbage', 'slices', /does not allow: "\\u001b\[2J<b>"/],
    ['lie', 'check', /operations of the result line is \d+, and the driver was asked for \d+/],
    ['die', 'slices', /ended by SIGKILL/],
  ] as const;
  test.each(FULL ? LATE : LATE.slice(0, 2))(
    '%s in one session of the confirmation: the others are there, and the run is invalid',
    async (fault, kind, message) => {
      write(adds(50), adds(50, fault, 'confirmation-0002'));
      const { code, stdout } = await run('--keep-going');
      expect(code).toBe(3);
      const text = stdout.replace(/\s+/g, ' ');
      expect(text).toMatch(message);
      expect(text).not.toContain('\u001b');
      expect(processesWith(TOKEN)).toEqual([]);
      const { trials } = rig.journal('run');
      expect(trials).toHaveLength(10);
      const block = trials.filter((trial) => trial.phase === 'confirmation' && trial.block === 2);
      expect(block.map((trial) => [trial.arm, trial.failure?.kind ?? null]).sort()).toEqual([
        ['after', kind],
        ['before', null],
      ]);
      const partner = block.find(({ arm }) => arm === 'before');
      expect(partner?.account.outcome).toEqual(kind === 'slices' ? { kind: 'abandoned' } : { kind: 'exited', code: 0 });
      expect(rig.read('run/trials.csv')).toMatch(/before.*partner failed/);
      const verified = await bundled();
      expect(verified.stdout).not.toMatch(/failed/);
      expect(verified.stdout).toMatch(/^trials +verified/m);
    },
  );

  test('a program that knows nothing of slices', async () => {
    write(adds(50), '[/bin/echo, hello]');
    const { code, stdout } = await run();
    expect(code).toBe(3);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /it ended with exit code 0, before it was ready: told `--serve`, a driver says `ready` once it is set up/,
    );
    expect(stdout).toContain('hello');
  });
});

describe('what is cut off', () => {
  const KILLS = FULL ? 6 : 3;
  const long = `${DESIGN.replace('sessions: 4', 'sessions: 6')}, warmup: 2`;

  test.each(FULL ? ['native', 'portable'] : ['native'])(
    'kill -9, then --resume, %s launcher: every session is complete once',
    async (launcher) => {
      const env = { ASSAY_LAUNCHER: launcher };
      write(adds(50, TOKEN), adds(60), '', long);
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
        const early = await Promise.race([ended, sleep(300 + (moment % 1500))]);
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
      await rig.assay(['bundle', 'run', '--output', 'run.tar.gz']);
      expect((await rig.assay(['verify', 'run.tar.gz'])).stdout).not.toMatch(/failed/);
    },
    240_000,
  );

  test('Ctrl-C ends both processes, saves, and says how to go on', async () => {
    write(adds(50, TOKEN), adds(60), '', long.replace('20ms', '5s'));
    const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
    const begun = () => rig.list('.').includes('run') && rig.list('run').includes('journal.jsonl');
    while (!begun() || !kinds().includes('session')) await sleep(50);
    await sleep(500);
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

test('what is not supported is refused before anything runs', async () => {
  write(adds(50), adds(60), 'counters: software', DESIGN.replace('sessions: 4', 'pairs: 4'));
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toContain('with `slices` a pair is a session: say `sessions: 4`');
  expect(stderr).toContain('in slices the driver itself counts');
  expect(rig.list('.')).not.toContain('run');
});

test('init --template slices writes an experiment, its driver and the library, and they run', async () => {
  expect((await rig.assay(['init', '--template', 'slices'])).stderr).toMatch(/^experiment.yaml, bench.mjs, slices.js/);
  const again = await rig.assay(['init', 'other.yaml', '--template', 'slices']);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('bench.mjs exists') });
  expect(rig.list('.')).not.toContain('other.yaml');
  const text = rig.read('experiment.yaml').replace('slices: true', 'slices: {session: 50ms}');
  rig.write('experiment.yaml', text.replace('sessions: 8', 'sessions: 2').replace('sessions: 4', 'sessions: 2'));
  const { code, stderr } = await run();
  expect(stderr).toBe('');
  expect([0, 1]).toContain(code);
  expectComplete(rig.journal('run'));
});
