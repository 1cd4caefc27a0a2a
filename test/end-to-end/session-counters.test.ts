/** Events that drivers count in slices, through the real program; and sessions that a rule rejects for what was counted. */
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Results } from '../../src/report/results-schema.ts';
import { openRig, type Rig } from '../rig.ts';
import { packVerified } from '../verified-bundle.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/slices/${name}`, import.meta.url));
const counts = (...args: (string | number)[]) => JSON.stringify([process.execPath, fixture('counts.mjs'), ...args]);
const run = (...args: string[]) => rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet', ...args]);
const results = (): Results => JSON.parse(rig.read('run/results.json'));

function write(before: string, after: string, more = '', sessions = 6): void {
  const design = `slices: {length: 200us, session: 20ms}, confirmation: {sessions: ${sessions}}, seed: 3`;
  const arms = `{before: {command: ${before}}, after: {command: ${after}}}`;
  rig.write(
    'experiment.yaml',
    `title: counted\narms: ${arms}\nworkload: {env: {ASSAY_COUNTERS: hardware}}\ncounters: hardware\ndesign: {${design}}\n${more}`,
  );
}

const attempts = (block: number) =>
  rig
    .journal('run')
    .trials.filter((trial) => trial.phase === 'confirmation' && trial.block === block)
    .map(({ attempt, arm }) => `${attempt} ${arm}`);

test('are per operation, with interval and total; a session that was not counted all the time is repeated whole', async () => {
  write(counts(1000, 0.5, 'confirmation-0002'), counts(1010));
  const planned = await rig.assay(['plan', 'experiment.yaml']);
  expect(planned.stdout).toContain('rejected: time that the counters ran below 99 %');
  const { code, stdout, stderr } = await run();
  expect(stderr).toBe('');
  expect([0, 1]).toContain(code);
  const { comparisons, counters, rejections, state } = results();
  expect(state).toBe('complete');
  expect(counters).toMatchObject({ kind: 'hardware', scopes: ['region'], share: { least: 1, most: 1 } });
  expect(rejections.rows).toEqual([
    expect.objectContaining({ block: 2, attempt: 1, arm: 'before', fact: 'counter_share' }),
  ]);
  const [one, other, ...again] = attempts(2);
  expect(again).toEqual([one, other].map((words) => words?.replace('1 ', '2 ')));
  // Where 1010 instructions are compared with 1000 in every slice, there is nothing to estimate.
  const instructions = comparisons.find(({ metric }) => metric === 'instructions');
  expect(instructions).toMatchObject({ means: { reference: 1000, arm: 1010 }, pairs: 6, primary: false });
  expect(instructions?.change).toBeCloseTo(0.01, 9);
  expect(instructions?.slices?.total.change).toBeCloseTo(0.01, 9);
  expect(comparisons.find(({ metric }) => metric === 'cycles')).toMatchObject({ means: { reference: 2000 } });
  expect(comparisons.find(({ metric }) => metric === 'branch_misses')).toMatchObject({ means: { reference: 100 } });
  expect(stdout).toMatch(/^wall /);
  expect(rig.read('run/trials.csv').split('\n')[0]).toMatch(/cycles,instructions/);
  expect(await packVerified(rig)).toContain('trials');
});

describe.runIf(FULL)('a session', () => {
  test('is repeated no more often than the rule says, and then missing', async () => {
    write(
      counts(1000, 0.5, 'confirmation-0002', 9),
      counts(1000),
      'reject: {rules: [{fact: counter_share, below: 90%}], max_repeats: 1}\n',
    );
    const { code } = await run();
    expect(attempts(2).map((words) => words[0])).toEqual(['1', '1', '2', '2']);
    const { comparisons, rejections } = results();
    expect(rejections.rows.map(({ block, attempt }) => [block, attempt])).toEqual([
      [2, 1],
      [2, 2],
    ]);
    expect(new Set(comparisons.map(({ pairs }) => pairs))).toEqual(new Set([5]));
    expect([0, 1]).toContain(code);
    await packVerified(rig);
  });

  test('that was counted for most of the time has its counts scaled', async () => {
    write(
      counts(1000, 0.8, 'confirmation', 99),
      counts(1000),
      'reject: {rules: [{fact: counter_share, below: 50%}]}\n',
      2,
    );
    await run();
    const instructions = results().comparisons.find(({ metric }) => metric === 'instructions');
    // Rounded down in each slice before it is scaled.
    expect(instructions?.means?.reference).toBeCloseTo(1000, 0);
    expect(results().counters?.share).toEqual({ least: 0.8, most: 1 });
  });

  test('of which one driver counts nothing has no counts, and the report says why', async () => {
    write(counts(1000), JSON.stringify([process.execPath, fixture('adds.mjs'), '50']), '', 2);
    const { code } = await run();
    expect([0, 1]).toContain(code);
    expect(rig.read('run/report.md').replaceAll(/\s+/g, ' ')).toContain(
      'Hardware counters: not available: not every answer of both drivers has hardware events',
    );
    expect(results().comparisons.map(({ metric }) => metric)).not.toContain('instructions');
  });
});

test('nothing is counted around a process that works in turns', async () => {
  write(counts(1), counts(1), 'metrics: [{name: wall, from: slice}, {name: i, from: counters.instructions, per: 2}]\n');
  rig.write(
    'experiment.yaml',
    rig.read('experiment.yaml').replace('workload: {env: {ASSAY_COUNTERS: hardware}}\n', ''),
  );
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('in slices the driver itself counts, and answers with what it did');
  expect(stderr).toContain('take `per` away');
});
