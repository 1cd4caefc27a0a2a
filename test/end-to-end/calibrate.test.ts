/** Calibrations through the built program: from the file to what later runs say of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { calibrationDocumentSchema } from '../../src/report/calibration-schema.ts';
import { expectComplete } from '../complete-run.ts';
import { COMPILATION_MS, compile, DRIVERS, FLAGS } from '../drivers/building.ts';
import { openRig, processesWith, type Rig } from '../rig.ts';
import { packVerified } from '../verified-bundle.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const TOKEN = `4.${process.pid}`;

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

/** Costs that are not the same in any two calls, and more with `more`. */
function write(design = 'confirmation: {pairs: 2}, seed: 3', more = ''): void {
  rig.write('calls', '');
  rig.write(
    'bench',
    `n=$(wc -c < '${rig.directory}/calls'); printf x >> '${rig.directory}/calls'; : ${TOKEN}
echo '{"metrics": {"cost": '$(( $1 + n * 7919 % 11 ))'}}'\n`,
  );
  rig.write(
    'experiment.yaml',
    `# kept
title: a tiny thing
arms: {before: {params: {cost: 1000}}, after: {params: {cost: 1200}}${more}}
workload: {command: [sh, "{experiment.dir}/bench", "{params.cost}"], params: {cost: 1000}}
metrics: [{name: cost, unit: instructions}]
design: {${design}}
`,
  );
}

const calibrate = (...args: string[]) =>
  rig.assay(['calibrate', 'experiment.yaml', '--out', 'cal', '--quiet', ...args]);

test('A/A and a known cost; kept, and cited by the next run, as a stranger can verify', async () => {
  write();
  const { code, stdout, stderr } = await calibrate('--runs', '4', '--known', '20 %', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { calibration, warnings, judgements, kept } = calibrationDocumentSchema.parse(JSON.parse(stdout));
  expect(rig.read('cal/calibration.json')).toBe(stdout);
  expect(calibration).toMatchObject({ title: 'a tiny thing', runs: 4, pairs: 2, sessions: false });
  const [cost] = calibration.metrics;
  expect(cost).toMatchObject({ metric: 'cost', df: 4, excluded_zero: { of: 4 } });
  expect(cost?.known).toMatchObject({ arm: 'after', cost: expect.closeTo(0.2, 12), change: expect.closeTo(0.2, 1) });
  expect(warnings.map((warning) => warning.code)).toContain('calibration-few-runs');
  expect(judgements).toEqual([{ metric: 'cost', nominal: true }]);

  const journal = rig.journal('cal');
  expectComplete(journal);
  expect(journal.run.experiment.arms.map(({ name }) => name)).toEqual(['before', 'before-again']);
  expect(journal.trials).toHaveLength(16);
  expect(rig.journal('cal/known').run.experiment.calibrates).toEqual({ runs: 4, against: 'known', cost: 0.2 });
  expect(journal.run.source.text).toContain('# kept');
  expect(rig.read('cal/report.md')).toMatch(/This is a calibration: 4 runs of 2 pairs/);
  expect(rig.read('cal/report.md')).not.toContain('same-subject');
  expect(rig.read('cal/report.md')).toContain('sets two copies of one program beside each other');
  for (const page of ['cal/report.html', 'cal/known/report.html'])
    expect(rig.read(page)).toContain('This is a calibration');

  expect(kept).toMatch(new RegExp(`^${rig.directory}/.local/share/assay/calibrations/`));
  write();
  const plan = await rig.assay(['plan', 'experiment.yaml', '--from', 'cal']);
  expect(plan).toMatchObject({ code: 2, stderr: expect.stringContaining('cal is a calibration\n  Leave --from out') });
  const run = await rig.assay(['run', 'experiment.yaml', '--out', 'run', '--quiet']);
  expect(run.stderr).toBe('');
  expect(rig.journal('run').run.calibration).toEqual(calibration);
  expect(rig.read('run/report.md').replace(/\s+/g, ' ')).toMatch(
    /calibrated on .* of 4 A\/A runs of 2 pairs excluded zero/,
  );
  for (const directory of FULL ? ['cal', 'run'] : ['cal']) await packVerified(rig, directory);

  // What cannot be read is said, and keeps nobody from measuring.
  rig.write(`${kept?.slice(rig.directory.length + 1)}`, '{');
  const blind = await rig.assay(['run', 'experiment.yaml', '--out', 'blind']);
  const unreadable =
    /A calibration is on record and cannot be used: .* is no calibration that this Assay can read\. Calib/;
  expect(blind.stderr.replace(/\s+/g, ' ')).toMatch(unreadable);
  const planned = await rig.assay(['plan', 'experiment.yaml', '--json']);
  expect(planned.code).toBe(0);
  const [warning] = JSON.parse(planned.stdout).warnings;
  expect(`${warning.message} ${warning.remedy}`).toMatch(unreadable);
  expect(rig.journal('blind').run.calibration).toBe(null);
});

test.runIf(FULL)('stopped at any moment it goes on, and one that is over is only told again', async () => {
  write('confirmation: {pairs: 4}, seed: 3');
  const args = ['--runs', '4', '--known', '--arm', 'after'];
  const calls = () => rig.read('calls').length;
  const until = async (count: number) => {
    while (calls() < count) await sleep(5);
  };
  const killed = rig.start(['calibrate', 'experiment.yaml', '--out', 'cal', '--quiet', ...args]);
  await until(10);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const stopped = rig.start(['calibrate', 'experiment.yaml', '--out', 'cal', '--quiet', ...args]);
  await until(40);
  stopped.child.kill('SIGINT');
  const { code, stderr } = await stopped.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(/go on with: assay calibrate experiment\.yaml --runs 4 --known --arm after --out cal\n$/);
  const { code: last, stdout } = await calibrate(...args);
  expect(last).toBe(0);
  expectComplete(rig.journal('cal'));
  expectComplete(rig.journal('cal/known'));
  const before = calls();
  const again = await calibrate(...args);
  expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout });
  expect(calls()).toBe(before);
  expect(processesWith(TOKEN)).toEqual([]);

  const other = await calibrate('--runs', '6');
  expect(other.code).toBe(2);
  expect(other.stderr).toMatch(/cal holds a run of something else than this calibration/);
});

