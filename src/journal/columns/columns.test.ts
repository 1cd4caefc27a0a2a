import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { draws } from '../../../test/draws.ts';
import { journalOf } from '../../../test/journal-builder.ts';
import { AssayError } from '../../failures.ts';
import { decodeRecord, encodeRecord } from '../codec.ts';
import { checkRecord, trialLine } from '../record-schema.ts';
import { type TrialLine, trialsIn } from '../records.ts';
import { journalReader } from '../replay.ts';
import { whole } from '../whole.ts';
import { Rows } from './rows.ts';
import { readNumber } from './scan.ts';
import { shapeOf } from './shape.ts';
import { trialTables } from './trial-table.ts';

const FULL = process.env['ASSAY_TEST_FULL'] === '1';

const { run, prepared, trials } = journalOf({ values: { wall: { a: [1, 2, 3, 4], b: [2, 3, 4, 5] } } });
const [model] = trials;
if (model === undefined || prepared === null) throw new Error('the builder makes trials');
const head = Buffer.from(encodeRecord(run) + encodeRecord(prepared));
const { session: _, ...bare } = model;
const digest = (of: number) => String(of).repeat(64).slice(0, 64);
/** With everything that a trial may have. */
const full: TrialLine = {
  ...bare,
  account: { ...bare.account, counters: { kind: 'hardware', events: { cycles: 1e10 }, enabled_ns: 5, running_ns: 5 } },
  counters: { kind: 'hardware', scope: 'region', events: { cycles: 12_345 }, enabled_ns: 10, running_ns: 7 },
  checks: [{ name: 'count', ok: true, detail: 'is 1000, 0.50 of all' }],
  noise: { steal: 0.012_345_678_901_234_567, other_cpu: 1.812_629_526_022_950_6, frequency_hz: null },
  state: { load_1m: 0.5, cpu_pressure: null, busiest: [{ name: 'cc1', cpu: 0.25 }] },
  operations: { '/operations': 1000 },
  raw: [
    { path: 'raw/confirmation-0001-1-a/stdout', bytes: 0, sha256: digest(7) },
    { path: 'raw/confirmation-0001-1-a/account.json', bytes: 953, sha256: digest(12) },
  ],
};

const lineOf = (body: string) => `{"crc32":"${crc32(body).toString(16).padStart(8, '0')}","record":${body}}`;

/** The trials of lines by one parse and check of each, or the first that is refused. */
function slowly(lines: readonly string[]): unknown {
  const found: unknown[] = [];
  for (const [index, line] of lines.entries()) {
    const value = decodeRecord(Buffer.from(line));
    // The last line may be damaged.
    if (value === null && index === lines.length - 1) return found;
    const checked = checkRecord(value);
    if (!checked.ok) return 'refused';
    if (checked.record.kind === 'trial' || checked.record.kind === 'session') found.push(...trialsIn(checked.record));
  }
  return found;
}

function quickly(lines: readonly string[], chunk: number): unknown {
  const reader = journalReader('journal');
  const bytes = Buffer.concat([head, Buffer.from(lines.map((line) => `${line}\n`).join(''))]);
  try {
    for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk));
    return whole(reader.finish().journal.trials);
  } catch (error) {
    if (error instanceof AssayError) return 'refused';
    throw error;
  }
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|null|true|false/g;
const ODD = [
  ...['0', '-0', '1', '-1', '1.5', '1e3', '1E+2', '10e-7', '1e999', '-1e-999', '01', '5.', '.5', '1e', '+1', '-'],
  ...['9007199254740993', '9007199254740991', '123456789012345678', '0.06831573845549073', '1.8126295260229506'],
  ...['1000000000000000001', '999999999999999999', '253402300799999.5', '0.1', '4294967296', '4294967295', '2.0'],
  ...[
    'null',
    'true',
    '{}',
    '[]',
    '""',
    '"0"',
    '"kind"',
    '"trial"',
    '"a"',
    '"\\u0061"',
    '"ü"',
    '"a/007/b"',
    '"__proto__"',
  ],
  ...[
    `"${digest(3)}"`,
    `"${digest(3).toUpperCase()}"`,
    `"${'a'.repeat(63)}"`,
    `"${'F'.repeat(64)}"`,
    ' ',
    ' 5',
    '5 ',
    '',
  ],
  ...[
    '"detail":"x","detail"',
    '"wall":1,"wall"',
    '"more":5,"block"',
    '"cc1plus"',
    '"is 77, 0.5 of all"',
    '"is 99999, 1.25 of all"',
  ],
];

