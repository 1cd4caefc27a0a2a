/** Readers of other tools' output, given what is almost theirs: other numbers, lines among each other, JSON of other shapes. */
import { readdirSync, readFileSync } from 'node:fs';
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

describe('whatever a text is', () => {
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
