/** The section on the looks of a sequential run. */
import type { ReportInput } from './input.ts';
import type { ResultRow } from './row.ts';
import { type SequenceView, sequencesOf, sequenceTable } from './sequence.ts';
import type { Writer } from './writer.ts';

/** Nothing where the number of pairs was fixed. `plotted`: what a format draws of a metric's looks. */
export function sequenceParts<Part>(
  input: ReportInput,
  rows: readonly ResultRow[],
  { text, table }: Writer<Part>,
  plotted: (view: SequenceView) => readonly Part[],
): readonly Part[] {
  return sequencesOf(input, rows).flatMap((view) => {
    const { lead, table: looks } = sequenceTable(view);
    return [text(lead), ...plotted(view), table(`Looks at ${view.row.subject}`, looks)];
  });
}
