/** What the numbers rest on: warnings, and arms with their origin. */
import type { PreparedArm } from '../../journal/records.ts';
import { armNote } from '../evidence.ts';
import { sentence } from '../findings.ts';
import type { ReportInput } from '../input.ts';
import { counted } from '../numbers.ts';
import { type Html, html } from './markup.ts';
import { factsTable, tableOf } from './table.ts';
import { HTML, plain, rich } from './text.ts';

export function warningsOf({ analysis }: ReportInput): readonly Html[] {
  const { warnings } = analysis;
  if (warnings.length === 0) return [html`<p>None.</p>\n`];
  return warnings.map(({ code, metric, message, remedy }) => {
    const about = metric === null ? '' : ` (${HTML.name(metric)})`;
    return html`<div class="warning"><p><strong>${HTML.prose(code)}</strong>${rich(`${about}: ${sentence(HTML.prose(message))}`)}</p>
<p><em>What would help:</em> ${sentence(HTML.prose(remedy))}</p></div>
`;
  });
}

function armOf(arm: PreparedArm, note: string): Html {
  const name = HTML.name(arm.arm);
  const origin = Object.entries(arm.provenance).map(([key, value]) => [HTML.prose(key), HTML.name(value)] as const);
  const columns = [
    { title: 'file', align: 'left' },
    { title: 'bytes', align: 'right' },
    { title: 'SHA-256', align: 'left' },
  ] as const;
  const files = arm.files.map((file) => [HTML.name(file.path), String(file.bytes), HTML.name(file.sha256)]);
  return html`<h3>${rich(name)}${note}</h3>
${origin.length === 0 ? null : factsTable(plain(`Origin of ${name}`), origin)}${
  files.length === 0
    ? null
    : tableOf(plain(`Files of ${name}, ${counted(files.length, 'file')}`), { columns, rows: files })
}
`;
}

export function armsOf({ journal, analysis }: ReportInput): readonly Html[] {
  if (journal.prepared === null) return [html`<p>The arms were not prepared.</p>\n`];
  const { prepared } = journal;
  return prepared.arms.map((arm) => armOf(arm, armNote(prepared, arm, analysis.reference)));
}
