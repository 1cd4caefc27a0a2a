/** Counts of instructions in the terminal report: beside the times, then the functions that account for a difference. */
import { type CountView, countsOf } from './counts.ts';
import type { ReportInput } from './input.ts';
import { cutMiddle, displayWidth, escapeLine, PLAIN, wrap } from './plain-text.ts';
import type { ResultRow } from './row.ts';
import type { Page } from './terminal-results.ts';
import { layTable } from './terminal-table.ts';

/** Longer names of arms leave too little room for the names of functions. */
const LONGEST_TITLE = 14;
const SHORTEST_FUNCTION = 20;

const plain = (cell: string): string => cell;

/** `+12 (+1.2 %)`, or what there is of both. */
function joined(difference: string, change: string): string {
  if (difference === '') return change;
  return change === '' ? difference : `${difference} (${change})`;
}

/** Time and count of both arms, one line each; lines of text where that is too wide. */
function besides(view: CountView, page: Page): readonly string[] {
  const rows = view.rows.map((row) => ({ ...row, difference: joined(row.difference, row.change) }));
  const laid = layTable(
    [
      { title: '  ', align: 'left' },
      { title: view.reference, align: 'right' },
      { title: view.arm, align: 'right' },
      { title: 'difference', align: 'left' },
    ],
    rows.map(({ label, reference, arm, difference }) => [`  ${label}`, reference, arm, difference]),
    page.width,
    plain,
  );
  if (laid !== null) return [page.paint('dim', laid[0] ?? ''), ...laid.slice(1)];
  return rows.flatMap(({ label, reference, arm, difference }) => [
    ...wrap(
      `${label}: ${view.reference} ${reference}, ${view.arm} ${arm}, difference ${difference}`,
      page.width,
      '  ',
      '    ',
    ),
  ]);
}

function functions(view: CountView, page: Page): readonly string[] {
  if (view.functions === null) return view.no_functions === null ? [] : wrap(view.no_functions, page.prose, '  ');
  const { title, rows, rest, notes } = view.functions;
  const short = (name: string, instead: string): string => (displayWidth(name) > LONGEST_TITLE ? instead : name);
  const columns = [short(view.reference, 'reference'), short(view.arm, 'arm'), 'difference'].map(
    (name) => ({ title: name, align: 'right' }) as const,
  );
  const lines = [
    ...rows.map(({ label, reference, arm, difference }) => [reference, arm, difference, escapeLine(label)]),
    ['', '', rest, 'all others'],
  ];
  const taken = columns.map((column, at) =>
    Math.max(displayWidth(column.title), ...lines.map((line) => displayWidth(line[at] ?? ''))),
  );
  const room = page.width - 2 - taken.reduce((sum, one) => sum + one + 2, 0);
  const cut = lines.map((line) => [...line.slice(0, 3), cutMiddle(line[3] ?? '', Math.max(SHORTEST_FUNCTION, room))]);
  const laid = layTable([...columns, { title: 'function', align: 'left' }], cut, Number.POSITIVE_INFINITY, plain) ?? [];
  return [
    ...wrap(title, page.prose, '  '),
    ...laid.map((line, at) => (at === 0 ? page.paint('dim', `  ${line}`) : `  ${line}`)),
    ...notes.flatMap((note) => wrap(note, page.prose, '  ')),
  ];
}

/** Nothing where no instructions were counted. `rows` are those of the results. */
export function countLines(input: ReportInput, rows: readonly ResultRow[], page: Page): readonly string[] {
  const counts = countsOf(input, rows, PLAIN);
  if (counts === null) return [];
  return [
    '',
    page.paint('bold', 'Instructions'),
    ...counts.views.flatMap((view, at) => [
      ...(at === 0 ? [] : ['']),
      ...view.findings.flatMap((finding) => wrap(finding, page.prose, '  ')),
      ...besides(view, page),
      ...functions(view, page),
    ]),
    ...counts.notes.flatMap((note) => wrap(note, page.prose, '  ')),
  ];
}
