import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../test/draws.ts';
import { benchmarkReport, imported, type Row, rates, requestOf, type SideTexts } from '../../test/imported-runs.ts';
import { TOOLS } from '../formats/tools.ts';
import { parseRequest, requestText } from './request.ts';

fc.configureGlobal({ seed: 1908 });

const rows = (test: string, ...all: readonly Row['rate'][]): Row[] => all.map((rate) => ({ test, rate }));

function run(sides: SideTexts, more: Parameters<typeof imported>[1] = {}) {
  const outcome = imported(sides, more);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.run;
}

const refusal = (...args: Parameters<typeof imported>) => {
  const outcome = imported(...args);
  return outcome.ok ? null : outcome.message;
};

const codes = (made: ReturnType<typeof run>) => made.imported.warnings.map(({ code }) => code);
const message = (made: ReturnType<typeof run>, code: string) =>
  made.imported.warnings.find((warning) => warning.code === code)?.message;

/** Of a tool whose repetitions share a process, as most do. */
function sharing<T>(work: () => T): T {
  const tool = TOOLS.benchmark_sh as { own_processes?: boolean };
  tool.own_processes = false;
  try {
    return work();
  } finally {
    tool.own_processes = true;
  }
}

describe('an import', () => {
  it('pairs repetitions by their order in the files', () => {
    const { trials, plan, experiment } = run({
      before: [benchmarkReport(rows('a.t1', 10, 11)), benchmarkReport(rows('a.t1', 12))],
      after: [benchmarkReport(rows('a.t1', 20, 21, 22))],
    });
    expect(plan).toEqual({
      seed: null,
      sequential: null,
      phases: [{ phase: 'confirmation', blocks: Array.from({ length: 3 }, () => ['before', 'after']) }],
    });
    expect(trials.map(({ arm, block, metrics }) => [arm, block, metrics['a.t1.ops_per_second']])).toEqual([
      ['before', 1, 10],
      ['after', 1, 20],
      ['before', 2, 11],
      ['after', 2, 21],
      ['before', 3, 12],
      ['after', 3, 22],
    ]);
    expect(experiment.reference).toBe('before');
  });

  it('has trials that claim nothing of how they ran', () => {
    const { trials, experiment } = run({
      a: [benchmarkReport(rows('x', 1, 2))],
      b: [benchmarkReport(rows('x', 3, 4))],
    });
    for (const trial of trials) {
      expect(trial).toMatchObject({ account: null, checks: [], raw: [], state: null, failure: null });
      expect(trial.noise).toEqual({ steal: null, other_cpu: null, frequency_hz: null });
    }
    expect(experiment.arms.map(({ source }) => source.kind)).toEqual(['imported', 'imported']);
  });

  it('lists repetitions without a partner, and counts them nowhere', () => {
    const made = run({ a: [benchmarkReport(rows('x', 1, 2, 3, 4))], b: [benchmarkReport(rows('x', 3, 4))] });
    expect(made.trials).toHaveLength(4);
    expect(message(made, 'unpaired')).toBe(
      'Without a partner, and in no number: repetitions 3 to 4 ("a-1.tsv") of a, in "x".',
    );
  });

  it('gives each result as many pairs as the side with the fewest repetitions has', () => {
    const side = (...y: number[]) => [benchmarkReport([...rows('x', 1, 2, 3), ...rows('y', ...y)])];
    const { trials } = run({ a: side(5, 6), b: side(7) });
    expect(trials.map(({ metrics }) => metrics['y.ops_per_second'])).toEqual([5, 7, null, null, null, null]);
  });

  it('compares the one result of each side, whatever they are called', () => {
    const { experiment, trials } = run({ a: [benchmarkReport(rows('old', 1))], b: [benchmarkReport(rows('new', 2))] });
    expect(experiment.metrics.map(({ name }) => name)).toEqual(['ops_per_second']);
    expect(trials.map(({ metrics }) => metrics['ops_per_second'])).toEqual([1, 2]);
  });

  it('compares results of one file where these are the sides', () => {
    const text = benchmarkReport([...rows('old', 1, 2), ...rows('new', 3, 4), ...rows('other', 9)]);
    const request = requestOf({ both: [text] });
    const sides = ['old', 'new'].map((result) => ({ arm: result, files: [0], result }));
    const { trials } = run({ both: [text] }, { ...request, sides });
    expect(trials.map(({ arm, metrics }) => [arm, metrics['ops_per_second']])).toEqual([
      ['old', 1],
      ['new', 3],
      ['old', 2],
      ['new', 4],
    ]);
  });

  it('refuses what has nothing in common, and says what there is', () => {
    const one = [benchmarkReport([...rows('x', 1), ...rows('y', 1)])];
    expect(refusal({ a: one, b: [benchmarkReport([...rows('u', 1), ...rows('v', 1)])] })).toBe(
      'no result is there on all sides: a has "x", "y"; b has "u", "v"',
    );
    expect(refusal({ a: one, b: ['hello\n'] })).toMatch(/^"b-1\.tsv" is no output of benchmark\.sh .* read: line 1 /);
  });

  it('leaves out what not all sides have, and says so', () => {
    const made = run({
      a: [benchmarkReport([...rows('x', 1), ...rows('y', 1)])],
      b: [benchmarkReport([...rows('x', 1), ...rows('z', 1)])],
    });
    expect(made.experiment.metrics.map(({ name }) => name)).toEqual(['x.ops_per_second']);
    expect(message(made, 'results-left-out')).toBe('Not on all sides, and left out: "y", "z".');
  });

  it('refuses a file twice on a side, and warns of one on two', () => {
    const text = benchmarkReport(rows('x', 1, 2));
    expect(refusal({ a: [text, text], b: [benchmarkReport(rows('x', 3))] })).toBe(
      '"a-1.tsv" and "a-2.tsv" of a are the same, byte by byte',
    );
    expect(codes(run({ a: [text], b: [text] }))).toContain('same-file');
  });

  it('is invalid where a result failed that decides, and warns where another did', () => {
    const side = (...x: Row['rate'][]) => [benchmarkReport([...rows('x', ...x), ...rows('y', 1, 2)])];
    const failed = run({ a: side(1, 2), b: side(3, 'failed') });
    expect(failed.trials.map(({ failure }) => failure)).toEqual([
      null,
      null,
      null,
      { kind: 'metric', metric: 'x.ops_per_second', message: 'its result failed: the job failed' },
    ]);
    const other = run({ a: side(1, 2), b: side(3, 'failed') }, { metrics: ['y.ops_per_second'] });
    expect(other.trials.every(({ failure }) => failure === null)).toBe(true);
    expect(message(other, 'failed-results')).toBe('Repetitions failed, and have no numbers: 1 of 2 of "x" in b.');
  });

  it('warns of settings that differ', () => {
    const made = run({ a: [benchmarkReport(rows('x.t1', 1))], b: [benchmarkReport(rows('x.t8', 1))] });
    expect(message(made, 'settings-differ')).toBe(
      'The sides were not measured with the same settings: threads is "1" in a, "8" in b.',
    );
  });

  it('passes on what the reader says, with the file', () => {
    const made = run({ a: [benchmarkReport(rows('x', 0, 1))], b: [benchmarkReport(rows('x', 1, 2))] });
    expect(message(made, 'unreadable-line')).toBe(
      'benchmark.sh of RocksDB: line 2 has ops_sec 0: rounded down, or nothing was done. ("a-1.tsv")',
    );
  });
});

