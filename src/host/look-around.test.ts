import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Look, lookAround, watchOthers } from './look-around.ts';
import { TICK_NS } from './proc-stat.ts';

let root: string;
beforeEach(() => {
  root = `${mkdtempSync(join(tmpdir(), 'assay-look-'))}/`;
  mkdirSync(join(root, 'proc/pressure'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function processFile(pid: number, name: string, parent: number, ticks: number, started = '100'): void {
  mkdirSync(join(root, `proc/${pid}`), { recursive: true });
  const after = `S ${parent} 1 1 0 -1 4194304 1 2 3 4 ${ticks - 1} 1 7 8 20 0 1 0 ${started} 1000 20`;
  writeFileSync(join(root, `proc/${pid}/stat`), `${pid} (${name}) ${after}\n`);
}

/** A look whose predecessor was exactly one second earlier. */
function nextLook(previous: Look, own: readonly number[] = []): readonly (readonly [string, number])[] {
  const now = lookAround(previous, own, root);
  const later = lookAround({ ...previous, at_ns: now.at_ns - 1e9 }, own, root);
  const scale = (later.at_ns - now.at_ns + 1e9) / 1e9;
  return later.state.busiest.map(({ name, cpu }) => [name, Math.round(cpu * scale * 1e6) / 1e6]);
}

describe('lookAround', () => {
  it('reads load and pressure', () => {
    writeFileSync(join(root, 'proc/loadavg'), '1.25 0.50 0.25 3/95 5906\n');
    writeFileSync(
      join(root, 'proc/pressure/cpu'),
      'some avg10=3.50 avg60=1.44 avg300=0.76 total=8558579\nfull avg10=0.00\n',
    );
    expect(lookAround(null, [], root).state).toEqual({ load_1m: 1.25, cpu_pressure: 0.035, busiest: [] });
  });

  it('says null where the machine does not say', () => {
    writeFileSync(join(root, 'proc/loadavg'), 'x');
    expect(lookAround(null, [], root).state).toEqual({ load_1m: null, cpu_pressure: null, busiest: [] });
    expect(lookAround(null, [], `${root}none/`).state).toMatchObject({ cpu_pressure: null, busiest: [] });
  });

  it('lists the busiest since the last look, at most five with at least 1 %', () => {
    for (let pid = 1; pid <= 8; pid++) processFile(pid, `p${pid}`, 0, 1000);
    const first = lookAround(null, [], root);
    for (let pid = 1; pid <= 7; pid++) processFile(pid, `p${pid}`, 0, 1000 + pid * 10);
    expect(nextLook(first)).toEqual([
      ['p7', 0.7],
      ['p6', 0.6],
      ['p5', 0.5],
      ['p4', 0.4],
      ['p3', 0.3],
    ]);
    for (let pid = 1; pid <= 7; pid++) processFile(pid, `p${pid}`, 0, 1000);
    processFile(8, 'p8', 0, 1002);
    expect(nextLook(first)).toEqual([['p8', 0.02]]);
  });

  it('counts all the time of a process that is new, also under an old number', () => {
    processFile(1, 'old', 0, 5000);
    const first = lookAround(null, [], root);
    processFile(1, 'reused', 0, 30, '200');
    processFile(2, 'new', 1, 20);
    expect(nextLook(first)).toEqual([
      ['reused', 0.3],
      ['new', 0.2],
    ]);
  });

  it('leaves out given processes and their descendants', () => {
    const parents = new Map([
      [10, 1],
      [11, 10],
      [12, 11],
      [20, 1],
    ]);
    for (const [pid, parent] of parents) processFile(pid, `p${pid}`, parent, 2);
    const first = lookAround(null, [], root);
    for (const [pid, parent] of parents) processFile(pid, `p${pid}`, parent, 52);
    expect(nextLook(first, [10])).toEqual([['p20', 0.5]]);
    expect(nextLook(first, [11, 20])).toEqual([['p10', 0.5]]);
  });

  it('ends on a circle of parents', () => {
    processFile(10, 'a', 11, 2);
    processFile(11, 'b', 10, 2);
    const first = lookAround(null, [], root);
    processFile(10, 'a', 11, 12);
    expect(nextLook(first, [99])).toEqual([['a', 0.1]]);
  });

  it.each([
    ['a) S 1 (b', 'a) S 1 (b'],
    ['(sd-pam)', '(sd-pam)'],
    ['Web Content', 'Web Content'],
    ['\u001b[2Jx\n', '?[2Jx?'],
    ['é漢', 'é漢'],
    ['', ''],
  ])('prints the name %j safely', (name, shown) => {
    processFile(1, name, 0, 2);
    const first = lookAround(null, [], root);
    processFile(1, name, 0, 12);
    expect(nextLook(first)).toEqual([[shown, 0.1]]);
  });

  it('is not put off by files that are torn or gone', () => {
    mkdirSync(join(root, 'proc/7'));
    mkdirSync(join(root, 'proc/8'));
    writeFileSync(join(root, 'proc/8/stat'), '8 (x');
    mkdirSync(join(root, 'proc/self'));
    expect(lookAround(lookAround(null, [], root), [], root).processes.size).toBe(0);
  });
});

describe('watchOthers', () => {
  const stat = (busy: number) => writeFileSync(join(root, 'proc/stat'), `cpu  ${busy} 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0\n`);
  /** Of this process: what it used itself is asked of the system, what its children used stands here. */
  const self = (children: number) => {
    mkdirSync(join(root, 'proc/self'), { recursive: true });
    const before = '7 (a) b) S 1 7 7 0 -1 4194304 1 2 3 4 11 22';
    writeFileSync(join(root, 'proc/self/stat'), `${before} ${children} 0 20 0 1 0 98765 1000 20\n`);
  };

  it('lists who was busy, and adds up all work but our own', async () => {
    processFile(1, 'busy', 0, 1000);
    processFile(2, 'idle', 0, 1000);
    processFile(3, 'ours', 99, 1000);
    stat(5000);
    self(100);
    const watched = await watchOthers(
      async () => {
        // As if a hundred seconds had been worked meanwhile, thirty of them by a child of ours that has ended.
        processFile(1, 'busy', 0, 2000);
        processFile(3, 'ours', 99, 4000);
        stat(15_000);
        self(3100);
        return 'result';
      },
      20,
      [99],
      root,
    );
    expect(watched.result).toBe('result');
    expect(watched.busy?.map(({ name }) => name)).toEqual(['busy']);
    // Ten seconds of the one against seventy of all; what this process itself used meanwhile is little.
    const ratio = (watched.other_cpu ?? 0) / (watched.busy?.[0]?.cpu ?? 0);
    expect(ratio).toBeLessThanOrEqual(7);
    expect(ratio).toBeGreaterThan(6);
  });

  it('says null where the machine does not say', async () => {
    const none = await watchOthers(async () => 1, 1, [], `${root}none/`);
    expect(none).toEqual({ result: 1, busy: null, other_cpu: null });
    processFile(1, 'a', 0, 10);
    stat(10);
    expect(await watchOthers(async () => 1, 1, [], root)).toMatchObject({ busy: [], other_cpu: null });
  });

  it('fails as its work does', async () => {
    await expect(watchOthers(() => Promise.reject(new Error('no')), 1, [], root)).rejects.toThrow('no');
  });
});

describe.runIf(process.platform === 'linux')('on this machine', () => {
  // A name of its own: other processes of this machine may be busy too.
  const NAME = 'assay-busy';
  let directory: string;
  let child: ChildProcess;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'assay-look-'));
    symlinkSync(process.execPath, join(directory, NAME));
    child = spawn(join(directory, NAME), ['-e', 'for (;;);'], { stdio: 'ignore' });
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  it('finds a busy process, unless it is our own', async () => {
    const first = lookAround(null, []);
    await delay(600);
    const second = lookAround(first, []);
    const ticksIn = ({ processes }: typeof first) => processes.get(child.pid ?? 0)?.ticks ?? 0;
    const cpu = ((ticksIn(second) - ticksIn(first)) * TICK_NS) / (second.at_ns - first.at_ns);
    expect(cpu).toBeGreaterThan(0);
    const { busiest } = second.state;
    // Where as many as are told are busier, it is not among them.
    const isCrowded = busiest.filter((one) => one.name !== NAME && one.cpu >= cpu).length === 5;
    if (!isCrowded) expect(busiest.map(({ name }) => name)).toContain(NAME);
    expect(lookAround(first, [process.pid]).state.busiest.map(({ name }) => name)).not.toContain(NAME);
  });
});
