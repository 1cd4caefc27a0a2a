/** What strangers wrote, made to stand in Markdown (GitHub's and CommonMark) as text and nothing else. */
import { type Escaping, escapeLine, escapeText } from './plain-text.ts';

/** Ends nothing and shows nothing, but keeps a tracker from reading a mention, a reference or an address. */
const GAP = '&#8203;';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '|': '&#124;' };

/** What begins a mention, a reference or an address; or a single character with a meaning. */
const ACTIVE = /(@|#(?=\d)|GH-(?=\d)|www(?=\.)|:(?=\/\/))|[&<>|\\`*[\]#~$^]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/giu;

/**
 * `text` as prose on one line: no markup, HTML, table cell, link, image, mention (@name), reference (#1, GH-1), address
 * (www., https:) or formula comes of it. It must not begin a line.
 */
export function escapeMarkdown(text: string): string {
  return escapeLine(text).replace(ACTIVE, (character, linking: string | undefined) => {
    if (linking !== undefined) return (linking === '#' ? '\\#' : linking) + GAP;
    return ENTITIES[character] ?? `\\${character}`;
  });
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** `text` as a code span: nothing in it is read as markup. Where it has a pipe, which ends a cell, it is prose. */
export function codeSpan(text: string): string {
  const line = escapeLine(text);
  if (line === '' || line.includes('|')) return escapeMarkdown(text);
  const fence = '`'.repeat(longestRun(line) + 1);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return fence + space + line + space + fence;
}

/** Lines as a block of code. */
export function codeBlock(lines: readonly string[], language: string): readonly string[] {
  const safe = lines.map(escapeText);
  const fence = '`'.repeat(Math.max(3, ...safe.map((line) => longestRun(line) + 1)));
  return [fence + language, ...safe, fence];
}

export const MARKDOWN: Escaping = { name: codeSpan, prose: escapeMarkdown };

export interface MarkdownColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** A table of cells that are Markdown already. */
export function markdownTable(
  columns: readonly MarkdownColumn[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map((column) => column.title)),
    line(columns.map((column) => (column.align === 'right' ? '---:' : '---'))),
    ...rows.map(line),
  ];
}
