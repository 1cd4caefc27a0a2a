/** Full disks, pipes and devices where files should be, signals at odd moments: each ends in a sentence, not a trace. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openRig, PROGRAM, type Rig } from '../rig.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';
const COMPARE = ['compare', 'true', 'true', '--pairs', '2', '--warmup', '0'];

/** Where one run was made, of which tests take copies. */
let made: Rig;
beforeAll(async () => {
  made = openRig();
  await made.assay([...COMPARE, '--out', 'run']);
});
afterAll(() => made.remove());

let rig: Rig;
beforeEach(() => {
  rig = openRig();
});
afterEach(() => rig.remove());

/** Puts that run here. */
const copyRun = () => cpSync(join(made.directory, 'run'), join(rig.directory, 'run'), { recursive: true });

/** Runs a shell script in which `assay` is the program. */
function shell(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', `assay() { "$NODE" "$PROGRAM" "$@"; }; ${script}`], {
      cwd: rig.directory,
      env: { ...rig.environment, NODE: process.execPath, PROGRAM },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => {
      stdout += data.toString();
    });
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

function expectSentence(stderr: string, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/defect|^ {4}at /m);
}

test.skipIf(!existsSync('/dev/full'))('a stdout that cannot be written is said, and what was run stays', async () => {
  const { code, stderr } = await shell(`assay ${COMPARE.join(' ')} --out run > /dev/full`);
  expectSentence(stderr, /cannot write to stdout \(ENOSPC\)/);
  expect(code).toBe(3);
  expect(rig.journal('run').end?.reason.kind).toBe('complete');
  expect(await shell('assay --version > /dev/full')).toMatchObject({ code: 3 });
  expect(await shell('assay report run 2> /dev/full')).toMatchObject({ code: 0 });
});

test('a journal that can grow no further ends the run, and a resume finishes it', async () => {
  // By now the launcher is compiled.
  const { code, stderr } = await shell('ulimit -f 24; assay compare true true --warmup 0 --pairs 16 --out run');
  expectSentence(stderr, /cannot (append to the journal|write): .*larger than/);
  expect(code).toBe(3);
  const { trials } = rig.journal('run');
  expect(trials.length).toBeGreaterThan(1);
  expect(existsSync(join(rig.directory, 'run.trials'))).toBe(false);
  const resumed = await rig.assay(['run', '--resume', 'run']);
  expect([0, 1]).toContain(resumed.code);
  expect(rig.journal('run').trials.slice(0, trials.length)).toEqual(trials);
});

test('pipes, devices and directories in the place of files keep nobody waiting', async () => {
  mkdirSync(join(rig.directory, 'beside'));
  execFileSync('mkfifo', [join(rig.directory, 'beside', 'journal.jsonl')]);
  mkdirSync(join(rig.directory, 'other', 'journal.jsonl'), { recursive: true });
  // A run looks for earlier ones beside it.
  expect((await rig.assay([...COMPARE, '--out', 'run'])).code).not.toBeNull();
  for (const directory of ['beside', 'other']) {
    const { code, stderr } = await rig.assay(['report', directory]);
    expectSentence(stderr, /no regular file/);
    expect(code).toBe(3);
  }
  const { code, stderr } = await rig.assay(['plan', '/dev/zero']);
  expectSentence(stderr, /larger than 1 MiB/);
  expect(code).toBe(2);
});

test('a side file that is a pipe is a damaged one', async () => {
  rig.write('run/journal.jsonl', made.read('run/journal.jsonl').split('\n').slice(0, 2).join('\n'));
  execFileSync('mkfifo', [join(rig.directory, 'run', 'identity.json')]);
  const { code, stderr } = await rig.assay(['run', '--resume', 'run']);
  expectSentence(stderr, /identity\.json is missing or damaged/);
  expect(code).toBe(2);
});

