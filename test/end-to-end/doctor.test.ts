import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DoctorDocument, doctorSchema } from '../../src/report/doctor-schema.ts';
import { NATIVE } from '../compiler.ts';
import { openRig, PROGRAM, processesWith, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

/** What was printed, as a stranger's program would check it: every field is known to the schema. */
function documentOf(stdout: string): DoctorDocument {
  const value: unknown = JSON.parse(stdout);
  const document = doctorSchema.parse(value);
  expect(value).toEqual(document);
  return document;
}

function statusOf({ checks }: DoctorDocument, id: string): string | undefined {
  return checks.find((check) => check.id === id)?.status;
}

test('facts and readiness as JSON; every run has the same facts', async () => {
  const { code, stdout, stderr } = await rig.assay(['doctor', '--no-probe', '--json']);
  const document = documentOf(stdout);
  expect(stderr).toBe('');
  expect(document.probe).toBeNull();
  expect(document.ready).toBe(document.checks.every(({ status }) => status !== 'bad'));
  expect(code).toBe(document.ready ? 0 : 3);
  expect(document.busy?.length ?? null).toBe(document.facts.busy_processes);

  await rig.assay(['compare', 'true', 'true', '--pairs', '2', '--warmup', '0', '--out', 'run']);
  const { machine } = rig.journal('run').run;
  expect(Object.keys(machine).sort()).toEqual(Object.keys(document.facts).sort());
  const { free_bytes, steal, control_group, memory_available_bytes, swap, busy_processes, other_cpu, ...lasting } =
    document.facts;
  expect(machine).toMatchObject(lasting);
  expect(machine.busy_processes).toEqual(busy_processes === null ? null : expect.any(Number));
  // Names of the processes of others are in no journal's first record.
  expect(JSON.stringify(machine)).not.toContain('"busy"');
});

test.runIf(FULL)(
  'text in a pipe: no colours, no progress, the verdict last; with the loop timed as trials are',
  async () => {
    const { code, stdout, stderr } = await rig.assay(['doctor']);
    expect(stderr).toBe('');
    expect(stdout).not.toContain('\u001b');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /% is the smallest effect that 16 pairs of a 0\.1 s loop would find with 80 % power, layout and input\/output not included/,
    );
    const last = stdout.trimEnd().split('\n').at(-1);
    expect(last).toMatch(code === 0 ? /^Ready to measure/ : /^Not ready to measure: [1-9]/);
    expect([0, 3]).toContain(code);
  },
);

test.runIf(FULL)('without a compiler the probe runs within Node.js, and the doctor says what is missing', async () => {
  const { stdout, stderr } = await rig.assay(['doctor', '--json'], { PATH: '/nonexistent', FORCE_COLOR: '1' });
  expect(stderr).toBe('');
  const document = documentOf(stdout);
  for (const id of ['c-compiler', 'cxx-compiler', 'valgrind', 'hardware-counters', 'software-counters']) {
    expect(statusOf(document, id), id).toBe('warn');
  }
  expect(document.probe).toMatchObject({ method: 'node', cpu: null });
  expect(document.probe?.pairs).toBeGreaterThanOrEqual(2);
  expect(document.probe?.detectable).toBeGreaterThan(0);
});

test.runIf(FULL)('NO_COLOR wins over FORCE_COLOR', async () => {
  const colored = await rig.assay(['doctor', '--no-probe'], { FORCE_COLOR: '1' });
  expect(colored.stdout).toContain('\u001b[32mok');
  const plain = await rig.assay(['doctor', '--no-probe'], { FORCE_COLOR: '1', NO_COLOR: '1' });
  expect(plain.stdout).not.toContain('\u001b');
});

test('looks at the directory that is named', async () => {
  rig.write('sub/file', '');
  const { code, stderr } = await rig.assay(['doctor', '--no-probe', '--dir', 'none']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^assay: there is no directory none\n {2}Name one that exists/);
  expect((await rig.assay(['doctor', '--no-probe', '--dir', 'sub/file'])).code).toBe(2);
  expect((await rig.assay(['doctor', '--no-probe', '--dir', 'sub', '--json'])).stderr).toBe('');
});

test.runIf(existsSync('/dev/shm'))('a directory in memory is no device', async () => {
  const document = documentOf((await rig.assay(['doctor', '--no-probe', '--json', '--dir', '/dev/shm'])).stdout);
  expect(document.facts.file_system).toBe('tmpfs');
  expect(statusOf(document, 'file-system')).toBe('warn');
  expect(statusOf(document, 'device')).toBeUndefined();
});

test('a reader that goes away is no failure', async () => {
  const script = '"$NODE" "$PROGRAM" doctor --no-probe > pipe; echo "code $?" >&2';
  const child = spawn('/bin/sh', ['-c', `mkfifo pipe; head -c 1 < pipe > first & ${script}`], {
    cwd: rig.directory,
    env: { ...rig.environment, NODE: process.execPath, PROGRAM },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(stderr).toMatch(/^code [03]\n$/);
});

test.runIf(NATIVE)('Ctrl-C ends the probe, and nothing is left', async () => {
  const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('assay-probe-'));
  const before = left();
  const { child, ended } = rig.start(['doctor']);
  const isRunning = () =>
    processesWith('noise-loop').some((line) => line.includes(` ${rig.environment['ASSAY_CACHE']}/`));
  for (let waited = 0; !isRunning() && waited < 30_000; waited += 20) await delay(20);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: '' });
  expect(left().filter((name) => !before.includes(name))).toEqual([]);
});

test('help, completions and the schema know it', async () => {
  const { stdout: help } = await rig.assay(['doctor', '--help']);
  expect(help).toMatch(/Examples:[\s\S]*assay doctor --dir[\s\S]*Exit codes:\n {2}0 {4}ready/);
  const { stdout: completion } = await rig.assay(['completion', 'bash']);
  for (const flag of ['--dir', '--no-probe', '--json']) {
    expect(completion).toMatch(new RegExp(`doctor\\) words='[^']*${flag}`));
  }
  const { stdout: schema } = await rig.assay(['schema', 'doctor']);
  expect(schema).toBe(readFileSync(new URL('../../schemas/doctor.schema.json', import.meta.url), 'utf8'));
});
