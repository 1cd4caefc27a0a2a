/** Instructions are counted through the built program: by a stand-in for valgrind that writes what a test wants, and by valgrind. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TrialRecord } from '../../src/journal/records.ts';
import { expectComplete } from '../complete-run.ts';
import { countedEngine } from '../counted-engine.ts';
import { openRig, type Rig } from '../rig.ts';
import { tinyRepository } from '../tiny-repository.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const counted = (run: string, arm?: string): TrialRecord[] =>
  rig.journal(run).trials.filter((trial) => trial.phase === 'counting' && (arm === undefined || trial.arm === arm));

/** Instructions of each counted trial of an arm. */
const instructions = (run: string, arm: string) => counted(run, arm).map((trial) => trial.counted?.instructions);

const started = (run: string, folder: string) =>
  existsSync(join(rig.directory, run, 'raw')) && rig.list(`${run}/raw`).some((name) => name.startsWith(folder));

/** Kills Assay in the middle of the second block of counted trials. */
async function killWhileCounting(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { child, ended } = rig.start(args, env);
  while (!started('run', 'counting-0002-2')) {
    if (child.exitCode !== null) throw new Error((await ended).stderr);
    await sleep(10);
  }
  child.kill('SIGKILL');
  await ended;
}

describe('with a stand-in for valgrind', () => {
  /** Counts 100 instructions a key, 103 under `after`; of them 3 a key in `Engine::put`. */
  const VALGRIND = `#!/bin/sh
[ "$1" = --version ] && { cat '@DIR@/version'; exit; }
for option do
  case $option in
    --callgrind-out-file=*) out=\${option#*=} ;;
    --log-file=*) log=\${option#*=} ;;
  esac
done
printf '%s|' "$@" >> '@DIR@/calls'; echo "$PWD|$ASSAY_PADDING|" >> '@DIR@/calls'
echo "==$$== Callgrind, or what stands in for it" > "\${log:-/dev/null}"
while [ "$1" != -- ]; do shift; done
shift
"$@" || exit
[ -e '@DIR@/slow' ] && sleep 0.4
[ -e '@DIR@/nothing' ] && exit 0
puts=0; [ "$2" = after ] && puts=$((3 * $3))
[ -e '@DIR@/elsewhere' ] && { echo 'events: Ir'; echo 'totals: 0'; } > "\${out%\\%p}$$" && exit
cat > "\${out%\\%p}$$" <<END
version: 1
pid: $$
positions: line
events: Ir
summary: 1
fn=(1) assay_timed_put
1 $((100 * $3))
fn=(2) Engine::put(char const*)
1 $puts
totals: $((100 * $3 + puts))
END
exit 0
`;
  const BENCH = `#!/bin/sh
echo '{"metrics": {"write_ns": '$(($2 + $$ % 7))'}, "checks": {"verified": {"ok": true}}, "facts": {"keys": '$2'}}'
`;
  const EXPERIMENT = `
title: counted
arms: {before: {}, after: {}}
workload:
  command: ["{experiment.dir}/bench", "{arm.name}", "{params.keys}"]
  params: {keys: 2000}
metrics: [{name: write_ns, unit: ns, per: 2000}]
checks: [{driver: [verified]}, {equal: /facts/keys}]
machine: {environment_padding: 100}
design: {warmup: 1, confirmation: {pairs: 2}, seed: 3}
counting: {tool: callgrind, repeats: 3, region: 'assay_timed_*', params: {keys: 20}, per: /facts/keys}
`;
  let env: NodeJS.ProcessEnv;

  beforeEach(() => {
    chmodSync(rig.write('bin/valgrind', VALGRIND.replaceAll('@DIR@', rig.directory)), 0o755);
    chmodSync(rig.write('bench', BENCH), 0o755);
    rig.write('version', 'valgrind-3.99.0\n');
    rig.write('experiment.yaml', EXPERIMENT);
    env = { PATH: `${join(rig.directory, 'bin')}:${process.env['PATH']}` };
  });

  test('each arm is counted apart from the timed trials, with its own parameters', async () => {
    const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
    expect(stderr).toBe('');
    expect([0, 1]).toContain(code);
    const { prepared, trials } = rig.journal('run');
    expect(prepared?.counting_tool).toBe('callgrind (valgrind-3.99.0)');
    expect(trials.filter(({ failure }) => failure !== null)).toEqual([]);
    expect(trials.map(({ phase }) => phase)).toEqual([
      ...Array(2).fill('warmup'),
      ...Array(4).fill('confirmation'),
      ...Array(6).fill('counting'),
    ]);
    expect(trials.every((trial) => (trial.counted !== null) === (trial.phase === 'counting'))).toBe(true);
    for (const trial of counted('run', 'after')) {
      expect(trial.metrics).toEqual({});
      expect(trial.checks.map(({ name, detail }) => [name, detail])).toContainEqual(['equal: /facts/keys', '20']);
      expect(trial.counted).toEqual({
        instructions: 2060,
        operations: 20,
        functions: [
          { name: 'assay_timed_put', instructions: 2000 },
          { name: 'Engine::put(char const*)', instructions: 60 },
        ],
        rest: 0,
      });
      const [folder] = trial.raw.map(({ path }) => path.slice(0, path.lastIndexOf('/')));
      expect(trial.raw.map(({ path }) => path)).toEqual(
        ['stdout', 'stderr', 'account.json', 'valgrind.log', 'callgrind.out'].map((name) => `${folder}/${name}`),
      );
      expect(rig.read(`run/${folder}/account.json`)).toContain('"keys": 20');
    }
    expect(instructions('run', 'before')).toEqual([2000, 2000, 2000]);

    const calls = rig.read('calls').trimEnd().split('\n');
    expect(calls).toHaveLength(6);
    // Nothing that a program sees of its trial has another length in another.
    expect(new Set(calls.map((call) => call.replace('|before|', '|after|').length)).size).toBe(1);
    for (const call of calls) {
      expect(call).toContain('|--toggle-collect=assay_timed_*|');
      expect(call).toMatch(/\|--\|[^|]*\/bench\|(?:before|after)\|20\|/);
      expect(call).toMatch(/\|\|$/);
    }

    // The times know nothing of it.
    const results = JSON.parse(rig.read('run/results.json'));
    expect(results.state).toBe('complete');
    expect(rig.read('run/pairs.csv').trim().split('\n')).toHaveLength(3);
    const rows = rig
      .read('run/trials.csv')
      .split('\n')
      .filter((row) => row.startsWith('counting,'));
    expect(rows).toHaveLength(6);
    for (const row of rows) expect(row).toMatch(/,false,counting,/);
    const again = await rig.assay(['run', '--resume', 'run', '--quiet'], env);
    expect([again.code, again.stderr]).toEqual([code, '']);
    // What a reader is told to run counts the same again.
    const command = /^cd .* valgrind .* after 20 .*$/m.exec(rig.read('run/report.md'))?.[0] ?? 'exit 9';
    const place = join(rig.directory, 'alone');
    mkdirSync(place);
    execFileSync('/bin/sh', ['-c', command], { env: { ...env, RUN: place, EXPERIMENT: rig.directory } });
    const [profile = ''] = readdirSync(place);
    expect(readFileSync(join(place, profile), 'utf8')).toContain('totals: 2060\n');
  });

  test.runIf(FULL)('the plan says what is counted, and does not take it for trials like others', async () => {
    const first = await rig.assay(['plan', 'experiment.yaml'], env);
    expect(first.stdout).toContain('counting: 3 trials of each arm under callgrind with keys 20, nothing is timed');
    expect(first.stdout).toContain('time: unknown');
    expect(existsSync(join(rig.directory, 'calls'))).toBe(false);
    rig.write('slow', '');
    await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
    const { forecast } = JSON.parse(
      (await rig.assay(['plan', 'experiment.yaml', '--from', 'run', '--json'], env)).stdout,
    );
    // A counted trial takes at least 0.4 s here, of which there are 6.
    expect(forecast.trials).toBe(12);
    expect(forecast.seconds).toBeGreaterThan(2.4);
    const timed = EXPERIMENT.slice(0, EXPERIMENT.indexOf('counting:'));
    rig.write('timed.yaml', timed);
    const without = JSON.parse((await rig.assay(['plan', 'timed.yaml', '--from', 'run', '--json'], env)).stdout);
    expect(without.forecast.seconds).toBeLessThan(forecast.seconds - 2.4);
  });

  const NO_COUNT = [
    ['elsewhere', 'no function called assay_timed_* was called; functions must be extern "C" and not inlined'],
    ['nothing', "callgrind's profile does not exist"],
  ] as const;
  test.each(FULL ? NO_COUNT : NO_COUNT.slice(0, 1))(
    'a count that is none fails the run (%s)',
    async (cause, message) => {
      rig.write(cause, '');
      const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
      expect(code).toBe(3);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`no count: ${message}`);
      const [trial, ...others] = counted('run');
      expect(others).toEqual([]);
      expect(trial).toMatchObject({ failure: { kind: 'counting', message }, counted: null });
    },
  );

  test.runIf(FULL)(
    'operations that the result line does not have fail the run, of which each trial is tried where asked',
    async () => {
      rig.write('experiment.yaml', EXPERIMENT.replace('per: /facts/keys', 'per: /facts/puts'));
      const args = ['run', 'experiment.yaml', '--out', 'run', '--quiet', '--keep-going'];
      const { code, stdout } = await rig.assay(args, env);
      expect(code).toBe(3);
      expect(counted('run')).toHaveLength(6);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
        'its operations are not known: the result line has nothing at "/facts/puts"',
      );
    },
  );

  test.runIf(FULL)('a counted trial must pass its checks, and end in its own time', async () => {
    rig.write('bench', BENCH.replace('"ok": true', '"ok": \'$([ "$2" = 20 ] && echo false || echo true)\''));
    const failed = await rig.assay(['run', 'experiment.yaml', '--out', 'failed', '--quiet'], env);
    expect(failed.code).toBe(3);
    expect(counted('failed')[0]?.failure).toMatchObject({ kind: 'check', check: 'driver: verified' });
    rig.write('bench', BENCH);
    rig.write('slow', '');
    rig.write(
      'experiment.yaml',
      EXPERIMENT.replace("region: 'assay_timed_*'", "region: 'assay_timed_*', timeout: 100ms"),
    );
    const late = await rig.assay(['run', 'experiment.yaml', '--out', 'late', '--quiet'], env);
    expect(late.code).toBe(3);
    expect(counted('late')[0]?.failure).toEqual({ kind: 'timeout', timeout_ms: 100 });
  });

  test.runIf(FULL)('a run that was killed while it counted goes on, with the same valgrind only', async () => {
    rig.write('slow', '');
    await killWhileCounting(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
    rig.write('version', 'valgrind-4.0.0\n');
    const other = await rig.assay(['run', '--resume', 'run', '--quiet'], env);
    expect(other.code).toBe(3);
    expect(other.stderr).toContain(
      'the run began with callgrind (valgrind-3.99.0), and here is callgrind (valgrind-4.0.0): two versions need not count alike',
    );
    rig.write('version', 'valgrind-3.99.0\n');
    const { code, stderr } = await rig.assay(['run', '--resume', 'run', '--quiet'], env);
    expect(stderr).toBe('');
    expect([0, 1]).toContain(code);
    expectComplete(rig.journal('run'));
  });

  test('without valgrind nothing runs, and the sentence says what to do', async () => {
    const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run'], { PATH: '/nonexistent' });
    expect(code).toBe(3);
    expect(stderr).toContain('instructions are counted by valgrind, and there is none on PATH');
    expect(stderr).toContain('Install valgrind (Debian, Ubuntu: apt install valgrind), or leave `counting` out');
    expect(existsSync(join(rig.directory, 'run'))).toBe(false);
    rig.write('version', 'something else\n');
    const odd = await rig.assay(['run', 'experiment.yaml', '--out', 'run'], env);
    expect(odd.code).toBe(3);
    expect(odd.stderr).toContain('does not say which version of valgrind it is');
  });
});

