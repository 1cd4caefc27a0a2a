/** From files of results to series: the values of the repetitions of one step, on one set-up, with one workload. */
import type { ReportRow } from '../formats/benchmark-report.ts';
import { groupsBy } from './groups.ts';
import type { Place } from './result-place.ts';

/** All repetitions of one step in one place, in the order in which they ran. */
export interface Series {
  readonly setup: string;
  readonly workload: string;
  readonly threads: number;
  readonly step: string;
  /** All positive. */
  readonly values: readonly number[];
  /** Repetitions that failed, or whose value is missing. */
  readonly missing: number;
}

/** Something that a reader of the numbers should know, and what would help. */
export interface StudyWarning {
  readonly code:
    | 'unreadable-line'
    | 'repeated-line'
    | 'failed-repetition'
    | 'missing-step'
    | 'ambiguous-step'
    | 'different-tests'
    | 'different-threads'
    | 'uneven-repetitions'
    | 'one-repetition';
  readonly message: string;
  readonly remedy: string;
}

/** One file that was read, with where it belongs. */
export interface PlacedReport {
  readonly path: string;
  readonly place: Place;
  readonly rows: readonly ReportRow[];
}

/** A test of another name that counts as the step where the step itself was not run: it waits for compactions, untimed, afterwards. */
const STANDS_FOR: Readonly<Record<string, string>> = { overwrite: 'overwriteandwait' };

/** Whether a test is of the step: `readrandom` is `readrandom.t4`, and `fillseq.wal_disabled` is `fillseq.wal_disabled.v400`. */
function isOf(step: string, test: string): boolean {
  return test === step || test.startsWith(`${step}.`);
}

/** Steps of the reports, in the order in which they are first met: the tests' names up to the first full stop. */
export function stepsIn(reports: readonly PlacedReport[]): readonly string[] {
  return [...new Set(reports.flatMap(({ rows }) => rows.map(({ test }) => stem(test))))];
}

/** Rows by the names of their tests up to the first full stop, so that many steps need not each look at all rows. */
type Index = ReadonlyMap<string, readonly ReportRow[]>;

function indexOf(rows: readonly ReportRow[]): Index {
  return groupsBy(rows, ({ test }) => stem(test));
}

function stem(test: string): string {
  return test.split('.', 1)[0] ?? test;
}

/** Rows of the step, or of the test that stands for it. */
function rowsOf(index: Index, step: string): readonly ReportRow[] {
  const own = (index.get(stem(step)) ?? []).filter(({ test }) => isOf(step, test));
  const other = Object.hasOwn(STANDS_FOR, step) ? STANDS_FOR[step] : undefined;
  return own.length > 0 || other === undefined ? own : (index.get(other) ?? []);
}

/** The one number of threads that the tests of these steps name; null where they name none, or several. */
function threadsOf(rows: readonly ReportRow[], steps: readonly string[]): number | null {
  const index = indexOf(rows);
  const counts = new Set(steps.flatMap((step) => rowsOf(index, step).flatMap(({ threads }) => threads ?? [])));
  const [only] = counts;
  return counts.size === 1 && only !== undefined ? only : null;
}

