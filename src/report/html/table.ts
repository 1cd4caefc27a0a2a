/** Tables that scroll within their own box and copy into a spreadsheet: one number a cell. */
import type { Table } from '../writer.ts';
import { type Html, html } from './markup.ts';
import { rich } from './text.ts';

/** A number and its unit, as formatted for people: `412.3 ms`, `+1.32 %`. */
export function splitQuantity(text: string): readonly [number: string, unit: string] {
  const match = /^([-+]?\d[\d.]*(?:e[-+]?\d+)?)(?: ?)(.*)$/s.exec(text);
  return match === null ? [text, ''] : [match[1] ?? '', match[2] ?? ''];
}

/** A table in a box that scrolls by itself on a narrow screen. `caption` tells what it is. */
export function box(caption: string, table: Html): Html {
  return html`<div class="box" tabindex="0" role="group" aria-label="${caption}">${table}</div>`;
}

/** Longer heads of rows go on in the next line rather than push the cells off the screen. */
const LONGEST_HEAD = 40;

/** A table of sentences' parts; the first column heads its row. */
export function tableOf(caption: string, { columns, rows }: Table): Html {
  const head = columns.map(({ title, align }) => html`<th scope="col" class="${align}">${rich(title)}</th>`);
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const align = columns[at]?.align ?? 'left';
      if (at > 0) return html`<td class="${align}">${rich(cell)}</td>`;
      return html`<th scope="row" class="${cell.length > LONGEST_HEAD ? `${align} wrap` : align}">${rich(cell)}</th>`;
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