/** By valgrind itself: the library's second commit does exactly this many instructions more for each put. */
describe.runIf(FULL)('with valgrind', () => {
  const K = 7;
  const EXPERIMENT = `
title: a commit that adds ${K} instructions to each put
arms:
  before: {git: {repo: engine, rev: HEAD~1}, build: [make]}
  after: {git: {repo: engine, rev: HEAD}, build: [make]}
  again: {of: before}
workload:
  command: ["{arm.dir}/bench", "{params.keys}"]
  params: {keys: 200000}
metrics: [{name: put_ns, unit: ns, per: 200000}]
checks: [{driver: any}, {equal: /facts/keys}]
design: {confirmation: {pairs: 2}, seed: 3}
counting: {tool: callgrind, repeats: 2, region: 'timed_*', params: {keys: 5000}, per: /facts/keys}
`;

  test.each(['native', 'portable'])(
    'k instructions an operation more are +k, and A/A is 0 (%s launcher)',
    async (launcher) => {
      countedEngine(tinyRepository(join(rig.directory, 'engine')), K);
      rig.write('experiment.yaml', EXPERIMENT);
      const cache = rig.ownCache();
      const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet'], {
        ASSAY_CACHE: cache,
        ASSAY_LAUNCHER: launcher,
      });
      expect(stderr).toBe('');
      expect([0, 1]).toContain(code);
      const before = instructions('run', 'before');
      expect(before).toEqual([before[0], before[0]]);
      expect(before[0]).toBeGreaterThan(5000);
      expect(instructions('run', 'again')).toEqual(before);
      const more = instructions('run', 'after').map((count, index) => (count ?? 0) - (before[index] ?? 0));
      expect(more).toEqual([5000 * K, 5000 * K]);
      expect(counted('run').map((trial) => trial.counted?.operations)).toEqual(Array(6).fill(5000));
      const self = (arm: string) =>
        counted('run', arm)[0]?.counted?.functions.find(({ name }) => name === 'Engine::Put(unsigned int)')
          ?.instructions;
      expect((self('after') ?? 0) - (self('before') ?? 0)).toBe(5000 * K);
      expect(rig.journal('run').prepared?.counting_tool).toMatch(/^callgrind \(valgrind-\d/);
    },
    300_000,
  );

  test('a region that matches nothing, a program that puts another in its place', async () => {
    countedEngine(tinyRepository(join(rig.directory, 'engine')), K);
    rig.write('experiment.yaml', EXPERIMENT.replace('timed_*', 'nothing_*'));
    const env = { ASSAY_CACHE: rig.ownCache() };
    const none = await rig.assay(['run', 'experiment.yaml', '--out', 'none', '--quiet'], env);
    expect(none.code).toBe(3);
    expect(counted('none')[0]?.failure).toEqual({
      kind: 'counting',
      message: 'no function called nothing_* was called; functions must be extern "C" and not inlined',
    });
    rig.write(
      'experiment.yaml',
      EXPERIMENT.replace(
        '["{arm.dir}/bench", "{params.keys}"]',
        '[sh, -c, \'exec "$0" "$1"\', "{arm.dir}/bench", "{params.keys}"]',
      ),
    );
    const exec = await rig.assay(['run', 'experiment.yaml', '--out', 'exec', '--quiet'], env);
    expect(exec.code).toBe(3);
    expect(counted('exec')[0]?.failure).toMatchObject({ kind: 'counting', message: expect.stringContaining('(exec)') });
  }, 300_000);

  test('killed while it counts, it goes on and counts the same', async () => {
    countedEngine(tinyRepository(join(rig.directory, 'engine')), K);
    rig.write('experiment.yaml', EXPERIMENT.replace('keys: 5000', 'keys: 1000000').replace('of: before', 'of: after'));
    const env = { ASSAY_CACHE: rig.ownCache() };
    await killWhileCounting(['run', 'experiment.yaml', '--out', 'run', '--quiet'], env);
    const { code, stderr } = await rig.assay(['run', '--resume', 'run', '--quiet'], env);
    expect(stderr).toBe('');
    expect([0, 1]).toContain(code);
    expectComplete(rig.journal('run'));
    for (const arm of ['before', 'after', 'again']) expect(new Set(instructions('run', arm)).size).toBe(1);
    expect(new Set(['after', 'again'].flatMap((arm) => instructions('run', arm))).size).toBe(1);
    expect(readFileSync(join(rig.directory, 'run/journal.jsonl'), 'utf8')).toContain('"reason":"resumed"');
  }, 300_000);
});
