/** What holds of every reader: over all samples of all tools, and over whatever else may be in a file. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws } from '../../test/draws.ts';
import type { Reading, ToolResult } from './reading.ts';
import { TOOLS, type ToolName } from './tools.ts';

fc.configureGlobal({ seed: 1908 });

const DIRECTORY = join(import.meta.dirname, '../../test/fixtures/tool-output');
const NAMES = Object.keys(TOOLS) as ToolName[];
const isTool = (name: string): name is ToolName => Object.hasOwn(TOOLS, name);

interface Sample {
  readonly tool: ToolName;
  readonly file: string;
  readonly text: string;
}

const SAMPLES: readonly Sample[] = readdirSync(DIRECTORY)
  .filter(isTool)
  .flatMap((tool) =>
    readdirSync(join(DIRECTORY, tool))
      .filter((file) => file !== 'README.md')
      .map((file) => ({ tool, file, text: readFileSync(join(DIRECTORY, tool, file), 'utf8') })),
  );

/** What every reading promises, whatever was read. */
function requireSound(reading: Reading): void {
  expect(faultsOf(reading)).toEqual([]);
}

function requireSoundOfAll(text: string): void {
  for (const name of NAMES) requireSound(TOOLS[name].read(text));
}

function faultsOf(reading: Reading): string[] {
  // A clause, which others put into a sentence.
  if (!reading.ok) return [...clauseFaults(reading.reason), ...(reading.reason.endsWith('.') ? ['a full stop'] : [])];
  const faults = reading.results.flatMap(resultFaults);
  if (reading.results.length === 0) faults.push('no result');
  for (const { code, message, remedy } of reading.warnings) {
    if (!/^[a-z-]+$/.test(code)) faults.push(`code ${code}`);
    if (!remedy.endsWith('.')) faults.push(`remedy ${remedy}`);
    faults.push(...clauseFaults(message));
  }
  return faults;
}

function resultFaults({ name, settings, failure, metrics, absent }: ToolResult): string[] {
  const faults = [name.slice(0, 1000), ...absent.map(({ reason }) => reason)].flatMap(clauseFaults);
  faults.push(...Object.values(settings).flatMap((value) => clauseFaults(`is ${value}`)));
  if (failure !== null) faults.push(...clauseFaults(failure));
  const names = [...metrics, ...absent].map((metric) => metric.name);
  faults.push(...names.filter((metric) => !/^[a-z0-9_]{1,64}$/.test(metric)).map((metric) => `name ${metric}`));
  if (new Set(names).size < names.length) faults.push(`a name twice in ${name}`);
  for (const { name: metric, value } of metrics) {
    if (!Number.isFinite(value) || value < 0 || Object.is(value, -0)) faults.push(`${metric} is ${value}`);
  }
  if (failure === null && names.length === 0) faults.push(`${name} says nothing`);
  return faults;
}

/** Text that is shown: some, not much, and no control characters. */
function clauseFaults(text: string): string[] {
  return text === '' || text.length > 2000 || /\p{Cc}/u.test(text) ? [`text ${JSON.stringify(text)}`] : [];
}

/** Metrics that are other than those of the result with the same name in the whole. */
function changedBy(cut: Reading, whole: Reading): string[] {
  if (!cut.ok || !whole.ok) return [];
  const known = new Map(numbered(whole.results).map(([key, { metrics }]) => [key, metrics]));
  return numbered(cut.results).flatMap(([key, { metrics }]) =>
    metrics
      .filter(({ name, value }) => known.get(key)?.some((metric) => metric.name === name && metric.value !== value))
      .map(({ name }) => `${key} ${name}`),
  );
}

/** Results with their name and which of that name they are. */
function numbered(results: readonly ToolResult[]): (readonly [string, ToolResult])[] {
  const counts = new Map<string, number>();
  return results.map((result) => {
    const count = (counts.get(result.name) ?? 0) + 1;
    counts.set(result.name, count);
    return [`${result.name} ${count}`, result] as const;
  });
}