describe('what readers say of many files', () => {
  it('is told once where it differs in its figures alone', () => {
    const made = run({
      a: [benchmarkReport(rows('x', 0, 1)), benchmarkReport(rows('x', 1, 0))],
      b: [benchmarkReport(rows('x', 1, 2))],
    });
    expect(codes(made).filter((code) => code === 'unreadable-line')).toHaveLength(1);
    expect(message(made, 'unreadable-line')).toBe(
      'benchmark.sh of RocksDB: line 2 has ops_sec 0: rounded down, or nothing was done. ("a-1.tsv"; much the same in "a-2.tsv")',
    );
  });

  it('is told for each where one file has several', () => {
    const made = run({ a: [benchmarkReport(rows('x', 0, 0, 1))], b: [benchmarkReport(rows('x', 1, 2))] });
    expect(codes(made).filter((code) => code === 'unreadable-line')).toHaveLength(2);
  });
});

describe('what decides', () => {
  const text = (...rates: number[]) =>
    benchmarkReport(
      rates.flatMap((rate) => [
        { test: 'x', rate, p99: 5 },
        { test: 'y.z', rate, p99: 6 },
      ]),
    );
  const sides = { a: [text(1, 2)], b: [text(3, 4)] };
  const primary = (metrics: readonly string[]) =>
    run(sides, { metrics }).experiment.metrics.flatMap(({ name, primary: decides }) => (decides ? [name] : []));

  it('is no account that a tool gives beside what it measured, unless that is asked for', () => {
    const text = readFileSync(
      new URL('../../test/fixtures/tool-output/db_bench/everything.txt', import.meta.url),
      'utf8',
    );
    const decides = (metrics: readonly string[]) =>
      run({ a: [text], b: [text] }, { tool: 'db_bench', metrics }).experiment.metrics.flatMap((one) =>
        one.primary ? [one.name] : [],
      );
    const usual = decides([]);
    expect(usual.length).toBeGreaterThan(0);
    expect(usual.filter((name) => /^(database|statistics)\./.test(name))).toEqual([]);
    expect(decides(['database.compaction_time'])).toEqual(['database.compaction_time']);
  });

  it('is the first time or rate of each result, or what was asked for', () => {
    expect(primary([])).toEqual(['x.ops_per_second', 'y.z.ops_per_second']);
    expect(primary(['y.z.p99'])).toEqual(['y.z.p99']);
    expect(primary(['p99'])).toEqual(['x.p99', 'y.z.p99']);
    expect(refusal(sides, { metrics: ['p98'] })).toBe('no metric that all sides have is called "p98"');
  });

  it('is taken alone where there are too many', () => {
    const many = (rate: number) => [
      benchmarkReport(Array.from({ length: 60 }, (_, at) => ({ test: `t${at}`, rate: rate + at, p99: 5 }))),
    ];
    const made = run({ a: many(1), b: many(2) });
    expect(made.experiment.metrics).toHaveLength(60);
    expect(message(made, 'metrics-left-out')).toContain('60 others left out');
    const more = (rate: number) => [
      benchmarkReport(Array.from({ length: 101 }, (_, at) => ({ test: `t${at}`, rate: rate + at }))),
    ];
    expect(refusal({ a: more(1), b: more(2) })).toBe('101 metrics would decide, and at most 100 can');
  });
});