test.runIf(FULL)('a report goes into a pipe and through a link, and replaces neither', async () => {
  copyRun();
  execFileSync('mkfifo', [join(rig.directory, 'pipe')]);
  const piped = await shell('assay report run -o pipe & cat pipe; wait; test -p pipe');
  expect(piped.code).toBe(0);
  expect(piped.stdout).toMatch(/wall/);
  rig.write('file', 'old');
  symlinkSync('file', join(rig.directory, 'link'));
  await rig.assay(['report', 'run', '-o', 'link']);
  expect(rig.read('file')).toMatch(/wall/);
});

// Nobody, root neither, makes a file there.
test.skipIf(!existsSync('/sys'))('where a place cannot be written, the option of the command is named', async () => {
  copyRun();
  for (const [args, remedy] of [
    [['init', '/sys/x'], /\n {2}.*, or name another as in: assay init FILE\.|\n {2}.*, as in: assay init FILE\./],
    [['report', 'run', '-o', '/sys/x'], /\n {2}.* with -o\./],
    [[...COMPARE, '--out', '/sys/x'], /\n {2}.* with --out\./],
  ] as const) {
    expectSentence((await rig.assay(args)).stderr, remedy);
  }
});

test('a directory where trials would run is not taken over', async () => {
  rig.write('run.trials/precious', 'mine');
  const { code, stderr } = await rig.assay([...COMPARE, '--out', 'run']);
  expectSentence(stderr, /run\.trials exists/);
  expect(code).toBe(2);
  expect(rig.read('run.trials/precious')).toBe('mine');
  expect(existsSync(join(rig.directory, 'run'))).toBe(false);
});

test('a cache, a temporary or a current directory that is not there is named', async () => {
  rig.write('file', '');
  const noCache = await rig.assay([...COMPARE, '--out', 'run'], { ASSAY_CACHE: join(rig.directory, 'file', 'cache') });
  expectSentence(noCache.stderr, /cannot create the cache: .*\n.*ASSAY_CACHE/);
  expect(existsSync(join(rig.directory, 'run'))).toBe(false);
  const portable = { ASSAY_LAUNCHER: 'portable', TMPDIR: join(rig.directory, 'nowhere') };
  expectSentence((await rig.assay([...COMPARE, '--out', 'run'], portable)).stderr, /temporary directory: .*\n.*TMPDIR/);
  const gone = await shell(`mkdir gone; cd gone; rmdir ../gone; assay ${COMPARE.join(' ')}`);
  expectSentence(gone.stderr, /current directory has been removed/);
  expect(gone.code).toBe(2);
});

test.runIf(FULL)('a resume through a link removes what a killed run left', async () => {
  copyRun();
  rig.write('run/journal.jsonl', `${rig.read('run/journal.jsonl').split('\n').slice(0, 3).join('\n')}\n`);
  rig.write('run.trials/left/data/file', 'of a killed run');
  symlinkSync('run', join(rig.directory, 'link'));
  const { code } = await rig.assay(['run', '--resume', 'link']);
  expect([0, 1]).toContain(code);
  expect(rig.list('.').filter((name) => name.endsWith('.trials'))).toEqual([]);
});

test.runIf(FULL)('Ctrl-C while a package is installed ends the run as a signal does', async () => {
  const registry = createServer();
  const asked = new Promise((resolve) => registry.once('connection', resolve));
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const address = registry.address();
  const port = typeof address === 'object' ? address?.port : null;
  rig.write(
    'experiment.yaml',
    `title: t\narms: {a: {npm: left-pad@1.0.0}, b: {npm: left-pad@1.1.0}}\nworkload: {command: ['true']}\nmetrics: [{name: wall, from: wall}]\n`,
  );
  const cache = rig.ownCache();
  const env = {
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(rig.directory, 'npm'),
    ASSAY_CACHE: cache,
  };
  const { child, ended } = rig.start(['run', 'experiment.yaml', '--out', 'run'], env);
  await asked;
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  registry.close();
  expectSentence(stderr, /stopped by SIGINT; go on with/);
  expect(code).toBe(130);
  expect(rig.journal('run').end?.reason).toEqual({ kind: 'signal', signal: 'SIGINT' });
  expect(rig.list('cache/tmp')).toEqual([]);
  rmSync(cache, { recursive: true });
});