describe('what is refused, before anything runs', () => {
  test.each([
    [['--known', '5%'], /2 arms beside the reference.*\n.*--arm: after, other/],
    [['--known', '--arm', 'aftr'], /no arm `aftr`: did you mean `after`/],
    [['--known', 'much'], /Expected a percentage/],
  ])('%s', async (args, message) => {
    write(undefined, ', other: {}');
    const { code, stderr } = await calibrate(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(rig.list('.')).not.toContain('cal');
  });
});

test('a trial that fails makes the calibration invalid, and nothing is kept', async () => {
  write();
  rig.write('bench', 'exit 3\n');
  const { code, stdout } = await calibrate('--runs', '2');
  expect(code).toBe(3);
  expect(stdout).toMatch(/The run is invalid/);
  expect(rig.list('.')).not.toContain('.local');
});

describe.runIf(FULL)('the fixture driver in slices', () => {
  test('is calibrated by sessions, and ten instructions in a thousand are seen', {
    timeout: COMPILATION_MS * 3,
  }, async () => {
    const driver = `${rig.directory}/fixture`;
    await compile([...FLAGS, `${DRIVERS}/fixture/fixture.cc`, '-o', driver]);
    rig.write(
      'experiment.yaml',
      `title: known
arms: {before: {params: {cost: 0}}, after: {params: {cost: 200}}}
workload: {command: ["{experiment.dir}/fixture", --added-cost, "{params.cost}"]}
design: {slices: {length: 300us, session: 30ms}, confirmation: {sessions: 4}}
`,
    );
    const { code, stdout } = await calibrate('--runs', '4', '--known', '20 %', '--json');
    expect(code).toBe(0);
    const { calibration } = calibrationDocumentSchema.parse(JSON.parse(stdout));
    const [wall] = calibration.metrics;
    expect(calibration).toMatchObject({ runs: 4, pairs: 4, sessions: true });
    // 404 instructions more, where an operation has 2,056: the loop is cheaper than they are.
    expect(wall?.known?.change).toBeGreaterThan(0.02);
    expect(wall?.excluded_zero.of).toBe(4);
  });
});
