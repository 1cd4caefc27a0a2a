/** A study file as data, or all that is wrong with it. */
import type { Deviation } from '../analysis/stats/coefficient.ts';
import { readChecked } from '../experiment/checked-document.ts';
import type { SourceDocument } from '../experiment/document.ts';
import type { Fault } from '../experiment/fault.ts';
import type { Located } from '../failures.ts';
import type { ToolName } from '../formats/tools.ts';
import type { StudyRun } from './benchmark/wanted.ts';
import { type StudyDocument, varianceStudySchema, written } from './study-schema.ts';

/** What was measured on a set-up with one tool. */
export interface StudyResults {
  readonly setup: string;
  /** As the study has them. */
  readonly files: readonly string[];
  readonly tool: ToolName;
  readonly threads: number | null;
  readonly workload: string | null;
}

export interface VarianceStudy {
  readonly title: string;
  readonly metric: string;
  /** Null: all that there are. */
  readonly steps: readonly string[] | null;
  /** Names by which the tools call a step, where the study says so. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly deviation: Deviation;
  readonly limit: number;
  readonly pairs: number;
  readonly results: readonly StudyResults[];
  readonly run: StudyRun;
}

export type ReadStudy =
  | { readonly ok: true; readonly study: VarianceStudy }
  | { readonly ok: false; readonly errors: readonly Located[] };

export const DEFAULT_LIMIT = 0.03;
export const DEFAULT_PAIRS = 16;

/** Never throws, whatever the text; time and memory are bounded. */
export function readStudy(text: string): ReadStudy {
  const read = readChecked(text, { schema: varianceStudySchema }, studyFaults);
  if (!read.ok) return read;
  const { document } = read;
  return { ok: true, study: normalised(varianceStudySchema.parse(document.value), document) };
}

function studyFaults(document: SourceDocument): readonly Fault[] {
  const faults: Fault[] = [];
  if (document.has([]) && document.keysAt([]).length > 0 && !document.has(['setups']) && !document.has(['run'])) {
    faults.push({ path: [], at: 'key', message: 'there is neither `setups` nor `run`: nothing is studied' });
  }
  if (document.has(['setups']) && document.keysAt(['setups']).length === 0) {
    faults.push({ path: ['setups'], at: 'key', message: 'there is no set-up' });
  }
  return faults;
}

function normalised(document: StudyDocument, { keysAt }: SourceDocument): VarianceStudy {
  const { title, metric, steps, deviation, limit, pairs, setups = {}, run } = document;
  const listed = steps === undefined || Array.isArray(steps) ? (steps ?? null) : keysAt(['steps']);
  const names = steps === undefined || Array.isArray(steps) ? [] : Object.entries(steps);
  return {
    title,
    metric: metric ?? 'ops_per_second',
    steps: listed === null ? null : [...new Set(listed)],
    names: new Map(names.map(([step, called]) => [step, Array.isArray(called) ? called : [called]])),
    deviation: deviation ?? 'sample',
    limit: limit === undefined ? DEFAULT_LIMIT : written.fraction(limit),
    pairs: pairs ?? DEFAULT_PAIRS,
    results: keysAt(['setups']).flatMap((setup) => {
      const of = setups[setup];
      if (of === undefined) return [];
      return (Array.isArray(of) ? of : [of]).map(({ files, tool, threads, workload }) => ({
        ...{ setup, tool, threads: threads ?? null, workload: workload ?? null },
        files: Array.isArray(files) ? files : [files],
      }));
    }),
    run: runOf(run ?? {}),
  };
}

function runOf(run: NonNullable<StudyDocument['run']>): StudyRun {
  const { keys = {}, flags = {}, cache } = run;
  return {
    setup: run.setup ?? null,
    workloads: run.workloads === undefined ? null : [...new Set(run.workloads)],
    threads: run.threads === undefined ? null : [...new Set(run.threads)],
    repetitions: run.repetitions ?? null,
    duration_s: run.duration === undefined ? null : written.seconds(run.duration),
    db_bench: run.db_bench ?? null,
    data: run.data ?? null,
    keys: {
      ...(keys.byrx === undefined ? {} : { byrx: keys.byrx }),
      ...(keys.iobuf === undefined ? {} : { iobuf: keys.iobuf }),
    },
    cache_bytes: cache === undefined ? null : written.bytes(cache),
    background_jobs: run.background_jobs ?? null,
    flags: Object.fromEntries(Object.entries(flags).map(([flag, value]) => [flag, String(value)])),
  };
}
