/** Every report format, by its name in format-names.ts. A new one is one file here, its name there, one line below. */
import { pairsCsv, trialsCsv } from './csv.ts';
import type { Format } from './format-names.ts';
import type { ReportInput } from './input.ts';
import { markdownReport } from './markdown.ts';
import { resultsJson } from './results.ts';
import { terminalReport } from './terminal.ts';

export type { ReportInput } from './input.ts';

/** Each turns a run into one string that ends in a line feed. None reads the clock or computes a statistic. */
export const FORMATS: Readonly<Record<Format, (input: ReportInput) => string>> = {
  text: terminalReport,
  markdown: markdownReport,
  csv: trialsCsv,
  'pairs-csv': pairsCsv,
  json: resultsJson,
};
