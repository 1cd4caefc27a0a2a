/** From files of results to series: the values of the repetitions of one step, on one set-up, with one workload. */
import type { Beside } from './beside.ts';
import { groupsBy } from './groups.ts';
import type { Measurement } from './measurement.ts';
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
  /** What was said beside each value. */
  readonly beside: readonly Beside[];
}

/** Something that a reader of the numbers should know, and what would help. */
export interface StudyWarning {
  /** `missing-step` and others of the study, or as the reader of the tool has it. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** One file that was read, with where it belongs. */
export interface PlacedResults {
  readonly path: string;
  readonly place: Place;
  readonly rows: readonly Measurement[];
}

/** What series are made of. */
export interface SeriesRules {
  readonly steps: readonly string[];
  /** Names by which the tools call a step; a step that is not here is called by its own. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** For readers: the values are chosen already. */
  readonly metric: string;
}

/** A test of another name that counts as the step where the step itself was not run: it waits for compactions, untimed, afterwards. */
const STANDS_FOR: Readonly<Record<string, string>> = { overwrite: 'overwriteandwait' };

/** Whether a test has the name: `readrandom.t4` has `readrandom`, and `fillseq.wal_disabled.v400` has `fillseq.wal_disabled`. */
function isCalled(name: string, { test, dotted }: Measurement): boolean {
  return test === name || (dotted && test.startsWith(`${name}.`));
}

/** Steps of the results, in the order in which they are first met. */
export function stepsIn(results: readonly PlacedResults[]): readonly string[] {
  return [...new Set(results.flatMap(({ rows }) => rows.map(stepOf)))];
}

/** Rows by their steps, so that many steps need not each look at all rows. */
type Index = ReadonlyMap<string, readonly Measurement[]>;

function indexOf(rows: readonly Measurement[]): Index {
  return groupsBy(rows, stepOf);
}

function stepOf({ test, dotted }: Measurement): string {
  return dotted ? stem(test) : test;
}

function stem(test: string): string {
  return test.split('.', 1)[0] ?? test;
}

/** Rows of the step, or of the test that stands for it. */
function rowsOf(index: Index, step: string, { names }: SeriesRules): readonly Measurement[] {
  const called = (names.get(step) ?? [step]).flatMap((name) =>
    [name, stem(name)].flatMap((key) => (index.get(key) ?? []).filter((row) => isCalled(name, row))),
  );
  const own = [...new Set(called)];
  const other = Object.hasOwn(STANDS_FOR, step) ? STANDS_FOR[step] : undefined;
  if (own.length > 0 || other === undefined) return own;
  return (index.get(other) ?? []).filter(({ dotted }) => dotted);
}

/** The one number of threads that the tests of these steps name; null where they name none, or several. */
function threadsOf(rows: readonly Measurement[], rules: SeriesRules): number | null {
  const index = indexOf(rows);
  const counts = new Set(
    rules.steps.flatMap((step) => rowsOf(index, step, rules).flatMap(({ threads }) => threads ?? [])),
  );
  const [only] = counts;
  return counts.size === 1 && only !== undefined ? only : null;
}

interface Gathering {
  readonly series: readonly Series[];
  readonly warnings: readonly StudyWarning[];
  /** Files that were read, but whose number of threads is not known. */
  readonly ignored: readonly { readonly path: string; readonly reason: string }[];
}

/** The series of these steps. Files of one place are put together, in the order given: each may hold one repetition. */
export function gatherSeries(results: readonly PlacedResults[], rules: SeriesRules): Gathering {
  const warnings: StudyWarning[] = [];
  const ignored: { path: string; reason: string }[] = [];
  const places = new Map<string, { place: Place & { threads: number }; paths: string[]; rows: Measurement[] }>();
  for (const { path, place, rows } of results) {
    const threads = place.threads ?? threadsOf(rows, rules);
    if (threads === null) {
      ignored.push({
        path,
        reason: 'does not say in its path or its tests what one number of threads it is of: say it with --threads',
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
    return rules.steps.map((step) => {
      const wanted = chosen(rowsOf(rows, step, rules), step, place.threads, where, warnings);
      // What somebody has named is what they mean.
      if (!rules.names.has(step)) for (const { test } of wanted) noteTest(tests, step, test, where);
      return seriesOf(place, step, wanted, rules.metric, where, warnings);
    });
  });
  warnings.push(...differentTests(tests));
  return { series, warnings, ignored };
}

/** A script that copies the last result where a test has none writes one line twice; so does whoever adds a file to itself. */
function withoutCopies(rows: readonly Measurement[], where: string, warnings: StudyWarning[]): readonly Measurement[] {
  const seen = new Set<string>();
  const kept = rows.filter(({ identity }) => {
    if (identity === null) return true;
    if (seen.has(identity)) return false;
    seen.add(identity);
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
  rows: readonly Measurement[],
  step: string,
  threads: number,
  where: string,
  warnings: StudyWarning[],
): readonly Measurement[] {
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
  rows: readonly Measurement[],
  metric: string,
  where: string,
  warnings: StudyWarning[],
): Series {
  const dated = rows.every(({ date }) => date !== null);
  const ordered = dated
    ? rows.toSorted((a, b) => ((a.date ?? '') < (b.date ?? '') ? -1 : a.date === b.date ? 0 : 1))
    : rows;
  const values = ordered.flatMap(({ value }) => value ?? []);
  const beside = ordered.flatMap((row) => (row.value === null ? [] : [row.beside]));
  const missing = rows.length - values.length;
  if (missing > 0) {
    warnings.push({
      code: 'failed-repetition',
      message: `${where}: ${step} failed or has no ${metric} above 0 in ${missing} of ${rows.length} repetitions`,
      remedy: 'Run it again: a set-up is not called good while a repetition is missing.',
    });
  }
  return { setup: place.setup, workload: place.workload, threads: place.threads, step, values, missing, beside };
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
