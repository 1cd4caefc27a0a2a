/** Text from strangers, line by line. */

/** A line without its end. */
export interface Line {
  readonly text: string;
  /** False of a last line that no newline ends: it may have been cut. */
  readonly ended: boolean;
}

/** The lines of a text, in linear time; after a last newline there is none. */
export function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const returned = end > start && text[end - 1] === '\r';
    yield { text: text.slice(start, returned ? end - 1 : end), ended: newline >= 0 };
    start = end + 1;
  }
}

const MOST_CHARACTERS = 160;

/** What a stranger wrote, as one short line without controls, to be shown inside a message. */
export function excerptOf(text: string): string {
  const clean = text
    .slice(0, 4 * MOST_CHARACTERS)
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clean.length > MOST_CHARACTERS ? `${clean.slice(0, MOST_CHARACTERS)}…` : clean;
}
