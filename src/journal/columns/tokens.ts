/** Where the numbers and strings of a JSON text stand. */

export interface Token {
  /** Keys and places on the way to it. */
  readonly path: readonly (string | number)[];
  readonly kind: 'number' | 'string';
  /** Of its first byte, and behind its last; of a string, those of its quotes. */
  readonly start: number;
  readonly end: number;
}

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const WORDS: readonly string[] = ['true', 'false', 'null'];
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const DEEPEST = 32;

/**
 * The values that are numbers or strings, in their order. Null where the text has spaces between its tokens, a key that is
 * escaped, or stands twice in an object, or is nested too deeply: none of which Assay writes.
 * @param text JSON that JSON.parse takes
 */
export function tokensOf(text: Buffer): readonly Token[] | null {
  const tokens: Token[] = [];
  let at = 0;

  function value(path: readonly (string | number)[]): boolean {
    if (path.length > DEEPEST) return false;
    const start = at;
    const first = text[at];
    if (first === OPEN_OBJECT) return object(path);
    if (first === OPEN_ARRAY) return array(path);
    if (first === QUOTE) {
      at = endOfString(text, at);
      tokens.push({ path, kind: 'string', start, end: at });
      return true;
    }
    while (at < text.length && !isEnd(text[at])) at += 1;
    const word = text.toString('latin1', start, at);
    if (WORDS.includes(word)) return true;
    tokens.push({ path, kind: 'number', start, end: at });
    return NUMBER.test(word);
  }

  function array(path: readonly (string | number)[]): boolean {
    at += 1;
    for (let place = 0; text[at] !== CLOSE_ARRAY; place++) {
      if (place > 0 && text[at++] !== COMMA) return false;
      if (!value([...path, place])) return false;
    }
    at += 1;
    return true;
  }

  function object(path: readonly (string | number)[]): boolean {
    const keys = new Set<string>();
    at += 1;
    while (text[at] !== CLOSE_OBJECT) {
      if (keys.size > 0 && text[at++] !== COMMA) return false;
      const end = endOfString(text, at);
      if (text[at] !== QUOTE || text[end] !== COLON) return false;
      const key = text.toString('utf8', at + 1, end - 1);
      if (key.includes('\\') || key === '__proto__' || keys.has(key)) return false;
      keys.add(key);
      at = end + 1;
      if (!value([...path, key])) return false;
    }
    at += 1;
    return true;
  }

  return value([]) && at === text.length ? tokens : null;
}

function isEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;
}

/** Behind the quote that ends the string that begins at `start`. */
function endOfString(text: Buffer, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}