interface Gathering {
  readonly series: readonly Series[];
  readonly warnings: readonly StudyWarning[];
  /** Files that were read, but whose number of threads is not known. */
  readonly ignored: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * The series of these steps. Files of one place are put together, in the order given: each may hold one repetition.
 * @param metric column of the reports
 */
export function gatherSeries(reports: readonly PlacedReport[], steps: readonly string[], metric: string): Gathering {
  const warnings: StudyWarning[] = [];
  const ignored: { path: string; reason: string }[] = [];
  const places = new Map<string, { place: Place & { threads: number }; paths: string[]; rows: ReportRow[] }>();
  for (const { path, place, rows } of reports) {
    const threads = place.threads ?? threadsOf(rows, steps);
    if (threads === null) {
      ignored.push({
        path,
        reason: 'neither its path nor its tests name one number of threads: say it with --threads',
      });
      continue;
    }
    const key = JSON.stringify([place.setup, place.workload, threads]);
    const there = places.get(key) ?? { place: { ...place, threads }, paths: [], rows: [] };
    there.paths.push(path);
    for (const row of rows) there.rows.push(row);
    places.set(key, there);
  }
  const tests = new Map<string, Map<string, string>>();
  const series = [...places.values()].flatMap(({ place, paths, rows: all }) => {
    const where = paths.length === 1 ? (paths[0] ?? '') : `${paths[0]} and ${paths.length - 1} more`;
    const rows = indexOf(withoutCopies(all, where, warnings));
    return steps.map((step) => {
      const wanted = chosen(rowsOf(rows, step), step, place.threads, where, warnings);
      for (const { test } of wanted) noteTest(tests, step, test, where);
      return seriesOf(place, step, wanted, metric, where, warnings);
    });
  });
  warnings.push(...differentTests(tests));
  return { series, warnings, ignored };
}

/** A script that copies the last result where a test has none writes one line twice; so does whoever adds a file to itself. */
function withoutCopies(rows: readonly ReportRow[], where: string, warnings: StudyWarning[]): readonly ReportRow[] {
  const seen = new Set<string>();
  const kept = rows.filter(({ test, date, values }) => {
    if (date === null) return true;
    const key = JSON.stringify([test, date, [...values]]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  const copies = rows.length - kept.length;
  if (copies > 0) {
    warnings.push({
      code: 'repeated-line',
      message: `${where}: ${copies} lines repeat another one with the same test, date and values; they are not counted`,
      remedy:
        'Look whether a test had no result and its script printed the one before, or whether files were joined twice.',
    });
  }
  return kept;
}

/** Nothing where several tests would be one step. */
function chosen(
  rows: readonly ReportRow[],
  step: string,
  threads: number,
  where: string,
  warnings: StudyWarning[],
): readonly ReportRow[] {
  const names = [...new Set(rows.map(({ test }) => test))];
  if (names.length > 1) {
    warnings.push({
      code: 'ambiguous-step',
      message: `${where}: ${step} is ${names.length} different tests (${names.slice(0, 4).join(', ')}): it has no coefficient`,
      remedy: `Name the one that is meant in --steps, such as ${names[0]}.`,
    });
    return [];
  }
  const other = rows.find((row) => row.threads !== null && row.threads !== threads);
  if (other !== undefined) {
    warnings.push({
      code: 'different-threads',
      message: `${where}: ${other.test} ran with ${other.threads} threads, and the file is taken for ${threads}`,
      remedy: 'Look at the name of the file; --layout or --threads says how paths are read.',
    });
  }
  return rows;
}

function seriesOf(
  place: Place & { threads: number },
  step: string,
  rows: readonly ReportRow[],
  metric: string,
  where: string,
  warnings: StudyWarning[],
): Series {
  const dated = rows.every(({ date }) => date !== null);
  const ordered = dated
    ? rows.toSorted((a, b) => ((a.date ?? '') < (b.date ?? '') ? -1 : a.date === b.date ? 0 : 1))
    : rows;
  const values = ordered.flatMap(({ values: all }) => {
    const value = all.get(metric);
    return value === undefined || value === 0 ? [] : [value];
  });
  const missing = rows.length - values.length;
  if (missing > 0) {
    warnings.push({
      code: 'failed-repetition',
      message: `${where}: ${step} failed or has no ${metric} above 0 in ${missing} of ${rows.length} repetitions`,
      remedy: 'Run it again: a set-up is not called good while a repetition is missing.',
    });
  }
  return { setup: place.setup, workload: place.workload, threads: place.threads, step, values, missing };
}

function noteTest(tests: Map<string, Map<string, string>>, step: string, test: string, where: string): void {
  const kinds = tests.get(step) ?? new Map<string, string>();
  const kind = test.replace(/\.t[0-9]+(?=\.|$)/, '');
  if (!kinds.has(kind)) kinds.set(kind, where);
  tests.set(step, kinds);
}

/** A step that is another test on another set-up (a value of another size, a wait afterwards) compares two things. */
function differentTests(tests: ReadonlyMap<string, ReadonlyMap<string, string>>): StudyWarning[] {
  return [...tests].flatMap(([step, kinds]) => {
    if (kinds.size < 2) return [];
    const shown = [...kinds].slice(0, 3).map(([kind, where]) => `${kind} in ${where}`);
    return [
      {
        code: 'different-tests',
        message: `${step} is not the same test everywhere: ${shown.join(', ')}`,
        remedy: 'Compare set-ups that ran the same test, or name the test in --steps.',
      } as const,
    ];
  });
}
