import { describe, expect, it } from 'vitest';
import { type ImportRules, importResults } from './import-results.ts';
import { studyVariance } from './variance.ts';

const RULES: ImportRules = {
  ...{ steps: null, metric: 'ops_sec', layout: null, workload: null, threads: null, mostSteps: 100 },
};

/** Written by hand in the form of benchmark.sh: each test with its rates, in the order given. */
function report(tests: Record<string, readonly (number | string)[]>): string {
  return Object.entries(tests)
    .map(([test, rates]) => {
      const rows = rates.map((rate, at) => `${rate}\t1.5\t${test}\t2026-01-0${at + 1}T00:00:00`);
      return `ops_sec\tusec_op\ttest\tdate\n${rows.join('\n')}\n`;
    })
    .join('\n');
}

function imported(files: Record<string, string>, rules: Partial<ImportRules> = {}) {
  const read = (path: string) => ({ ok: true, text: files[path] ?? '' }) as const;
  return importResults({ root: 'root', paths: Object.keys(files), runs: [], read }, { ...RULES, ...rules });
}

function study(files: Record<string, string>, rules: Partial<ImportRules> = {}, limit = 0.03) {
  const { series, steps, warnings } = imported(files, rules);
  const variance = studyVariance(series, { steps, deviation: 'population', limit, level: 0.95 });
  return { ...variance, codes: [...warnings, ...variance.warnings].map(({ code }) => code) };
}

/** Population coefficient √(2/3)·d/c of c − d, c, c + d. */
const POPULATION = Math.sqrt(2 / 3) / 100;

