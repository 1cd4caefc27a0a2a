import { expect, test } from 'vitest';
import { bySizeDifference, compareFunctions } from './compare.ts';
import type { FunctionCode } from './table.ts';

const code = (name: string, digest: string, bytes = 10, start = 0): FunctionCode => ({ name, start, bytes, digest });

test('functions are paired by name', () => {
  const found = compareFunctions(
    [code('a', '1'), code('b', '1'), code('gone', '1')],
    [code('b', '2'), code('a', '1'), code('new', '1')],
  );
  expect(found.same.map(({ name }) => name)).toEqual(['a']);
  expect(found.differ.map(({ name }) => name)).toEqual(['b']);
  expect(found.only_in_arm.map(({ name }) => name)).toEqual(['new']);
  expect(found.only_in_reference.map(({ name }) => name)).toEqual(['gone']);
});

test('of several with one name, those with the same instructions belong together', () => {
  const found = compareFunctions(
    [code('f', '1', 1), code('f', '2', 2), code('f', '2', 3)],
    [code('f', '2', 4), code('f', '3', 5), code('f', '1', 6), code('f', '9', 7)],
  );
  const sizes = (pairs: typeof found.same) => pairs.map(({ reference, arm }) => [reference?.bytes, arm?.bytes]);
  expect(sizes(found.same)).toEqual([
    [2, 4],
    [1, 6],
  ]);
  expect(sizes(found.differ)).toEqual([[3, 5]]);
  expect(sizes(found.only_in_arm)).toEqual([[undefined, 7]]);
});

test('a hundred thousand that are alike take no long time', () => {
  const many = Array.from({ length: 100_000 }, () => code('f', '1'));
  expect(compareFunctions(many, many).same).toHaveLength(100_000);
});

test('the largest difference of size comes first', () => {
  const { differ } = compareFunctions(
    [code('a', '1', 10), code('b', '1', 10), code('c', '1', 50)],
    [code('a', '2', 10), code('b', '2', 12), code('c', '2', 20)],
  );
  expect(bySizeDifference(differ).map(({ name }) => name)).toEqual(['c', 'b', 'a']);
});
