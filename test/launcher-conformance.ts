/** What every launcher must do, as tests that run on any of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AssayError, type Failure } from '../src/failures.ts';
import type { LaunchAccount, Launcher, LaunchRequest } from '../src/trial/launch.ts';
import { nasty, openScene, type Scene, waitUntil } from './launcher-scene.ts';

export interface OpenOptions {
  readonly lockPath: string | null;
  readonly orchestratorCpu: number | null;
  /** How long a held lock is waited for. */
  readonly lockWaitMs?: number;
}

/** How another process opens the same launcher, so that it can be killed. */
export interface LauncherModule {
  /** Path in the built program, from the root of the project: Node.js 20 runs no TypeScript. */
  readonly built: string;
  readonly open: string;
  /** What the function is given beside `OpenOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** All cases; else those in which launchers are most likely to differ. */
  readonly thorough: boolean;
}

const root = join(import.meta.dirname, '..');
const MIB = 1024 * 1024;
/** The programs sleep for a minute when nobody ends them: what takes less was ended. */
const FORCED_BELOW_NS = 30e9;

async function failureOf(promise: Promise<unknown>): Promise<Failure | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    if (error instanceof AssayError) return error.failure;
    throw error;
  }
}

export function describeLauncher(
  name: string,
  open: (options: OpenOptions) => Promise<Launcher>,
  module: LauncherModule,
): void {
  const more = it.runIf(module.thorough);
  describe(`${name} launcher`, () => {
    let scene: Scene;
    /** One for all tests, as a run has one for all trials. */
    let launcher: Launcher;
    beforeAll(async () => {
      launcher = await open({ lockPath: null, orchestratorCpu: null });
    });
    afterAll(() => launcher.close());
    beforeEach(() => {
      scene = openScene();
    });
    afterEach(() => {
      const survivors = scene.survivors();
      scene.remove();
      expect(survivors).toEqual([]);
    });

    /** Another process that opens this launcher, does one trial, closes the launcher and has no reason to stay. */
    const startHost = (lockPath: string, request: LaunchRequest): ChildProcess => {
      const host = join(import.meta.dirname, 'fixtures', 'launcher-host.mjs');
      const options = JSON.stringify({ ...module.options, lockPath, orchestratorCpu: null });
      const args = [host, join(root, module.built), module.open, options, JSON.stringify(request)];
      return spawn(node, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    };

    const node = process.execPath;
    const launch = async (
      argv: readonly [string, ...string[]],
      changes: Partial<LaunchRequest> = {},
    ): Promise<LaunchAccount> => {
      const account = await launcher.launch(scene.request(argv, changes));
      expect(scene.survivors()).toEqual([]);
      return account;
    };

    describe('outcomes', () => {
      it('tells the exit code, and is ready for the next trial', async () => {
        for (const code of [0, 7, 255]) {
          const account = await launch(['/bin/sh', '-c', `exit ${code}`]);
          expect(account.outcome).toEqual({ kind: 'exited', code });
          expect(account.leftovers).toBe(0);
        }
      });

      more('tells the signal that killed the subject', async () => {
        expect((await launch([nasty('die-by-signal.sh'), 'SEGV'])).outcome).toEqual({
          kind: 'signalled',
          signal: 'SIGSEGV',
        });
        expect((await launch([nasty('die-by-signal.sh'), 'KILL'])).outcome).toEqual({
          kind: 'signalled',
          signal: 'SIGKILL',
        });
      });

      // In which the program has done what makes it hard to end: Node.js takes longer to start than a shell.
      it.each<[string, readonly [string, ...string[]], number]>([
        ['a hanging program', [nasty('hang.sh')], 300],
        ['one that ignores SIGTERM, as does its child', [node, nasty('ignore-sigterm.mjs')], 1000],
        ['one that left its session twice', [node, nasty('setsid-twice.mjs'), 'hang'], 1000],
        ['one that stopped itself and its child', [nasty('stop-self.sh')], 300],
      ])('ends %s at its timeout', async (_, argv, timeout_ms) => {
        const account = await launch(argv, { timeout_ms });
        expect(account.outcome).toEqual({ kind: 'timeout' });
        expect(account.wall_ns).toBeGreaterThan(0.9e6 * timeout_ms);
        expect(account.wall_ns).toBeLessThan(FORCED_BELOW_NS);
      });

      more('lets a program end by itself after SIGTERM, and still calls it a timeout', async () => {
        const script = 'trap "echo bye; exit 0" TERM; while :; do sleep 0.05; done';
        const account = await launch(['/bin/sh', '-c', script], { timeout_ms: 300, grace_ms: 20_000 });
        expect(account.outcome).toEqual({ kind: 'timeout' });
        expect(scene.stdout()).toBe('bye\n');
        expect(account.wall_ns).toBeLessThan(15e9);
      });

      it('counts and kills what outlives the subject', async () => {
        const account = await launch([nasty('fork-and-exit.sh')]);
        expect(account.outcome).toEqual({ kind: 'exited', code: 0 });
        expect(account.leftovers).toBe(1);
        expect(account.wall_ns).toBeLessThan(FORCED_BELOW_NS);
      });

      it('finds a daemon that left its session twice', async () => {
        const account = await launch([node, nasty('setsid-twice.mjs'), 'exit']);
        expect(account.outcome).toEqual({ kind: 'exited', code: 0 });
        expect(scene.stdout()).toBe('daemon\n');
        expect(account.leftovers).toBeGreaterThanOrEqual(1);
      });

      more.each(['stdout', 'stderr'] as const)('stops a program that prints 100 MB to %s', async (stream) => {
        const request = scene.request([node, nasty('print-100mb.mjs'), stream], { max_output_bytes: 100_000 });
        const account = await launcher.launch(request);
        expect(account.outcome).toEqual({ kind: 'output_limit', stream });
        expect(statSync(request[stream]).size).toBe(100_000);
        expect(readFileSync(request[stream], 'latin1')).toMatch(/^x+\n?$/);
      });

      more('finds too long an output of a program that has ended', async () => {
        const account = await launch(['/bin/sh', '-c', 'echo 123456'], { max_output_bytes: 6 });
        expect(account.outcome).toEqual({ kind: 'output_limit', stream: 'stdout' });
        expect(scene.stdout()).toBe('123456');
        expect((await launch(['/bin/sh', '-c', 'echo 12345'], { max_output_bytes: 6 })).outcome.kind).toBe('exited');
      });

      more('says why a subject could not be started', async () => {
        const plain = join(scene.directory, 'plain');
        writeFileSync(plain, 'no program', { mode: 0o644 });
        const noFormat = join(scene.directory, 'no-format');
        writeFileSync(noFormat, 'neither a script nor a binary\n', { mode: 0o755 });
        const missing = join(scene.directory, 'missing');
        const started = async (...args: Parameters<typeof launch>) => (await launch(...args)).outcome;
        expect(await started([missing])).toEqual({ kind: 'not_started', step: 'exec', code: 'ENOENT' });
        expect(await started([plain])).toEqual({ kind: 'not_started', step: 'exec', code: 'EACCES' });
        expect(await started([noFormat])).toEqual({ kind: 'not_started', step: 'exec', code: 'ENOEXEC' });
        expect(await started(['/bin/sh', '-c', ''], { cwd: missing })).toEqual({
          kind: 'not_started',
          step: 'chdir',
          code: 'ENOENT',
        });
        expect(await started(['/bin/sh', '-c', ''], { cpu: 100_000 })).toMatchObject({ kind: 'not_started' });
        expect(await started(['/bin/sh', '-c', ''], { stdin: missing })).toEqual({
          kind: 'not_started',
          step: 'stdin',
          code: 'ENOENT',
        });
        expect(await started(['/bin/sh', '-c', ''], { stdout: plain })).toEqual({
          kind: 'not_started',
          step: 'stdout',
          code: 'EEXIST',
        });
        expect(readFileSync(plain, 'utf8')).toBe('no program');
        expect((await launch(['/bin/sh', '-c', 'exit 3'])).outcome).toEqual({ kind: 'exited', code: 3 });
      });

      it('cancels a trial, and only that one', async () => {
        launcher.cancel();
        const running = launcher.launch(scene.request([node, nasty('ignore-sigterm.mjs')]));
        await waitUntil(() => scene.survivors().length >= 2, 'the program and its child run');
        launcher.cancel();
        launcher.cancel();
        const account = await running;
        expect(account.outcome).toEqual({ kind: 'cancelled' });
        expect(account.wall_ns).toBeLessThan(FORCED_BELOW_NS);
        expect(scene.survivors()).toEqual([]);
        launcher.cancel();
        expect((await launch(['/bin/sh', '-c', 'exit 3'])).outcome).toEqual({ kind: 'exited', code: 3 });
      });
    });

    describe('what the subject is given', () => {
      more('is exactly the environment, the arguments and the directory that were asked for', async () => {
        const script = 'console.log(JSON.stringify([process.env, process.argv.slice(1), process.cwd()]))';
        const env = { A: '', 'odd name': 'x=y', LINES: 'one\ntwo', ÜNI: 'ö' };
        const args = ['', ' two  words ', '$HOME `x`', 'ü\n'];
        const cwd = join(scene.directory, 'a b');
        mkdirSync(cwd);
        await launch([node, '-e', script, '--', ...args], { env, cwd });
        const [seen, seenArgs, seenCwd] = JSON.parse(scene.stdout());
        // The portable launcher marks its processes with one variable.
        if (launcher.kind === 'portable') delete seen.ASSAY_TRIAL;
        expect(seen).toEqual(env);
        expect(seenArgs).toEqual(args);
        expect(seenCwd).toBe(cwd);
      });

      more('is a file or nothing on stdin, and no other descriptor', async () => {
        const input = join(scene.directory, 'input');
        writeFileSync(input, 'three\nlines\nhere\n');
        await launch(['/bin/sh', '-c', 'wc -l'], { stdin: input });
        expect(scene.stdout().trim()).toBe('3');
        await launch(['/bin/sh', '-c', 'wc -c']);
        expect(scene.stdout().trim()).toBe('0');
        if (process.platform !== 'linux') return;
        await launch([
          '/bin/sh',
          '-c',
          'for n in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$n ] || echo $n; done; echo end',
        ]);
        // GNU time hands its report on; the portable launcher says so.
        const handedOn = launcher.limitations.some(({ message }) => message.includes('descriptor 3'));
        expect(scene.stdout()).toBe(handedOn ? '3\nend\n' : 'end\n');
      });

      more('is files of its own for stdout and stderr, which others cannot read', async () => {
        const request = scene.request(['/bin/sh', '-c', 'echo out; echo err >&2']);
        await launcher.launch(request);
        expect(readFileSync(request.stdout, 'utf8')).toBe('out\n');
        expect(readFileSync(request.stderr, 'utf8')).toBe('err\n');
        for (const path of [request.stdout, request.stderr]) expect(statSync(path).mode & 0o777).toBe(0o600);
      });

      more('is the CPU that was asked for, else those that Assay has', async () => {
        if (process.platform !== 'linux') return;
        const allowed = /^Cpus_allowed_list:\t(.*)$/m;
        const own = allowed.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
        const last = /\d+$/.exec(own)?.[0] ?? '0';
        const report: readonly [string, ...string[]] = ['/bin/sh', '-c', 'cat /proc/self/status'];
        const { outcome } = await launch(report, { cpu: Number(last) });
        // Without the program that pins, the portable launcher refuses.
        if (launcher.kind === 'native') expect(outcome).toEqual({ kind: 'exited', code: 0 });
        if (outcome.kind === 'exited') expect(allowed.exec(scene.stdout())?.[1]).toBe(last);
        await launch(report);
        expect(allowed.exec(scene.stdout())?.[1]).toBe(own);
      });
    });

    describe('accounting', () => {
      it('counts the CPU time of the subject and of its grandchildren', async () => {
        const alone = await launch([node, nasty('busy.mjs'), '200']);
        const both = await launch([node, nasty('busy.mjs'), '200', '200']);
        for (const [account, least] of [
          [alone, 0.2e9],
          [both, 0.4e9],
        ] as const) {
          if (account.cpu_ns === null) continue;
          expect(account.cpu_ns).toBeGreaterThanOrEqual(least * 0.8 - account.accounting.cpu.resolution);
          expect(account.cpu_ns).toBeLessThan(least * 4);
        }
        expect(alone.wall_ns).toBeGreaterThan(0.15e9);
      });

      more('counts each trial alone', async () => {
        await launch([node, nasty('busy.mjs'), '250']);
        const { cpu_ns, accounting } = await launch(['/bin/sh', '-c', 'sleep 0.3']);
        if (cpu_ns !== null) expect(cpu_ns).toBeLessThan(0.12e9 + accounting.cpu.resolution);
      });

      it('tells the memory of the largest process', async () => {
        // Long enough to be seen by a launcher that looks now and then.
        const base = await launch([node, '-e', 'setTimeout(() => {}, 300)']);
        const script = 'const all = Buffer.alloc(64 << 20, 1); setTimeout(() => console.log(all.length), 300)';
        const large = await launch(['/bin/sh', '-c', `${node} -e '${script}'; exit 0`]);
        if (base.max_rss_bytes === null || large.max_rss_bytes === null) return;
        const growth = large.max_rss_bytes - base.max_rss_bytes;
        expect(growth).toBeGreaterThan(48 * MIB);
        expect(growth).toBeLessThan(96 * MIB);
      });

      more('gives times that fit together', async () => {
        const before = Date.now();
        const account = await launch(['/bin/sh', '-c', 'sleep 0.2'], { settle: true });
        const after = Date.now();
        expect(account.wall_ns).toBeGreaterThanOrEqual(0.2e9);
        const boot = account.ended_boot_ns - account.started_boot_ns;
        expect(Math.abs(boot - account.wall_ns)).toBeLessThan(0.15e9);
        expect(account.started_unix_ms).toBeGreaterThanOrEqual(before - 1);
        expect(account.started_unix_ms).toBeLessThanOrEqual(after);
        expect(account.settled_ns).toBeGreaterThan(0);
        for (const value of [account.wall_ns, account.settled_ns, account.started_unix_ms]) {
          expect(Number.isSafeInteger(value)).toBe(true);
        }
      });
    });

    describe('counters', () => {
      const busy = (ms: string): [string, ...string[]] => [node, nasty('busy.mjs'), ms];
      const script = 'for n in 1 2 3 4 5 6 7 8; do /bin/true; done';

      more('are those of the subject and of all that it starts, of each trial alone', async () => {
        const first = await launch([...busy('200'), '200'], { counters: 'software' });
        const { cpu_ns, counters } = first;
        if (launcher.kind === 'portable') {
          expect(counters).toMatchObject({ kind: 'software', unsupported: expect.stringContaining('native launcher') });
          return;
        }
        if (counters === null || 'unsupported' in counters) throw new Error(JSON.stringify(counters));
        const { events, enabled_ns, running_ns } = counters;
        expect(Object.keys(events)).toEqual(['task_clock', 'context_switches', 'page_faults', 'cpu_migrations']);
        expect(enabled_ns).toBe(running_ns);
        // Both accounts are of two processes, but only one has the time that a hypervisor took.
        expect((events['task_clock'] ?? 0) / (cpu_ns ?? 0)).toBeGreaterThan(0.8);
        expect((events['task_clock'] ?? 0) / (cpu_ns ?? 0)).toBeLessThan(2);
        expect(events['page_faults']).toBeGreaterThan(1000);
        const next = await launch(['/bin/sh', '-c', script], { counters: 'software' });
        if (next.counters === null || 'unsupported' in next.counters) throw new Error('no counters');
        expect(next.counters.events['task_clock']).toBeLessThan((events['task_clock'] ?? 0) / 4);
        // Each of eight programs has its faults.
        const one = await launch(['/bin/true'], { counters: 'software' });
        if (one.counters === null || 'unsupported' in one.counters) throw new Error('no counters');
        expect(next.counters.events['page_faults']).toBeGreaterThan((one.counters.events['page_faults'] ?? 0) * 4);
      });

      more('are none where nobody asked, and of hardware only where there are any', async () => {
        expect((await launch(['/bin/true'])).counters).toBeNull();
        const { outcome, counters } = await launch(['/bin/true'], { counters: 'hardware' });
        expect(outcome).toEqual({ kind: 'exited', code: 0 });
        if (counters === null || !('unsupported' in counters)) {
          expect(counters?.events['instructions']).toBeGreaterThan(1000);
          return;
        }
        expect(counters.unsupported).toMatch(/cycles|perf_event_open|native launcher/);
      });

      more('do not hide that a subject did not start', async () => {
        const { outcome } = await launch([join(scene.directory, 'missing')], { counters: 'software' });
        expect(outcome).toMatchObject({ kind: 'not_started', code: 'ENOENT' });
      });
    });

    describe('the run’s lock', () => {
      more('is held by one launcher at a time, and free again after close', async () => {
        const lockPath = join(scene.directory, 'lock');
        const first = await open({ lockPath, orchestratorCpu: null });
        try {
          expect(statSync(lockPath).mode & 0o777).toBe(0o600);
          const second = open({ lockPath, orchestratorCpu: null, lockWaitMs: 100 });
          const failure = await failureOf(second);
          expect(failure).toMatchObject({ kind: 'busy', path: lockPath });
          expect(failure?.kind === 'busy' && failure.holder).toContain(String(process.pid));
        } finally {
          await first.close();
          await first.close();
        }
        await (await open({ lockPath, orchestratorCpu: null, lockWaitMs: 0 })).close();
      });

      it('and every descendant go when Assay is killed', async () => {
        const lockPath = join(scene.directory, 'lock');
        const request = scene.request([node, nasty('setsid-twice.mjs'), 'hang']);
        const host = startHost(lockPath, request);
        const gone = once(host, 'exit');
        try {
          const runs = () => existsSync(request.stdout) && readFileSync(request.stdout, 'utf8') === 'daemon\n';
          await waitUntil(runs, 'the daemon runs');
          expect(scene.survivors().length).toBeGreaterThanOrEqual(3);
          expect(await failureOf(open({ lockPath, orchestratorCpu: null, lockWaitMs: 0 }))).toMatchObject({
            kind: 'busy',
          });
        } finally {
          host.kill('SIGKILL');
          await gone;
        }
        const next = await open({ lockPath, orchestratorCpu: null });
        // The lock is free only when the last descendant is dead.
        const survivors = scene.survivors();
        await next.close();
        expect(survivors).toEqual([]);
      });
    });

    more('does not keep a process alive after close', async () => {
      const host = startHost(join(scene.directory, 'lock'), scene.request(['/bin/sh', '-c', 'exit 0']));
      const giveUp = setTimeout(() => host.kill('SIGKILL'), 20_000);
      expect(await once(host, 'exit')).toEqual([0, null]);
      clearTimeout(giveUp);
    });

    more('does not end a trial by the clock of an earlier one', async () => {
      await launch(['/bin/sh', '-c', 'exit 0'], { timeout_ms: 300, grace_ms: 100 });
      await launch([nasty('hang.sh')], { timeout_ms: 100, grace_ms: 300 });
      expect((await launch(['/bin/sh', '-c', 'sleep 0.8; exit 3'])).outcome).toEqual({ kind: 'exited', code: 3 });
    });

    more('ends a running trial when it is closed', async () => {
      const other = await open({ lockPath: null, orchestratorCpu: null });
      const running = other.launch(scene.request([node, nasty('ignore-sigterm.mjs')]));
      await waitUntil(() => scene.survivors().length >= 2, 'the program and its child run');
      await other.close();
      expect((await running).outcome).toEqual({ kind: 'cancelled' });
      expect(scene.survivors()).toEqual([]);
    });

    more('does one trial at a time, and none after close', async () => {
      const other = await open({ lockPath: null, orchestratorCpu: null });
      const running = other.launch(scene.request([nasty('hang.sh')], { timeout_ms: 500 }));
      await expect(other.launch(scene.request(['/bin/sh', '-c', '']))).rejects.toThrow();
      expect((await running).outcome).toEqual({ kind: 'timeout' });
      await other.close();
      await expect(other.launch(scene.request(['/bin/sh', '-c', '']))).rejects.toThrow();
    });

    more('refuses a NUL character in an argument', async () => {
      expect(await failureOf(launcher.launch(scene.request(['/bin/echo', 'a\0b'])))).toMatchObject({ kind: 'usage' });
      expect((await launch(['/bin/sh', '-c', 'exit 3'])).outcome).toEqual({ kind: 'exited', code: 3 });
    });
  });
}
