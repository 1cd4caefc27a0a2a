/** The files that stand beside a journal. Each is a pure function of it, and can be made again at any time. */
import { join } from 'node:path';
import type { Analysis } from '../analysis/analysis.ts';
import { quoteCommand } from '../experiment/command-line.ts';
import { AssayError } from '../failures.ts';
import { writeFileAtomically } from '../io/atomic-file.ts';
import type { Journal } from '../journal/records.ts';
import type { Format } from '../report/format-names.ts';
import { FORMATS } from '../report/formats.ts';
import type { RunDirectory } from './directory.ts';

const PAGE = ['report.html', 'html'] as const;

const TEXTS = [
  ['results.json', 'json'],
  ['trials.csv', 'csv'],
  ['pairs.csv', 'pairs-csv'],
  ['report.md', 'markdown'],
] as const;

/** By their names in the run's directory. */
export const REPORT_FILES: readonly (readonly [name: string, format: Format])[] = [...TEXTS, PAGE];

/** As files have them. */
export const FILE_OPTIONS = { color: false, quiet: false, width: 120 };

/** All but the page. */
export async function writeReports(directory: RunDirectory, journal: Journal, analysis: Analysis): Promise<void> {
  const input = { journal, analysis, directory: directory.path, options: FILE_OPTIONS };
  for (const [name, format] of TEXTS) await writeFileAtomically(join(directory.path, name), FORMATS[format](input));
}

/**
 * The page, apart from the others: loading its plots takes longer than all else at the end of a run.
 * @throws AssayError `file`: the run is whole without it
 */
export async function writePage(run: {
  readonly directory: string;
  readonly journal: Journal;
  readonly analysis: Analysis;
}): Promise<void> {
  const [name, format] = PAGE;
  const path = join(run.directory, name);
  const page = await FORMATS[format]({ ...run, options: FILE_OPTIONS });
  try {
    await writeFileAtomically(path, page);
  } catch (error) {
    if (!(error instanceof AssayError && error.failure.kind === 'file')) throw error;
    const again = quoteCommand(['assay', 'report', run.directory, '--format', format, '-o', path]);
    throw new AssayError({
      ...error.failure,
      remedy: `All else of the run is there. Once a file can be written, make the page: ${again}`,
    });
  }
}
