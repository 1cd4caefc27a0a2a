import type { Analysis } from '../analysis/analysis.ts';
import type { Journal } from '../journal/records.ts';

interface ReportOptions {
  /** ANSI colours; only the terminal report has any. */
  readonly color: boolean;
  /** Only the finding. */
  readonly quiet: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

/** What every report is a function of. */
export interface ReportInput {
  readonly journal: Journal;
  readonly analysis: Analysis;
  /** The run's directory as a person would type it; null where there is none to come back to. */
  readonly directory: string | null;
  readonly options: ReportOptions;
}
