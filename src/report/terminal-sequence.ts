/** The looks of a sequential run as a small picture: a line a look. */
import type { ReportInput } from './input.ts';
import { limitsOf } from './limits.ts';
import { counted, formatInterval, formatSigned } from './numbers.ts';
import { displayWidth, padEnd, wrap } from './plain-text.ts';
import type { ResultRow } from './row.ts';
import { say } from './rules.ts';
import { type Look, type SequenceView, sequencesOf, spanOf, thinned } from './sequence.ts';
import type { Page } from './terminal-results.ts';

const MOST_SHOWN = 7;
const WIDEST_BAR = 48;
/** A narrower picture shows nothing. */
const NARROWEST_BAR = 20;
/** Of the span, left free at either end. */
const FREE = 0.04;

/** Of every primary metric; nothing where the number of pairs was fixed. */
export function sequenceLines(input: ReportInput, rows: readonly ResultRow[], page: Page): readonly string[] {
  const views = sequencesOf(input, rows);
  return views.length === 0 ? [] : ['', page.paint('bold', 'Looks'), ...views.flatMap((view) => picture(view, page))];
}

function picture(view: SequenceView, page: Page): readonly string[] {
  const { row, noun, looks, max } = view;
  const shown = thinned(looks, MOST_SHOWN);
  const texts = shown.map(({ pairs, change, interval }) => [
    String(pairs),
    formatSigned(change, row.scale),
    interval === null ? say('sequence.unbounded', {}) : formatInterval(interval, row.scale),
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...texts.map((cells) => displayWidth(cells[at] ?? ''))));
  const used = 4 + widths.reduce((sum, width) => sum + width + 2, 0);
  const room = Math.min(WIDEST_BAR, page.width - used);
  const words = { subject: row.subject, level: row.level, looks: counted(looks.length, 'look'), max: String(max) };
  const limit = limitsOf(row.comparison).length === 0 ? '' : ', ":" a limit';
  const blocks = counted(looks.at(-1)?.pairs ?? 0, noun);
  return [
    ...wrap(say('sequence.picture', { ...words, blocks, limit }), page.prose, '  ', '    '),
    ...shown.map((look, at) => {
      const [pairs = '', change = '', interval = ''] = texts[at] ?? [];
      const [first = 0, second = 0, third = 0] = widths;
      const figures = `    ${pairs.padStart(first)}  ${change.padStart(second)}  ${padEnd(interval, third)}`;
      return room < NARROWEST_BAR ? figures.trimEnd() : `${figures}  ${bar(view, look, room)}`.trimEnd();
    }),
  ];
}

/** `[---o---]` on a scale that all looks share; what does not fit ends in `<` or `>`. */
function bar(view: SequenceView, { change, interval }: Look, width: number): string {
  const [least, most] = spanOf(view);
  const free = (most - least) * FREE || 1;
  const [low, high] = [least - free, most + free];
  const at = (value: number) => Math.round(((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (width - 1));
  const cells = Array.from({ length: width }, () => ' ');
  if (interval !== null) {
    const [from, to] = interval;
    cells.fill('-', at(from), at(to) + 1);
    cells[at(from)] = from < low ? '<' : '[';
    cells[at(to)] = to > high ? '>' : ']';
  }
  for (const { value } of limitsOf(view.row.comparison)) if (cells[at(value)] === ' ') cells[at(value)] = ':';
  cells[at(0)] = '|';
  cells[at(change)] = 'o';
  return cells.join('');
}
