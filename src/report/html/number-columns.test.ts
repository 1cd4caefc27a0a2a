import fc from 'fast-check';
import { expect, test } from 'vitest';
import { left, number, numbers, type Table } from '../writer.ts';
import { numberColumns, splitQuantity } from './number-columns.ts';

function titlesOf(table: Table): readonly string[] {
  return numberColumns(table).columns.map(({ title }) => title);
}

test('a quantity is a number and a unit', () => {
  expect(splitQuantity('+1.32 %')).toEqual(['+1.32', '%']);
  expect(splitQuantity('2.256 µs/op')).toEqual(['2.256', 'µs/op']);
  expect(splitQuantity('12/op')).toEqual(['12', '/op']);
  expect(splitQuantity('1.00e+12 things')).toEqual(['1.00e+12', 'things']);
  expect(splitQuantity('-')).toEqual(['-', '']);
});

test('every number has a cell of its own, and a unit that all rows have stands in the head', () => {
  const table: Table = {
    columns: [
      ...[left('metric'), number('mean'), number('change'), numbers('interval', 'interval')],
      ...[
        numbers('trend', 'estimate'),
        numbers('count', 'range'),
        numbers('pairs', 'directions'),
        numbers('done', 'of'),
      ],
    ],
    rows: [
      ['write', '412.3 ms', '+1.32 %', '[-0.5 %, +2 %]', '-1 % [-2 %, +0.5 %]', '10 to 12', '15 up, 1 down', '8 of 8'],
      ['read', '1.9 ms', '-', 'exact', '-', '11', '3 up, 12 down, 1 tied', '7 of 8'],
    ],
  };
  expect(titlesOf(table)).toEqual([
    ...['metric', 'mean, ms', 'change, %', 'interval from, %', 'to', 'trend, %', 'from', 'to', 'count', 'to'],
    ...['pairs up', 'down', 'tied', 'done', 'of'],
  ]);
  expect(numberColumns(table).rows).toEqual([
    ['write', '412.3', '+1.32', '-0.5', '+2', '-1', '-2', '+0.5', '10', '12', '15', '1', '0', '8', '8'],
    ['read', '1.9', '-', 'exact', '', '-', '', '', '11', '', '3', '12', '1', '7', '8'],
  ]);
  expect(
    numberColumns(table)
      .columns.slice(1)
      .every(({ align }) => align === 'right'),
  ).toBe(true);
});

test('where rows differ in their unit it stands beside them, once for columns that share it', () => {
  const columns = [left('metric'), number('before'), number('after'), number('change')];
  const rows = [
    ['write', '412.3 ms', '413.0 ms', '+0.2 %'],
    ['memory', '10 MiB', '11 MiB', '+10 %'],
  ];
  expect(titlesOf({ columns, rows })).toEqual(['metric', 'unit', 'before', 'after', 'change, %']);
  expect(numberColumns({ columns, rows }).rows[1]).toEqual(['memory', 'MiB', '10', '11', '+10']);
  const apart = [rows[0] ?? [], ['memory', '10 MiB', '1.1 GiB', '+10 %']];
  expect(titlesOf({ columns, rows: apart })).toEqual(['metric', 'unit', 'before', 'unit', 'after', 'change, %']);
});

test('a number without a unit is not given that of another row', () => {
  const table = {
    columns: [left(''), numbers('before', 'range')],
    rows: [
      ['time', '20.6 µs/op'],
      ['count', '258 to 259'],
    ],
  };
  expect(titlesOf(table)).toEqual(['', 'unit', 'before', 'to']);
  expect(numberColumns(table).rows).toEqual([
    ['time', 'µs/op', '20.6', ''],
    ['count', '', '258', '259'],
  ]);
});

test('without a tie there is no column of ties, and without ends none of ends', () => {
  const table = { columns: [left('arm'), numbers('pairs', 'directions')], rows: [['b', '16 up, 0 down']] };
  expect(titlesOf(table)).toEqual(['arm', 'pairs up', 'down']);
  const exact = {
    columns: [left(''), numbers('count', 'range'), numbers('change', 'estimate')],
    rows: [['', '3', '+2 %']],
  };
  expect(titlesOf(exact)).toEqual(['', 'count', 'change, %']);
});

test('a range without an upper end says so where its upper end would be', () => {
  const table = {
    columns: [left(''), numbers('interval', 'range')],
    rows: [
      ['a', '0.241 or more'],
      ['b', '0.068 to 0.927'],
    ],
  };
  expect(titlesOf(table)).toEqual(['', 'interval', 'to']);
  expect(numberColumns(table).rows).toEqual([
    ['a', '0.241', 'or more'],
    ['b', '0.068', '0.927'],
  ]);
});

test('whatever a unit is made of, no row loses a cell', () => {
  const kinds = ['text', 'quantity', 'interval', 'estimate', 'range', 'directions', 'of'] as const;
  const cell = fc.string({ unit: fc.constantFrom('1', '.', '+', '-', ' ', '[', ']', ',', 'a', 'to', 'up', 'of', '%') });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...kinds), cell, cell), { minLength: 1 }), (columns) => {
      const table: Table = {
        columns: columns.map(([kind]) => ({ title: kind, align: 'left', kind })),
        rows: [columns.map(([, one]) => one), columns.map(([, , other]) => other)],
      };
      const made = numberColumns(table);
      for (const row of made.rows) expect(row).toHaveLength(made.columns.length);
    }),
  );
});
