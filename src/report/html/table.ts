/** Tables that scroll within their own box and copy into a spreadsheet: one number a cell. */
import type { Table } from '../writer.ts';
import { type Html, html } from './markup.ts';
import { numberColumns } from './number-columns.ts';
import { rich } from './text.ts';

/** A table in a box that scrolls by itself on a narrow screen. `caption` tells what it is. */
export function box(caption: string, table: Html): Html {
  return html`<div class="box" tabindex="0" role="group" aria-label="${caption}">${table}</div>`;
}

/** Longer texts go on in the next line rather than push the others off the screen. */
const LONGEST_LINE = 32;

/** A table of sentences' parts; the first column heads its row. */
export function tableOf(caption: string, table: Table): Html {
  const { columns, rows } = numberColumns(table);
  const head = columns.map(({ title, align }) => html`<th scope="col" class="${align}">${rich(title)}</th>`);
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const align = columns[at]?.align ?? 'left';
      const style = cell.length > LONGEST_LINE ? `${align} wrap` : align;
      return at > 0
        ? html`<td class="${style}">${rich(cell)}</td>`
        : html`<th scope="row" class="${style}">${rich(cell)}</th>`;
    });
    return html`<tr>${cells}</tr>\n`;
  });
  return box(
    caption,
    html`<table><caption class="unseen">${caption}</caption><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table>`,
  );
}

/** Facts of two columns, what and value. */
export function factsTable(caption: string, facts: readonly (readonly [string, string])[]): Html {
  const rows = facts.map(([what, value]) => html`<tr><th scope="row">${rich(what)}</th><td>${rich(value)}</td></tr>\n`);
  return box(
    caption,
    html`<table class="facts"><caption class="unseen">${caption}</caption><tbody>${rows}</tbody></table>`,
  );
}