describe('variance of imported results', () => {
  it('has the coefficient of every step, the largest and the mean', () => {
    const text = report({ 'fillseq.wal_disabled.v400': [99, 100, 101], 'readrandom.t4': [970, 1030, 1000] });
    const { cells, good, codes } = study({ 'a.nt4/sum.byrx.txt': text });
    expect(cells).toHaveLength(1);
    const [cell] = cells;
    expect(cell).toMatchObject({ setup: 'a', workload: 'byrx', threads: 4 });
    expect(cell?.steps.map(({ step, values }) => [step, values])).toEqual([
      ['fillseq', [99, 100, 101]],
      ['readrandom', [970, 1030, 1000]],
    ]);
    expect(cell?.max_cv).toBeCloseTo(3 * POPULATION, 12);
    expect(cell?.mean_cv).toBeCloseTo(2 * POPULATION, 12);
    expect(cell?.steps[0]?.sample_cv).toBeCloseTo(0.01, 12);
    expect(good).toEqual([{ setup: 'a', threads: 4 }]);
    expect(codes).toEqual([]);
  });

  it('is good at a limit in every workload only', () => {
    const text = (d: number) => report({ 'readrandom.t4': [100 - d, 100, 100 + d] });
    const files = {
      'steady.nt4/sum.byrx.txt': text(1),
      'steady.nt4/sum.iobuf.txt': text(2),
      'half.nt4/sum.byrx.txt': text(1),
      'half.nt4/sum.iobuf.txt': text(4),
      'alone.nt4/sum.byrx.txt': text(1),
    };
    expect(study(files).good).toEqual([{ setup: 'steady', threads: 4 }]);
    expect(study(files, {}, 2 * POPULATION).good).toEqual([{ setup: 'steady', threads: 4 }]);
    expect(study(files, {}, 1.9 * POPULATION).good).toEqual([]);
  });

  it('takes overwriteandwait for overwrite where there is no overwrite', () => {
    const waited = { 'overwriteandwait.t1.s0': [10, 20], 'overwritesome.t1.s0': [1, 9] };
    const values = (tests: Record<string, number[]>, step = 'overwrite') =>
      imported({ 'a.nt1/sum.b.txt': report(tests) }, { steps: [step] }).series.map((one) => one.values);
    expect(values(waited)).toEqual([[10, 20]]);
    expect(values({ ...waited, 'overwrite.t1.s0': [3, 4] })).toEqual([[3, 4]]);
    expect(values(waited, 'overwriteandwait')).toEqual([[10, 20]]);
    expect(values(waited, 'overwritesome')).toEqual([[1, 9]]);
  });

  it('has no number where a step is missing, failed, ran once or is two tests', () => {
    const text = report({ 'readrandom.t4': [100, 101, 'failed'], 'overwrite.t4.s0': [50], 'fillseq.v1': [5, 6] });
    const both = `${text}\n${report({ 'fillseq.v2': [7, 8] })}`;
    const { cells, good, codes } = study(
      { 'a.nt4/sum.b.txt': both },
      { steps: ['readrandom', 'overwrite', 'fillseq', 'revrange'] },
    );
    expect(cells[0]).toMatchObject({ max_cv: null, mean_cv: null });
    expect(cells[0]?.steps.map(({ cv, missing }) => [cv === null, missing])).toEqual([
      [false, 1],
      [true, 0],
      [true, 0],
      [true, 0],
    ]);
    expect(good).toEqual([]);
    expect(codes).toEqual(
      expect.arrayContaining([
        'failed-repetition',
        'one-repetition',
        'ambiguous-step',
        'missing-step',
        'uneven-repetitions',
      ]),
    );
    expect(imported({ 'a.nt4/sum.b.txt': both }, { steps: ['fillseq.v2'] }).series[0]?.values).toEqual([7, 8]);
  });

  it('calls no set-up good whose repetition failed, however alike the others are', () => {
    const { cells, good } = study({ 'a.nt4/sum.b.txt': report({ 'readrandom.t4': [100, 100, 'failed'] }) });
    expect(cells[0]?.max_cv).toBe(0);
    expect(good).toEqual([]);
  });

  it('takes a rate of zero for none', () => {
    const { cells, codes } = study({ 'a.nt4/sum.b.txt': report({ 'readrandom.t4': [100, 0] }) });
    expect(cells[0]?.max_cv).toBeNull();
    expect(codes).toContain('unreadable-line');
    expect(codes).toContain('failed-repetition');
  });

  it('puts files of one place together in the order of time, and counts a copied line once', () => {
    const one = 'ops_sec\ttest\tdate\n20\treadrandom.t2\t2026-01-02T00:00:00\n';
    const two = 'ops_sec\ttest\tdate\n10\treadrandom.t2\t2026-01-01T00:00:00\n';
    const { series, warnings } = imported({
      'a.nt2/sum.byrx.txt': one,
      'a/sum.byrx.dop2.txt': two,
      'a.dop2/sum.byrx.txt': one,
    });
    expect(series).toMatchObject([
      { setup: 'a', workload: 'byrx', threads: 2, step: 'readrandom', values: [10, 20], missing: 0 },
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['repeated-line']);
  });

  it('takes threads from the tests where the path has none, and warns where both differ', () => {
    const text = report({ 'fillseq.v400': [1, 2], 'readrandom.t4': [1, 2], 'revrange.t1': [1, 2] });
    const steps = ['fillseq', 'readrandom'];
    expect(imported({ 'a/sum.b.txt': text }, { steps }).series.map(({ threads }) => threads)).toEqual([4, 4]);
    expect(imported({ 'a/sum.b.txt': text })).toMatchObject({
      read: [],
      series: [],
      ignored: [{ path: 'a/sum.b.txt' }],
    });
    expect(imported({ 'a.nt2/sum.b.txt': text }, { steps }).warnings.map(({ code }) => code)).toEqual([
      'different-threads',
    ]);
  });

  it('warns where a step is another test on another set-up', () => {
    const text = (size: number) => report({ [`fillseq.wal_disabled.v${size}`]: [1, 2] });
    expect(study({ 'a.nt1/sum.b.txt': text(400), 'b.nt4/sum.b.txt': text(400) }).codes).toEqual([]);
    expect(study({ 'a.nt1/sum.b.txt': text(400), 'b.nt4/sum.b.txt': text(100) }).codes).toEqual(['different-tests']);
    const threads = (count: number) => report({ [`readrandom.t${count}`]: [1, 2] });
    expect(study({ 'a.nt1/sum.b.txt': threads(1), 'a.nt4/sum.b.txt': threads(4) }).codes).toEqual([]);
  });

  it('makes no series of more steps than were allowed', () => {
    const text = report(Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`test${at}.t1`, [1, 2]])));
    expect(imported({ 'a.nt1/sum.b.txt': text }, { mostSteps: 5 }).series).toHaveLength(5);
    expect(imported({ 'a.nt1/sum.b.txt': text }, { mostSteps: 4 })).toMatchObject({ series: [], steps: { length: 5 } });
  });

  it('lists what it does not read, with the reason', () => {
    const files = { 'a.nt1/notes.md': '', 'a.nt1/sum.b.txt': 'readrandom : 4.0 micros/op\n', 'report.tsv': '' };
    expect(imported(files).ignored).toEqual([
      { path: 'a.nt1/notes.md', reason: 'is neither sum.*.txt nor report.tsv' },
      {
        path: 'a.nt1/sum.b.txt',
        reason: 'is not a report of benchmark.sh: line 1 is not the header, which begins with ops_sec and has tabs',
      },
      { path: 'report.tsv', reason: expect.stringContaining('its path names no workload') },
    ]);
  });
});