describe('what a repetition is', () => {
  const file = (...all: number[]) => benchmarkReport(rows('x', ...all));

  it('is a process where the tool starts one for each', () => {
    const made = run({ a: [file(1, 2)], b: [file(3, 4)] });
    expect(made.imported.unit).toBe('process');
    expect(codes(made)).not.toContain('shared-process');
  });

  it('is a file of other tools, with the mean of what it has', () => {
    const made = sharing(() => run({ a: [file(1, 3), file(5)], b: [file(2), file(4, 8)] }, { interleaved: true }));
    expect(made.imported).toMatchObject({ unit: 'file', order: 'said' });
    expect(made.trials.map(({ metrics }) => metrics['x.ops_per_second'])).toEqual([2, 2, 5, 6]);
  });

  it('is a file as soon as one side has several, and the others have one repetition', () => {
    const made = sharing(() => run({ a: [file(1, 3), file(5)], b: [file(2, 4)] }));
    expect(made.imported.unit).toBe('file');
    expect(made.trials.map(({ metrics }) => metrics['x.ops_per_second'])).toEqual([2, 3]);
    expect(message(made, 'unpaired')).toBe('Without a partner, and in no number: "a-2.tsv" of a, in "x".');
  });

  it('keeps the place of a file that lacks a result', () => {
    const more = (x: number | null) =>
      benchmarkReport([...(x === null ? [] : rows('x', x)), ...rows('y', 7 + (x ?? 0))]);
    const made = sharing(() => run({ a: [more(1), more(null), more(3)], b: [more(11), more(12), more(13)] }));
    expect(made.trials.map(({ metrics }) => metrics['x.ops_per_second'])).toEqual([1, 11, null, 12, 3, 13]);
  });

  it('is a file where a tool that runs all of them in a row is said to have run in turns', () => {
    const sides = { a: [file(1, 3), file(5)], b: [file(2), file(4, 8)] };
    const tool = TOOLS.benchmark_sh as { in_a_row?: boolean };
    tool.in_a_row = true;
    try {
      expect(run(sides, { interleaved: true }).imported.unit).toBe('file');
      expect(run(sides).imported.unit).toBe('process');
      const single = { a: [file(1), file(3)], b: [file(2), file(4)] };
      expect(run(single, { interleaved: true }).imported.unit).toBe('process');
      expect(refusal({ a: [file(1, 3)], b: [file(2, 4)] }, { interleaved: true })).toMatch(/one after another/);
    } finally {
      delete tool.in_a_row;
    }
  });

  it('shares a process where each side has one file, which cannot have run in turns', () => {
    const sides = { a: [file(1, 3)], b: [file(2, 4)] };
    const made = sharing(() => run(sides));
    expect(made.imported.unit).toBe('shared');
    expect(codes(made)).toContain('shared-process');
    expect(sharing(() => refusal(sides, { interleaved: true }))).toMatch(/share one process/);
  });
});

