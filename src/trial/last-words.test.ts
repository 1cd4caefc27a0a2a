import { expect, test } from 'vitest';
import { lastWords } from './last-words.ts';

test('the last lines of stderr, else of stdout', () => {
  expect(lastWords('out', 'a\nb\nc\nd\n')).toBe('b / c / d');
  expect(lastWords('out\n', ' \n')).toBe('out');
  expect(lastWords('', '')).toBeNull();
});

test('megabytes are cut', () => {
  expect(lastWords('', 'x'.repeat(1 << 20))).toBe(`…${'x'.repeat(300)}`);
});
