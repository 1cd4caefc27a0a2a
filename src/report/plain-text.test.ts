import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutMiddle, displayWidth, escapeLine, escapeText, padEnd, padStart, wrap } from './plain-text.ts';

describe('escapeText', () => {
  test.each([
    ['a terminal escape', '\u001b[31mred', '\\u{1b}[31mred'],
    ['an 8-bit escape', '\u009b31m', '\\u{9b}31m'],
    ['a carriage return', 'safe\rgone', 'safe\\u{d}gone'],
    ['a right-to-left override', 'a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a filler that is a letter', 'a\u3164b', 'a\\u{3164}b'],
    ['a tag character', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
    ['a line separator', 'a\u2028b', 'a\\u{2028}b'],
  ])('shows %s', (_, text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  test('leaves letters of any script alone', () => {
    expect(escapeText('Ünïcode 測試 тест a|b')).toBe('Ünïcode 測試 тест a|b');
  });

  test('does not let marks pile up', () => {
    expect(escapeText(`a${'\u0301'.repeat(500)}`)).toBe(`a${'\u0301'.repeat(3)}`);
  });

  test('leaves nothing that steers a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(escapeLine(text)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test('a line is one line', () => {
    expect(escapeLine('  is it\n slower?\t')).toBe('is it slower?');
  });
});

describe('columns', () => {
  test('count wide characters twice and marks not at all', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('測試')).toBe(4);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('🚀')).toBe(2);
  });

  test('are padded by width', () => {
    expect(padEnd('測', 4)).toBe('測  ');
    expect(padStart('測', 4)).toBe('  測');
    expect(padStart('long', 2)).toBe('long');
  });
});

describe('cutMiddle', () => {
  test('keeps both ends of what is too long', () => {
    expect(cutMiddle('std::map<unsigned int, long>::operator[]', 21)).toBe('std::map<u…operator[]');
    expect(cutMiddle('short', 5)).toBe('short');
  });

  test('never takes more columns than there are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 40 }), (text, width) => {
        expect(displayWidth(cutMiddle(escapeLine(text), width))).toBeLessThanOrEqual(width);
      }),
      { seed: 3 },
    );
  });
});

describe('wrap', () => {
  test('keeps numbers with their units', () => {
    const lines = wrap('write is slower: +1.32 % [+1.05 %, +1.58 %], 16 of 16 pairs', 24);
    expect(lines).toEqual(['write is slower: +1.32 %', '[+1.05 %, +1.58 %],', '16 of 16 pairs']);
  });

  test('indents, and does not cut a long word', () => {
    expect(wrap(`see ${'x'.repeat(30)} for more`, 20, '- ', '  ')).toEqual([
      '- see',
      `  ${'x'.repeat(30)}`,
      '  for more',
    ]);
  });

  test('loses no word', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z0-9%]{1,12}$/)),
        fc.integer({ min: 10, max: 80 }),
        (words, width) => {
          expect(wrap(words.join(' '), width).join(' ')).toBe(words.join(' '));
        },
      ),
    );
  });
});
