/** A study of engines as text, Markdown, CSV and JSON. */
import { isAlwaysDurable } from '../storage/engines/facts.ts';
import { painter } from './color.ts';
import { csvLines } from './csv.ts';
import { aboutEngines, type EnginesSection, mainSections, withParts } from './engines.ts';
import { detailSections } from './engines-details.ts';
import type { EnginesInput } from './engines-input.ts';
import { enginesDocument } from './engines-json.ts';
import { orderSection } from './engines-orders.ts';
import { leftOut, promises } from './engines-promises.ts';
import { caveatSection, standingSections } from './engines-standings.ts';
import { MARKDOWN } from './markdown-text.ts';
import { PLAIN, wrap } from './plain-text.ts';
import { visibleJson } from './results.ts';
import { MARKDOWN_WRITER, proseWidth, terminalWriter } from './study-writers.ts';
import type { Writer } from './writer.ts';

export interface Look {
  readonly color: boolean;
  readonly width: number;
}

export function enginesReport(format: 'text' | 'markdown' | 'csv' | 'json', input: EnginesInput, look: Look): string {
  switch (format) {
    case 'text':
      return enginesText(input, look);
    case 'markdown':
      return enginesMarkdown(input);
    case 'csv':
      return enginesCsv(input);
    case 'json':
      return visibleJson(enginesDocument(input));
  }
}

/**
 * All sections, in the order of every format: what was measured, who is better at what, what that must be read with, and then details.
 * @param plots of formats that have some
 */
export function enginesSections<Part>(
  input: EnginesInput,
  writer: Writer<Part>,
  plots: readonly EnginesSection<Part>[] = [],
): readonly EnginesSection<Part>[] {
  const { sizes } = input.findings;
  return withParts([
    ...sizes.flatMap((size) => mainSections(size, writer)),
    ...standingSections(input, writer),
    caveatSection(input, writer),
    orderSection(input, writer),
    leftOut(input, writer),
    ...plots,
    promises(input, writer),
    ...sizes.flatMap((size) => detailSections(size, writer)),
  ]);
}

function enginesText(input: EnginesInput, { color, width }: Look): string {
  const prose = proseWidth(width);
  const paint = painter(color);
  const writer = terminalWriter(width, paint);
  const lines = [
    paint('bold', PLAIN.prose(input.findings.study.title)),
    ...aboutEngines(input, writer).flatMap((one) => wrap(one, prose)),
    ...enginesSections(input, writer).flatMap(({ title, parts }) => ['', paint('bold', title), ...parts.flat()]),
  ];
  return `${lines.join('\n')}\n`;
}

function enginesMarkdown(input: EnginesInput): string {
  const writer = MARKDOWN_WRITER;
  const lines = [
    `# ${MARKDOWN.prose(input.findings.study.title)}`,
    ...aboutEngines(input, writer).flatMap((one) => ['', one]),
    ...enginesSections(input, writer).flatMap(({ title, parts }) => [
      '',
      `## ${title}`,
      ...parts.flatMap((part) => ['', ...part]),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** One line a figure of an engine. */
function enginesCsv({ findings }: EnginesInput): string {
  const blocks = Math.max(0, ...findings.sizes.map((size) => size.blocks));
  const columns = [
    ...['size', 'figure', 'unit', 'better', 'engine', 'mean', 'low', 'high', 'rank_best', 'rank_worst', 'durable'],
    ...['mean_of', 'exact', 'n'],
    ...Array.from({ length: blocks }, (_, at) => `block_${at + 1}`),
  ];
  const rows = findings.sizes.flatMap(({ size, figures, ...declared }) =>
    figures.flatMap(({ kind, scale, engines }) =>
      Object.entries(engines).map(([engine, { mean, interval, exact, rank, values }]) => [
        ...[size.name, kind.key, kind.unit, kind.better, engine, mean, interval?.[0] ?? null, interval?.[1] ?? null],
        ...[rank?.best ?? null, rank?.worst ?? null],
        kind.aspect === 'write' ? isAlwaysDurable(declared, engine) : null,
        ...[scale === 'ratio' ? 'geometric' : 'arithmetic', exact, values.filter((value) => value !== null).length],
        ...Array.from({ length: blocks }, (_, at) => values[at] ?? null),
      ]),
    ),
  );
  return csvLines([columns, ...rows]);
}
