/** How accounts of studies are written in the terminal and in Markdown. */
import type { painter } from './color.ts';
import { MARKDOWN, markdownTable } from './markdown-text.ts';
import { PLAIN, wrap } from './plain-text.ts';
import { layTable } from './terminal-table.ts';
import type { Writer } from './writer.ts';

const WIDEST_PROSE = 110;

/** How wide prose is in a terminal of that width. */
export function proseWidth(width: number): number {
  return Math.min(width, WIDEST_PROSE);
}

/** Parts are lines. */
export function terminalWriter(width: number, paint: ReturnType<typeof painter>): Writer<readonly string[]> {
  const prose = proseWidth(width);
  return {
    escaping: PLAIN,
    text: (...sentences) => sentences.flatMap((one) => wrap(one, prose, '  ')),
    list: (items) => items.flatMap((item) => wrap(item, prose, '  ', '    ')),
    table: (_, { columns, rows, lines }) => {
      const laid = layTable(columns, rows, width - 2, (cell) => cell);
      if (laid === null) return (lines ?? []).flatMap((line) => wrap(line, width, '  ', '      '));
      return laid.map((line, at) => (at === 0 ? paint('dim', `  ${line}`) : `  ${line}`.trimEnd()));
    },
  };
}

/** Parts are lines. */
export const MARKDOWN_WRITER: Writer<readonly string[]> = {
  escaping: MARKDOWN,
  text: (...sentences) => sentences,
  list: (items) => items.map((item) => `- ${item}`),
  table: (_, { columns, rows }) => markdownTable(columns, rows),
};
