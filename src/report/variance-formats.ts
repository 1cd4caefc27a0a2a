/** A study of variance as text, Markdown, CSV and JSON. */
import { painter } from './color.ts';
import { csvLines } from './csv.ts';
import { wrap } from './plain-text.ts';
import { MARKDOWN_WRITER, proseWidth, terminalWriter } from './study-writers.ts';
import { aboutVariance, varianceSections } from './variance.ts';
import { besideSections } from './variance-beside.ts';
import type { VarianceInput } from './variance-input.ts';
import { notedOf } from './variance-notes.ts';
import { rankSections } from './variance-ranks.ts';

/** Ignored files that are named; JSON has all. */
const MOST_IGNORED = 10;

export function varianceText(
  input: VarianceInput,
  options: { readonly color: boolean; readonly width: number },
): string {
  const { width } = options;
  const prose = proseWidth(width);
  const paint = painter(options.color);
  const writer = terminalWriter(width, paint);
  const lines = [
    ...aboutVariance(input, writer).flatMap((one) => wrap(one, prose)),
    ...[...varianceSections(input, writer), ...rankSections(input, writer), ...besideSections(input, writer)].flatMap(
      ({ title, parts }) => ['', ...wrap(title, prose).map((line) => paint('bold', line)), ...parts.flat()],
    ),
    ...notedOf(input, writer.escaping, MOST_IGNORED).flatMap(({ title, items }) => [
      '',
      paint('bold', title),
      ...writer.list(items),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

export function varianceMarkdown(input: VarianceInput): string {
  const writer = MARKDOWN_WRITER;
  const paragraphs = (parts: readonly (readonly string[])[]): string[] => parts.flatMap((part) => ['', ...part]);
  const lines = [
    '# How well set-ups repeat',
    '',
    ...aboutVariance(input, writer),
    ...[...varianceSections(input, writer), ...rankSections(input, writer), ...besideSections(input, writer)].flatMap(
      ({ title, parts }) => ['', `## ${title}`, ...paragraphs(parts)],
    ),
    ...notedOf(input, writer.escaping, MOST_IGNORED).flatMap(({ title, items }) => [
      '',
      `## ${title}`,
      '',
      ...writer.list(items),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** One line a cell, with a column for each step. */
export function varianceCsv({ variance }: VarianceInput): string {
  const { steps } = variance.rules;
  const good = new Set(variance.good.map(({ setup, threads }) => JSON.stringify([setup, threads])));
  return csvLines([
    ['setup', 'workload', 'threads', 'max_cv', 'mean_cv', 'good', ...steps.map((step) => `cv:${step}`)],
    ...variance.cells.map((cell) => [
      ...[cell.setup, cell.workload, cell.threads, cell.max_cv, cell.mean_cv],
      good.has(JSON.stringify([cell.setup, cell.threads])),
      ...cell.steps.map(({ cv }) => cv),
    ]),
  ]);
}
