/** What Assay makes around a trial: a limit of memory, a device of its own; and that nothing of it is ever left behind. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectComplete } from '../complete-run.ts';
import { openRig, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const ROOT = process.getuid?.() === 0;

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

function experiment(command: string, workload: string, rest = ''): string {
  return `title: surroundings
arms:
  a: {command: [sh, -c, '${command}']}
  b: {command: [sh, -c, ': second; ${command}']}
workload: {${workload}}
metrics: [{name: wall, from: wall}]
design: {confirmation: {pairs: 2}, seed: 5}
${rest}`;
}

const run = ['run', 'experiment.yaml', '--out', 'run', '--quiet'];
const raw = (name: string) =>
  rig.list('run/raw').map((trial) => readFileSync(join(rig.directory, 'run', 'raw', trial, name), 'utf8'));
const mounts = () =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(rig.directory));

/** Files behind loop devices. */
function backing(): readonly string[] {
  return readdirSync('/sys/block').flatMap((name) => {
    const file = join('/sys/block', name, 'loop', 'backing_file');
    return existsSync(file) ? [readFileSync(file, 'utf8').trim()] : [];
  });
}

/** What is left of this run, on the machine. */
function leftovers(groups: readonly string[]): readonly string[] {
  return [
    ...mounts(),
    ...backing().filter((file) => file.includes(rig.directory)),
    ...groups.filter((group) => existsSync(group)),
    ...rig.list('.').filter((name) => name.endsWith('.trials')),
  ];
}

test('what needs a limit or a device that the experiment does not ask for is a mistake in it', async () => {
  rig.write('experiment.yaml', experiment('cat {trial.cgroup}/x {trial.device_stat}', 'timeout: 1m'));
  const { code, stderr } = await rig.assay(run);
  expect(code).toBe(2);
  expect(stderr).toMatch(/no memory group is made[\s\S]*no device is made/);
});

describe.runIf(FULL && ROOT)('as root', () => {
  test('the subject is in a group with the limit, and on a device that counts its writes', async () => {
    const command = [
      'cat /proc/self/cgroup > seen; cat {trial.cgroup}/memory.max {trial.cgroup}/memory.limit_in_bytes 2>/dev/null',
      'ls -A; cat {trial.device_stat}; head -c 8000000 /dev/zero > f; sync -f f; cat {trial.device_stat}; cat seen',
    ].join('; ');
    rig.write('experiment.yaml', experiment(command, 'memory_limit: 32MiB, device: {size: 64MiB}'));
    const { code, stderr } = await rig.assay(run);
    expect([stderr, [0, 1].includes(code ?? -1)]).toEqual(['', true]);
    for (const text of raw('stdout')) {
      const [limit, seen, before, after, ...membership] = text.trim().split('\n');
      // The directory was empty but for what the first command made.
      expect([limit, seen]).toEqual([String(32 * 2 ** 20), 'seen']);
      const sectors = (line = '') => Number(line.trim().split(/\s+/)[6]);
      const written = 512 * (sectors(after) - sectors(before));
      expect(written).toBeGreaterThanOrEqual(8e6);
      expect(written).toBeLessThan(16e6);
      expect(membership.join('\n')).toMatch(/assay-[0-9a-f]{16}-[0-9a-f]{16}/);
    }
    expect(leftovers([])).toEqual([]);
    expect(rig.read('run/report.md')).toContain('memory limit of a trial');
  }, 120_000);

  test('one that takes more memory than its limit is killed, which fails the run and leaves nothing', async () => {
    const command = 'exec node -e "Buffer.alloc(2e8, 1); console.log(1)"';
    rig.write('experiment.yaml', experiment(command, 'memory_limit: 64MiB, device: {size: 64MiB}'));
    const { code, stdout } = await rig.assay(run);
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([
      3,
      expect.stringContaining('ended by SIGKILL (what needs more than its memory limit'),
    ]);
    expect(leftovers([])).toEqual([]);
  }, 120_000);

  test('kill -9 in a trial, then resume: the device and the group of the killed one are gone', async () => {
    const command =
      'echo {trial.cgroup} > {experiment.dir}/group-$$; test -e {experiment.dir}/go || sleep 60; cat {trial.device_stat} > stat';
    rig.write('experiment.yaml', experiment(command, 'memory_limit: 64MiB, device: {size: 64MiB}'));
    const { child, ended } = rig.start(run);
    const groups = () => rig.list('.').filter((name) => name.startsWith('group-'));
    while (groups().length === 0) await sleep(20);
    child.kill('SIGKILL');
    await ended;
    const made = rig.read(groups()[0] ?? '').trim();
    expect(existsSync(made)).toBe(true);
    expect(mounts()).toHaveLength(1);
    rig.write('go', '');
    const { code, stderr } = await rig.assay(['run', '--resume', 'run', '--quiet']);
    expect([stderr, [0, 1].includes(code ?? -1)]).toEqual(['', true]);
    expectComplete(rig.journal('run'));
    expect(leftovers([made])).toEqual([]);
  }, 120_000);

  test('a signal of the user leaves nothing', async () => {
    rig.write(
      'experiment.yaml',
      experiment('echo x > {experiment.dir}/begun; sleep 60', 'memory_limit: 64MiB, device: {size: 64MiB}'),
    );
    const { child, ended } = rig.start(run);
    while (!rig.list('.').includes('begun')) await sleep(20);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(leftovers([])).toEqual([]);
  }, 120_000);

  test('a device without room is refused with what to do', async () => {
    rig.write('experiment.yaml', experiment('true', 'device: {size: 1024 GiB}'));
    const { code, stderr } = await rig.assay(run);
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/device: its 1048576 MiB do not fit: \d+ MiB are free below [\s\S]*trial_dir/),
    ]);
    expect(leftovers([])).toEqual([]);
  }, 120_000);
});
