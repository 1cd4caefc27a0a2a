import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../formats/reading.ts';
import { copyName, sidesOfResults, sidesOfWords } from './sides.ts';

const named = (name: string): ToolResult => ({ name, settings: {}, failure: null, metrics: [], absent: [] });

describe('words of --arm', () => {
  it.each([
    [
      ['a=x', 'b=y'],
      [
        { arm: 'a', files: ['x'] },
        { arm: 'b', files: ['y'] },
      ],
    ],
    [
      ['a=x', 'y', 'b=', 'z'],
      [
        { arm: 'a', files: ['x', 'y'] },
        { arm: 'b', files: ['z'] },
      ],
    ],
    [
      ['a=x', 'b=y', 'a=z'],
      [
        { arm: 'a', files: ['x', 'z'] },
        { arm: 'b', files: ['y'] },
      ],
    ],
    [['a=x=1.json', './y=2.json'], [{ arm: 'a', files: ['x=1.json', './y=2.json'] }]],
  ])('%j', (words, value) => expect(sidesOfWords(words)).toEqual({ ok: true, value }));

  it.each([
    [['x.json'], '"x.json" has no name of a side before it'],
    [['a=', 'b=y'], 'a has no file'],
  ])('%j is refused', (words, message) => expect(sidesOfWords(words)).toMatchObject({ ok: false, message }));
});

describe('results of one file', () => {
  it('are the sides in the order in which they first stand there', () => {
    expect(sidesOfResults(['b', 'a', 'b'].map(named), null)).toMatchObject({
      ok: true,
      value: [
        { arm: 'b', result: 'b' },
        { arm: 'a', result: 'a' },
      ],
    });
    expect(sidesOfResults(['./old -x', './new'].map(named), ['old', 'new'])).toMatchObject({
      ok: true,
      value: [
        { arm: 'old', result: './old -x' },
        { arm: 'new', result: './new' },
      ],
    });
  });

  it.each([
    [['a'], null, 'the file has one result, "a"'],
    [[], null, 'the file has no results'],
    [['a', 'b', 'c'], ['x', 'y'], '--sides names 2, and the file has 3 results: "a", "b", "c"'],
    [['./a', './b'], null, 'the file has 2 results, whose names are none of sides: "./a", "./b"'],
  ])('%j with %j', (names, given, message) => {
    expect(sidesOfResults(names.map(named), given)).toMatchObject({ ok: false, message });
  });
});

it('a copy has a plain name', () => {
  expect(copyName('../a b\u001b.json', 3)).toBe('raw/results/3-.._a_b_.json');
});
