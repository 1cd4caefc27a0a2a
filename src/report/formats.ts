/** Every report format, by the name that `--format` takes. A new format is one file here and one line below. */
import { pairsCsv, trialsCsv } from './csv.ts';
import type { ReportInput } from './input.ts';
import { markdownReport } from './markdown.ts';
import { resultsJson } from './results.ts';
import { terminalReport } from './terminal.ts';

export type { ReportInput } from './input.ts';

export type Format = 'text' | 'markdown' | 'csv' | 'pairs-csv' | 'json';

/** Each turns a run into one string that ends in a line feed. None reads the clock or computes a statistic. */
export const FORMATS: Readonly<Record<Format, (input: ReportInput) => string>> = {
  text: terminalReport,
  markdown: markdownReport,
  csv: trialsCsv,
  'pairs-csv': pairsCsv,
  json: resultsJson,
};

export function isFormat(name: string): name is Format {
  return Object.hasOwn(FORMATS, name);
}
