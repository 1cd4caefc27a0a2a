/** A directory of results that were measured elsewhere, read into series: what was read, what was ignored, and why. */
import { parseBenchmarkReport } from '../formats/benchmark-report.ts';
import { type FoundRun, isOfRun, runName, runWarnings, setupOfTable } from './benchmark/found-runs.ts';
import { measurementOfRow } from './measurement.ts';
import { isResultFile, type Layout, placeOf } from './result-place.ts';
import {
  gatherSeries,
  type PlacedResults,
  type Series,
  type SeriesRules,
  type StudyWarning,
  stepsIn,
} from './result-series.ts';

export interface ImportRules {
  /** Null: all that there are. */
  readonly steps: readonly string[] | null;
  readonly metric: string;
  readonly layout: Layout | null;
  readonly workload: string | null;
  readonly threads: number | null;
  /** Of more steps than these no series are made. */
  readonly mostSteps: number;
}

export interface Imported {
  readonly steps: readonly string[];
  /** All steps that the files have. */
  readonly found: readonly string[];
  readonly series: readonly Series[];
  /** Files that the series are from. */
  readonly read: readonly string[];
  readonly ignored: readonly { readonly path: string; readonly reason: string }[];
  readonly warnings: readonly StudyWarning[];
}

/** The files of a directory, and how one is read; a reason is a clause about the file. */
export interface ResultFiles {
  /** The directory's own name. */
  readonly root: string;
  readonly paths: readonly string[];
  /** Directories of `assay variance run` among them. */
  readonly runs: readonly FoundRun[];
  readonly read: (
    path: string,
  ) => { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };
}

export function importResults(files: ResultFiles, rules: ImportRules): Imported {
  const ignored: { path: string; reason: string }[] = [];
  const warnings: StudyWarning[] = [];
  const placed: PlacedResults[] = [];
  for (const path of files.paths) {
    const refused = (reason: string): void => void ignored.push({ path, reason });
    if (!isResultFile(path, rules.layout)) {
      if (rules.layout === null && isOfRun(path, files.runs)) continue;
      refused(rules.layout === null ? 'is neither sum.*.txt nor report.tsv' : 'does not lie where --layout says');
      continue;
    }
    const placing = placeOf(path, { ...rules, root: files.root });
    if (!placing.ok) {
      refused(placing.reason);
      continue;
    }
    const read = files.read(path);
    const report = read.ok ? parseBenchmarkReport(read.text) : read;
    if (!report.ok) {
      refused(read.ok ? `is not a report of benchmark.sh: ${report.reason}` : report.reason);
      continue;
    }
    for (const { line, message } of report.faults) {
      warnings.push({
        code: 'unreadable-line',
        message: `${path}: line ${line} ${message}`,
        remedy: 'Look at the output of that test; without the line its step has a repetition less.',
      });
    }
    const rows = report.rows.map((row) => measurementOfRow(row, rules.metric));
    const setup = rules.layout === null ? setupOfTable(path, files.runs) : null;
    placed.push({ path, place: { ...placing.place, setup: setup ?? placing.place.setup }, rows });
  }
  warnings.push(...runWarnings(files.runs.map((run) => ({ ...run, name: runName(run, files.runs) }))));
  return seriesOfPlaced(placed, { ...rules, names: new Map() }, { ignored, warnings });
}

/**
 * What was read, as series.
 * @param rules null for `steps`: all that there are
 * @param found what there is to tell already
 */
export function seriesOfPlaced(
  placed: readonly PlacedResults[],
  rules: Omit<SeriesRules, 'steps'> & Pick<ImportRules, 'steps' | 'mostSteps'>,
  { ignored, warnings }: Pick<Imported, 'ignored' | 'warnings'>,
): Imported {
  const found = stepsIn(placed);
  const steps = rules.steps ?? found;
  const gathered = gatherSeries(placed, { ...rules, steps: steps.length > rules.mostSteps ? [] : steps });
  const unplaced = new Set(gathered.ignored.map(({ path }) => path));
  return {
    ...{ steps, found },
    series: gathered.series,
    read: placed.map(({ path }) => path).filter((path) => !unplaced.has(path)),
    ignored: [...ignored, ...gathered.ignored],
    warnings: [...warnings, ...gathered.warnings],
  };
}