describe('the order of the sides', () => {
  const dated = (...all: readonly (readonly [rate: number, date: string])[]) => [
    benchmarkReport(all.map(([rate, date]) => ({ test: 'x', rate, date }))),
  ];
  const at = (minute: number) => `2026-01-02T03:${String(minute).padStart(2, '0')}:00`;

  it('is shown by times in turns, and then every pair has its own', () => {
    const made = run({ a: dated([1, at(0)], [2, at(3)]), b: dated([3, at(1)], [4, at(2)]) });
    expect(made.imported.order).toBe('shown');
    expect(made.plan.phases[0]?.blocks).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    expect(made.trials.map(({ arm, position }) => [arm, position])).toEqual([
      ['a', 1],
      ['b', 2],
      ['b', 1],
      ['a', 2],
    ]);
    expect(codes(made)).toEqual([]);
  });

  it('is warned of where one side always ran first', () => {
    expect(codes(run({ a: dated([1, at(0)], [2, at(2)]), b: dated([3, at(1)], [4, at(3)]) }))).toEqual(['one-order']);
  });

  it.each([
    ['one side after the other', dated([1, at(0)], [2, at(1)]), dated([3, at(2)], [4, at(3)])],
    ['the same time', dated([1, at(0)], [2, at(2)]), dated([3, at(0)], [4, at(3)])],
    ['a time that is missing', dated([1, at(0)], [2, at(2)]), dated([3, at(1)], [4, ''])],
    ['times backwards', dated([1, at(3)], [2, at(1)]), dated([3, at(2)], [4, at(0)])],
  ])('is not under control by %s', (_, a, b) => {
    const made = run({ a, b });
    expect(made.imported.order).toBe('unknown');
    expect(codes(made)).toContain('order-not-controlled');
    expect(made.plan.phases[0]?.blocks[0]).toEqual(['a', 'b']);
  });

  it('is the word of who says so', () => {
    const made = run({ a: dated([1, '']), b: dated([2, '']) }, { interleaved: true });
    expect(made.imported.order).toBe('said');
    expect(codes(made)).not.toContain('order-not-controlled');
  });
});

