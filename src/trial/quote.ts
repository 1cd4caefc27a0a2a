/** Text of strangers inside sentences of ours. */

/** Control characters, invisible formatting (also what reverses the direction of text), lone surrogates, unassigned. */
const NOT_SHOWN = /[\p{C}\u2028\u2029]/gu;

/**
 * Text in double quotes, escaped as in JSON so that different texts stay different, with nothing left that a terminal
 * would obey.
 */
export function quoteText(text: string): string {
  return escaped(JSON.stringify(text));
}

/** Text of which nothing is obeyed, without quotes, cut after at most so many characters. */
export function cutShown(text: string, most: number): string {
  return escaped(text.length <= most ? text : `${text.slice(0, most)}…`);
}

function escaped(text: string): string {
  return text.replace(NOT_SHOWN, (character) =>
    Array.from({ length: character.length }, (_, i) => {
      return `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}

/** As `quoteText`, at most about `most` characters of the text. */
export function quoteStart(text: string, most = 60): string {
  return text.length <= most ? quoteText(text) : `${quoteText(text.slice(0, most))}… (${text.length} characters)`;
}

/** A value of JSON for a sentence: short, and nothing in it that a terminal would obey. */
export function quoteValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return quoteStart(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}
