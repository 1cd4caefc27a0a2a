import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AlignedLine, align, type Instruction, layOut } from './side-by-side.ts';

const of = (...texts: string[]): Instruction[] => texts.map((text, offset) => ({ text, offset }));
const shown = (lines: readonly AlignedLine[]) =>
  lines.map(({ reference, arm, mark }) => [reference?.text ?? null, arm?.text ?? null, mark]);

test('what was put in stands alone, what was replaced side by side', () => {
  expect(shown(align(of('push', 'mov a', 'add 1', 'ret'), of('push', 'nop', 'mov a', 'add 2', 'ret')))).toEqual([
    ['push', 'push', 'same'],
    [null, 'nop', 'arm'],
    ['mov a', 'mov a', 'same'],
    ['add 1', 'add 2', 'changed'],
    ['ret', 'ret', 'same'],
  ]);
});

test('a jump over another distance is told apart from another instruction', () => {
  expect(shown(align(of('je     +0x10', 'ret'), of('je     +0x14', 'ret')))[0]).toEqual([
    'je     +0x10',
    'je     +0x14',
    'distance',
  ]);
});

test('every instruction of both sides is there once, in order, and what is marked the same is the same', () => {
  const side = fc
    .array(fc.constantFrom('a', 'b', 'c', 'je +0x1', 'je +0x2'), { maxLength: 30 })
    .map((all) => of(...all));
  fc.assert(
    fc.property(side, side, (left, right) => {
      const lines = align(left, right);
      expect(lines.flatMap(({ reference }) => reference ?? [])).toEqual(left);
      expect(lines.flatMap(({ arm }) => arm ?? [])).toEqual(right);
      for (const { reference, arm, mark } of lines) {
        expect(reference?.text === arm?.text).toBe(mark === 'same');
      }
    }),
  );
});

test('functions that are too long for a table are paired in their order', () => {
  const many = (text: string) => of(...Array.from({ length: 20_000 }, (_, at) => `${text} ${at}`));
  const lines = align(
    of('head', ...many('x').map(({ text }) => text)),
    of('head', ...many('y').map(({ text }) => text)),
  );
  expect(lines).toHaveLength(20_001);
  expect(shown(lines).slice(0, 2)).toEqual([
    ['head', 'head', 'same'],
    ['x 0', 'y 0', 'changed'],
  ]);
});

test('two columns', () => {
  const long = `call ${'x'.repeat(80)}`;
  const lines = [...layOut(align(of('push', 'mov a', long), of('push', 'mov b', long)), ({ text }) => text)];
  const blank = ' '.repeat(72);
  expect(lines).toEqual([`push${' '.repeat(68)}   push`, `mov a${' '.repeat(67)} | mov b`, long, `${blank}   ${long}`]);
});
