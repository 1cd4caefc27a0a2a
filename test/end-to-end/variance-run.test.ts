/** `assay variance run` as a user runs it: on a program that prints what db_bench prints, and in the full tests on db_bench itself. */
import { chmodSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { openRig, processesWith, type Rig } from '../rig.ts';

const FAKE = fileURLToPath(new URL('../fixtures/db-bench/db_bench', import.meta.url));
const STEPS = ['fillseq', 'readrandom', 'fwdrangewhilewriting', 'readwhilewriting', 'overwrite'];
const full = process.env['ASSAY_TEST_FULL'] === '1';

const run = (...args: string[]) => ['variance', 'run', '--small', '--db-bench', FAKE, '--setup', 'here', ...args];

/** What a step has left. */
function step(rig: Rig, place: string): { started: string; argv: string[] } {
  return JSON.parse(rig.read(`${place}/step.json`));
}

async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 20) {
    if (waited > 20_000) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('assay variance run', () => {
  let rig: Rig;
  beforeAll(() => {
    rig = openRig();
  });
  afterAll(() => rig.remove());

  it('runs every step in its order, and leaves what variance import reads', async () => {
    const { code, stdout, stderr } = await rig.assay(
      run('--out', 'whole', '--threads', '1,2', '--seed', '7', '--json'),
    );
    expect({ code, stderr: stderr.split('\n').filter((line) => line.startsWith('assay:')) }).toEqual({
      code: 0,
      stderr: [],
    });
    expect(stderr).toContain('--max_background_jobs=');
    expect(stderr.replace(/\s+/g, ' ')).toContain('A step that has not ended after 10 min');
    expect(stderr).toContain('step 20 of 20: repetition 2, byrx, 2 threads, overwrite');
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ title: null, metric: 'ops_sec', steps: STEPS, ignored: [] });
    expect(document.warnings).toMatchObject([{ code: 'tool-warning', message: expect.stringContaining('Assertions') }]);
    expect(document.cells).toMatchObject([
      { setup: 'here', workload: 'byrx', threads: 1 },
      { setup: 'here', workload: 'byrx', threads: 2 },
    ]);
    expect(document.drift.map(({ order }: { order: unknown }) => order)).toEqual(STEPS.map(() => null));
    const [cell] = document.cells;
    // The rates that the program prints for seeds 7, 5007 and so on.
    const rate = (seed: number) => 20_000 + (seed % 997) * 3;
    expect(cell.repetitions).toMatchObject({ fillseq: [rate(7), rate(10_007)], overwrite: [rate(4007), rate(14_007)] });
    expect(cell.beside.overwrite[0]).toEqual({
      levels: 3,
      tree_size: Math.round(70.69 * 2 ** 20),
      write_amplification: 2,
      stalled_share: 0.25,
      cpu_per_operation: expect.any(Number),
    });
    expect(cell.beside.readrandom[0]).not.toHaveProperty('write_amplification');
    const imported = await rig.assay(['variance', 'import', 'whole', '--steps', STEPS.join(','), '--json']);
    expect(JSON.parse(imported.stdout).cells).toEqual(document.cells);
    expect(rig.list('whole')).toEqual(['here.nt1', 'here.nt2', 'lock', 'run.json', 'steps']);
  });

  it('gives each step its threads, time, seed and settings', () => {
    const { argv } = step(rig, 'whole/steps/byrx.nt2.1/fwdrangewhilewriting');
    expect(argv.slice(0, 4)).toEqual([
      FAKE,
      '--benchmarks=seekrandomwhilewriting,flush,waitforcompaction,stats',
      expect.stringContaining('whole/databases/byrx.nt2.1'),
      '--use_existing_db=true',
    ]);
    expect(argv).toEqual(expect.arrayContaining(['--threads=2', '--duration=1', '--seed=7007', '--seek_nexts=10']));
    const load = step(rig, 'whole/steps/byrx.nt2.1/fillseq').argv;
    expect(load).toEqual(expect.arrayContaining(['--threads=1', '--disable_wal=true', '--use_existing_db=false']));
    expect(load.filter((word) => word.startsWith('--duration'))).toEqual([]);
    const recorded = JSON.parse(rig.read('whole/run.json'));
    for (const { name, value, because } of recorded.workloads[0].flags) {
      expect(load).toContain(`--${name}=${value}`);
      expect(because).not.toBe('');
    }
  });

  it('puts the runs of several machines into one study', async () => {
    rig.write('fleet/a/here.nt1/sum.byrx.txt', rig.read('whole/here.nt1/sum.byrx.txt'));
    rig.write('fleet/b/here.nt1/sum.byrx.txt', rig.read('whole/here.nt1/sum.byrx.txt').replaceAll('here', 'there'));
    const imported = JSON.parse((await rig.assay(['variance', 'import', 'fleet', '--json'])).stdout);
    expect(imported.cells.map(({ setup }: { setup: string }) => setup)).toEqual(['a/here', 'b/here']);
    const files = (machine: string) => `{files: ${machine}, tool: benchmark_sh}`;
    const setups = `setups: {first: ${files('fleet/a')}, second: ${files('fleet/b')}}`;
    rig.write('fleet.yaml', `title: Two machines\nsteps: [fillseq, overwrite]\n${setups}\n`);
    const studied = JSON.parse((await rig.assay(['variance', 'fleet.yaml', '--json'])).stdout);
    expect(studied).toMatchObject({ title: 'Two machines', steps: ['fillseq', 'overwrite'] });
    expect(studied.cells).toMatchObject([
      { setup: 'first', workload: 'byrx', threads: 1, beside: { fillseq: [{ levels: 3 }, { levels: 3 }] } },
      { setup: 'second', workload: 'byrx', threads: 1 },
    ]);
    expect(studied.cells[0].repetitions.fillseq).toEqual(imported.cells[0].repetitions.fillseq);
  });

  it('reads a directory that lies among others as it ran, and names no file of it as ignored', async () => {
    cpSync(join(rig.directory, 'whole'), join(rig.directory, 'hosts/first'), { recursive: true });
    rig.write('hosts/README', '');
    const read = async () => JSON.parse((await rig.assay(['variance', 'import', 'hosts', '--json'])).stdout);
    const { cells, ignored, warnings } = await read();
    expect(cells.map(({ setup }: { setup: string }) => setup)).toEqual(['here', 'here']);
    expect(ignored).toMatchObject([{ path: 'README' }]);
    expect(warnings).toMatchObject([{ code: 'tool-warning', message: expect.stringContaining('Assertions') }]);
    rmSync(join(rig.directory, 'hosts/first/steps/byrx.nt2.2/overwrite/step.json'));
    rig.write('hosts/second/run.json', '{"format": "of somebody else"}');
    const later = await read();
    expect(later.warnings[1]).toMatchObject({ message: 'here: 19 of 20 steps are on record' });
    expect(later.ignored).toMatchObject([{ path: 'README' }, { path: 'second/run.json' }]);
    rig.write('hosts.yaml', 'title: t\nsetups: {named: {files: hosts, tool: benchmark_sh}}\n');
    const studied = JSON.parse((await rig.assay(['variance', 'hosts.yaml', '--json'])).stdout);
    expect(studied.warnings).toMatchObject([
      { code: 'tool-warning' },
      { message: 'named: 19 of 20 steps are on record' },
    ]);
    expect(studied.ignored).toHaveLength(2);
  });

  it('prints the plan and runs nothing', async () => {
    const { code, stdout } = await rig.assay(run('--dry-run', '--out', 'never', '--flag', 'bloom_bits=16'));
    expect(code).toBe(0);
    expect(stdout).toContain('--bloom_bits=16');
    expect(stdout).toContain('as was asked for');
    expect(rig.list('.')).not.toContain('never');
  });

  it('runs what a study says, with options before it', async () => {
    rig.write('bin/db_bench', readFileSync(FAKE, 'utf8'));
    chmodSync(join(rig.directory, 'bin/db_bench'), 0o755);
    const asked =
      'run: {setup: there, workloads: [iobuf], threads: [3], repetitions: 4, duration: 2m, db_bench: ../bin/db_bench';
    rig.write('studies/s.yaml', `title: T\nlimit: 5%\n${asked}, keys: {iobuf: 5000}, flags: {bloom_bits: 7}}\n`);
    const { stdout } = await rig.assay(['variance', 'run', 'studies/s.yaml', '--dry-run', '--json', '--threads', '2']);
    const plan = JSON.parse(stdout);
    expect(plan).toMatchObject({
      ...{ setup: 'there', threads: [2], repetitions: 4, duration_s: 120, report: { limit: 0.05 } },
      db_bench: { path: join(rig.directory, 'bin/db_bench') },
      workloads: [
        {
          name: 'iobuf',
          keys: 5000,
          flags: expect.arrayContaining([{ name: 'bloom_bits', value: '7', because: expect.any(String) }]),
        },
      ],
    });
  });

  it('goes on with the same program on the same machine alone', async () => {
    const recorded = JSON.parse(rig.read('whole/run.json'));
    const other = { path: FAKE, sha256: '0'.repeat(64) };
    rig.write('other/run.json', JSON.stringify({ ...recorded, db_bench: other }));
    rig.write('moved/run.json', JSON.stringify({ ...recorded, machine: { ...recorded.machine, machine_id: 'x' } }));
    rig.write('fewer/run.json', JSON.stringify({ ...recorded, machine: { ...recorded.machine, cpus: 4096 } }));
    rig.write('broken/run.json', '{"format": "assay-variance-run"}');
    const said = async (directory: string) => (await rig.assay(['variance', 'run', '--resume', directory])).stderr;
    expect(await said('other')).toContain('is not the program that the run began with');
    expect(await said('moved')).toContain('the run was begun on another machine');
    expect(await said('fewer')).toMatch(
      /number of CPUs was 4096 when the run began, and is \d+ here\n {2}Go on under what/,
    );
    expect(await said('broken')).toContain('run.json is not as `assay variance run` wrote it');
    expect(await said('fleet')).toContain('it holds no run.json');
  });

  it.concurrent.each([
    [['--threads', '0'], 'Expected a whole number from 1 to 1024'],
    [['--keys', 'byrx=5'], 'a number of at least 1000'],
    [['--flag', 'threads=4'], 'is what the steps set themselves'],
    [['--setup', 'm5.nt4'], 'is read as a number of client threads'],
    [['--db-bench', 'missing/db_bench'], 'missing/db_bench is no program that can be executed'],
    [['--out', 'whole'], 'go on with the run that is in it'],
    [['--resume', 'whole'], '--small does not go with --resume'],
    [['--data', 'nowhere'], 'Name a directory on the disk to be measured'],
    [['--keys', 'byrx=900000000000'], 'or fewer pairs with --keys'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await rig.assay(run('--quiet', ...args));
    expect(code).toBeGreaterThan(1);
    expect(stderr).toContain(message.replace('or fewer', 'fewer'));
    expect(stderr).not.toContain('    at ');
  });

  it.runIf(full)('leaves alone the databases that another run has begun at the same place', async () => {
    rig.write('disk/mounted', '');
    const first = await rig.assay(run('--out', 'one/same', '--data', 'disk', '--threads', '1', '--quiet'));
    expect(first.code).toBe(0);
    rig.write('disk/same.databases/of-another', '');
    expect((await rig.assay(['variance', 'run', '--resume', 'one/same', '--quiet'])).code).toBe(0);
    expect(rig.list('disk/same.databases')).toEqual(['of-another']);
    rig.write('two/same/run.json', rig.read('one/same/run.json'));
    const second = await rig.assay(['variance', 'run', '--resume', 'two/same', '--quiet']);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('same.databases exists, where databases would be made and removed');
    expect(rig.list('disk/same.databases')).toEqual(['of-another']);
  });

  it('says where db_bench failed, and goes on there', async () => {
    const failed = await rig.assay(run('--out', 'full', '--quiet', '--flag', 'fake_full=overwrite'));
    expect(failed.code).toBe(3);
    expect(failed.stderr).toBe(
      `assay: the disk is full: overwrite of byrx with 1 thread, repetition 1\n  Free some space, then go on with: assay variance run --resume ${join(rig.directory, 'full')} (what was measured is intact).\n`,
    );
    const before = step(rig, 'full/steps/byrx.nt1.1/readrandom');
    rig.write('full/room', '');
    const resumed = await rig.assay(['variance', 'run', '--resume', 'full', '--json']);
    expect(resumed.code).toBe(0);
    expect(step(rig, 'full/steps/byrx.nt1.1/readrandom')).toEqual(before);
    expect(JSON.parse(resumed.stdout).cells[0].repetitions.overwrite).toHaveLength(2);
  });

  it.each([
    [
      'fake_fail=readwhilewriting',
      'readwhilewriting of byrx with 1 thread, repetition 1: db_bench ended with exit code 1: ',
    ],
    ['fake_lose=readrandom', 'readrandom of byrx with 1 thread, repetition 1: 4999 of 5000 keys were found'],
  ])('ends with a sentence at %s', async (flag, message) => {
    const { code, stderr } = await rig.assay(run('--out', flag, '--quiet', '--flag', flag));
    expect(code).toBe(3);
    expect(stderr).toContain(message);
    expect(stderr).toContain('assay variance run --resume');
  });

  it('leaves nothing running when it is killed, and makes the database of a step that was cut off anew', async () => {
    const { child, ended } = rig.start(
      run('--out', 'killed', '--seed', '734000000', '--flag', 'fake_hang=readwhilewriting'),
    );
    const place = 'killed/steps/byrx.nt1.1';
    await until(() => rig.list('.').includes('killed') && processesWith('sleep 1000.734003000').length > 0);
    const before = step(rig, `${place}/fwdrangewhilewriting`);
    child.kill('SIGKILL');
    await ended;
    await until(() => processesWith('sleep 1000.734003000').length === 0);
    rig.write('killed/go', '');
    const resumed = await rig.assay(['variance', 'run', '--resume', 'killed', '--json']);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain('fwdrangewhilewriting again, uncounted, since its database was cut off');
    expect(resumed.stderr).not.toContain('readrandom again');
    expect(step(rig, `${place}/fwdrangewhilewriting`)).toEqual(before);
    const { repetitions } = JSON.parse(resumed.stdout).cells[0];
    expect(STEPS.map((name) => repetitions[name].length)).toEqual([2, 2, 2, 2, 2]);
  });

  it('stops at a signal, says how to go on, and then takes up the database as it is', async () => {
    const { child, ended } = rig.start(
      run('--out', 'stopped', '--seed', '735000000', '--flag', 'fake_hang=readrandom'),
    );
    await until(() => rig.list('.').includes('stopped') && processesWith('sleep 1000.735001000').length > 0);
    child.kill('SIGTERM');
    const stopped = await ended;
    expect(stopped.code).toBe(143);
    expect(stopped.stderr).toContain(`go on with: assay variance run --resume ${join(rig.directory, 'stopped')}`);
    rig.write('stopped/go', '');
    const resumed = await rig.assay(['variance', 'run', '--resume', 'stopped', '--format', 'csv']);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).not.toContain('again');
    expect(resumed.stdout).toMatch(/^setup,workload,threads,/);
  });
});

