/** Columns as a spreadsheet needs them: one number a cell, its unit in the head, or beside it where rows differ in theirs. */
import type { Table, TableColumn } from '../writer.ts';

/** A number and its unit, as formatted for people: `412.3 ms`, `+1.32 %`. */
export function splitQuantity(text: string): readonly [number: string, unit: string] {
  const match = /^([-+]?\d[\d.]*(?:e[-+]?\d+)?)(?: ?)(.*)$/s.exec(text);
  return match === null ? [text, ''] : [match[1] ?? '', match[2] ?? ''];
}

const NUMBER = /^[-+]?\d/;
/** Of a range without an upper end. */
const OPEN_END = ' or more';

/** One cell of a row in the columns that its own becomes; `unit` is that of its numbers. */
interface Split {
  readonly cells: readonly string[];
  readonly unit: string;
}

interface Kind {
  /** Heads of the columns; `title` is that of the one column that they are made of. */
  readonly titles: (title: string) => readonly string[];
  readonly split: (cell: string) => Split;
}

/** `[-0.5 %, +2 %]`; what is none stands where its lower end would. */
function ends(text: string): Split {
  const between = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : null;
  const comma = between?.indexOf(', ') ?? -1;
  if (between === null || comma < 0) return { cells: [text, ''], unit: '' };
  const [low, unit] = splitQuantity(between.slice(0, comma));
  return { cells: [low, splitQuantity(between.slice(comma + 2))[0]], unit };
}

const KINDS: Readonly<Record<TableColumn['kind'], Kind>> = {
  text: { titles: (title) => [title], split: (cell) => ({ cells: [cell], unit: '' }) },
  quantity: {
    titles: (title) => [title],
    split: (cell) => {
      const [number, unit] = splitQuantity(cell);
      return { cells: [number], unit };
    },
  },
  interval: { titles: (title) => [`${title} from`, 'to'], split: ends },
  estimate: {
    titles: (title) => [title, 'from', 'to'],
    split: (cell) => {
      const at = cell.indexOf(' [');
      const [number, unit] = splitQuantity(at < 0 ? cell : cell.slice(0, at));
      return { cells: [number, ...(at < 0 ? ['', ''] : ends(cell.slice(at + 1)).cells)], unit };
    },
  },
  range: {
    titles: (title) => [title, 'to'],
    split: (cell) => {
      const at = cell.indexOf(' to ');
      const open = cell.endsWith(OPEN_END) ? cell.slice(0, -OPEN_END.length) : null;
      const [number, unit] = splitQuantity(open ?? (at < 0 ? cell : cell.slice(0, at)));
      return { cells: [number, open !== null ? OPEN_END.trim() : at < 0 ? '' : cell.slice(at + 4)], unit };
    },
  },
  directions: {
    titles: (title) => [`${title} up`, 'down', 'tied'],
    split: (cell) => {
      const counts = /^(\d+) up, (\d+) down(?:, (\d+) tied)?$/.exec(cell);
      return {
        cells: counts === null ? [cell, '', ''] : [counts[1] ?? '', counts[2] ?? '', counts[3] ?? '0'],
        unit: '',
      };
    },
  },
  of: {
    titles: (title) => [title, 'of'],
    split: (cell) => {
      const counts = /^(\d+) of (\d+)$/.exec(cell);
      return { cells: counts === null ? [cell, ''] : [counts[1] ?? '', counts[2] ?? ''], unit: '' };
    },
  },
};

/** The same table with every number in a cell of its own. */
export function numberColumns({ columns, rows }: Table): Table {
  const made: { column: TableColumn; cells: readonly string[] }[] = [];
  let beside: readonly string[] = [];
  for (const [at, column] of columns.entries()) {
    const { titles, split } = KINDS[column.kind];
    const parts = rows.map((row) => split(row[at] ?? ''));
    const units = parts.map(({ unit }) => unit);
    const [unit = '', ...others] = new Set(
      parts.filter(({ cells }) => NUMBER.test(cells[0] ?? '')).map((one) => one.unit),
    );
    // Columns that stand together and have the same units share one column of them.
    if (others.length > 0 && units.some((own, row) => own !== '' && own !== beside[row])) {
      made.push({ column: { title: 'unit', align: 'left', kind: 'text' }, cells: units });
      beside = units;
    }
    const inUnit = others.length > 0 || unit === '' ? '' : `, ${unit}`;
    const align = column.kind === 'text' ? column.align : 'right';
    for (const [part, title] of titles(column.title).entries()) {
      const cells = parts.map((one) => one.cells[part] ?? '');
      // Neither ends that no row has, nor ties without a single one, need a column.
      if (
        part > 0 &&
        cells.every((cell) => cell === '' || (cell === '0' && column.kind === 'directions' && part === 2))
      )
        continue;
      made.push({ column: { title: part === 0 ? title + inUnit : title, align, kind: 'text' }, cells });
    }
  }
  return {
    columns: made.map(({ column }) => column),
    rows: rows.map((_, row) => made.map(({ cells }) => cells[row] ?? '')),
  };
}
