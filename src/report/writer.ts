/** How a format writes what several formats tell alike. Texts are dressed already. */
import type { Escaping } from './plain-text.ts';

export interface TableColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** What its cells hold, for formats that set numbers apart: `3 ms`, `[1 ms, 2 ms]`, both, `3 to 4`, `5 up, 1 down`, `8 of 8`. */
  readonly kind: 'text' | 'quantity' | 'interval' | 'estimate' | 'range' | 'directions' | 'of';
}

/** A table before any format has laid it out. */
export interface Table {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly string[])[];
  /** Each row as a line of text, for where the table is too wide; left out where the table is never in the terminal. */
  readonly lines?: readonly string[];
  /** Where the table is too wide it may become several, each with the first column; lines are then only for what is narrower still. */
  readonly splits?: true;
}

export interface Writer<Part> {
  readonly escaping: Escaping;
  /** A paragraph. */
  readonly text: (...sentences: readonly string[]) => Part;
  readonly list: (items: readonly string[]) => Part;
  readonly table: (caption: string, table: Table) => Part;
}

export const left = (title: string): TableColumn => ({ title, align: 'left', kind: 'text' });
export const number = (title: string): TableColumn => ({ title, align: 'right', kind: 'quantity' });
/** Of numbers with marks, which are one cell in every format. */
export const marked = (title: string): TableColumn => ({ title, align: 'right', kind: 'text' });
export const numbers = (title: string, kind: Exclude<TableColumn['kind'], 'text' | 'quantity'>): TableColumn => ({
  ...{ title, align: kind === 'of' ? 'right' : 'left', kind },
});

/** No part where there is nothing to list. */
export function listed<Part>({ list }: Pick<Writer<Part>, 'list'>, items: readonly string[]): readonly Part[] {
  return items.length === 0 ? [] : [list(items)];
}
