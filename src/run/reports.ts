/** The files that stand beside a journal. Each is a pure function of it, and can be made again at any time. */
import { join } from 'node:path';
import type { Analysis } from '../analysis/analysis.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import type { Journal } from '../journal/records.ts';
import type { Format } from '../report/format-names.ts';
import { FORMATS } from '../report/formats.ts';
import type { RunDirectory } from './directory.ts';

/** By their names in the run's directory. */
export const REPORT_FILES: readonly (readonly [name: string, format: Format])[] = [
  ['results.json', 'json'],
  ['trials.csv', 'csv'],
  ['pairs.csv', 'pairs-csv'],
  ['report.md', 'markdown'],
];

/** As files have them. */
export const FILE_OPTIONS = { color: false, quiet: false, width: 120 };

export async function writeReports(directory: RunDirectory, journal: Journal, analysis: Analysis): Promise<void> {
  for (const [name, format] of REPORT_FILES) {
    const text = FORMATS[format]({ journal, analysis, directory: directory.path, options: FILE_OPTIONS });
    await writeFileAtomically(join(directory.path, name), text);
  }
}
