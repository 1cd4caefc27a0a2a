import { describe, expect, test } from 'vitest';
import { journalOf } from '../../test/journal-builder.ts';
import { analyse } from '../analysis/analyse.ts';
import { pairsCsv, trialsCsv } from './csv.ts';
import type { ReportInput } from './input.ts';

function inputOf(values: Readonly<Record<string, Readonly<Record<string, readonly (number | null)[]>>>>): ReportInput {
  const metrics = Object.fromEntries(Object.keys(values).map((name) => [name, { optional: true }]));
  const journal = journalOf({ values, metrics });
  const options = { color: false, quiet: false, width: 80 };
  return { journal, analysis: analyse(journal), directory: null, options };
}

function cells(csv: string, line: number): readonly string[] {
  return csv.split('\n')[line]?.split(',') ?? [];
}

describe('trials.csv', () => {
  test('has the promised columns, and one for each metric', () => {
    const csv = trialsCsv(inputOf({ write: { a: [1, 2], b: [3, 4] }, read: { a: [5, 6], b: [7, 8] } }));
    expect(csv.split('\n')[0]).toBe('phase,block,position,arm,attempt,included,reason,started,wall_ns,write,read');
    expect(csv.split('\n')).toHaveLength(1 + 4 + 1);
    expect(csv.endsWith('\n')).toBe(true);
  });

  test('a missing value is empty, never zero', () => {
    const csv = trialsCsv(inputOf({ write: { a: [1, 2], b: [3, 4] }, read: { a: [0, 6], b: [null, 8] } }));
    expect(cells(csv, 1).at(-1)).toBe('0');
    expect(cells(csv, 2).at(-1)).toBe('');
  });

  test('numbers keep all their digits', () => {
    const csv = trialsCsv(inputOf({ write: { a: [0.1 + 0.2, 1e21], b: [Number.MIN_VALUE, 123456789012345] } }));
    const numbers = [1, 2, 3, 4].map((line) => Number(cells(csv, line).at(-1)));
    expect(new Set(numbers)).toEqual(new Set([0.1 + 0.2, 1e21, Number.MIN_VALUE, 123456789012345]));
  });

  test('a metric that is named as a column is told apart', () => {
    const csv = trialsCsv(inputOf({ arm: { a: [1, 2], b: [3, 4] } }));
    expect(csv.split('\n')[0]).toMatch(/,arm,.*,metric:arm$/);
  });

  test.each([
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@sum', "'@sum"],
    ['\t=1', "'\\u{9}=1"],
    ['a\nb', 'a\\u{a}b'],
    ['=a,"b"', '"\'=a,""b"""'],
  ])('the text %j is a cell and no formula', (name, cell) => {
    const csv = trialsCsv(inputOf({ [name]: { a: [1, 2], b: [3, 4] } }));
    expect(csv.split('\n')[0]).toBe(`phase,block,position,arm,attempt,included,reason,started,wall_ns,${cell}`);
  });
});

test('pairs.csv has order, values, change and effect', () => {
  const lines = pairsCsv(inputOf({ write: { a: [100, 200], b: [110, 210] } })).split('\n');
  expect(lines[0]).toBe('phase,metric,arm,reference,block,attempt,order,reference_value,arm_value,change,effect');
  const [phase, metric, arm, reference, block, attempt, order, a, b, change, effect] = lines[1]?.split(',') ?? [];
  expect([phase, metric, arm, reference, block, attempt, order, a, b]).toEqual([
    ...['confirmation', 'write', 'b', 'a', '1', '1', 'AB', '100', '110'],
  ]);
  expect(Number(change)).toBeCloseTo(0.1, 12);
  expect(Number(effect)).toBeCloseTo(Math.log(1.1), 12);
  expect(lines[2]).toMatch(/^confirmation,write,b,a,2,1,BA,200,210,/);
});