/** A line with some of its tokens replaced. */
const edited = fc
  .tuple(
    fc.constantFrom(full, bare),
    fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(...ODD), fc.double({ noNaN: true }).map(String))), {
      maxLength: 3,
    }),
  )
  .map(([line, edits]) => {
    const body = JSON.stringify(line);
    const count = body.match(TOKEN)?.length ?? 1;
    const by = new Map(edits.map(([at, text]) => [at % count, text]));
    let index = -1;
    return lineOf(body.replace(TOKEN, (token) => by.get(++index) ?? token));
  });

test('lines read by their shape are what a parse of each gives, and are refused where that refuses them', () => {
  let taken = 0;
  fc.assert(
    fc.property(edited, fc.integer({ min: 300, max: 3000 }), (line, chunk) => {
      const lines = [full, bare].map((known) => lineOf(JSON.stringify(known)));
      const expected = slowly([...lines, line]);
      taken += expected === 'refused' ? 0 : 1;
      expect(quickly([...lines, line], chunk)).toEqual(expected);
      // Whatever was learnt of it holds for others.
      expect(quickly([line, ...lines], 1 << 20)).toEqual(slowly([line, ...lines]));
    }),
    { numRuns: FULL ? 3000 : 40 },
  );
  expect(taken).toBeGreaterThan(FULL ? 50 : 15);
}, 120_000);

test('every value of a line, replaced by any other, is taken by its shape only where the schema takes it', () => {
  const body = JSON.stringify(full);
  const count = body.match(TOKEN)?.length ?? 0;
  const tables = trialTables(trialLine);
  tables.learn(Buffer.from(body), full, full);
  let taken = 0;
  for (let at = 0; at < count; at++) {
    for (const odd of ODD) {
      let index = -1;
      const text = body.replace(TOKEN, (token) => (++index === at ? odd : token));
      const trial = tables.read(Buffer.from(text));
      if (trial === null) continue;
      taken += 1;
      const checked = checkRecord(JSON.parse(text));
      expect(checked.ok && { ...checked.record, session: null }).toEqual(whole(trial));
    }
  }
  expect(taken).toBeGreaterThan(300);
});

test('a thousand and more rows come back from their columns', () => {
  const lines = Array.from({ length: 2500 }, (_, index) => ({
    ...full,
    block: index + 1,
    metrics: { wall: index < 1100 ? 5 : index % 3 === 0 ? -0 : index / 7 },
    raw: full.raw.map((file) => ({ ...file, path: file.path.replace('0001', String(index + 1).padStart(4, '0')) })),
  }));
  const texts = lines.map((line) => lineOf(JSON.stringify(line)));
  expect(quickly(texts, 1 << 16)).toEqual(slowly(texts));
});

describe('a shape', () => {
  const body = Buffer.from(JSON.stringify(full));

  test('fits lines that differ in numbers, digests, and names of processes', () => {
    const shape = shapeOf(body, trialLine, full);
    const out = new Float64Array(shape?.slots ?? 0);
    const other = { ...full, block: 77, state: { ...full.state, busiest: [{ name: 'ld.so', cpu: 1e-9 }] } };
    expect(shape?.fits(Buffer.from(JSON.stringify(other)), out)).toBe(true);
    expect(shape?.fits(Buffer.from(JSON.stringify({ ...full, arm: 'b' })), out)).toBe(false);
    expect(shape?.fits(Buffer.from(JSON.stringify({ ...full, block: 1.5 })), out)).toBe(false);
    expect(shape?.fits(body.subarray(0, -1), out)).toBe(false);
  });

  test('is not made of what Assay does not write', () => {
    const text = JSON.stringify(full);
    expect(shapeOf(Buffer.from(text.replace('{', '{ ')), trialLine, full)).toBeNull();
    expect(shapeOf(Buffer.from(JSON.stringify(full, null, 1)), trialLine, full)).toBeNull();
  });
});

test('numbers are read to the same double as by JSON.parse', () => {
  const out = new Float64Array(1);
  const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?$/);
  fc.assert(
    fc.property(fc.oneof(digits, fc.double({ noNaN: true, noDefaultInfinity: true }).map(JSON.stringify)), (text) => {
      expect(readNumber(Buffer.from(`${text},`), 0, out, 0)).toBe(text.length);
      expect(out[0]).toBe(JSON.parse(text));
    }),
    { numRuns: draws(3000) },
  );
});

test('rows give back every double', () => {
  const values = fc.oneof(fc.constantFrom(0, -0, 1, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32), fc.double());
  fc.assert(
    fc.property(
      fc.array(values, { minLength: 1, maxLength: 4 }),
      fc.array(values, { maxLength: 30 }),
      (start, more) => {
        const rows = new Rows(1);
        const all = [...Array.from({ length: 1020 }, (_, at) => start[at % start.length] ?? 0), ...more];
        for (const value of all) rows.push(Float64Array.of(value));
        expect(all.map((_, row) => rows.at(row, 0))).toEqual(all);
      },
    ),
    { numRuns: draws(100) },
  );
});