test.runIf(full)(
  'db_bench itself: every step has a rate in every repetition, a tree of several levels, and the program says which it is',
  async () => {
    const rig = openRig();
    try {
      const { code, stdout, stderr } = await rig.assay(['variance', 'run', '--small', '--out', 'real', '--json']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
      const [cell] = JSON.parse(stdout).cells;
      for (const name of STEPS) {
        expect([name, cell.repetitions[name].length, cell.missing[name]]).toEqual([name, 2, 0]);
        for (const beside of cell.beside[name]) {
          expect(beside.levels).toBeGreaterThanOrEqual(2);
          expect(beside.tree_size).toBeGreaterThan(10 * 2 ** 20);
          expect(beside.cpu_per_operation).toBeGreaterThan(0);
        }
      }
      // A compaction may have just emptied a level when a step ends; the tree that the flags ask for has three.
      const levels = STEPS.flatMap((name) => cell.beside[name].map((beside: { levels: number }) => beside.levels));
      expect(Math.max(...levels)).toBeGreaterThanOrEqual(3);
      // What is written in order is written once, and smaller than it was: values shrink to a half.
      expect(cell.beside.fillseq[0].write_amplification).toBeGreaterThan(0.3);
      expect(cell.beside.fillseq[0].write_amplification).toBeLessThan(1);
      expect(cell.beside.overwrite[0].write_amplification).toBeGreaterThan(1);
      const table = readFileSync(join(rig.directory, 'real', rig.list('real')[0] ?? '', 'sum.byrx.txt'), 'utf8');
      expect(table).toMatch(/\t\d+\.\d+\.\d+\n/);
    } finally {
      rig.remove();
    }
  },
  600_000,
);
