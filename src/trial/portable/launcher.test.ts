import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeLauncher } from '../../../test/launcher-conformance.ts';
import { nasty, openScene, type Scene, waitUntil } from '../../../test/launcher-scene.ts';
import { describeSessions } from '../../../test/session-conformance.ts';
import { AssayError } from '../../failures.ts';
import { openPortableLauncher, type PortableLauncherOptions } from './launcher.ts';
import { findTools, type Means } from './wrappers.ts';

const ALL: readonly Means[] = ['cgroup', 'time', 'taskset', 'flock'];
const tools = findTools(process.env['PATH'] ?? '', []);
const full = process.env['ASSAY_TEST_FULL'] === '1';
const isLinux = process.platform === 'linux';

const KINDS = [
  ['portable', []],
  ['portable, with nothing to help it,', ALL],
] as const;
for (const [name, without] of full ? KINDS : KINDS.slice(1)) {
  describeLauncher(name, (options: PortableLauncherOptions) => openPortableLauncher({ ...options, without }), {
    built: 'dist/trial/portable/launcher.js',
    open: 'openPortableLauncher',
    options: { without },
    thorough: full,
  });
}

describeSessions('portable', openPortableLauncher, full ? 'all' : 'few');

describe('the portable launcher', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = openScene();
  });
  afterEach(() => {
    const survivors = scene.survivors();
    scene.remove();
    expect(survivors).toEqual([]);
  });

  const alone = { lockPath: null, orchestratorCpu: null };
  const failureOf = async (promise: Promise<unknown>) => {
    const error = await promise.catch((reason: unknown) => reason);
    return error instanceof AssayError ? error.failure : error;
  };
  /** Of the watcher that holds this lock. */
  const watcherPid = (lockPath: string) => Number(readFileSync(lockPath, 'utf8').trim().split(' ')[1]);

  it.skipIf(!isLinux).each([[[]], [['cgroup']]] as const)('ends a storm of processes (without %j)', async (without) => {
    const launcher = await openPortableLauncher({ ...alone, without });
    const storm = scene.request([nasty('fork-storm.sh')], { timeout_ms: 500, grace_ms: 50 });
    expect((await launcher.launch(storm)).outcome).toEqual({ kind: 'timeout' });
    // One look might miss a chain of short-lived processes; each leaves a sleeper at every hundredth.
    await delay(700);
    expect(scene.survivors()).toEqual([]);
    await launcher.close();
  });

  it('says what is coarser, and what would help', async () => {
    const insteadOf = { unavailable: 'no compiler is here', remedy: 'Install one.' };
    const bare = await openPortableLauncher({ ...alone, without: ALL, insteadOf });
    const account = await bare.launch(scene.request(['/bin/sh', '-c', 'sleep 0.5']));
    await bare.close();
    const best = await openPortableLauncher(alone);
    await best.close();
    expect(bare.limitations[0]).toEqual({
      message: 'The portable launcher is used: no compiler is here.',
      remedy: 'Install one.',
    });
    const messages = bare.limitations.map(({ message }) => message).join(' ');
    expect(messages).toMatch(/CPU time is (counted in steps of 10 ms|not known)/);
    expect(messages).toMatch(/Peak memory is (sampled|not known)/);
    expect(messages).toContain('cannot be pinned');
    for (const { remedy } of bare.limitations) expect(remedy).toMatch(/\.$/);
    expect(best.limitations.length).toBeGreaterThan(0);
    if (!isLinux) return;
    expect(account.accounting.cpu.resolution).toBe(10_000_000);
    expect(account.accounting.max_rss.method).toContain('sampled');
    expect(account.max_rss_bytes).toBeGreaterThan(0);
  });

  it.skipIf(!isLinux)('knows no peak of what ends before it was looked at twice', async () => {
    const launcher = await openPortableLauncher({ ...alone, without: ALL });
    const { max_rss_bytes } = await launcher.launch(scene.request(['/bin/sh', '-c', 'exit 0']));
    await launcher.close();
    expect(max_rss_bytes).toBeNull();
  });

  it.skipIf(tools.time === null)('tells an exit code above 128 from a signal, through GNU time', async () => {
    const launcher = await openPortableLauncher({ ...alone, without: ['cgroup'] });
    const account = async (script: string) => await launcher.launch(scene.request(['/bin/sh', '-c', script]));
    const exited = await account('exit 137');
    const killed = await account('kill -9 $$');
    const notFound = await account('exit 127');
    await launcher.close();
    expect(exited.outcome).toEqual({ kind: 'exited', code: 137 });
    expect(killed.outcome).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(notFound.outcome).toEqual({ kind: 'exited', code: 127 });
    expect(killed.accounting.max_rss).toMatchObject({ resolution: 1024 });
    expect(killed.max_rss_bytes).toBeGreaterThan(0);
  });

  it.skipIf(tools.taskset === null)('keeps the watcher on its CPU and the subject off it', async () => {
    const allowed = /^Cpus_allowed_list:\t(.*)$/m;
    const own = allowed.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
    const first = Number(/^\d+/.exec(own)?.[0] ?? 0);
    const lockPath = join(scene.directory, 'lock');
    const launcher = await openPortableLauncher({ lockPath, orchestratorCpu: first });
    expect(allowed.exec(readFileSync(`/proc/${watcherPid(lockPath)}/status`, 'utf8'))?.[1]).toBe(String(first));
    await launcher.launch(scene.request(['/bin/sh', '-c', 'cat /proc/self/status']));
    expect(allowed.exec(scene.stdout())?.[1]).toBe(own);
    await launcher.close();
    expect(await failureOf(openPortableLauncher({ lockPath: null, orchestratorCpu: 100_000 }))).toMatchObject({
      kind: 'machine',
    });
  });

  it('says when the lock cannot be made', async () => {
    const lockPath = join(scene.directory, 'missing', 'lock');
    expect(await failureOf(openPortableLauncher({ lockPath, orchestratorCpu: null }))).toEqual({
      kind: 'file',
      path: lockPath,
      operation: 'lock',
      code: 'ENOENT',
    });
  });

  it.skipIf(tools.flock === null)('holds a flock, as the native launcher does', async () => {
    const lockPath = join(scene.directory, 'lock');
    const tryLock = () => spawnSync(tools.flock ?? '', ['-n', lockPath, 'true']).status;
    const launcher = await openPortableLauncher({ lockPath, orchestratorCpu: null });
    expect(tryLock()).toBe(1);
    await launcher.close();
    expect(tryLock()).toBe(0);
  });

  it('leaves no directory and no control group', async () => {
    const lockPath = join(scene.directory, 'lock');
    vi.stubEnv('TMPDIR', scene.directory);
    const launcher = await openPortableLauncher({ lockPath, orchestratorCpu: null });
    vi.unstubAllEnvs();
    expect(readdirSync(scene.directory)).toHaveLength(2);
    const pid = watcherPid(lockPath);
    const groups = isLinux
      ? readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
          .split('\n')
          .filter((line) => line.includes(' - cgroup'))
          .map((line) => join(line.split(' ')[4] ?? '', `assay-${pid}`))
          .filter((path) => existsSync(path) && statSync(path).isDirectory())
      : [];
    await launcher.close();
    expect(readdirSync(scene.directory)).toEqual(['lock']);
    for (const path of groups) expect(existsSync(path)).toBe(false);
  });

  it.each([[[]], [['cgroup']]] as const)('ends everything when the watcher is killed (without %j)', async (without) => {
    const lockPath = join(scene.directory, 'lock');
    const launcher = await openPortableLauncher({ lockPath, orchestratorCpu: null, without });
    const account = failureOf(launcher.launch(scene.request([process.execPath, nasty('setsid-twice.mjs'), 'hang'])));
    await waitUntil(() => scene.survivors().length >= 3, 'the program and its descendants run');
    process.kill(watcherPid(lockPath), 'SIGKILL');
    expect(await account).toMatchObject({ kind: 'launcher' });
    expect(scene.survivors()).toEqual([]);
    expect(await failureOf(launcher.launch(scene.request(['/bin/sh', '-c', ''])))).toMatchObject({ kind: 'launcher' });
    await launcher.close();
  });

  it('blames nobody else when the watcher is told to end', async () => {
    const lockPath = join(scene.directory, 'lock');
    const launcher = await openPortableLauncher({ lockPath, orchestratorCpu: null });
    const account = failureOf(launcher.launch(scene.request(['/bin/sh', '-c', 'sleep 60'])));
    await waitUntil(() => scene.survivors().length >= 1, 'the program runs');
    process.kill(watcherPid(lockPath), 'SIGTERM');
    expect(await account).toMatchObject({ kind: 'launcher', message: expect.stringMatching(/ended: exit code 0$/) });
    await launcher.close();
  });

  it('ends what a watcher and an Assay left that were killed together', async () => {
    const lockPath = join(scene.directory, 'lock');
    const request = scene.request([process.execPath, nasty('setsid-twice.mjs'), 'hang']);
    const root = join(import.meta.dirname, '..', '..', '..');
    const args = [
      join(root, 'test', 'fixtures', 'launcher-host.mjs'),
      join(root, 'dist', 'trial', 'portable', 'launcher.js'),
      'openPortableLauncher',
      JSON.stringify({ lockPath, orchestratorCpu: null }),
      JSON.stringify(request),
    ];
    const host = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: scene.directory } });
    await waitUntil(() => scene.survivors().length >= 3, 'the program and its descendants run');
    host.kill('SIGSTOP');
    process.kill(watcherPid(lockPath), 'SIGKILL');
    host.kill('SIGKILL');
    const next = await openPortableLauncher({ lockPath, orchestratorCpu: null });
    expect(scene.survivors()).toEqual([]);
    await next.close();
  });
});
