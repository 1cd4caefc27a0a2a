/** The results that a study names, read by the readers of their tools and put at their places. */
import type { ToolResult } from '../formats/reading.ts';
import { TOOLS } from '../formats/tools.ts';
import { isOfRun, runWarnings } from './benchmark/found-runs.ts';
import { groupsBy } from './groups.ts';
import { type Imported, type ResultFiles, seriesOfPlaced } from './import-results.ts';
import { type Measurement, measurementOfReading } from './measurement.ts';
import { isResultFile, type Place, placeOf, threadsInPath } from './result-place.ts';
import type { PlacedResults, StudyWarning } from './result-series.ts';
import type { StudyResults, VarianceStudy } from './study.ts';

/** Of results about which nobody says more. */
const DEFAULT_WORKLOAD = 'default';
/** Names of metrics in a message. */
const MOST_METRICS = 12;

/** A path that a study names, and the files that are there: one, or those of a directory, relative to it. */
export interface NamedFiles extends Pick<ResultFiles, 'read' | 'runs'> {
  readonly of: StudyResults;
  /** As the study has it. */
  readonly path: string;
  /** Null: the path is a file. */
  readonly within: readonly string[] | null;
}

/** @param mostSteps of more than these no series are made */
export function studyResults(study: VarianceStudy, named: readonly NamedFiles[], mostSteps: number): Imported {
  const ignored: { path: string; reason: string }[] = [];
  const cautions: { path: string; warning: StudyWarning }[] = [];
  const placed: PlacedResults[] = [];
  /** Of each set-up, what was read, and where it was found first. */
  const known = new Map<string, Map<string, string>>();
  const warnings: StudyWarning[] = [];
  for (const { of, path, within, read, runs } of named) {
    for (const file of within ?? ['']) {
      if (isOfRun(file, runs) && of.tool === 'benchmark_sh') continue;
      const whole = file === '' ? path : `${path.replace(/\/$/, '')}/${file}`;
      if (within !== null && of.tool === 'benchmark_sh' && !isResultFile(file, null)) {
        ignored.push({ path: whole, reason: 'is neither sum.*.txt nor report.tsv' });
        continue;
      }
      const text = read(file);
      const reading = text.ok ? TOOLS[of.tool].read(text.text) : text;
      if (!reading.ok) {
        const what = text.ok ? `is not the output of ${TOOLS[of.tool].title}: ${reading.reason}` : reading.reason;
        ignored.push({ path: whole, reason: what });
        continue;
      }
      const original = text.ok ? noted(known, of.setup, text.text, whole) : null;
      if (original !== null) {
        const fault = whole === original ? 'is named twice' : `is ${original}, byte by byte`;
        ignored.push({ path: whole, reason: `${fault}: it counts once` });
        warnings.push({
          code: 'repeated-file',
          message: `${of.setup}: ${whole} ${fault}, and counts once`,
          remedy: 'A file is one measurement, however often it is named or copied: give each repetition its own.',
        });
        continue;
      }
      for (const warning of reading.warnings) cautions.push({ path: whole, warning });
      const rows = measurementOfReading(reading.results, study.metric, of.tool);
      const place = placeIn(of, whole);
      if (rows.length === 0) ignored.push({ path: whole, reason: otherMetrics(study.metric, reading.results) });
      else if (typeof place === 'string') ignored.push({ path: whole, reason: place });
      else placed.push(...byThreads(whole, place, rows));
    }
  }
  const runs = named.flatMap(({ of, runs: own }) => own.map((run) => ({ ...run, name: of.setup })));
  warnings.push(...oncePerMessage(cautions), ...runWarnings(runs), ...withoutResults(study, placed));
  return seriesOfPlaced(placed, { ...study, mostSteps }, { ignored, warnings });
}

/** Where the text was found before in the set-up; null, and noted, where it was not. */
function noted(known: Map<string, Map<string, string>>, setup: string, text: string, path: string): string | null {
  const texts = known.get(setup) ?? new Map<string, string>();
  known.set(setup, texts);
  const before = texts.get(text) ?? null;
  if (before === null) texts.set(text, path);
  return before;
}

/** A set-up that the study names is not left out in silence. */
function withoutResults({ results }: VarianceStudy, placed: readonly PlacedResults[]): readonly StudyWarning[] {
  const there = new Set(placed.map(({ place }) => place.setup));
  const missing = [...new Set(results.map(({ setup }) => setup))].filter((setup) => !there.has(setup));
  return missing.map((setup) => ({
    code: 'setup-without-results',
    message: `${setup}: none of its files could be read, and it is in no table`,
    remedy: 'See why among the files that were ignored.',
  }));
}

/** What a reader says of every file alike is told once. */
function oncePerMessage(
  cautions: readonly { readonly path: string; readonly warning: StudyWarning }[],
): StudyWarning[] {
  const groups = groupsBy(cautions, ({ warning: { code, message } }) => JSON.stringify([code, message]));
  return [...groups.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const paths = [...new Set(of.map(({ path }) => path))];
    const where = paths.length === 1 ? first.path : `${first.path} and ${paths.length - 1} more`;
    return [{ ...first.warning, message: `${where}: ${first.warning.message}` }];
  });
}

function otherMetrics(metric: string, results: readonly ToolResult[]): string {
  const names = [...new Set(results.flatMap(({ metrics }) => metrics.map(({ name }) => name)))];
  const more = names.length > MOST_METRICS ? ' …' : '';
  return `has no ${metric}: it has ${names.slice(0, MOST_METRICS).join(', ')}${more}`;
}

/** The place that the study gives, where need be with what the path says; or why there is none, as a clause about the file. */
function placeIn({ setup, tool, threads, workload }: StudyResults, path: string): Place | string {
  if (tool === 'benchmark_sh') {
    const placing = placeOf(path, { layout: null, root: setup, threads, workload });
    if (placing.ok) return { ...placing.place, setup };
  }
  const counts = threads === null ? [...new Set(threadsInPath(path))] : [threads];
  if (counts.length > 1) return `its path names ${counts.join(' and ')} threads: say which with \`threads\``;
  return { setup, workload: workload ?? DEFAULT_WORKLOAD, threads: counts[0] ?? null };
}

/** One file may have results of several numbers of threads, which are several places; the tests of benchmark.sh's tables name one at most. */
function byThreads(path: string, place: Place, rows: readonly Measurement[]): readonly PlacedResults[] {
  if (place.threads !== null || rows.some(({ dotted }) => dotted)) return [{ path, place, rows }];
  return [...groupsBy(rows, ({ threads }) => String(threads)).values()].map((of) => ({
    ...{ path, rows: of },
    place: { ...place, threads: of[0]?.threads ?? null },
  }));
}
