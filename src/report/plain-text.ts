/** Text from strangers, made safe to print, and text laid out in columns of a terminal. */

/**
 * Controls, terminal escapes, bidirectional marks, lone surrogates, line separators, and whatever else has no shape of
 * its own on a screen.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A mark stays on its letter, but no more than this many: piled-up marks reach into other lines. */
const PILED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** `text` with every character that could steer a terminal or hide from a reader written as `\u{…}`. */
export function escapeText(text: string): string {
  return text
    .replace(PILED_MARKS, '$1')
    .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** `text` on one line: white space of any kind and number is one space, the rest as by escapeText. */
export function escapeLine(text: string): string {
  return escapeText(text.replace(/[\t\n\v\f\r ]+/g, ' ').trim());
}

/** How a format dresses what strangers wrote: a name is to be told apart from prose, prose only to be harmless. */
export interface Escaping {
  readonly name: (text: string) => string;
  readonly prose: (text: string) => string;
}

export const PLAIN: Escaping = { name: escapeLine, prose: escapeLine };

/** `a`, `a and b`, `a, b and c`. */
export function listText(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

const MARK = /\p{M}/u;
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;

/** Columns that `text`, already escaped, takes on a terminal (East Asian wide characters and emoji take two). */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (!MARK.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - displayWidth(text))) + text;
}

/** `text`, already escaped, in at most `width` columns: what is too long loses its middle. */
export function cutMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  const most = Math.max(2, width - 1);
  const tail = fitting(characters.toReversed(), Math.floor(most / 2)).toReversed();
  const head = fitting(characters, most - displayWidth(tail.join('')));
  return `${head.join('')}…${tail.join('')}`;
}

/** The first of `characters` that fit into `width` columns. */
function fitting(characters: readonly string[], width: number): string[] {
  let used = 0;
  const end = characters.findIndex((character) => {
    used += displayWidth(character);
    return used > width;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}

/** A number stays with its unit, and a count with what it is a count of. */
const BREAKS = /(?<!\d) | (?!%|(?:ns|µs|ms|s|B|KiB|MiB|GiB|TiB|up|down|tied|of|pairs)\b)/u;

/**
 * `text` in lines of at most `width` columns; the first begins with `first`, the others with `rest`. A word that is
 * longer than a line (a path, a digest, a command) stands on a line of its own, uncut, so that it can be copied.
 */
export function wrap(text: string, width: number, first = '', rest = first): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(BREAKS)) {
    if (!empty && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}
