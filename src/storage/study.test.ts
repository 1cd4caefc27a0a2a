import { describe, expect, it } from 'vitest';
import { toolOutput } from '../../test/reading.ts';
import { readStudy, type VarianceStudy } from './study.ts';
import { studyResults } from './study-results.ts';
import { studyVariance } from './variance.ts';

function studyOf(text: string): VarianceStudy {
  const read = readStudy(text);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.study;
}

describe('a study file', () => {
  it('has defaults for all but its title and set-ups', () => {
    const { results, run, names, ...study } = studyOf('{title: T, setups: {a: {files: x, tool: db_bench}}}');
    expect(study).toEqual({
      ...{ title: 'T', metric: 'ops_per_second', steps: null, deviation: 'sample', limit: 0.03, pairs: 16 },
    });
    expect(results).toEqual([{ setup: 'a', files: ['x'], tool: 'db_bench', threads: null, workload: null }]);
    expect(names.size).toBe(0);
    expect(new Set(Object.values(run).flatMap((value) => JSON.stringify(value)))).toEqual(new Set(['null', '{}']));
  });

  it('keeps steps and set-ups in the order of the text, numbers too', () => {
    const text =
      'title: T\nsteps: {9: [a, b], 1: c}\nlimit: 2%\nsetups:\n  8: {files: [x, y], tool: fio}\n  2: [{files: z, tool: fio, threads: 4}]\n';
    const { steps, names, results, limit } = studyOf(text.replaceAll('fio', 'hyperfine'));
    expect({ steps, limit }).toEqual({ steps: ['9', '1'], limit: 0.02 });
    expect([...names]).toEqual([
      ['1', ['c']],
      ['9', ['a', 'b']],
    ]);
    expect(results.map(({ setup, files, threads }) => [setup, files, threads])).toEqual([
      ['8', ['x', 'y'], null],
      ['2', ['z'], 4],
    ]);
  });

  it('says what is to be measured', () => {
    const text = `title: T
run: {setup: m5, workloads: [iobuf, iobuf], threads: [1, 4], repetitions: 5, duration: 10m, db_bench: ./db_bench,
  data: /mnt, keys: {iobuf: 5000}, cache: 2GiB, background_jobs: 3, flags: {bloom_bits: 16, use_direct_reads: true}}`;
    expect(studyOf(text).run).toEqual({
      ...{
        setup: 'm5',
        workloads: ['iobuf'],
        threads: [1, 4],
        repetitions: 5,
        duration_s: 600,
        db_bench: './db_bench',
      },
      ...{ data: '/mnt', keys: { iobuf: 5000 }, cache_bytes: 2 ** 31, background_jobs: 3 },
      flags: { bloom_bits: '16', use_direct_reads: 'true' },
    });
  });
});

/** The study with files that are there; a directory is a list of them. */
function imported(text: string, files: Readonly<Record<string, string>>) {
  const study = studyOf(text);
  const named = study.results.flatMap((of) =>
    of.files.map((path) => {
      const within = Object.keys(files).filter((name) => name.startsWith(`${path}/`));
      const read = (file: string) => ({ ok: true, text: files[file === '' ? path : `${path}/${file}`] ?? '' }) as const;
      return {
        of,
        path,
        within: path in files ? null : within.map((name) => name.slice(path.length + 1)),
        runs: [],
        read,
      };
    }),
  );
  const found = studyResults(study, named, 100);
  const { deviation, limit } = study;
  return { ...found, variance: studyVariance(found.series, { steps: found.steps, deviation, limit, level: 0.95 }) };
}

const hyperfine = (...times: readonly number[]) =>
  JSON.stringify({
    results: [
      { command: 'load', times },
      { command: 'load.fast', times: times.map((time) => time / 2) },
    ],
  });

/** One line of db_bench in its form, written by hand. */
const dbBench = (name: string, rate: number) =>
  `DB path: [/db]\n${name.padEnd(12)} :      49.500 micros/op ${rate} ops/sec 1.000 seconds ${rate} operations;\n`;