describe('samples of all tools', () => {
  it.each(SAMPLES.map((sample) => [`${sample.tool}/${sample.file}`, sample] as const))(
    '%s is read by its own reader alone, and is in the list of its folder',
    (_, { tool, file, text }) => {
      const readers = NAMES.filter((name) => TOOLS[name].read(text).ok);
      expect(readers.filter((name) => name !== tool)).toEqual([]);
      requireSound(TOOLS[tool].read(text));
      expect(readFileSync(join(DIRECTORY, tool, 'README.md'), 'utf8')).toContain(file);
    },
  );

  it('name no machine: no home, host or temporary directory', () => {
    expect(SAMPLES.filter(({ text }) => /\/home\/|\/root\/|\/tmp\/|[Hh]ost_?name"?: "(?!host")/.test(text))).toEqual(
      [],
    );
  });

  it('have one unit and one direction for each metric of a tool', () => {
    for (const tool of NAMES) {
      const known = new Map<string, string>();
      for (const { text } of SAMPLES.filter((sample) => sample.tool === tool)) {
        const reading = TOOLS[tool].read(text);
        for (const { name, unit, better } of reading.ok ? reading.results.flatMap(({ metrics }) => metrics) : []) {
          const before = known.get(name) ?? `${unit} ${better}`;
          expect(`${name}: ${unit} ${better}`).toBe(`${name}: ${before}`);
          known.set(name, before);
        }
      }
    }
  });
});

/** A sample after something happened to it. */
const mangled = fc
  .record({
    sample: fc.constantFrom(...SAMPLES),
    edits: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        remove: fc.nat({ max: 40 }),
        insert: fc.oneof(
          fc.constantFrom(
            '',
            '\n',
            '\r',
            '\t',
            '"',
            '-',
            '0',
            '9'.repeat(400),
            '1e999',
            'NaN',
            '±',
            '__proto__',
            'constructor',
          ),
          fc.string({ unit: 'binary', maxLength: 8 }),
        ),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  })
  .map(({ sample, edits }) =>
    edits.reduce((text, { at, remove, insert }) => {
      const from = Math.floor(at * text.length);
      return text.slice(0, from) + insert + text.slice(from + remove);
    }, sample.text),
  );

describe('every reader', () => {
  it.each(NAMES)('%s reads or refuses whatever it is given', (name) => {
    const { read } = TOOLS[name];
    const text = fc.oneof(
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
      { weight: 1, arbitrary: fc.json() },
      { weight: 6, arbitrary: mangled },
    );
    fc.assert(
      fc.property(text, (whole) => requireSound(read(whole))),
      { numRuns: draws(100) },
    );
  });

  it('reads or refuses a sample of its own with other numbers', () => {
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
          requireSound(TOOLS[tool].read(edited));
        },
      ),
      { numRuns: draws(200) },
    );
  });

  it('reads or refuses lines of all samples among each other', () => {
    const lines = SAMPLES.flatMap(({ text }) => text.split('\n').slice(0, 100));
    const piece = fc.oneof(fc.constantFrom(...lines), fc.string({ unit: 'binary', maxLength: 40 }), fc.json());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('\n', '\r\n', ''), (pieces, between) => {
        requireSoundOfAll(pieces.join(between));
      }),
      { numRuns: draws(200) },
    );
  });

  it('reads or refuses JSON of any shape where a tool has its results', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (one, two, three) => {
        for (const value of [
          { 'fio version': 'fio-3.33', jobs: [{ jobname: one, read: two, write: { clat_ns: three } }] },
          [{ benchmark: 'a', params: one, primaryMetric: { scoreUnit: two, rawData: three } }],
          [{ benchmark: 'a', primaryMetric: { rawDataHistogram: one }, secondaryMetrics: { b: two } }],
        ]) {
          requireSoundOfAll(JSON.stringify(value));
        }
      }),
      { numRuns: draws(300) },
    );
  });

  it.each(SAMPLES.map((sample) => [`${sample.tool}/${sample.file}`, sample] as const))(
    'reads or refuses %s cut anywhere, and takes no part of a number for the whole',
    (_, { tool, file, text }) => {
      const { read } = TOOLS[tool];
      const whole = read(text);
      // Where the state of a database is printed several times, that of a cut text is an earlier one.
      const earlier = (fault: string): boolean => file === 'universal-intervals.txt' && fault.startsWith('database ');
      const faults = cutsOf(text).flatMap((length) => {
        const cut = read(text.slice(0, length));
        const changed = changedBy(cut, whole).filter((fault) => !earlier(fault));
        return [...faultsOf(cut), ...changed].map((fault) => `at ${length}: ${fault}`);
      });
      expect(faults).toEqual([]);
    },
  );

  it.each(NAMES)('%s takes time in proportion to the text', (name) => {
    const { read } = TOOLS[name];
    const own = SAMPLES.filter(({ tool }) => tool === name).map(({ text }) => text);
    for (const piece of [...own, ...HOSTILE]) {
      const text = (length: number): string => piece.repeat(Math.ceil(length / piece.length));
      const [small, large] = [text(4_000), text(64_000)];
      const factor = large.length / small.length;
      // Quadratic would be the square of the factor. What takes no time has no ratio; code that runs first is slower than later.
      const ratio = (): number =>
        timeOf(() => read(large)) /
        Math.max(
          timeOf(() => read(small)),
          1,
        );
      const ratios: number[] = [];
      do ratios.push(ratio());
      while (Math.min(...ratios) > 5 * factor && ratios.length < 5);
      expect(Math.min(...ratios), piece.slice(0, 50)).toBeLessThan(5 * factor);
    }
  });
});

/** What makes expressions that backtrack, or lists that are searched for every line, slow. */
const HOSTILE = [
  ' ',
  '\t',
  '\r',
  '\n',
  'a',
  '0',
  '9.',
  '"',
  '[',
  '{"a":',
  ',',
  ', ',
  ': ',
  '-',
  '(',
  '1,',
  'a: 1 ',
  '../',
];

/** Ends of lines and places within them; of a long text, some hundred. */
function cutsOf(text: string): number[] {
  const step = Math.max(1, Math.floor(text.length / 100));
  const places = Array.from({ length: Math.floor(text.length / step) }, (_, at) => at * step);
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  return [...places, ...ends.filter((_, at) => at % Math.ceil(ends.length / 50) === 0)];
}

/** Milliseconds that this process computed: others on the machine do not count. */
function timeOf(run: () => unknown): number {
  const start = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
