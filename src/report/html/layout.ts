/** How the sections of a report are written in HTML. */
import type { Layout } from '../sections.ts';
import { type Html, html } from './markup.ts';
import { factsTable, tableOf } from './table.ts';
import { HTML, plain, rich } from './text.ts';

function bullets(items: readonly string[]): Html {
  return html`<ul>${items.map((item) => html`<li>${rich(item)}</li>\n`)}</ul>\n`;
}

function notes(items: readonly string[]): Html {
  return html`<div class="notes">${bullets(items)}</div>\n`;
}

function command(text: string): Html {
  return html`<pre tabindex="0">${text}</pre>\n`;
}

export const LAYOUT: Layout<Html> = {
  escaping: HTML,
  term: (word) => word,
  text: (...sentences) => html`<p>${rich(sentences.join(' '))}</p>\n`,
  list: bullets,
  notes,
  table: (caption, table) => html`${tableOf(plain(caption), table)}\n`,
  facts: (caption, facts) => html`${factsTable(plain(caption), facts)}\n`,
  command,
};
