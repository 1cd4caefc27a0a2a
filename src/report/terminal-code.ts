/** Machine code that differs, in the terminal report. */
import type { ReportInput } from './input.ts';
import { codeStatements } from './machine-code.ts';
import { displayWidth, PLAIN, padStart, wrap } from './plain-text.ts';
import type { Page } from './terminal-results.ts';

/** All of them stand in report.md. */
const MOST_SHOWN = 5;

/** The section of the terminal report; nothing where no machine code was compared. */
export function codeLines(input: ReportInput, page: Page): readonly string[] {
  const statements = codeStatements(input, PLAIN, MOST_SHOWN);
  if (statements.length === 0) return [];
  const lines = statements.flatMap(({ arm, reference, sentences, rows, notes }) => {
    const titles = [reference, arm] as const;
    const widths = titles.map((title, at) =>
      Math.max(displayWidth(title), ...rows.map((row) => displayWidth(row[at + 1] ?? ''))),
    );
    const sizes = (cells: readonly string[]): string =>
      `    ${cells.map((cell, at) => `${padStart(cell, widths[at] ?? 0)}  `).join('')}`;
    // Names last: they are long, and go on in the next line.
    const indent = sizes(['', '']).length + 2;
    const fits = rows.every(([name]) => name.split(' ').every((word) => indent + displayWidth(word) <= page.width));
    const table = rows.flatMap(([name, one, other]) =>
      fits
        ? wrap(name, page.width, sizes([one, other]), ' '.repeat(indent))
        : wrap(`${name}: ${one} and ${other}`, page.width, '    ', '      '),
    );
    const head = fits ? [page.paint('dim', `${sizes(titles)}function`)] : [];
    return [
      ...sentences.flatMap((sentence) => wrap(sentence, page.prose, '  ', '    ')),
      ...(rows.length === 0 ? [] : head),
      ...table,
      ...notes.flatMap((note) => wrap(note, page.prose, '  ', '    ')),
    ];
  });
  return ['', page.paint('bold', 'Machine code'), ...lines];
}
