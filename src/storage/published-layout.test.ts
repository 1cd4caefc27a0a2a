/**
 * The published study has more servers than the files that Assay was tried on. What is here was written by hand in the layouts that its list
 * of servers implies, with known coefficients: repeated headers, blanks between blocks, NA cells, rows of failed jobs, other steps.
 */
import { describe, expect, it } from 'vitest';
import { importResults } from './import-results.ts';
import { studyVariance } from './variance.ts';

const HEADER =
  'ops_sec\tmb_sec\tlsm_sz\tblob_sz\tc_wgb\tw_amp\tc_mbps\tc_wsecs\tc_csecs\tb_rgb\tb_wgb\tusec_op\tp50\tp99\tp99.9\tp99.99\tpmax\tuptime\tstall%\tNstall\tu_cpu\ts_cpu\trss\ttest\tdate\tversion\tjob_id\tgithash';
const STEPS = ['fillseq', 'readrandom', 'fwdrangewhilewriting', 'readwhilewriting', 'overwrite'];

function row(rate: number | 'failed', test: string, second: number): string {
  const time = `2022-12-1${second}T10:00:0${second}`;
  if (rate === 'failed') return `failed\t${'\t'.repeat(22)}${test}\t${time}\t7.9.1\t\tdca9cea5e9`;
  const cells = [
    rate,
    '10.0',
    '12GB',
    '0GB',
    'NA',
    '1.0',
    'NA',
    '9',
    '9',
    '0',
    '0',
    '4.1',
    '3',
    '9',
    '20',
    '30',
    '999',
    '1800',
    '0',
    '0',
  ];
  return [...cells, '2.1', '0.3', '9.4GB', test, time, '7.9.1', '', 'dca9cea5e9'].join('\t');
}

/** Around 10,000 with this population coefficient: three values at c − d, c, c + d have √(2/3)·d/c. */
function rates(cv: number): readonly number[] {
  const d = 10_000 * cv * Math.sqrt(3 / 2);
  return [10_000 - d, 10_000, 10_000 + d];
}

/** A block for each step, with a header of its own; the worst step has the coefficient, the others a hundredth of it. */
function summary(threads: number, cv: number, worst = 'readrandom', { failed = false } = {}): string {
  const tests: readonly (readonly [step: string, test: string])[] = [
    ['fillseq', 'fillseq.wal_disabled.v400'],
    ['revrange', `revrange.t1`],
    ['readrandom', `readrandom.t${threads}`],
    ['overwritesome', `overwritesome.t${threads}.s0`],
    ['fwdrangewhilewriting', `fwdrangewhilewriting.t${threads}`],
    ['readwhilewriting', `readwhilewriting.t${threads}`],
    ['overwrite', `overwriteandwait.t${threads}.s0`],
  ];
  return tests
    .map(([step, test]) => {
      // The steps that are not among the five would be far worse.
      const own = STEPS.includes(step) ? (step === worst ? cv : cv / 100) : 0.5;
      const rows = rates(own).map((rate, at) =>
        row(failed && step === worst && at === 1 ? 'failed' : rate, test, at + 1),
      );
      return `${HEADER}\n${rows.join('\n')}\n`;
    })
    .join('\n');
}

function study(files: Readonly<Record<string, string>>) {
  const read = (path: string) => ({ ok: true, text: files[path] ?? '' }) as const;
  const imported = importResults(
    { root: 'results', paths: Object.keys(files), runs: [], read },
    { steps: STEPS, metric: 'ops_sec', layout: null, workload: null, threads: null, mostSteps: 100 },
  );
  const variance = studyVariance(imported.series, { steps: STEPS, deviation: 'population', limit: 0.03, level: 0.95 });
  return { ...variance, imported };
}

