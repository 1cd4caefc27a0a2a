import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteCommand, splitCommand } from './command-line.ts';

fc.configureGlobal({ seed: 20261130 });

test.each<[string, string[]]>([
  ['./new --flag', ['./new', '--flag']],
  ['  a \t b  ', ['a', 'b']],
  [`a 'b c' "d e"`, ['a', 'b c', 'd e']],
  [`a''b "" ''`, ['ab', '', '']],
  [`'a'"b"c`, ['abc']],
  [`"\\$x \\\` \\" \\\\ \\n"`, ['$x ` " \\ \\n']],
  [`'| > < & ; $ \` ( ) * ? [ ~ #'`, ['| > < & ; $ ` ( ) * ? [ ~ #']],
  [`"| > < & ; ( ) * ? [ ~ #"`, ['| > < & ; ( ) * ? [ ~ #']],
  ['a \\| \\* \\  \\~', ['a', '|', '*', ' ', '~']],
  ['a\\\nb c\\\n d', ['ab', 'c', 'd']],
  ['"a\\\nb"', ['ab']],
  ["'a\nb'", ['a\nb']],
  ['a~b a#b a]b {a,b} a!b', ['a~b', 'a#b', 'a]b', '{a,b}', 'a!b']],
  ['dd if=x of=y', ['dd', 'if=x', 'of=y']],
  ['--a=b', ['--a=b']],
])('%j is split as a shell would', (text, argv) => {
  expect(splitCommand(text)).toEqual({ ok: true, argv });
});

test.each(['|', '>', '<', '&', ';', '$', '`', '(', ')', '*', '?', '['])(
  'an unquoted %s is refused, with a way out',
  (character) => {
    const split = splitCommand(`a b${character}c`);
    expect(split).toMatchObject({ ok: false, index: 3, message: expect.stringContaining(`\`${character}\``) });
    expect(split).toMatchObject({ message: expect.stringContaining('--shell') });
  },
);

test.each<[string, number, string]>([
  ['', 0, 'empty'],
  [' \t ', 0, 'empty'],
  ["'' a", 0, 'name of the program'],
  ["a 'b", 2, 'does not end'],
  ['a "b', 2, 'does not end'],
  ['a\\', 1, 'backslash'],
  ['a\nb', 1, 'a line break'],
  ['~/x', 0, 'home directory'],
  ['a #b', 2, 'comment'],
  ['a "$b"', 3, 'in double quotes'],
  ['a "`b`"', 3, 'in double quotes'],
  ['LC_ALL=C ./a', 0, 'env NAME=value'],
  ['a \0', 2, 'NUL'],
  ["a '\0'", 3, 'NUL'],
  ['a "\0"', 3, 'NUL'],
  ['a \\\0', 3, 'NUL'],
])('%j is refused at %i: %s', (text, index, words) => {
  expect(splitCommand(text)).toMatchObject({ ok: false, index, message: expect.stringContaining(words) });
});

test('what is quoted is split into the same words', () => {
  const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'));
  const argv = fc
    .tuple(
      word.filter((text) => text !== ''),
      fc.array(word),
    )
    .map(([program, rest]) => [program, ...rest]);
  fc.assert(
    fc.property(argv, (words) => {
      expect(splitCommand(quoteCommand(words))).toEqual({ ok: true, argv: words });
    }),
  );
});

test('plain words stay without quotes', () => {
  expect(quoteCommand(['./a', '--b=c', 'd e', "it's", ''])).toBe(`./a --b=c 'd e' 'it'\\''s' ''`);
});

test('no text makes the splitter throw', () => {
  const special = fc.constantFrom(...'\'"\\ \n\t$`|&;<>()*?[~#=a\0');
  fc.assert(
    fc.property(fc.string({ unit: special, maxLength: 30 }), (text) => typeof splitCommand(text).ok === 'boolean'),
  );
});
