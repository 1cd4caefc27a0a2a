/** Values per operation: divided by what each trial did, and no number is believed that the driver contradicts. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { openRig, type Rig } from '../rig.ts';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

/** Every key takes 5 ns. */
const DRIVER = `echo '{"metrics": {"write_ns": '$((5 * $1))'}, "operations": '$1'}'\n`;

function write(per: string, keys: number | string, more = ''): void {
  rig.write('driver.sh', DRIVER);
  rig.write(
    'experiment.yaml',
    `
title: keys
arms: {a: {}, b: {}}
workload: {command: [sh, '{experiment.dir}/driver.sh', '{params.keys}'], params: {keys: ${keys}}}
metrics: [{name: write_ns, unit: ns, kind: difference, per: ${per}}, {name: wall, per: ${per}, kind: difference}]
design: {confirmation: {pairs: 2}}
${more}`,
  );
}

const run = () => rig.assay(['run', 'experiment.yaml', '--out', 'run']);
const written = (phase = 'confirmation') =>
  new Set(
    rig
      .journal('run')
      .trials.filter((trial) => trial.phase === phase)
      .map(({ metrics }) => metrics['write_ns']),
  );
const results = (): Analysis => JSON.parse(rig.read('run/results.json'));

test('by what the trial did, whatever the parameters are', async () => {
  const control = 'controls: {few: {params: {keys: 10}, pairs: 2}}';
  write('/operations', 1000, control);
  const { code, stderr } = await run();
  expect(code).toBe(0);
  expect(stderr).not.toContain('NOT PER OPERATION');
  expect(written()).toEqual(new Set([5]));
  expect(written('few')).toEqual(new Set([5]));
  const { trials } = rig.journal('run');
  expect(trials.map(({ operations }) => operations['/operations'])).toEqual([1000, 1000, 1000, 1000, 10, 10, 10, 10]);
  // Other work is no match for that of the confirmation, and is not held to it.
  expect(results().warnings.map(({ code }) => code)).not.toContain('unequal-operations');
  expect(results().comparisons[0]?.operations).toEqual({ lowest: 1000, highest: 1000, contradicted: false });
  expect(rig.read('run/report.md')).toContain('per operation, of 1,000 in a trial');
});

test('a number that the driver contradicts is named while the run goes on, and in every report', async () => {
  write('1000', 2000);
  const { code, stderr, stdout } = await run();
  expect(code).toBe(0);
  const sentence =
    'NOT PER OPERATION: write_ns, wall are divided by 1000, but the driver says that a trial did 2000 operations.';
  expect(stderr.split(sentence)).toHaveLength(2);
  expect(stdout.replace(/\s+/g, ' ')).toContain(sentence);
  expect(rig.read('run/report.md')).toContain(sentence);
  expect(rig.read('run/report.html')).toContain(sentence);
  expect(results().comparisons[0]?.operations).toMatchObject({ contradicted: true });
  expect(written()).toEqual(new Set([10]));
});

test.each([
  [
    '/operations',
    '0',
    'the result line breaks the protocol at "/operations": expected a whole number from 1 to 2^53, found 0',
  ],
  ['/facts/keys', '7', 'its operations are not known: the result line has nothing at "/facts/keys"'],
])('where %s is not there, a trial fails and the run stops', async (per, keys, reason) => {
  write(per, keys);
  const { code, stdout } = await run();
  expect(code).toBe(3);
  expect(stdout.replace(/\s+/g, ' ')).toContain(`failed: metric write_ns: ${reason}`);
  expect(rig.journal('run').trials).toHaveLength(1);
});
