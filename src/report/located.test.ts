import { expect, test } from 'vitest';
import { showLocated } from './located.ts';

const at = (line: number, column: number, length: number) => ({ message: 'wrong', line, column, length });

test('the mark stands under the fault, whatever is before it', () => {
  expect(showLocated('f', 'a: b\r\n', [at(1, 4, 1)])).toBe('f:1:4: wrong\n  1 | a: b\n    |    ^\n');
  expect(showLocated('f', '\ta: \tbc', [at(1, 6, 2)])).toBe('f:1:6: wrong\n  1 |     a:  bc\n    |         ^~\n');
  expect(showLocated('f', '漢: bc', [at(1, 4, 2)])).toBe('f:1:4: wrong\n  1 | 漢: bc\n    |     ^~\n');
  expect(showLocated('f', '\u001bx: b', [at(1, 5, 1)])).toBe('f:1:5: wrong\n  1 | \\u{1b}x: b\n    |          ^\n');
});

test('the mark ends with its line, and a place after the end has one too', () => {
  expect(showLocated('f', 'abc\ndef', [at(1, 2, 50)])).toBe('f:1:2: wrong\n  1 | abc\n    |  ^~\n');
  expect(showLocated('f', 'abc', [at(1, 4, 1)])).toBe('f:1:4: wrong\n  1 | abc\n    |    ^\n');
  expect(showLocated('f', 'abc', [at(2, 1, 1)])).toBe('f:2:1: wrong\n');
});

test('a long line is cut around the mark, not within a character', () => {
  const text = `${'😀'.repeat(100)}x${'y'.repeat(200)}`;
  const [, line = '', mark = ''] = showLocated('f', text, [at(1, 201, 1)]).split('\n');
  expect(line).toMatch(/^ {2}1 \| …(😀)+xy+…$/u);
  expect(mark).toMatch(/^ {4}\| +\^$/);
  expect(line.length).toBeLessThan(120);
});

test('names and messages cannot steer the terminal', () => {
  const shown = showLocated('f\u001b[2J\n', 'a', [{ ...at(1, 1, 1), message: 'no \u009b1m\u202e' }]);
  expect(shown.split('\n')[0]).toBe('f\\u{1b}[2J:1:1: no \\u{9b}1m\\u{202e}');
});

test('very many errors are counted, not shown', () => {
  const shown = showLocated(
    'f',
    'a',
    Array.from({ length: 60 }, () => at(1, 1, 1)),
  );
  expect(shown).toMatch(/… and 10 more errors\n$/);
});
