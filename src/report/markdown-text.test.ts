import { expect, test } from 'vitest';
import { codeBlock, codeSpan, escapeMarkdown, markdownTable } from './markdown-text.ts';

test.each([
  ['a|b', 'a&#124;b'],
  ['`rm -rf`', '\\`rm -rf\\`'],
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['&lt;b&gt;', '&amp;lt;b&amp;gt;'],
  ['![x](http://evil)', '!\\[x\\](http:&#8203;//evil)'],
  ['thanks @torvalds', 'thanks @&#8203;torvalds'],
  ['fixes #12 and gh-3', 'fixes \\#&#8203;12 and gh-&#8203;3'],
  ['www.evil.com', 'www&#8203;.evil.com'],
  ['**bold** _it_ ~~no~~ $x^2$', '\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~ \\$x\\^2\\$'],
  ['one\n\n# two', 'one \\# two'],
  ['\u001b[2J', '\\\\u{1b}\\[2J'],
])('%j is text', (text, markdown) => {
  expect(escapeMarkdown(text)).toBe(markdown);
});

test.each([
  ['write', '`write`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['a|b', 'a&#124;b'],
  ['', ''],
  ['@user #1', '`@user #1`'],
])('%j is a code span', (text, markdown) => {
  expect(codeSpan(text)).toBe(markdown);
});

test('a block of code cannot be left', () => {
  expect(codeBlock(['echo', '```', 'a\u001b'], 'sh')).toEqual(['````sh', 'echo', '```', 'a\\u{1b}', '````']);
});

test('a table', () => {
  const columns = [
    { title: 'a', align: 'left' },
    { title: 'b', align: 'right' },
  ] as const;
  expect(markdownTable(columns, [['1', '2']])).toEqual(['| a | b |', '| --- | ---: |', '| 1 | 2 |']);
});
