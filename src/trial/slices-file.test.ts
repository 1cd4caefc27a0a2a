import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { fileOf, sessionOf } from '../../test/session-slices.ts';
import { operationsAsked, readSlices, slicesBy } from './slices-file.ts';

const session = sessionOf([{ ns: [1, 2, 3, 4] }, { leader: 1, operations: 32, ns: [5, 6, 7, 8] }], {
  ready: [
    { unit: 16, most: 4096 },
    { unit: 8, most: null },
  ],
  prelude: [0, 16],
  gap_ns: [100, 0],
  cpu_ns: [11, 12, 13, 14, 15, 16, 17, 18],
  voluntary_switches: [0, 1, 0, 0, 0, 0, 0, 2],
  involuntary_switches: [3, 0, 0, 0, 0, 0, 0, 1],
  counters: { cycles: [1, 2, 3, 4, 5, 6, 7, 8] },
});
const TEXT = fileOf(session);
const lines = TEXT.split('\n');

test('what the launcher writes is read as it was', () => {
  expect(readSlices(TEXT)).toEqual({ ok: true, slices: session });
  expect(operationsAsked(session)).toBe(2 * 16 + 2 * (32 + 16));
});

test('each subject has its own slices: the leader is first and last', () => {
  const walls = ([0, 1] as const).map((subject) => slicesBy(session, subject).map(({ wall_ns }) => wall_ns));
  expect(walls).toEqual([
    [16, 64, 6 * 32, 7 * 32],
    [32, 48, 5 * 32, 8 * 32],
  ]);
  expect(slicesBy(session, 1).at(-1)).toEqual({ operations: 32, wall_ns: 256, cpu_ns: 18, switches: 3 });
});

test('a quad that was cut off is left out', () => {
  for (const rows of [1, 2, 3]) {
    const cut = `${lines.slice(0, 7 + rows).join('\n')}\n`;
    expect(readSlices(cut)).toMatchObject({ ok: true, slices: { leader: [0], wall_ns: [16, 32, 48, 64] } });
  }
  expect(readSlices(`${lines.slice(0, 3).join('\n')}\n`)).toMatchObject({ ok: true, slices: { leader: [] } });
});

test('a driver that was never ready leaves no slices', () => {
  expect(readSlices('assay-slices 1\n')).toEqual({ ok: true, slices: null });
  expect(readSlices('assay-slices 1\nready\t0\t16\t-\n')).toEqual({ ok: true, slices: null });
});

test('a count that not all slices have is none of the session', () => {
  const some = TEXT.replace('\tcycles=3', '');
  expect(readSlices(some)).toMatchObject({ ok: true, slices: { counters: null } });
  // Nor one that a slice has twice, where another makes up for it.
  const shifted = some.replace('\tcycles=5', '\tcycles=5\tcycles=5');
  expect(readSlices(shifted)).toMatchObject({ ok: true, slices: { counters: null } });
});

describe('is refused', () => {
  const edit = (line: number, column: number, value: string) =>
    lines.map((text, at) => (at === line ? text.split('\t').with(column, value).join('\t') : text)).join('\n');
  it.each<[string, string]>([
    ['no head', lines.slice(1).join('\n')],
    ['a cut last line', TEXT.slice(0, -1)],
    ['an empty file', ''],
    ['slices without a ready', ['assay-slices 1', ...lines.slice(3)].join('\n')],
    ['a unit of 0', edit(1, 2, '0')],
    ['a most that is no number', edit(1, 3, 'many')],
    ['both ready lines of one subject', edit(2, 1, '0')],
    ['a quad out of turn', edit(7, 0, '3')],
    ['a place out of turn', edit(4, 1, '3')],
    ['a subject out of turn', edit(4, 2, '0')],
    ['a third subject', edit(3, 2, '2')],
    ['a gap that differs within a quad', edit(5, 3, '7')],
    ['a prelude that differs', edit(5, 4, '7')],
    ['operations that differ', edit(5, 5, '7')],
    [
      'no operations',
      [3, 4, 5, 6].reduce(
        (text, line) =>
          text
            .split('\n')
            .map((row, at) => (at === line ? row.split('\t').with(5, '0').join('\t') : row))
            .join('\n'),
        TEXT,
      ),
    ],
    ['a negative time', edit(3, 6, '-1')],
    ['a broken time', edit(3, 6, '1e3')],
    ['a time beyond all numbers', edit(3, 6, '9999999999999999')],
    ['a missing column', lines.map((row, at) => (at === 3 ? row.split('\t').slice(0, 9).join('\t') : row)).join('\n')],
    ['a count that is none', edit(3, 10, 'cycles')],
  ])('%s', (_, text) => expect(readSlices(text)).toMatchObject({ ok: false, reason: expect.any(String) }));
});

test('whatever stands there is read or refused', () => {
  const field = fc.oneof(fc.constantFrom('ready', '0', '1', '2', '16', '-', 'a=1', ''), fc.string());
  const line = fc.array(field, { maxLength: 12 }).map((fields) => fields.join('\t'));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (rows, head) => {
      readSlices([...(head ? ['assay-slices 1'] : []), ...rows].join('\n'));
    }),
  );
});
