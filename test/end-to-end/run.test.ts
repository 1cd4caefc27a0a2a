/** Experiment files through the built program: what a trial is given, what is read from it, what is kept. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

/** Prints values that depend on the arm, with a little noise, in units of 0.0001. By a shell, which starts faster than Node.js. */
const DRIVER = `
case $1 in slow) value=1200000 ;; middle) value=1100000 ;; *) value=1000000 ;; esac
value=$((value + $$ * 7919 % 997))
printf 7 >value.txt
echo 'noise before the result'
printf 'ops: %d.%04d\\n' $((value / 10000)) $((value % 10000)) >&2
echo '{"metrics": {"write": '$((value * $3))'e-4, "rate": '$((100000000000000 / value))'e-7}, "checks": {"verified": {"ok": true}},' \\
  '"facts": {"keys": 42, "own": "'"$OWN"'", "padding": '\${#ASSAY_PADDING}'}}'
`;

/** The same, and tells what a trial is given. */
const TELLING = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const [, , arm, dir, records] = process.argv;
writeFileSync('value.txt', '7');
const value = { slow: 120, fast: 100 }[arm] + Math.sin(process.hrtime()[1]) / 10;
console.log('noise before the result');
console.error('ops: ' + value);
console.log(JSON.stringify({
  metrics: { write: value * Number(records), rate: 1000 / value },
  checks: { verified: { ok: true, detail: '' } },
  facts: {
    env: Object.keys(process.env).filter((name) => name !== 'ASSAY_TRIAL').sort(), lc: process.env.LC_ALL, tz: process.env.TZ, token: process.env.TOKEN, own: process.env.OWN,
    home: readdirSync(process.env.HOME), tmp: readdirSync(process.env.TMPDIR), cwd: process.cwd() === dir,
    stdin: readFileSync(0, 'utf8'), keys: 42,
  },
}));
`;

const EXPERIMENT = `
title: what a trial is given
question: Are the arms what they say?
constructed: true
arms:
  fast: {env: {OWN: '{arm.name}'}}
  slow: {env: {OWN: '{arm.name}'}}
workload:
  command: [/bin/sh, '{experiment.dir}/driver.sh', '{arm.name}', '{trial.dir}', '{params.records}']
  params: {records: 10}
  stdin: input.txt
  env: {MODE: x}
  pass_env: [TOKEN]
metrics:
  - {name: write, unit: ns, per: 10, primary: true, from: /metrics/write}
  - {name: rate, unit: op/s, better: higher, from: /metrics/rate}
  - {name: ops, unit: ops, from: {stderr: 'ops: ([0-9.]+)'}}
  - {name: value, unit: things, kind: difference, from: {file: value.txt}}
checks:
  - driver: [verified]
  - equal: /facts/keys
  - must_match: {stdout: 'noise'}
