/** The files that stand beside a journal. Each is a pure function of it, and can be made again at any time. */
import type { Analysis } from '../analysis/analysis.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import type { Journal } from '../journal/records.ts';
import type { Format } from '../report/format-names.ts';
import { FORMATS } from '../report/formats.ts';
import type { RunDirectory } from './directory.ts';

export async function writeReports(directory: RunDirectory, journal: Journal, analysis: Analysis): Promise<void> {
  const files: readonly (readonly [string, Format])[] = [
    [directory.results, 'json'],
    [directory.trialsCsv, 'csv'],
    [directory.pairsCsv, 'pairs-csv'],
    [directory.reportMarkdown, 'markdown'],
  ];
  const options = { color: false, quiet: false, width: 120 };
  for (const [path, format] of files) {
    await writeFileAtomically(path, FORMATS[format]({ journal, analysis, directory: directory.path, options }));
  }
}
