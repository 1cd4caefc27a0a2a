/** Counters through the built program: software events around a process, a driver that counts by itself, the rule. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Results } from '../../src/report/results-schema.ts';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const results = (): Results => JSON.parse(rig.read('run/results.json'));
const OPERATIONS = 400;

test('software events around each process, per operation, in every report', async () => {
  // Each operation touches one page more in the second arm.
  rig.write('subject.mjs', 'const all = Buffer.allocUnsafeSlow(Number(process.argv[2]) * 4096 * 400).fill(1);\n');
  rig.write(
    'experiment.yaml',
    `
title: pages
arms: {one: {params: {pages: 1}}, two: {params: {pages: 2}}}
workload: {command: [${process.execPath}, '{experiment.dir}/subject.mjs', '{params.pages}']}
metrics: [{name: wall, per: ${OPERATIONS}}]
counters: software
design: {confirmation: {pairs: 2}, seed: 5}
`,
  );
  const { code, stdout, stderr } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect(stderr).not.toMatch(/defect/);
  expect([0, 1]).toContain(code);
  const { trials, run } = rig.journal('run');
  expect(run.experiment.reject.rules).toEqual([]);
  const { counters, comparisons } = results();
  if (process.platform !== 'linux' || counters?.counted === 0) {
    expect(stdout).toMatch(/Software counters: not available: /);
    return;
  }
  for (const { counters: found, metrics } of trials) {
    if (found === null || 'unsupported' in found) throw new Error('nothing was counted');
    expect(found).toMatchObject({ kind: 'software', scope: 'process' });
    expect(metrics['page_faults']).toBe((found.events['page_faults'] ?? 0) / OPERATIONS);
    expect(metrics['task_clock']).toBe((found.events['task_clock'] ?? 0) / OPERATIONS);
  }
  expect(counters).toMatchObject({ kind: 'software', scopes: ['process'], counted: 4, share: { least: 1, most: 1 } });
  const faults = comparisons.find(({ metric }) => metric === 'page_faults');
  expect(faults).toMatchObject({ primary: false, kind: 'difference', unit: 'faults' });
  // Where the kernel hands out larger pages there are fewer faults.
  expect(faults?.change).toBeGreaterThan(0);
  expect(faults?.change).toBeLessThan(1.3);
  expect(stdout).toMatch(/page_faults.*faults\/op/s);
  expect(stdout).toMatch(/Software counters around each process and all that it starts, the kernel included/);
  expect(rig.read('run/report.md')).toMatch(/\| counters \| Software counters around/);
  expect(rig.read('run/trials.csv').split('\n')[0]).toMatch(
    /wall,task_clock,context_switches,page_faults,cpu_migrations$/,
  );
});

/** Its counts are those of the arm; in its third trial the events had to make room for others. By a shell, which starts quickly. */
const DRIVER = `
printf x >>"$2"
tenths=10
[ "$(wc -c <"$2")" -eq 3 ] && tenths=5
events='"cycles": '$((200000 * tenths))', "instructions": '$(($1 / 10 * tenths))
events="$events"', "branch_misses": '$((100 * tenths))', "cache_misses": '$((200 * tenths))
counters='{"kind": "'$ASSAY_COUNTERS'", "events": {'$events'}, "enabled_ns": 1000000, "running_ns": '$((100000 * tenths))'}'
echo '{"metrics": {"write_ns": '$((1000000 + $$ * 7919 % 9973))'}, "counters": '$counters'}'
`;

const COUNTING = `
title: a driver that counts
arms: {before: {params: {n: 1000000}}, after: {params: {n: 1010000}}}
workload:
  command: [/bin/sh, '{experiment.dir}/driver.sh', '{params.n}', '{experiment.dir}/log']
  env: {ASSAY_COUNTERS: hardware}
metrics: [{name: write_ns, unit: ns, per: 1000}]
counters: hardware
design: {confirmation: {pairs: 6}, seed: 3}
`;

test('a pair that was not counted all the time is rejected and repeated; counts are per operation', async () => {
  rig.write('driver.sh', DRIVER);
  rig.write('experiment.yaml', COUNTING);
  const planned = await rig.assay(['plan', 'experiment.yaml']);
  expect(planned.stdout).toContain('rejected: time that the counters ran below 99 %');

  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect([0, 1]).toContain(code);
  const { run, trials } = rig.journal('run');
  expect(run.experiment.reject.rules).toEqual([{ fact: 'counter_share', when: 'below', limit: 0.99 }]);
  expect(trials).toHaveLength(14);
  expect(trials.slice(-2).map(({ block, attempt }) => [block, attempt])).toEqual([
    [2, 2],
    [2, 2],
  ]);
  // The launcher left counting to the driver.
  expect(trials.map(({ account }) => account.counters)).toEqual(trials.map(() => null));

  const { comparisons, counters, rejections, state } = results();
  expect(state).toBe('complete');
  expect(counters).toMatchObject({ kind: 'hardware', scopes: ['region'], share: { least: 1, most: 1 } });
  expect(rejections.rows).toEqual([
    expect.objectContaining({ block: 2, attempt: 1, fact: 'counter_share', value: 0.5 }),
  ]);
  const instructions = comparisons.find(({ metric }) => metric === 'instructions');
  expect(instructions).toMatchObject({
    means: { reference: 1000, arm: 1010 },
    exact: true,
    pairs: 6,
    verdict: 'slower',
  });
  expect(stdout).toMatch(/instructions.*1000 instructions\/op.*1010 instructions\/op.*\+1\.0/s);
  expect(stdout).toMatch(/time that the counters ran 50 %, limit 99 %/);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/user space only; they ran for 100 % of the time/);
});

test('where the machine has no such events the run goes on, and the report says why', async () => {
  rig.write(
    'driver.sh',
    DRIVER.replace(/^counters=.*$/m, `counters='{"kind": "hardware", "unsupported": "no events\\\\u001b[2J here"}'`),
  );
  rig.write('experiment.yaml', COUNTING);
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect([0, 1]).toContain(code);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Hardware counters: not available: no events\\u{1b}[2J here.');
  expect(stdout).not.toMatch(/instructions|rule-without-fact/);
  expect(results().comparisons.map(({ metric }) => metric)).toEqual(['write_ns']);
  expect(rig.read('run/trials.csv').split('\n')[0]).toMatch(/wall_ns,write_ns$/);
});

test.runIf(FULL)('the launcher counts hardware events around a command, or says why it cannot', async () => {
  rig.write(
    'experiment.yaml',
    'title: nothing\narms: {a: {command: ["true"]}, b: {command: ["true"]}}\ncounters: hardware\ndesign: {confirmation: {pairs: 2}}\n',
  );
  const { code, stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run']);
  expect([0, 1, 3]).toContain(code);
  const { counters, comparisons } = results();
  const compared = comparisons.some(({ metric }) => metric === 'cycles');
  expect(compared).toBe((counters?.counted ?? 0) > 0);
  if (!compared)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Hardware counters: not available: .*(cycles|perf_event_open|native)/,
    );
});

test.runIf(FULL)('without the native launcher nothing is counted, and the run goes on', async () => {
  rig.write(
    'experiment.yaml',
    'title: nothing\narms: {a: {command: ["true"]}, b: {command: ["true"]}}\ncounters: software\ndesign: {confirmation: {pairs: 2}}\n',
  );
  const { stdout } = await rig.assay(['run', 'experiment.yaml', '--out', 'run'], { ASSAY_LAUNCHER: 'portable' });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Software counters: not available: only the native launcher counts');
});
