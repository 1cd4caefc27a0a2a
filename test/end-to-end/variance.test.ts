/** `assay variance import` as a user runs it, on small reports written by hand in the form of benchmark.sh. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRig, type Rig } from '../rig.ts';

const HEADER = 'ops_sec\tmb_sec\tw_amp\tusec_op\tp99\ttest\tdate\tversion\tjob_id\tgithash';

function block(test: string, rates: readonly number[]): string {
  const rows = rates.map((rate, at) => `${rate}\t1.0\tNA\t2.5\t9\t${test}\t2026-01-0${at + 1}T10:00:00\t7.9.1\t\tabc`);
  return `${HEADER}\n${rows.join('\n')}\n`;
}

/** A summary of three steps; `d` is the deviation in per cent of the rates of the second. */
function summary(threads: number, d: number): string {
  return [
    block('fillseq.wal_disabled.v400', [999_000, 1_000_000, 1_001_000]),
    block(`readrandom.t${threads}`, [100 - d, 100, 100 + d]),
    block(`overwriteandwait.t${threads}.s0`, [5000, 5000, 5000]),
  ].join('\n');
}

const STEPS = ['--steps', 'fillseq,readrandom,overwrite'];
/** Of c − d, c, c + d with d in per cent of c: the population form is √(2/3) of the sample one, which is d. */
const POPULATION = Math.sqrt(2 / 3) / 100;

describe('assay variance import', () => {
  let rig: Rig;
  beforeAll(() => {
    rig = openRig();
    rig.write('results/small.ht0.nt4/sum.byrx.txt', summary(4, 2));
    rig.write('results/small.ht0.nt4/sum.iobuf.txt', summary(4, 3));
    rig.write('results/large.ht1/sum.byrx.dop1.txt', summary(1, 10));
    rig.write('results/large.ht1/sum.iobuf.dop1.txt', summary(1, 1));
    rig.write('results/README.md', 'Which servers these are.\n');
    rig.write('empty/notes.txt', 'nothing\n');
  });
  afterAll(() => rig.remove());

  const variance = (...args: string[]) => rig.assay(['variance', 'import', ...args]);

  it('prints cells and good set-ups as JSON', async () => {
    const { code, stdout, stderr } = await variance('results', '--deviation', 'population', ...STEPS, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({
      deviation: 'population',
      limit: 0.03,
      good: [{ setup: 'small.ht0', threads: 4 }],
      ignored: [{ path: 'README.md', reason: 'is neither sum.*.txt nor report.tsv' }],
      warnings: [],
    });
    const near = (value: number) => expect.closeTo(value * POPULATION, 12);
    const cell = (setup: string, workload: string, threads: number, d: number) => ({
      ...{ setup, workload, threads, max_cv: near(d), mean_cv: near((d + 0.1) / 3) },
      steps: { fillseq: near(0.1), readrandom: near(d), overwrite: 0 },
    });
    expect(document.setups_ranked[0]).toMatchObject({
      ...{ setup: 'small.ht0', threads: 4, max_cv: near(3) },
      worst: {
        step: 'readrandom',
        workload: 'iobuf',
        comparison: { pairs: 16, pair_sd: expect.closeTo(0.03 * Math.SQRT2, 12) },
      },
    });
    expect(document.steps_ranked.map(({ step }: { step: string }) => step)).toEqual([
      'readrandom',
      'fillseq',
      'overwrite',
    ]);
    type Told = { step: string; order: { rising: number } };
    expect(document.drift.map(({ step, order }: Told) => [step, order.rising])).toEqual([
      ['fillseq', 4],
      ['readrandom', 4],
      ['overwrite', 0],
    ]);
    // No two set-ups have a number of threads in common.
    expect(document.spread_ratios).toEqual([]);
    expect(document.cells).toMatchObject([
      cell('large.ht1', 'byrx', 1, 10),
      cell('small.ht0', 'byrx', 4, 2),
      cell('large.ht1', 'iobuf', 1, 1),
      cell('small.ht0', 'iobuf', 4, 3),
    ]);
  });

  it('says in text and Markdown which deviation it used, and CSV has a line a cell', async () => {
    const [text, markdown, csv] = await Promise.all([
      variance('results', ...STEPS),
      variance('results', ...STEPS, '--deviation', 'population', '--format', 'markdown'),
      variance('results', ...STEPS, '--limit', '2.5%', '--format', 'csv'),
    ]);
    expect(text.stdout).toContain('sample standard deviation (n − 1 in the denominator) / mean');
    expect(text.stdout).toMatch(/\n {2}large\.ht1 +0\.100\n {2}small\.ht0 +0\.020\n/);
    for (const title of [
      'Steps, the worst first',
      'Set-ups, the best first',
      'Drift from the first',
      'Which set-ups repeat',
    ]) {
      expect(text.stdout).toContain(`\n\n${title}`);
      expect(markdown.stdout).toContain(`\n\n## ${title}`);
    }
    expect(text.stdout).toContain('not an inference');
    expect(markdown.stdout).toContain('population standard deviation (n in the denominator) / mean');
    expect(markdown.stdout).toContain('| `large.ht1` | 0.082 |  |');
    const lines = csv.stdout.trim().split('\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe('setup,workload,threads,max_cv,mean_cv,good,cv:fillseq,cv:readrandom,cv:overwrite');
    expect(lines[2]).toMatch(/^small\.ht0,byrx,4,0\.02,0\.007,false,0\.001,0\.02,0$/);
  });

  it.each([
    [['empty'], 'no results can be read below empty: notes.txt is neither sum.*.txt nor report.tsv'],
    [['results', '--steps', 'readrandom,mergerandom'], 'no file has the step mergerandom\n  There are: `'],
    [['results', '--metric', 'w_amp'], 'no file has a number in the column w_amp'],
    [['results', '--layout', '{server}/x'], '{server}/x is no layout'],
    [['results', '--limit', 'low'], 'Expected a fraction such as 0.03, or a percentage such as 3%.'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await variance(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('takes set-ups from a study file, and says where that is wrong', async () => {
    rig.write(
      'study.yaml',
      'title: T\nsteps: [readrandom]\nsetups: {all: {files: results/small.ht0.nt4, tool: benchmark_sh}}\n',
    );
    rig.write('wrong.yaml', 'title: T\nsetups: {all: {files: results, tool: benchmark}}\n');
    const [text, wrong, missing, other, schema] = await Promise.all([
      rig.assay(['variance', 'study.yaml', '--limit', '2.5%']),
      rig.assay(['variance', 'wrong.yaml']),
      rig.assay(['variance', 'missing.yaml']),
      rig.assay(['variance', 'study.yaml', '--metric', 'elapsed']),
      rig.assay(['schema', 'variance-study']),
    ]);
    expect(text.code).toBe(0);
    expect(text.stdout).toContain('1 set-up in 2 files; steps readrandom; workloads byrx and iobuf; limit 0.025.');
    expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('wrong.yaml:2:38: expected a tool whose output can be read');
    expect(missing.stderr).toContain('there is no file missing.yaml');
    expect(other.stderr).toContain('has no elapsed: it has ops_per_second');
    expect(JSON.parse(schema.stdout)).toMatchObject({ title: 'Assay study of variance' });
  });

  it('says that there is no such directory', async () => {
    const { code, stderr } = await variance('missing');
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'assay: cannot read the directory: missing: no such file or directory\n  Check the path.\n',
    });
  });
});
