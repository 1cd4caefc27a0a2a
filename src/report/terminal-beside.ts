/** Controls and comparisons beside the confirmation in the terminal report. */
import { controlParts } from './control-parts.ts';
import type { ReportInput } from './input.ts';
import { PLAIN, wrap } from './plain-text.ts';
import { sideSections } from './side-parts.ts';
import type { Page } from './terminal-results.ts';
import { layTable } from './terminal-table.ts';
import type { Table, Writer } from './writer.ts';

const plain = (cell: string): string => cell;

/** A table where it fits; else its rows as text. */
function tableLines({ columns, rows, lines }: Table, page: Page): readonly string[] {
  const [first, ...rest] = columns;
  const indented = [{ title: `  ${first?.title ?? ''}`, align: first?.align ?? 'left' }, ...rest] as const;
  const laid = layTable(
    indented,
    rows.map(([cell = '', ...cells]) => [`  ${cell}`, ...cells]),
    page.width,
    plain,
  );
  if (laid !== null) return [page.paint('dim', laid[0] ?? ''), ...laid.slice(1)];
  return (lines ?? []).flatMap((line) => wrap(line, page.width, '  ', '      '));
}

function writerOf(page: Page): Writer<readonly string[]> {
  return {
    escaping: PLAIN,
    text: (...sentences) => sentences.flatMap((one) => wrap(one, page.prose, '  ')),
    list: (items) => items.flatMap((item) => wrap(item, page.prose, '  ', '    ')),
    table: (_, table) => tableLines(table, page),
  };
}

/** Nothing where a run has neither. */
export function besideLines(input: ReportInput, page: Page): readonly string[] {
  const writer = writerOf(page);
  const controls = controlParts(input, writer);
  return [
    ...(controls.length === 0 ? [] : ['', page.paint('bold', 'Controls'), ...controls.flat()]),
    ...sideSections(input, writer).flatMap(({ title, parts }) => ['', page.paint('bold', title), ...parts.flat()]),
  ];
}
