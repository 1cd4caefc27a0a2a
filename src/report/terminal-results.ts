/** The results of the terminal report: a table for each arm, or a few lines for each metric where one is too wide. */
import { type Paint, verdictColor } from './color.ts';
import { hasResults, resultNotes } from './findings.ts';
import type { ReportInput } from './input.ts';
import { PLAIN, wrap } from './plain-text.ts';
import { blockNoun, groupsOf, hasSteps, intervalTitle, type ResultRow } from './row.ts';
import { type Column, layTable } from './terminal-table.ts';

export interface Page {
  /** Of tables. */
  readonly width: number;
  /** Of running text. */
  readonly prose: number;
  readonly paint: Paint;
}

type Group = readonly [ResultRow, ...ResultRow[]];

function mark(row: ResultRow): string {
  return row.comparison.primary ? '* ' : '  ';
}

/** One line a metric; null where that is too wide. */
function table(input: ReportInput, group: Group, steps: boolean, page: Page): readonly string[] | null {
  const columns: Column[] = [
    { title: '  metric', align: 'left' },
    { title: group[0].reference, align: 'right' },
    { title: group[0].arm, align: 'right' },
    { title: 'change', align: 'right' },
    { title: intervalTitle(input), align: 'left' },
    ...(steps ? [{ title: 'level', align: 'right' } as const] : []),
    { title: `${blockNoun(input)}s`, align: 'left' },
    { title: 'verdict', align: 'left' },
  ];
  const cells = group.map((row) => [
    mark(row) + row.metric,
    ...[row.means.reference, row.means.arm, row.change, row.interval],
    ...(steps ? [row.level] : []),
    ...[row.directions, row.verdict],
  ]);
  const laid = layTable(columns, cells, page.width, (cell, index) => {
    const row = group[index];
    return row === undefined ? cell : page.paint(verdictColor(row.comparison.verdict), cell);
  });
  if (laid === null) return null;
  const [titles, ...lines] = laid;
  return [page.paint('dim', titles ?? ''), ...lines];
}

/** The verdict of a metric on a line, and its figures below. */
function stacked(input: ReportInput, group: Group, page: Page): readonly string[] {
  const what = input.journal.run.plan.sequential === null ? 'interval' : 'sequence';
  return group.flatMap((row) => {
    const color = verdictColor(row.comparison.verdict);
    const head = wrap(`${row.metric}: ${row.verdict}`, page.width, mark(row), '    ');
    const means = `${row.reference} ${row.means.reference}, ${row.arm} ${row.means.arm}`;
    const range = row.level === '' ? row.interval : `${row.level} ${what} ${row.interval}`;
    const figures = `${means}, change ${row.change}, ${range}, ${row.directions}`;
    const below = row.comparison.effect === null ? [] : wrap(figures, page.width, '    ');
    return [...head.map((line) => page.paint(color, line)), ...below];
  });
}

/** Tables or lines, the same for all arms, and what must be known to read them. Nothing where a run has no effect. */
export function resultLines(input: ReportInput, rows: readonly ResultRow[], page: Page): readonly string[] {
  if (!hasResults(input)) return [];
  const groups = groupsOf(rows);
  const steps = hasSteps(input);
  const tables = groups.map((group) => table(input, group, steps, page));
  const narrow = tables.includes(null);
  const lines = groups.flatMap((group, index) => [
    '',
    ...(groups.length > 1 ? wrap(`${group[0].arm} against ${group[0].reference}`, page.prose) : []),
    ...(narrow ? stacked(input, group, page) : (tables[index] ?? [])),
  ]);
  return [...lines, ...resultNotes(input, rows, PLAIN).flatMap((note) => wrap(note, page.prose, '  '))];
}