describe('results that a study names', () => {
  it('are of several tools, files and directories', () => {
    const { variance, read, ignored } = imported(
      `title: T
metric: elapsed
setups:
  small: [{files: [a.json, b.json], tool: hyperfine, threads: 1}]
  large: {files: dir, tool: hyperfine, threads: 1, workload: disk}`,
      { 'a.json': hyperfine(1, 2), 'b.json': hyperfine(3), 'dir/x.json': hyperfine(4, 5), 'dir/notes.txt': 'x' },
    );
    expect(read).toEqual(['a.json', 'b.json', 'dir/x.json']);
    expect(ignored).toMatchObject([
      { path: 'dir/notes.txt', reason: expect.stringContaining('is not the output of hyperfine') },
    ]);
    expect(variance.cells.map(({ setup, workload, threads }) => [setup, workload, threads])).toEqual([
      ['small', 'default', 1],
      ['large', 'disk', 1],
    ]);
    // A full stop in a name of another tool than benchmark.sh is a part of it.
    expect(variance.cells[0]?.steps.map(({ step, values }) => [step, values])).toEqual([
      ['load', [1e9, 2e9, 3e9]],
      ['load.fast', [5e8, 1e9, 1.5e9]],
    ]);
  });

  it('count a file once, however often it is named or copied, and no set-up is left out in silence', () => {
    const { variance, ignored, warnings } = imported(
      'title: T\nmetric: elapsed\nsetups:\n  a: {files: [x, x, copy, y], tool: hyperfine, threads: 1}\n  b: {files: z, tool: hyperfine}',
      { x: hyperfine(1), copy: hyperfine(1), y: hyperfine(2), z: 'nothing' },
    );
    expect(variance.cells.map(({ setup, steps }) => [setup, steps[0]?.values])).toEqual([['a', [1e9, 2e9]]]);
    expect(ignored.map(({ path, reason }) => `${path} ${reason}`).slice(0, 2)).toEqual([
      'x is named twice: it counts once',
      'copy is x, byte by byte: it counts once',
    ]);
    expect(warnings.map(({ code }) => code)).toEqual(['repeated-file', 'repeated-file', 'setup-without-results']);
  });

  it('are of the steps that the study names, by what the tools call them', () => {
    const text = `title: T
steps: {reads: readrandom, writes: [overwrite, updaterandom]}
setups:
  a: {files: a.nt4, tool: db_bench}
  b: {files: b.txt, tool: db_bench, threads: 4}`;
    const { variance, warnings } = imported(text, {
      'a.nt4/1': dbBench('readrandom', 100) + dbBench('overwrite', 50),
      'a.nt4/2': dbBench('readrandom', 110) + dbBench('overwrite', 55),
      'b.txt': dbBench('readrandom', 200) + dbBench('updaterandom', 20) + dbBench('fillseq', 9),
    });
    expect(
      variance.cells.map(({ setup, threads, steps }) => [setup, threads, steps.map(({ values }) => values)]),
    ).toEqual([
      [
        'a',
        4,
        [
          [100, 110],
          [50, 55],
        ],
      ],
      ['b', 4, [[200], [20]]],
    ]);
    expect(warnings.map(({ code }) => code)).not.toContain('different-tests');
  });

  it('of a real run of db_bench have the tree beside the rate, and neither it nor counters is a step', () => {
    const text = 'title: T\nsetups: {a: {files: f, tool: db_bench, threads: 1}}';
    const { variance, found } = imported(text, { f: toolOutput('db_bench/everything.txt') });
    expect(found).not.toContain('database');
    expect(found).not.toContain('statistics');
    const told = variance.cells.flatMap(({ steps }) => steps.flatMap(({ beside }) => beside));
    expect(told.some(({ tree_size }) => tree_size !== undefined && tree_size > 0)).toBe(true);
  });

  it('of several numbers of threads in one file are several set-ups, where the tool says so', () => {
    const command = (threads: number) => `./db_bench --benchmarks=readrandom --threads=${threads}\n`;
    const file =
      command(2) +
      dbBench('readrandom', 10) +
      command(8) +
      dbBench('readrandom', 30) +
      command(2) +
      dbBench('readrandom', 11);
    const { variance } = imported('title: T\nsetups: {a: {files: f, tool: db_bench}}', { f: file });
    expect(variance.cells.map(({ threads, steps }) => [threads, steps[0]?.values])).toEqual([
      [2, [10, 11]],
      [8, [30]],
    ]);
  });

  it('that have failed are missing, whatever rate they print', () => {
    const none = dbBench('readrandom', 99).replace('operations;', 'operations; (0 of 99 found)');
    const { series } = imported('title: T\nsetups: {a: {files: f, tool: db_bench, threads: 1}}', {
      f: dbBench('readrandom', 10) + none + dbBench('readrandom', 12),
    });
    expect(series).toMatchObject([{ step: 'readrandom', values: [10, 12], missing: 1, beside: [{}, {}] }]);
  });

  it('say where threads are missing, which metrics there are, and each warning once', () => {
    const files = { 'a.txt': dbBench('readrandom', 5), 'b.txt': dbBench('readrandom', 6) };
    const setups = 'setups: {a: {files: [a.txt, b.txt], tool: db_bench}}';
    expect(imported(`title: T\n${setups}`, files).ignored).toMatchObject([
      { path: 'a.txt', reason: expect.stringContaining('--threads') },
      { path: 'b.txt' },
    ]);
    const other = imported(`title: T\nmetric: elapsed_s\n${setups}`, files);
    expect(other.ignored[0]?.reason).toBe(
      'has no elapsed_s: it has ops_per_second, time_per_operation, elapsed, operations',
    );
    const warned = {
      'a.txt': `WARNING: Assertions are enabled\n${files['a.txt']}`,
      'b.txt': `WARNING: Assertions are enabled\n${files['b.txt']}`,
    };
    const { warnings } = imported(`title: T\nsetups: {a: {files: [a.txt, b.txt], tool: db_bench, threads: 1}}`, warned);
    const [first] = warnings.filter(({ code }) => code === 'assertions-enabled');
    expect(first?.message).toMatch(/^a\.txt and 1 more: /);
  });

  it('of benchmark.sh have set-ups of the study, the rest from their paths', () => {
    const table = (rate: number) => `ops_sec\ttest\tlevels\n${rate}\treadrandom.t4\t3\n${rate + 1}\treadrandom.t4\t4\n`;
    const { variance, ignored } = imported(
      'title: T\nsetups: {here: {files: m, tool: benchmark_sh}, there: {files: x/report.tsv, tool: benchmark_sh, workload: w}}',
      {
        'm/m5.nt4/sum.byrx.txt': table(10),
        'm/steps/stdout': 'x',
        'm/m5/sum.iobuf.dop4.txt': table(20),
        'x/report.tsv': table(5),
      },
    );
    expect(variance.cells.map(({ setup, workload, threads }) => [setup, workload, threads])).toEqual([
      ['here', 'byrx', 4],
      ['here', 'iobuf', 4],
      ['there', 'w', 4],
    ]);
    expect(variance.cells[0]?.steps[0]).toMatchObject({
      step: 'readrandom',
      values: [10, 11],
      beside: [{ levels: 3 }, { levels: 4 }],
    });
    expect(ignored).toEqual([{ path: 'm/steps/stdout', reason: 'is neither sum.*.txt nor report.tsv' }]);
  });
});
