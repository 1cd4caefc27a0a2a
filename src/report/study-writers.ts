/** How accounts of studies are written in the terminal and in Markdown. */
import type { painter } from './color.ts';
import { MARKDOWN, markdownTable } from './markdown-text.ts';
import { PLAIN, wrap } from './plain-text.ts';
import { layTable } from './terminal-table.ts';
import type { Table, Writer } from './writer.ts';

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
    table: (_, table) => {
      const laid = layTable(table.columns, table.rows, width - 2, (cell) => cell);
      const all = laid === null ? (table.splits ? splitTable(table, width - 2) : null) : [laid];
      if (all === null) return (table.lines ?? []).flatMap((line) => wrap(line, width, '  ', '      '));
      return all.flatMap((one) =>
        one.map((line, at) => (at === 0 ? paint('dim', `  ${line}`) : `  ${line}`.trimEnd())),
      );
    },
  };
}

/** As many columns beside each other as fit, and the others below, behind the first column again; null where not even one fits. */
function splitTable({ columns, rows }: Table, width: number): readonly (readonly string[])[] | null {
  const laidOf = (from: number, to: number) => {
    const part = <Cell>(cells: readonly Cell[]) => [...cells.slice(0, 1), ...cells.slice(from, to)];
    return layTable(part(columns), rows.map(part), width, (cell) => cell);
  };
  const tables: (readonly string[])[] = [];
  let from = 1;
  while (from < columns.length) {
    const ends = Array.from({ length: columns.length - from }, (_, fewer) => columns.length - fewer);
    const fit = ends.flatMap((to) => {
      const laid = laidOf(from, to);
      return laid === null ? [] : [{ to, laid }];
    })[0];
    if (fit === undefined) return null;
    tables.push(fit.laid);
    from = fit.to;
  }
  return tables;
}

/** Parts are lines. */
export const MARKDOWN_WRITER: Writer<readonly string[]> = {
  escaping: MARKDOWN,
  text: (...sentences) => sentences,
  list: (items) => items.map((item) => `- ${item}`),
  table: (_, { columns, rows }) => markdownTable(columns, rows),
};
