/** Runs that end as soon as they are decided, through the built program. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRig, type Rig } from '../rig.ts';
import { packVerified } from '../verified-bundle.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
let rig: Rig;
beforeEach(() => {
  rig = openRig();
  // Costs spread by about 0.3 %; how many calls there were says where in that spread a call is.
  const bench = `#!/bin/sh
n=$(wc -c < '${rig.directory}/calls'); printf x >> '${rig.directory}/calls'
echo '{"metrics": {"cost": '$(( $1 + n * 7919 % 11 ))'}}'
`;
  chmodSync(rig.write('bench', bench), 0o755);
  rig.write('calls', '');
});
afterEach(() => rig.remove());

function experiment(after: number, design = 'sequential: {min: 6, max: 12}, seed: 4'): void {
  rig.write(
    'experiment.yaml',
    `title: early
arms:
  before: {command: ["{experiment.dir}/bench", "1000"]}
  after: {command: ["{experiment.dir}/bench", "${after}"]}
metrics: [{name: cost, unit: instructions}]
design: {${design}}
`,
  );
}

const run = () => rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);

test('a large change ends the run at its first look, cut or not, and the report and a stranger see why', async () => {
  experiment(1100);
  const { code, stderr } = await run();
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(rig.journal('run').trials).toHaveLength(12);
  expect(rig.read('run/report.md')).toContain('it ended because every primary metric was decided');
  const results = JSON.parse(rig.read('run/results.json'));
  expect(results.comparisons[0]).toMatchObject({ verdict: 'slower', pairs: 6, planned_pairs: 12 });
  expect(results.comparisons[0].sequence).toMatchObject({ min: 6, max: 12, c2: 1, looks: [{ pairs: 6 }] });
  expect(results.comparisons[0].companions).toMatchObject({ wilcoxon_p: null, directions: { p_value: null } });

  await packVerified(rig);
  const again = await rig.assay(['run', '--resume', 'run', '--quiet']);
  expect(again.code).toBe(1);
  expect(rig.journal('run').trials).toHaveLength(12);

  // A journal that was cut before its last look goes on to the same end.
  const path = join(rig.directory, 'run/journal.jsonl');
  const lines = readFileSync(path, 'utf8').split('\n');
  const ends = lines.findIndex((line) => line.includes('"kind":"end"'));
  writeFileSync(path, `${lines.slice(0, ends - 3).join('\n')}\n`);
  expect((await rig.assay(['run', '--resume', 'run', '--quiet'])).code).toBe(1);
  const { trials } = rig.journal('run');
  expect(trials.filter(({ phase, block }) => phase === 'confirmation' && block <= 6).length).toBeGreaterThanOrEqual(12);
  expect(Math.max(...trials.map(({ block }) => block))).toBe(6);
});

test.runIf(FULL)('arms that are alike run to the last pair, and are inconclusive', async () => {
  experiment(1000);
  const { code, stdout } = await run();
  expect(code).toBe(0);
  expect(rig.journal('run').trials).toHaveLength(24);
  expect(rig.read('run/report.md')).toContain('12 of at most 12 pairs');
  expect(stdout).toContain('inconclusive');
});

test.each([
  ['sequential: {min: 7, max: 12}', 'pairs run AB as often as BA'],
  ['sequential: {min: 8, max: 6}', 'this is less than the 8 pairs of the first look'],
  ['sequential: {min: 6, max: 12}, confirmation: {pairs: 16}', 'fixed number of pairs or is sequential'],
])('%s is refused', async (design, sentence) => {
  experiment(1100, design);
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
});
