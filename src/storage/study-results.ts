/** The results that a study names, read by the readers of their tools and put at their places. */
import { TOOLS } from '../formats/tools.ts';
import { groupsBy } from './groups.ts';
import { type Imported, type ResultFiles, seriesOfPlaced } from './import-results.ts';
import { type Measurement, measurementOfReading } from './measurement.ts';
import { isResultFile, type Place, placeOf, threadsInPath } from './result-place.ts';
import type { PlacedResults, StudyWarning } from './result-series.ts';
import type { StudyResults, VarianceStudy } from './study.ts';

/** Of results about which nobody says more. */
const DEFAULT_WORKLOAD = 'default';

/** A path that a study names, and the files that are there: one, or those of a directory, relative to it. */
export interface NamedFiles extends Pick<ResultFiles, 'read'> {
  readonly of: StudyResults;
  /** As the study has it. */
  readonly path: string;
  /** Null: the path is a file. */
  readonly within: readonly string[] | null;
}

/** @param mostSteps of more than these no series are made */
export function studyResults(study: VarianceStudy, named: readonly NamedFiles[], mostSteps: number): Imported {
  const ignored: { path: string; reason: string }[] = [];
  const warnings: StudyWarning[] = [];
  const placed: PlacedResults[] = [];
  for (const { of, path, within, read } of named) {
    for (const file of within ?? ['']) {
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
      for (const { code, message, remedy } of reading.warnings) {
        warnings.push({ code, message: `${whole}: ${message}`, remedy });
      }
      const place = placeIn(of, whole);
      if (typeof place === 'string') ignored.push({ path: whole, reason: place });
      else placed.push(...byThreads(whole, place, measurementOfReading(reading.results, study.metric, of.tool)));
    }
  }
  return seriesOfPlaced(placed, { ...study, mostSteps }, { ignored, warnings });
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
