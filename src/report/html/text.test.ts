import { expect, test } from 'vitest';
import { markupOf } from './markup.ts';
import { HTML, plain, rich, shortName } from './text.ts';

test('names become code, the rest is text', () => {
  const sentence = `${HTML.name('a<b>')} is slower: p < 0.001`;
  expect(markupOf(rich(sentence))).toBe('<code>a&lt;b&gt;</code> is slower: p &lt; 0.001');
  expect(plain(sentence)).toBe('a<b> is slower: p < 0.001');
});

test('nobody can forge the marks of a name', () => {
  const forged = HTML.prose('\uE000x\uE001');
  expect(markupOf(rich(forged))).toBe(String.raw`\u{e000}x\u{e001}`);
});

test('numbers stay with their units, and intervals on one line', () => {
  expect(markupOf(rich('+1.3 % [-0.5 %, +2 %], 3 ms and 5 pairs'))).toBe(
    '+1.3\u00a0% [-0.5\u00a0%,\u00a0+2\u00a0%], 3\u00a0ms and 5 pairs',
  );
});

test('short names', () => {
  expect(shortName('abcdef', 6)).toBe('abcdef');
  expect(shortName('release-10.4.12', 10)).toBe('relea…4.12');
});
