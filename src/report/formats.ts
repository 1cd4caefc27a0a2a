/** Every report format, by its name in format-names.ts. A new one is one file here, its name there, one line below. */
import { pairsCsv, trialsCsv } from './csv.ts';
import type { Format } from './format-names.ts';
import type { ReportInput } from './input.ts';
import { markdownReport } from './markdown.ts';
import { resultsJson } from './results.ts';
import { terminalReport } from './terminal.ts';

export type { ReportInput } from './input.ts';

type Formatter = (input: ReportInput) => string;
type SlowFormatter = (input: ReportInput) => Promise<string>;

/**
 * Each turns a run into one string that ends in a line feed. None reads the clock or computes a statistic. HTML loads its
 * plots only when it is asked for.
 */
export const FORMATS: Readonly<Record<Exclude<Format, 'html'>, Formatter> & Record<'html', SlowFormatter>> = {
  text: terminalReport,
  markdown: markdownReport,
  csv: trialsCsv,
  'pairs-csv': pairsCsv,
  json: resultsJson,
  html: async (input) => (await import('./html/report.ts')).htmlReport(input),
};
