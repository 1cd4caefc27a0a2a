/** Errors with their place in a file, as a person reads them. */
import type { Located } from '../failures.ts';
import { displayWidth, escapeLine, escapeText } from './plain-text.ts';

/** Longer lines are cut around the mark. */
const WIDTH = 100;
/** Of the text before the mark that stays when a line is cut. */
const BEFORE_MARK = 40;
const TAB_WIDTH = 4;
const MOST_SHOWN = 50;

/**
 * `file:line:column: message` for each error, the line of the text and a mark under the fault. Whatever could steer a
 * terminal is shown as `\u{…}`; tabs become spaces.
 */
export function showLocated(file: string, text: string, errors: readonly Located[]): string {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const shown = errors.slice(0, MOST_SHOWN).map((error) => {
    const head = `${escapeLine(file)}:${error.line}:${error.column}: ${escapeLine(error.message)}`;
    const line = lines[error.line - 1];
    return line === undefined ? `${head}\n` : `${head}\n${excerpt(line.replace(/\r$/, ''), error)}`;
  });
  const more = errors.length - shown.length;
  if (more > 0) shown.push(`… and ${more} more ${more === 1 ? 'error' : 'errors'}\n`);
  return shown.join('\n');
}

function excerpt(line: string, { line: number, column, length }: Located): string {
  const start = Math.min(column - 1, line.length);
  const end = Math.min(start + length, line.length);
  const cut = line.length > WIDTH;
  const from = cut ? codePointStart(line, Math.max(0, Math.min(start - BEFORE_MARK, line.length - WIDTH))) : 0;
  const to = cut ? codePointStart(line, Math.min(line.length, from + WIDTH)) : line.length;
  const before = visible(line.slice(from, start), from > 0 ? 1 : 0);
  const marked = visible(line.slice(start, Math.min(end, to)), displayWidth(before));
  const after = visible(line.slice(Math.min(end, to), to), displayWidth(before + marked));
  const left = from > 0 ? '…' : '';
  const right = to < line.length ? '…' : '';
  const gutter = `  ${number} | `;
  const indent = ' '.repeat(displayWidth(left + before));
  const mark = `^${'~'.repeat(Math.max(0, displayWidth(marked) - 1))}`;
  return `${gutter}${left}${before}${marked}${after}${right}\n${' '.repeat(gutter.length - 2)}| ${indent}${mark}\n`;
}

/** Text without anything that a terminal would act on; tabs become spaces up to the next stop. */
function visible(text: string, column: number): string {
  let shown = '';
  for (const part of text.split(/(\t)/)) {
    shown += part === '\t' ? ' '.repeat(TAB_WIDTH - ((column + displayWidth(shown)) % TAB_WIDTH)) : escapeText(part);
  }
  return shown;
}

/** The place itself, or the one before it where it would cut a character that takes two units. */
function codePointStart(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? Math.max(0, index - 1) : index;
}
