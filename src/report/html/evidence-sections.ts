/** What the numbers rest on: warnings, and arms with their origin. */
import { type ToldArm, toldArms } from '../arms.ts';
import { sentence } from '../findings.ts';
import type { ReportInput } from '../input.ts';
import { counted } from '../numbers.ts';
import { say } from '../rules.ts';
import { left, number } from '../writer.ts';
import { type Html, html } from './markup.ts';
import { factsTable, tableOf } from './table.ts';
import { HTML, plain, rich } from './text.ts';

export function warningsOf({ analysis }: ReportInput): readonly Html[] {
  const { warnings } = analysis;
  if (warnings.length === 0) return [html`<p>${say('warnings.none', {})}</p>\n`];
  return warnings.map(({ code, metric, message, remedy }) => {
    const about = metric === null ? '' : ` (${HTML.name(metric)})`;
    return html`<div class="warning"><p><strong>${HTML.prose(code)}</strong>${rich(`${about}: ${sentence(HTML.prose(message))}`)}</p>
<p><em>What would help:</em> ${sentence(HTML.prose(remedy))}</p></div>
`;
  });
}

function originAndFiles(title: string, { origin, files }: Pick<ToldArm, 'origin' | 'files'>): readonly Html[] {
  const facts = origin.map(([key, value]) => [HTML.prose(key), HTML.name(value)] as const);
  const columns = [left('file'), number('bytes'), left('SHA-256')];
  const rows = files.map((file) => [HTML.name(file.path), String(file.bytes), HTML.name(file.sha256)]);
  return [
    ...(facts.length === 0 ? [] : [factsTable(plain(`Origin: ${title}`), facts)]),
    ...(rows.length === 0
      ? []
      : [tableOf(plain(`Files: ${title}, ${counted(rows.length, 'file')}`), { columns, rows })]),
  ];
}

/** What all arms have in common, then each with what it has of its own. */
export function armsOf(input: ReportInput): readonly Html[] {
  const told = toldArms(input);
  if (told === null) return [html`<p>${say('arms.none', {})}</p>\n`];
  const title = say('arms.common', {});
  return [
    ...(told.common === null ? [] : [html`<h3>${title}</h3>\n${originAndFiles(title, told.common)}\n`]),
    ...told.arms.map((arm) => {
      const name = HTML.name(arm.arm);
      return html`<h3>${rich(name)}${arm.note}</h3>\n${originAndFiles(name, arm)}\n`;
    }),
  ];
}
