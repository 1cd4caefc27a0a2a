/** The results in a table: one number a cell, units apart, so that it can be copied into a spreadsheet. */
import type { ReportInput } from '../input.ts';
import { formatSigned } from '../numbers.ts';
import { blockNoun, hasSteps, intervalTitle, type ResultRow } from '../row.ts';
import { type Html, html } from './markup.ts';
import { splitQuantity } from './number-columns.ts';
import { verdictChip } from './symbols.ts';
import { box } from './table.ts';
import { plain, rich } from './text.ts';

function number(text: string): Html {
  return html`<td class="right">${splitQuantity(text)[0]}</td>`;
}

function intervalCells({ comparison, scale, interval }: ResultRow): Html {
  const ends = comparison.effect?.interval ?? null;
  if (ends === null) return html`<td class="right">${interval}</td><td class="right"></td>`;
  return html`${number(formatSigned(ends[0], scale))}${number(formatSigned(ends[1], scale))}`;
}

/** Columns that not every table has. */
interface Shown {
  readonly changeUnit: boolean;
  readonly steps: boolean;
  readonly ties: boolean;
}

function rowMarkup(row: ResultRow, { changeUnit, steps, ties }: Shown): Html {
  const { comparison } = row;
  const { effect, primary, verdict } = comparison;
  const unit = effect === null ? '' : splitQuantity(row.means.reference)[1];
  const directions = effect?.directions;
  return html`<tr class="${primary ? 'primary' : 'other'}"><th scope="row">${rich(row.metric)}${primary ? '\u00a0*' : ''}</th><td>${unit}</td>${number(row.means.reference)}${number(row.means.arm)}${number(row.change)}${intervalCells(row)}${changeUnit ? html`<td>${splitQuantity(row.change)[1]}</td>` : null}${steps ? number(row.level) : null}<td class="right">${directions?.up ?? ''}</td><td class="right">${directions?.down ?? ''}</td>${ties ? html`<td class="right">${directions?.tied ?? ''}</td>` : null}<td class="wrap">${verdictChip(verdict.kind, row.verdict)}</td></tr>
`;
}

/** Results of one arm against the reference. */
export function resultsTable(input: ReportInput, group: readonly [ResultRow, ...ResultRow[]]): Html {
  const [{ arm, reference }] = group;
  const steps = hasSteps(input);
  const percent = group.every(({ comparison }) => comparison.kind === 'ratio');
  const ties = group.some(({ comparison }) => (comparison.effect?.directions.tied ?? 0) > 0);
  const inUnit = percent ? ', %' : '';
  const right = (title: string): Html => html`<th scope="col" class="right">${rich(title)}</th>`;
  const left = (title: string): Html => html`<th scope="col">${title}</th>`;
  const noun = blockNoun(input);
  const head = [
    ...[left('metric'), left('unit'), right(reference), right(arm), right(`change${inUnit}`)],
    ...[right(`${intervalTitle(input)} from`), right('to')],
    ...(percent ? [] : [left('in')]),
    ...(steps ? [right('level, %')] : []),
    ...[right(`${noun}s up`), right('down')],
    ...(ties ? [right('tied')] : []),
    left('verdict'),
  ];
  const caption = plain(`Results of ${arm} against ${reference}`);
  const rows = group.map((row) => rowMarkup(row, { changeUnit: !percent, steps, ties }));
  return box(
    caption,
    html`<table><caption class="unseen">${caption}</caption><thead><tr>${head}</tr></thead>
<tbody>${rows}</tbody></table>`,
  );
}
