import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteStart, quoteText, quoteValue } from './quote.ts';

describe('quoteText', () => {
  it.each([
    ['a "b" \\', '"a \\"b\\" \\\\"'],
    ['\u001b[31m\n', '"\\u001b[31m\\n"'],
    ['\u009b2J\u007f', '"\\u009b2J\\u007f"'],
    ['\u202eabc\u2028', '"\\u202eabc\\u2028"'],
    ['é 漢', '"é 漢"'],
    ['\u{e0001}', '"\\udb40\\udc01"'],
  ])('%j', (text, quoted) => expect(quoteText(text)).toBe(quoted));

  it('is JSON of the same text, without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const quoted = quoteText(text);
        expect(JSON.parse(quoted)).toBe(text);
        expect(quoted).not.toMatch(/\p{C}/u);
      }),
    );
  });
});

it('shortens long text and says how long it was', () => {
  expect(quoteStart('abcdef', 3)).toBe('"abc"… (6 characters)');
  expect(quoteStart('abc', 3)).toBe('"abc"');
});

it('names values without printing large ones', () => {
  expect([undefined, null, 1.5, true, 'x', [1], { a: 1 }].map(quoteValue)).toEqual([
    'nothing',
    'null',
    '1.5',
    'true',
    '"x"',
    'a list',
    'an object',
  ]);
});