design: {screening: {pairs: 2}, confirmation: {pairs: 4}, warmup: 1, seed: 11}
`;

function write(experiment = EXPERIMENT): void {
  rig.write('driver.sh', DRIVER);
  rig.write('input.txt', 'from a file');
  rig.write('experiment.yaml', experiment);
}

const results = (): Analysis => JSON.parse(rig.read('run/results.json'));

test('metrics, checks, phases, environment, and what is kept', async () => {
  write(
    EXPERIMENT.replace("/bin/sh, '{experiment.dir}/driver.sh'", `${process.execPath}, '{experiment.dir}/driver.mjs'`),
  );
  rig.write('driver.mjs', TELLING);
  const { code, stdout, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--json'], {
    TOKEN: 's3cret-token',
  });
  expect(stderr).not.toMatch(/defect/);
  expect(code).toBe(1);
  expect(stdout).toBe(rig.read('run/results.json'));
  const verdicts = Object.fromEntries(results().comparisons.map((row) => [row.metric, row.verdict]));
  expect(verdicts).toEqual({ write: 'slower', rate: 'slower', ops: 'slower', value: 'inconclusive' });

  const { run, trials } = rig.journal('run');
  expect(trials.map(({ phase }) => phase)).toEqual([
    ...Array(2).fill('warmup'),
    ...Array(4).fill('screening'),
    ...Array(8).fill('confirmation'),
  ]);
  expect(run.experiment_id).toMatch(/^[0-9a-f]{64}$/);
  const confirmed = trials.filter(({ phase, arm }) => phase === 'confirmation' && arm === 'slow');
  for (const { metrics } of confirmed) {
    expect(metrics['write']).toBeGreaterThan(119);
    expect(metrics['write']).toBeLessThan(121);
    expect(metrics['value']).toBe(7);
  }
  const [first] = confirmed;
  const printed = readFileSync(join(rig.directory, 'run', first?.raw[0]?.path ?? ''), 'utf8');
  const { facts } = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '');
  expect(facts).toEqual({
    env: ['HOME', 'LC_ALL', 'MODE', 'OWN', 'PATH', 'TMPDIR', 'TOKEN', 'TZ'],
    lc: 'C',
    tz: 'UTC',
    token: 's3cret-token',
    own: 'slow',
    home: [],
    tmp: [],
    cwd: true,
    stdin: 'from a file',
    keys: 42,
  });
  expect(first?.raw.map(({ path }) => path.split('/').slice(2).join('/'))).toEqual([
    'stdout',
    'stderr',
    'account.json',
    'files/value.txt',
  ]);
  const journal = rig.read('run/journal.jsonl');
  for (const secret of ['s3cret-token', rig.directory]) expect(journal).not.toContain(secret);
  expect(rig.read('run/identity.json')).toContain(rig.directory);
});

test('the environment is lengthened by a drawn size, and addresses are fixed', async () => {
  write(`${EXPERIMENT}machine: {environment_padding: 300, layout: fixed}\n`);
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
  if (stdout.includes('needs the native launcher')) {
    expect(code).toBe(3);
    return;
  }
  expect([0, 1]).toContain(code);
  const lengths = rig.journal('run').trials.map(({ raw }) => {
    const printed = readFileSync(join(rig.directory, 'run', raw[0]?.path ?? ''), 'utf8');
    return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '').facts.padding;
  });
  expect(new Set(lengths).size).toBeGreaterThan(8);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(300);
});

test.runIf(FULL)('the same seed gives the same order, another run its own, and earlier runs are named', async () => {
  write(EXPERIMENT.replace('{pairs: 4}', '{pairs: 2}').replace(', seed: 11', ''));
  await rig.assay(['run', 'experiment.yaml', '--out', 'assay-runs/one', '--seed', '5', '--quiet']);
  const { stdout, stderr } = await rig.assay(['run', 'experiment.yaml']);
  const other = /^run: (.*)/.exec(stderr)?.[1] ?? '';
  expect(rig.journal(other).run.plan.seed).not.toBe(5);
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/1 earlier run of the same experiment .* one/);
  const found = await rig.assay(['plan', 'experiment.yaml']);
  expect(found.stdout).toContain(`that of 2 pairs in the screening of ${other} (`);
  const plan = await rig.assay(['plan', 'experiment.yaml', '--seed', '5', '--from', 'assay-runs/one']);
  expect(plan.stdout).toMatch(/time: about [\d.]+ s/);
  expect(plan.stdout).toMatch(/value +unknown: no spread in 2 pairs/);
  expect(plan.stdout).toMatch(/write +[\d.]+ %/);
  const asked = await rig.assay([
    'plan',
    'experiment.yaml',
    '--from',
    'assay-runs/one',
    '--detect',
    '5%',
    '--within',
    '1h',
  ]);
  expect(asked.stdout).toMatch(
    /to find a change of 5 % with 80 % power[^\n]*:\n {2}write: [\d,]+ pairs; the 2 of the plan/,
  );
  expect(asked.stdout).toMatch(/within 60 min: [\d,]+ pairs/);
  const seeded = ['plan', 'experiment.yaml', '--seed', '5', '--from', 'assay-runs/one'];
  const json = await rig.assay([...seeded, '--detect', '5%', '--json']);
  const { detection, within, plan: same } = JSON.parse(json.stdout);
  expect(same).toEqual(rig.journal('assay-runs/one').run.plan);
  expect(detection.rows[0]).toMatchObject({
    metric: 'write',
    answer: { kind: 'pairs' },
    spread: { source: { values: 2 } },
  });
  expect({ change: detection.change, within }).toEqual({ change: 0.05, within: null });
});

test('before anything has been run, time and detectable effect are unknown', async () => {
  write();
  const { code, stdout } = await rig.assay(['plan', 'experiment.yaml']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/14 trials, seed 11/);
  expect(stdout).toMatch(/time: unknown/);
  expect(stdout).toMatch(/write +unknown/);
  expect(rig.list('.')).toEqual(['driver.sh', 'experiment.yaml', 'input.txt']);
  const mistaken = (...flags: string[]) => rig.assay(['plan', 'experiment.yaml', ...flags]);
  for (const [flags, sentence] of [
    [['--detect', '-1%'], 'Expected a percentage such as 1%'],
    [['--detect', '0'], 'Expected a percentage such as 1%'],
    [['--detect', '2'], 'Write a percentage: --detect 2%.'],
    [['--within', 'soon'], 'Expected a time such as 10m'],
  ] as const) {
    expect(await mistaken(...flags)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) });
  }
});

test.runIf(FULL)('three arms run in blocks, each against the reference', async () => {
  write(
    EXPERIMENT.replace('arms:', 'arms:\n  middle: {env: {OWN: x}}').replace(
      'constructed',
      'reference: fast\nconstructed',
    ),
  );
  const { code } = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
  expect(code).toBe(1);
  const rows = results().comparisons.filter(({ metric }) => metric === 'write');
  expect(rows.map(({ arm, reference, pairs }) => [arm, reference, pairs])).toEqual([
    ['middle', 'fast', 6],
    ['slow', 'fast', 6],
  ]);
});

test('a value that must be the same in all trials and is not makes the run invalid', async () => {
  write(EXPERIMENT.replace('equal: /facts/keys', 'equal: /facts/own'));
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(code).toBe(3);
  expect(stdout.replace(/\s+/g, ' ')).toMatch(/wants the same value in all trials, and found "(slow|fast)"/);
});

test.runIf(FULL)('rejected pairs are repeated whole, at most twice, and too many make the run invalid', async () => {
  // A rule that nothing can meet: some CPU is always busy with something.
  write(
    `${EXPERIMENT}reject: {rules: [{fact: frequency_hz, below: 1e15}, {fact: other_cpu, above: 0}], max_repeats: 2}\n`,
  );
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(code).toBe(3);
  expect(stdout).toMatch(/rejected at least once/);
  const attempts = rig.journal('run').trials.filter(({ phase }) => phase === 'confirmation');
  expect(Math.max(...attempts.map(({ attempt }) => attempt))).toBe(3);
  const orders = new Map<string, string>();
  for (const { block, attempt, arm } of attempts) {
    const key = `${block}/${attempt}`;
    orders.set(key, `${orders.get(key) ?? ''}${arm} `);
  }
  for (const [key, order] of orders) expect(order, key).toBe(orders.get(`${key.split('/')[0]}/1`));
  expect(rig.read('run/trials.csv')).toMatch(/confirmation,\d+,\d,\w+,1,false,/);
});

test.runIf(FULL)('halves that always lie too far apart end the run with the reason', async () => {
  write(EXPERIMENT.replace('seed: 11', 'seed: 11, max_gap: 1ms'));
  const { code, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(code).toBe(3);
  expect(stderr).toMatch(/too far apart/);
  expect(rig.journal('run').interruptions.length).toBeGreaterThan(0);
});

test('--require-conclusive: an inconclusive primary metric exits 4', async () => {
  write(
    EXPERIMENT.replace('primary: true, from: /metrics/write', 'from: /metrics/write').replace(
      'from: {file',
      'primary: true, from: {file',
    ),
  );
  expect((await rig.assay(['run', 'experiment.yaml', '--out', 'run'])).code).toBe(0);
  // Of a complete run the exit code is that of what it found.
  expect((await rig.assay(['run', '--resume', 'run', '--require-conclusive'])).code).toBe(4);
});

test.runIf(FULL)(
  'trial directories: kept where asked, in the place that the experiment names, their paths as long for each arm',
  async () => {
    const longer = EXPERIMENT.replaceAll('slow: {env', 'a-much-longer-name: {env').replace(
      "'{arm.name}', '",
      "fast, '",
    );
    write(`${longer}trial_dir: elsewhere\n`);
    await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet', '--keep']);
    const kept = rig.list('elsewhere/run.trials');
    expect(kept).toHaveLength(14);
    expect(rig.read(`elsewhere/run.trials/${kept[0]}/data/value.txt`)).toBe('7');
    const confirmed = kept.filter((name) => name.startsWith('confirmation'));
    expect(confirmed).toHaveLength(8);
    expect(new Set(confirmed.map((name) => name.length)).size).toBe(1);
  },
);

test('a run whose program has changed cannot go on, nor one without its side file', async () => {
  write(EXPERIMENT.replace('confirmation: {pairs: 4}', 'confirmation: {pairs: 200}'));
  const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run']);
  while (
    !existsSync(join(rig.directory, 'run/raw/screening-0001-1-fast')) &&
    !existsSync(join(rig.directory, 'run/raw/screening-0001-1-slow'))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGTERM');
  expect((await ended).code).toBe(143);
  rig.write('driver.sh', `${DRIVER}\n# changed\n`);
  const changed = await rig.assay(['run', '--resume', 'run']);
  expect(changed.code).toBe(3);
  expect(changed.stderr).toMatch(/driver\.sh has changed since the run began/);
  const incomplete = await rig.assay(['report', 'run']);
  expect(incomplete.stdout).toMatch(/incomplete/);
  expect(incomplete.stdout).not.toMatch(/slower|faster|change/);
  rig.write('run/identity.json', '{}');
  const orphan = await rig.assay(['run', '--resume', 'run']);
  expect(orphan.code).toBe(2);
  expect(orphan.stderr).toMatch(/identity\.json is missing or damaged/);
});

