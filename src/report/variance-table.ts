/** Tables of a study of variance. */
import type { Table, TableColumn } from './writer.ts';

/** A table whose rows can be told as lines, each cell after its column's title. */
export function tableOf(columns: readonly TableColumn[], rows: readonly (readonly string[])[]): Table {
  const lines = rows.map(([first = '', ...rest]) => {
    const told = rest.flatMap((cell, at) => (cell === '' ? [] : [`${columns[at + 1]?.title ?? ''} ${cell}`]));
    return `${first}: ${told.join(', ')}`;
  });
  return { columns, rows, lines };
}
