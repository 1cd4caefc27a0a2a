import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Look, lookAround } from './look-around.ts';
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
