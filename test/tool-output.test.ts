/** All readers of other tools' output, with samples of all tools: whose it is, and what strangers can do to it. */
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../src/formats/tools.ts';

const FOLDER = new URL('fixtures/tool-output/', import.meta.url);

interface Sample {
  readonly tool: string;
  readonly name: string;
  readonly text: string;
}

const SAMPLES: readonly Sample[] = readdirSync(FOLDER).flatMap((tool) =>
  readdirSync(new URL(`${tool}/`, FOLDER))
    .filter((name) => name !== 'README.md')
    .map((name) => ({ tool, name, text: readFileSync(new URL(`${tool}/${name}`, FOLDER), 'utf8') })),
);

const readers = Object.entries(TOOLS).map(([tool, { read }]) => ({ tool, read }));

/** Reads it with every reader, or one: whatever it is, the answer is one that reports can use. */
function readAnything(text: string, chosen = readers): void {
  for (const { tool, read } of chosen) {
    const reading = read(text);
    if (!reading.ok) {
      expect(reading.reason, tool).toMatch(/[^.]$/);
      continue;
    }
    for (const { name, metrics, absent, settings, failure } of reading.results) {
      if (name === '' || failure === '') throw new Error(`${tool} has an empty name or failure`);
      for (const value of Object.values(settings)) if (typeof value !== 'string') throw new Error(`${tool}: ${value}`);
      for (const metric of metrics) {
        if (!Number.isFinite(metric.value) || metric.value < 0)
          throw new Error(`${tool}: ${metric.name} ${metric.value}`);
        if (!/^[a-z0-9_]+$/.test(metric.name)) throw new Error(`${tool} calls a metric ${metric.name}`);
      }
      const names = [...metrics, ...absent].map((found) => found.name);
      if (new Set(names).size < names.length) throw new Error(`${tool} has a metric twice: ${names.join(' ')}`);
    }
    for (const warning of reading.warnings) {
      if (Object.values(warning).includes('')) throw new Error(`${tool} has an empty warning`);
    }
  }
}

describe('output of a tool', () => {
  it('is there of each', () => {
    const tools = new Set(SAMPLES.map(({ tool }) => tool));
    for (const tool of ['fio', 'iibench', 'jmh', 'splinterdb', 'sysbench', 'ycsb']) expect(tools).toContain(tool);
    for (const tool of tools) expect(Object.keys(TOOLS)).toContain(tool);
  });

  it.each(SAMPLES)('of $tool ($name) is refused by the readers of all others', ({ tool, text }) => {
    for (const other of readers) {
      if (other.tool !== tool) expect(other.read(text).ok, other.tool).toBe(false);
    }
  });
});

describe('whatever a text is', () => {
  it.each(SAMPLES)('$tool ($name), cut at any line or within it, is read or refused', ({ tool, text }) => {
    const own = readers.filter((reader) => reader.tool === tool);
    const lines = text.split('\n');
    // Long samples are cut at some of their lines: each cut is read from the beginning.
    const step = Math.ceil(lines.length / 100);
    for (let count = 0; count < lines.length; count += step) {
      const kept = lines.slice(0, count).join('\n');
      readAnything(kept, own);
      readAnything(`${kept}\n`, own);
      readAnything(`${kept}\n${(lines[count] ?? '').slice(0, 20)}`, own);
    }
  });

  it('a sample in which anything was replaced is read or refused', () => {
    const noise = fc.oneof(
      fc.constantFrom(
        '',
        'NaN',
        '-1',
        '1e999',
        '18446744073709551615',
        '0',
        '"',
        '{',
        '[',
        ']}',
        '\0',
        '\u001b[2J',
        'null',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.double().map(String),
    );
    const edit = fc.record({ at: fc.nat(100_000), length: fc.nat(30), text: noise });
    fc.assert(
      fc.property(
        fc.constantFrom(...SAMPLES),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        ({ tool, text }, edits) => {
          let edited = text;
          for (const { at, length, text: written } of edits) {
            const start = at % (edited.length + 1);
            edited = edited.slice(0, start) + written + edited.slice(start + length);
          }
          readAnything(
            edited,
            readers.filter((reader) => reader.tool === tool),
          );
        },
      ),
      { seed: 1908, numRuns: 300 },
    );
  });

  it('numbers of a sample that were replaced are read or refused', () => {
    const number = fc.oneof(fc.double(), fc.double({ min: 0, max: 1e6 }), fc.bigInt().map(Number)).map(String);
    fc.assert(
      fc.property(
        fc.constantFrom(...SAMPLES),
        fc.array(number, { minLength: 1, maxLength: 20 }),
        ({ tool, text }, numbers) => {
          let next = 0;
          const edited = text.replace(/[0-9]+(?:\.[0-9]+)?/g, (found) => {
            next += 1;
            return next % 7 === 0 ? (numbers[next % numbers.length] ?? found) : found;
          });
          readAnything(
            edited,
            readers.filter((reader) => reader.tool === tool),
          );
        },
      ),
      { seed: 1908, numRuns: 200 },
    );
  });

  it('lines of samples among each other, and anything else, are read or refused', () => {
    const lines = SAMPLES.flatMap(({ text }) => text.split('\n').slice(0, 100));
    const piece = fc.oneof(fc.constantFrom(...lines), fc.string({ unit: 'binary', maxLength: 40 }), fc.json());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('\n', '\r\n', ''), (pieces, between) => {
        readAnything(pieces.join(between));
      }),
      { seed: 1908, numRuns: 200 },
    );
  });

  it('JSON of any shape is read or refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (one, two, three) => {
        readAnything(
          JSON.stringify({ 'fio version': 'fio-3.33', jobs: [{ jobname: one, read: two, write: { clat_ns: three } }] }),
        );
        readAnything(
          JSON.stringify([{ benchmark: 'a', params: one, primaryMetric: { scoreUnit: two, rawData: three } }]),
        );
        readAnything(
          JSON.stringify([{ benchmark: 'a', primaryMetric: { rawDataHistogram: one }, secondaryMetrics: { b: two } }]),
        );
      }),
      { seed: 1908, numRuns: 300 },
    );
  });
});

describe('a long text', () => {
  const units = [
    ' ',
    'a',
    '0',
    '0.',
    '1e',
    ':',
    ': ',
    ',',
    ', ',
    '(',
    '[',
    '"',
    '{',
    '\\',
    '\t',
    '- ',
    '\n',
    '[a], b, 1\n',
  ];
  const starts = [...new Set(SAMPLES.map(({ text }) => text.slice(0, 400)))].flatMap((start) => [start, `${start}\n`]);

  it.each(readers)('is read by $tool in time that grows with its length', ({ read }) => {
    const time = (length: number): number => {
      const texts = units.map((unit, index) => {
        return (starts[index % starts.length] ?? '') + unit.repeat(Math.ceil(length / unit.length));
      });
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 3; run += 1) {
        const start = performance.now();
        for (const text of texts) read(text);
        best = Math.min(best, performance.now() - start);
      }
      return best;
    };
    // 16 times as long: linear time is 16 times as much, quadratic 256 times.
    const short = time(10_000);
    expect(time(160_000) / short).toBeLessThan(100);
  });
});