test('errors of an experiment file show place and mark, all at once', async () => {
  write(EXPERIMENT.replace('unit: ns, per: 10', 'unti: ns, per: -1').replace('seed: 11', 'sead: 11'));
  const { code, stderr } = await rig.assay(['run', 'experiment.yaml']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/experiment\.yaml:\d+:\d+: .*unti.*did you mean/s);
  expect(stderr).toMatch(/sead/);
  expect(stderr).toMatch(/\^~+/);
  expect(rig.list('.')).toEqual(['driver.sh', 'experiment.yaml', 'input.txt']);
});

test('init, then plan and run', async () => {
  expect((await rig.assay(['init'])).code).toBe(0);
  expect((await rig.assay(['init'])).code).toBe(2);
  expect(rig.read('experiment.yaml')).toMatch(/^# yaml-language-server: \$schema=.*experiment\.schema\.json\n/);
  expect((await rig.assay(['plan', 'experiment.yaml'])).code).toBe(0);
  const { code, stderr } = await rig.assay(['run', 'experiment.yaml']);
  expect(stderr).toMatch(/^run: assay-runs\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-/);
  expect([0, 1]).toContain(code);
  expect(JSON.parse((await rig.assay(['schema'])).stdout)).toHaveProperty('$schema');
  expect(JSON.parse((await rig.assay(['schema', 'results'])).stdout)).toHaveProperty('properties');
});

test('what a driver says of its workload is kept once for each arm, and the command of one trial runs', async () => {
  const line = '{"facts": {"timed": "the `echo` alone", "not_a_claim_about": ["reads", "<b>"]}}';
  rig.write('say.sh', `echo "$2 $(cat)" >"$1/said"\necho '${line}'\n`);
  rig.write('input.txt', 'from a file');
  rig.write(
    'experiment.yaml',
    `
title: words
arms: {a: {params: {word: "it's a"}}, b: {params: {word: b}}}
workload:
  command: [sh, '{experiment.dir}/say.sh', '{trial.dir}', '{params.word}']
  stdin: input.txt
design: {confirmation: {pairs: 2}}
`,
  );
  const { code } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  // Equal arms are called slower by chance now and then.
  expect([0, 1]).toContain(code);
  const { trials } = rig.journal('run');
  const wording = { timed: 'the `echo` alone', not_a_claim_about: ['reads', '<b>'] };
  expect(trials.map((trial) => trial.wording)).toEqual([wording, wording, null, null]);
  const report = rig.read('run/report.md');
  expect(report).toContain('Timed, as the driver says: the \\`echo\\` alone.');
  expect(report).toContain('- This is not a claim about: reads; &lt;b&gt; (as the driver says).');

  const command = /^cd "\$RUN" .*it.*$/m.exec(report)?.[0] ?? 'false';
  const env = { ...rig.environment, RUN: rig.directory, EXPERIMENT: rig.directory };
  expect(execFileSync('/bin/sh', ['-c', command], { env }).toString()).toBe(`${line}\n`);
  expect(rig.read('said')).toBe("it's a from a file\n");
});