describe('hostile files', () => {
  it('of very many repetitions are refused, of very many results too', () => {
    const many = benchmarkReport(rows('x', ...Array.from({ length: 10_001 }, () => 1)));
    expect(refusal({ a: [many], b: [`${many}# b\n`] })).toBe('the sides have 10001 repetitions');
    const results = benchmarkReport(Array.from({ length: 1001 }, (_, at) => ({ test: `t${at}`, rate: 1 })));
    expect(refusal({ a: [results], b: [`${results}# b\n`] })).toBe('all sides have 1001 results');
  });

  it('reach no report with what a terminal would obey', () => {
    const { read } = TOOLS.benchmark_sh;
    const tool = TOOLS.benchmark_sh as { read: typeof read };
    const name = (end: string) => `\u001b[2J${'x'.repeat(200)}\u202e${end}`;
    tool.read = (text) => ({
      ok: true,
      results: ['1', '2'].map((end) => ({
        name: name(end),
        settings: { '\u001b]0;': text },
        failure: null,
        metrics: [
          { name: 'time', unit: '\u001b[31m', better: 'lower', value: 1 },
          { name: '__proto__', unit: 'ns', better: 'lower', value: 1 },
        ],
        absent: [],
      })),
      warnings: [{ code: 'x', message: '\u0007', remedy: '\u0007' }],
    });
    try {
      const made = run({ a: ['a'], b: ['b'] });
      // What is left once characters that were written out are gone.
      expect(JSON.stringify(made).replaceAll('\\\\', '')).not.toMatch(/\\u|\u202e/);
      // Names that are the same once they are cut are told apart.
      expect(new Set(made.experiment.metrics.map(({ name: shown }) => shown)).size).toBe(2);
      expect(
        made.experiment.metrics.every(({ name: shown }) => shown.endsWith('.time') || shown.endsWith('.time (2)')),
      ).toBe(true);
    } finally {
      tool.read = read;
    }
  });

  it('of whatever rows give a run or a sentence, and the same every time', () => {
    const row = fc.record({
      test: fc.constantFrom('x', 'y', 'x.t2', '__proto__', 'constructor'),
      rate: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant('failed' as const)),
      date: fc.constantFrom('', '2026-01-02T03:04:05', '2026-01-02T03:04:06'),
    });
    const texts = fc.array(fc.array(row, { maxLength: 6 }).map(benchmarkReport), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (a, b, interleaved) => {
        const outcome = imported({ a, b }, { interleaved });
        if (!outcome.ok) {
          expect(outcome.message).not.toBe('');
          return;
        }
        expect(imported({ a, b }, { interleaved })).toEqual(outcome);
        const { trials, plan } = outcome.run;
        expect(trials).toHaveLength(2 * (plan.phases[0]?.blocks.length ?? 0));
        for (const { metrics } of trials) {
          for (const value of Object.values(metrics)) expect(value === null || Number.isFinite(value)).toBe(true);
        }
      }),
      { numRuns: draws(300) },
    );
  });
});

describe('the request', () => {
  it('is what its text says', () => {
    const request = requestOf({ a: ['x'], b: ['y', 'z'] }, { metrics: ['p99'], margin: 0.1 });
    expect(parseRequest(requestText(request))).toEqual(request);
    expect(rates(100, 3)).toHaveLength(3);
  });

  it.each(['', '{}', '[]', '{"import": {}}', requestText(requestOf({ a: ['x'] }))])('is none in %j', (text) => {
    expect(parseRequest(text)).toBeNull();
  });

  it('names no file that it does not list', () => {
    const request = requestOf({ a: ['x'], b: ['y'] });
    expect(parseRequest(requestText({ ...request, files: request.files.slice(1) }))).toBeNull();
  });
});
