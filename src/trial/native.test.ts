import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeLauncher } from '../../test/launcher-conformance.ts';
import { nasty, openScene } from '../../test/launcher-scene.ts';
import { describeSessions } from '../../test/session-conformance.ts';
import { AssayError } from '../failures.ts';
import { findCompiler } from './compile.ts';
import type { Launcher } from './launch.ts';
import { type NativeLauncherOptions, openNativeLauncher, startNativeLauncher } from './native.ts';

const source = join(import.meta.dirname, '..', '..', 'native', 'launcher.c');
const cache = mkdtempSync(join(tmpdir(), 'assay-native-'));
afterAll(() => rmSync(cache, { recursive: true, force: true }));

const compiler = process.platform === 'linux' ? await findCompiler(process.env['PATH'] ?? '') : null;

async function open(options: NativeLauncherOptions): Promise<Launcher> {
  const launcher = await openNativeLauncher({ cache, source, ...options });
  if ('unavailable' in launcher) throw new Error(launcher.unavailable);
  return launcher;
}

const alone = { lockPath: null, orchestratorCpu: null };

function cpusOf(pid: number | string): string {
  return /^Cpus_allowed_list:\t(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
}

/** The full test run is one where nothing may be missing. */
const full = process.env['ASSAY_TEST_FULL'] === '1';

describe.skipIf(compiler === null && !full)('with a C compiler', () => {
  describeLauncher('native', open, {
    built: 'dist/trial/native.js',
    open: 'openNativeLauncher',
    options: { cache, source },
    thorough: full,
  });

  describeSessions('native', open, full ? 'all' : 'some');

  it('keeps the memory of Assay out of the account', async () => {
    const ballast = Buffer.alloc(300 << 20, 1);
    const scene = openScene();
    const launcher = await open(alone);
    const account = await launcher.launch(scene.request(['/bin/sh', '-c', 'exit 0']));
    await launcher.close();
    scene.remove();
    expect(ballast.at(-1)).toBe(1);
    expect(account.max_rss_bytes).toBeGreaterThan(100_000);
    expect(account.max_rss_bytes).toBeLessThan(16 << 20);
    expect(account.cpu_ns).toBeGreaterThan(0);
    expect(account.accounting.cpu).toMatchObject({ method: 'wait4', resolution: 1000 });
  });

  it('counts the CPU time of an orphan that nobody else waited for', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const script = '( ("$0" "$1" 200; : > done) & ); while [ ! -e done ]; do sleep 0.05; done';
    const request = scene.request(['/bin/sh', '-c', script, process.execPath, nasty('busy.mjs')]);
    const { cpu_ns, outcome } = await launcher.launch(request);
    await launcher.close();
    scene.remove();
    expect(outcome).toEqual({ kind: 'exited', code: 0 });
    expect(cpu_ns).toBeGreaterThan(0.16e9);
  });

  it('keeps off the subject’s CPU, or on its own', async () => {
    const own = cpusOf('self');
    const scene = openScene();
    const show = (cpu: number | null) => scene.request(['/bin/sh', '-c', 'cat /proc/$PPID/status'], { cpu });
    const shown = () => /^Cpus_allowed_list:\t(.*)$/m.exec(scene.stdout())?.[1];
    const first = Number(/^\d+/.exec(own)?.[0] ?? 0);
    const launcher = await open(alone);
    await launcher.launch(show(first));
    if (/\D/.test(own)) expect(shown()).not.toMatch(new RegExp(`^${first}\\b`));
    await launcher.launch(show(null));
    expect(shown()).toBe(own);
    await launcher.close();
    const pinned = await open({ lockPath: null, orchestratorCpu: first });
    await pinned.launch(show(null));
    expect(shown()).toBe(String(first));
    await pinned.close();
    scene.remove();
  });

  it.runIf(full)('leaves addresses alone, or fixes them', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const stacks = async (fixed_layout: boolean) => {
      const seen = new Set<string>();
      for (let trial = 0; trial < 4; trial++) {
        await launcher.launch(scene.request(['/bin/sh', '-c', 'cat /proc/self/maps'], { fixed_layout }));
        seen.add(/^(\S+) .*\[stack\]$/m.exec(scene.stdout())?.[1] ?? 'none');
      }
      return seen.size;
    };
    expect(await stacks(true)).toBe(1);
    if (readFileSync('/proc/sys/kernel/randomize_va_space', 'latin1').trim() === '2') {
      expect(await stacks(false)).toBeGreaterThan(1);
    }
    await launcher.close();
    scene.remove();
  });

  it('starts the subject in the real-time class, or says that it may not', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const { outcome } = await launcher.launch(
      scene.request(['/bin/sh', '-c', 'cat /proc/self/stat'], { real_time: true }),
    );
    if (outcome.kind === 'not_started') {
      expect(outcome).toEqual({ kind: 'not_started', code: 'EPERM', step: 'real-time class' });
    } else {
      // Fields 40 and 41 of proc_pid_stat(5): real-time priority and scheduling policy.
      expect(scene.stdout().trim().split(' ').slice(39, 41)).toEqual(['1', '1']);
    }
    await launcher.close();
    scene.remove();
  });

  it('says which CPU or lock file it cannot use', async () => {
    const failureOf = async (options: NativeLauncherOptions) => {
      const error = await open(options).catch((reason: unknown) => reason);
      return error instanceof AssayError ? error.failure : error;
    };
    expect(await failureOf({ lockPath: null, orchestratorCpu: 100_000 })).toMatchObject({ kind: 'machine' });
    const lockPath = join(cache, 'missing', 'lock');
    expect(await failureOf({ lockPath, orchestratorCpu: null })).toMatchObject({
      kind: 'file',
      path: lockPath,
      operation: 'lock',
      code: 'ENOENT',
    });
    const link = join(cache, 'link');
    symlinkSync(join(cache, 'elsewhere'), link);
    expect(await failureOf({ lockPath: link, orchestratorCpu: null })).toMatchObject({ kind: 'file', code: 'ELOOP' });
  });

  it('rejects when its process is killed, and everything dies with it', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const suicide = scene.request(['/bin/sh', '-c', 'setsid sleep 60 & (sleep 60 &); kill -KILL $PPID; exec sleep 60']);
    const error = await launcher.launch(suicide).catch((reason: unknown) => reason);
    expect(error instanceof AssayError && error.failure).toMatchObject({
      kind: 'launcher',
      message: expect.stringContaining('SIGKILL'),
    });
    expect(scene.survivors()).toEqual([]);
    await expect(launcher.launch(scene.request(['/bin/sh', '-c', '']))).rejects.toBeInstanceOf(AssayError);
    await launcher.close();
    scene.remove();
  });

  it('ends when its guard is killed, and everything with it', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const script = 'setsid sleep 60 & kill -KILL $(cut -d" " -f4 /proc/$PPID/stat); exec sleep 60';
    await expect(launcher.launch(scene.request(['/bin/sh', '-c', script]))).rejects.toMatchObject({
      failure: { kind: 'launcher', message: 'something else than Assay ended the launcher during a trial: SIGKILL' },
    });
    expect(scene.survivors()).toEqual([]);
    await launcher.close();
    scene.remove();
  });

  it.runIf(full)('ends politely on SIGTERM, and says that it was not Assay: nothing is left', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const told = launcher.launch(scene.request(['/bin/sh', '-c', 'sleep 60 & kill -TERM $PPID; wait']));
    await expect(told).rejects.toMatchObject({
      failure: { message: expect.stringMatching(/else than Assay.*exit code 0/) },
    });
    expect(scene.survivors()).toEqual([]);
    await launcher.close();
    scene.remove();
  });

  it('ends a storm of processes', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const storm = scene.request([nasty('fork-storm.sh')], { timeout_ms: 500, grace_ms: 50 });
    expect((await launcher.launch(storm)).outcome).toEqual({ kind: 'timeout' });
    expect(scene.survivors()).toEqual([]);
    await launcher.close();
    scene.remove();
  });

  it('takes long arguments', async () => {
    const scene = openScene();
    const launcher = await open(alone);
    const many = Array.from({ length: 5000 }, (_, i) => `argument number ${i} ${'x'.repeat(50)}`);
    const { outcome } = await launcher.launch(scene.request(['/bin/sh', '-c', 'echo $#', 'sh', ...many]));
    expect(outcome).toEqual({ kind: 'exited', code: 0 });
    expect(scene.stdout()).toBe('5000\n');
    const tooLong = scene.request(['/bin/sh', '-c', '', 'x'.repeat(1 << 20)]);
    expect((await launcher.launch(tooLong)).outcome).toEqual({ kind: 'not_started', step: 'exec', code: 'E2BIG' });
    await launcher.close();
    scene.remove();
  });

  it('has source without warnings', () => {
    const flags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-o', join(cache, 'strict'), source];
    expect(() => execFileSync(compiler ?? '', flags)).not.toThrow();
  });

  it('has no memory errors and no undefined behaviour', async (context) => {
    const checked = join(cache, 'checked');
    const flags = [
      '-std=c11',
      '-g',
      '-fsanitize=address,undefined',
      '-fno-sanitize-recover=all',
      '-o',
      checked,
      source,
    ];
    if (spawnSync(compiler ?? '', flags).status !== 0 && !full) context.skip('the compiler has no sanitizers');
    const scene = openScene();
    const lockPath = join(scene.directory, 'lock');
    const launcher = await startNativeLauncher(checked, { lockPath, orchestratorCpu: null });
    const outcomes = [];
    for (const request of [
      scene.request(['/bin/sh', '-c', 'exit 3'], { settle: true, cpu: 0, env: {} }),
      scene.request([nasty('hang.sh')], { timeout_ms: 200 }),
      scene.request([nasty('fork-and-exit.sh'), ...Array.from({ length: 500 }, () => 'some argument')]),
      scene.request([process.execPath, nasty('print-100mb.mjs')]),
      scene.request(['/nowhere']),
      scene.request(['/bin/sh'], { cpu: 100_000 }),
      scene.request(['/bin/sh'], { cwd: '/nowhere' }),
      scene.request(['/bin/sh'], { stdin: '/nowhere' }),
    ]) {
      outcomes.push((await launcher.launch(request)).outcome.kind);
    }
    const running = launcher.launch(scene.request([nasty('hang.sh')]));
    launcher.cancel();
    outcomes.push((await running).outcome.kind);
    const slices = (name: string): string => join(import.meta.dirname, '..', '..', 'test', 'fixtures', 'slices', name);
    const quads = [1, 2, 3].map((operations) => ({ leader: 1, operations, prelude: 1, gap_ns: 1000 }) as const);
    const faults: unknown[] = [];
    for (const fault of ['good', 'rests', 'garbage', 'twice', 'child', 'dead-at-once']) {
      const account = await launcher.launchSession({
        subjects: [
          scene.request([process.execPath, slices('sums.mjs'), '--serve']),
          scene.request([process.execPath, slices('hostile.mjs'), fault, '--serve']),
        ],
        slices: join(scene.directory, fault),
        answer_timeout_ms: 20_000,
        work: fault === 'good' ? { kind: 'ramp', target_ns: 1000, settle_slices: 9 } : { kind: 'quads', quads },
      });
      faults.push(account.fault?.kind ?? null);
    }
    expect(faults).toEqual([null, null, 'garbage', 'unasked', null, 'ended']);
    await launcher.close();
    const failed = Array.from({ length: 4 }, () => 'not_started');
    expect(outcomes).toEqual(['exited', 'timeout', 'exited', 'output_limit', ...failed, 'cancelled']);
    expect(scene.survivors()).toEqual([]);
    scene.remove();
  });
});

it('is unavailable without a compiler, and says how to mend that', async () => {
  const path = process.env['PATH'];
  process.env['PATH'] = '/nonexistent';
  try {
    expect(await openNativeLauncher({ cache, source, ...alone })).toMatchObject({
      unavailable: expect.any(String),
      remedy: expect.any(String),
    });
  } finally {
    process.env['PATH'] = path;
  }
});