/** The published largest coefficients of servers whose files are not at hand, each in another layout. */
const SERVERS = [
  ['m5.2x.ht0/sum.byrx.dop1.txt', 'm5.2x.ht0', 'byrx', 1, 0.149, 'fwdrangewhilewriting'],
  ['m5d.4xlarge.ht0.nvme/sum.byrx.dop8.txt', 'm5d.4xlarge.ht0.nvme', 'byrx', 8, 0.026, 'overwrite'],
  ['m5d.4xlarge.ht1.io2/sum.iobuf.dop4.txt', 'm5d.4xlarge.ht1.io2', 'iobuf', 4, 0.011, 'fillseq'],
  ['m5d.4xlarge.ht0.io2.nt1/sum.byrx.txt', 'm5d.4xlarge.ht0.io2', 'byrx', 1, 0.013, 'readwhilewriting'],
  ['c6i.2xlarge.ht1.nt4/sum.iobuf.txt', 'c6i.2xlarge.ht1', 'iobuf', 4, 0.042, 'readrandom'],
  ['c6i.4xlarge.ht1.nt8/sum.byrx.txt', 'c6i.4xlarge.ht1', 'byrx', 8, 0.008, 'readrandom'],
  ['c6i.8xlarge.ht0.nt8/sum.byrx.txt', 'c6i.8xlarge.ht0', 'byrx', 8, 0.013, 'overwrite'],
  ['c6i.8xlarge.ht1.nt16/sum.iobuf.txt', 'c6i.8xlarge.ht1', 'iobuf', 16, 0.017, 'fillseq'],
  ['c6i.12xlarge.ht0.nt16/sum.byrx.txt', 'c6i.12xlarge.ht0', 'byrx', 16, 0.007, 'readrandom'],
  ['c6i.12xlarge.ht1/nt24/byrx/report.tsv', 'c6i.12xlarge.ht1', 'byrx', 24, 0.007, 'readrandom'],
  ['aws/c6i.12xlarge.ht1.dop24/iobuf/report.tsv', 'aws/c6i.12xlarge.ht1', 'iobuf', 24, 0.01, 'overwrite'],
  ['c6i.4xlarge.ht0/dop4/sum.byrx.txt', 'c6i.4xlarge.ht0', 'byrx', 4, 0.021, 'readrandom'],
] as const;

describe('layouts of the published study', () => {
  it.each(SERVERS)('%s', (path, setup, workload, threads, cv, worst) => {
    const { cells, warnings, imported } = study({ [path]: summary(threads, cv, worst) });
    expect(cells).toMatchObject([{ setup, workload, threads }]);
    expect(cells[0]?.max_cv?.toFixed(3)).toBe(cv.toFixed(3));
    expect(cells[0]?.mean_cv).toBeCloseTo((cv + (4 * cv) / 100) / 5, 10);
    expect({ read: imported.read, ignored: imported.ignored, warnings: [...imported.warnings, ...warnings] }).toEqual({
      ...{ read: [path], ignored: [], warnings: [] },
    });
  });

  it('give one study, with the set-ups good in both workloads', () => {
    const files = Object.fromEntries(
      [
        ['m5d.4xlarge.ht0.nvme', 1, 0.027, 0.011],
        ['m5d.4xlarge.ht0.nvme', 8, 0.026, 0.007],
        ['m5d.4xlarge.ht1.nvme', 1, 0.038, 0.01],
        ['m5d.4xlarge.ht1.io2', 8, 0.015, 0.004],
        ['c6i.2xlarge.ht1', 4, 0.115, 0.042],
      ].flatMap(([setup, threads, byrx, iobuf]) => [
        [`${setup}/sum.byrx.dop${threads}.txt`, summary(Number(threads), Number(byrx))],
        [`${setup}/sum.iobuf.dop${threads}.txt`, summary(Number(threads), Number(iobuf), 'overwrite')],
      ]),
    );
    const { good, cells } = study(files);
    expect(cells).toHaveLength(10);
    expect(good).toEqual([
      { setup: 'm5d.4xlarge.ht0.nvme', threads: 1 },
      { setup: 'm5d.4xlarge.ht0.nvme', threads: 8 },
      { setup: 'm5d.4xlarge.ht1.io2', threads: 8 },
    ]);
  });

  it('of a server with a failed job: it is told, and the server is not good', () => {
    const files = { 'c6i.8xlarge.ht0.nt8/sum.byrx.txt': summary(8, 0.01, 'readrandom', { failed: true }) };
    const { cells, good, imported } = study(files);
    expect(cells[0]?.steps.find(({ step }) => step === 'readrandom')).toMatchObject({
      missing: 1,
      values: [expect.any(Number), expect.any(Number)],
    });
    expect(good).toEqual([]);
    expect(imported.warnings.map(({ code }) => code)).toEqual(['failed-repetition']);
  });

  it('take the step overwrite where both it and overwriteandwait are there', () => {
    const both = `${summary(8, 0.02, 'overwrite')}\n${HEADER}\n${rates(0.01)
      .map((rate, at) => row(rate, 'overwrite.t8.s0', at + 4))
      .join('\n')}\n`;
    const { cells } = study({ 'c6i.8xlarge.ht0.nt8/sum.byrx.txt': both });
    expect(cells[0]?.steps.at(-1)?.cv).toBeCloseTo(0.01, 10);
  });
});
