/** `assay driver-check` on drivers that keep to the protocol of slices, and on those that do not. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRig, processesWith, type Rig } from '../rig.ts';

const driver = (name: string) => join(import.meta.dirname, '..', 'fixtures', 'slices', name);
const FULL = process.env['ASSAY_TEST_FULL'] === '1';
let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

/** The driver's command holds the rig's directory, by which its processes are known. */
async function check(words: readonly string[], options: readonly string[] = []) {
  const token = join(rig.directory, 'token');
  const ended = await rig.assay(['driver-check', ...options, '--', process.execPath, ...words, token]);
  expect(processesWith(token)).toEqual([]);
  return ended;
}

test('a driver that works in slices is told so, rule by rule', async () => {
  const { code, stdout } = await check([driver('sums.mjs'), '4', '10000']);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nit works in slices\n$/) });
  expect(stdout).toContain('unit 4, at most 10000 operations');
  expect(stdout.match(/^ok /gm)).toHaveLength(8);
  expect(stdout).not.toMatch(/^bad/m);
});

test('as JSON, and one that has background work', async () => {
  const { code, stdout } = await check([driver('hostile.mjs'), 'rests', '1'], ['--json']);
  const { sliceable, findings } = JSON.parse(stdout);
  // It does everything but verify.
  expect({ code, sliceable }).toEqual({ code: 1, sliceable: true });
  expect(findings.filter(({ ok }: { ok: boolean }) => !ok).map(({ rule }: { rule: string }) => rule)).toEqual([
    'result',
  ]);
  expect(findings).toContainEqual(expect.objectContaining({ rule: 'rest', ok: true }));
});

/** Each takes a start of the program and one or two of the driver. */
const FAULTS = [
  ['miscount', 'count', 'it timed 3 operations'],
  ['boast', 'time', '60000000000 ns of wall time'],
  ['no-time', 'time', '"slice 16 64": no wall time at all for 64 operations'],
  ['twice-counted', 'counters', '"slice 0 1": "cycles" is there twice'],
  ['overrun', 'counters', '"slice 0 1": the events ran longer than they were enabled (running=10, enabled=9)'],
  ['garbage', 'answers', 'it answered "\\u001b[31mhello"'],
  ['unnumbered', 'answers', '1e3'],
  ['twice-apart', 'answers', 'a second answer'],
  ['die', 'answers', 'it ended, or closed its answers'],
  ['long', 'answers', 'more than 512 bytes'],
  ['stall', 'answers', 'it did not answer in time'],
  ['always-busy', 'rest', 'it did not answer in time'],
  ['another-version', 'ready', 'ready 9 unit=1'],
  ['dead-at-once', 'ready', 'it ended'],
  ['not-ready', 'ready', 'it did not answer in time'],
  ['verify-stall', 'finish', 'it did not end in time'],
] as const;

test.each(FAULTS.filter(([, rule], at) => FULL || FAULTS.findIndex(([, first]) => first === rule) === at))(
  'the fault %s breaks the rule "%s"',
  async (fault, rule, message) => {
    const { code, stdout, stderr } = await check([driver('hostile.mjs'), fault, '1'], ['--timeout', '2']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const bad = stdout.split('\n').filter((line) => line.startsWith('bad'));
    expect(bad[0]).toMatch(new RegExp(`^bad  ${rule} `));
    expect(stdout.replaceAll(/\n {2,}/g, ' ')).toContain(message);
    expect(stdout).toContain('it does not keep to the protocol of slices');
  },
);

test('one that says that it does not work in slices may still be a driver', async () => {
  const plain = rig.write(
    'plain.mjs',
    `if (process.argv.includes('--serve')) {
       console.error('driver: does not work in slices: it is too old');
       process.exit(2);
     }
     console.log(JSON.stringify({ metrics: {}, checks: {}, facts: {} }));`,
  );
  const { code, stdout } = await check([plain]);
  expect(code).toBe(1);
  expect(stdout).toContain('"does not work in slices: it is too old"');
  expect(stdout).toContain('without --serve: it has a result line');
  expect(stdout).toMatch(/it does not work in slices\n$/);
});

test('a process that has left the group and holds the output open is not waited for', async () => {
  const token = join(rig.directory, 'daemon');
  const body = `if (process.argv.includes('--serve')) require('node:child_process').spawn(process.execPath,
    ['-e', 'setTimeout(() => {}, 20000)', ${JSON.stringify(token)}], { detached: true, stdio: ['ignore', 1, 2] }).unref();`;
  const { code } = await check(['-e', body, '--']);
  expect(code).toBe(1);
  // It is still there: who waited for its end saw it go.
  const left = processesWith(token);
  expect(left).toHaveLength(1);
  for (const line of left) process.kill(Number.parseInt(line, 10));
});

test('a program that is not there is a mistake of the user', async () => {
  for (const program of ['/nonexistent', '']) {
    const { code, stderr } = await rig.assay(['driver-check', '--', program]);
    expect(code).toBe(2);
    expect(stderr).toContain(`"${program}" cannot be started (ENOENT)`);
  }
});
