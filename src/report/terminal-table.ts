/** Columns of a terminal. */
import { displayWidth, padEnd, padStart } from './plain-text.ts';

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/**
 * Lines of a table, the titles first, two blanks between columns; null where a line would be wider than `width`. The
 * last column is not padded. `paint` may colour the last cell of row `index`, after all is aligned.
 */
export function layTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  paint: (cell: string, index: number) => string,
): readonly string[] | null {
  const widths = columns.map((column, at) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(row[at] ?? ''))),
  );
  if (widths.reduce((sum, one) => sum + one, 2 * (columns.length - 1)) > width) return null;
  const last = columns.length - 1;
  const line = (cells: readonly string[]): string[] =>
    columns.map((column, at) => {
      const cell = cells[at] ?? '';
      if (column.align === 'right') return padStart(cell, widths[at] ?? 0);
      return at === last ? cell : padEnd(cell, widths[at] ?? 0);
    });
  const painted = rows.map((row, index) => {
    const cells = line(row);
    return [...cells.slice(0, last), paint(cells[last] ?? '', index)].join('  ');
  });
  return [line(columns.map((column) => column.title)).join('  '), ...painted];
}
