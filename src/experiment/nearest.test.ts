import fc from 'fast-check';
import { expect, test } from 'vitest';
import { editDistance, listed, nearest, suggestion } from './nearest.ts';

fc.configureGlobal({ seed: 20261130 });

test.each([
  ['', '', 0],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['trial.dri', 'trial.dir', 1],
  ['ca', 'abc', 3],
])('from %j to %j it is %i edits', (from, to, distance) => expect(editDistance(from, to)).toBe(distance));

test('the distance is symmetric, and zero for equal words only', () => {
  const word = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(word, word, (a, b) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
    }),
  );
});

test.each([
  ['comand', 'command'],
  ['CWD', 'cwd'],
  ['max-output', 'max_output'],
  ['en', 'env'],
  ['x', null],
  ['unrelated', null],
])('the nearest name to %j is %j', (word, name) => {
  expect(nearest(word, ['command', 'cwd', 'env', 'max_output'])).toBe(name);
});

test('a word too long to be a typing mistake is near to nothing', () => {
  expect(nearest('c'.repeat(100_000), ['command'])).toBeNull();
});

test('names are told where none is near', () => {
  expect(suggestion('x', ['before', 'after'])).toBe('known here: `before` and `after`');
  expect(suggestion('x', [])).toBe('there are none');
  expect(listed(Array.from({ length: 30 }, (_, index) => `n${index}`))).toContain('and 10 more');
});
