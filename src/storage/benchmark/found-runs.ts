/** Directories of `assay variance run` among results that are read together: what belongs to them, what they are called, and where they differ. */
import { formatDuration } from '../../report/numbers.ts';
import { groupsBy } from '../groups.ts';
import type { StudyWarning } from '../result-series.ts';
import type { RunRecord } from './run-record.ts';
import { STEP_NAMES } from './steps.ts';

export interface FoundRun {
  /** Of its directory, relative to what is read; empty: that itself. */
  readonly place: string;
  readonly run: RunRecord;
  /** Steps that are on record. */
  readonly done: number;
  /** What db_bench has warned of. */
  readonly cautions: readonly string[];
}

/** Beside its tables. */
const OWN = /^(?:run\.json|lock|database\.json|(?:steps|databases)\/.*)$/s;
const TABLE = /^(.+)\.nt[0-9]+\/sum\.[^/]+\.txt$/s;

/** Whether a file is one that a run leaves beside its tables: neither a result nor left out. */
export function isOfRun(path: string, runs: readonly FoundRun[]): boolean {
  return runs.some((one) => OWN.test(within(one, path) ?? ''));
}

/** What the set-up was called when it ran, of a table of a run; null of other files, and where two runs were called the same. */
export function setupOfTable(path: string, runs: readonly FoundRun[]): string | null {
  const own = runs.find((one) => TABLE.exec(within(one, path) ?? '')?.[1] === one.run.setup);
  if (own === undefined) return null;
  return runs.filter(({ run }) => run.setup === own.run.setup).length > 1 ? null : own.run.setup;
}

/** As the account calls a run. */
export function runName({ place, run }: FoundRun, runs: readonly FoundRun[]): string {
  const shared = runs.filter((other) => other.run.setup === run.setup).length > 1;
  return shared && place !== '' ? `${place}/${run.setup}` : run.setup;
}

function within({ place }: FoundRun, path: string): string | null {
  if (place === '') return path;
  return path.startsWith(`${place}/`) ? path.slice(place.length + 1) : null;
}

export interface NamedRun extends FoundRun {
  readonly name: string;
}

/** What follows from the machine, and may differ with it. */
const BY_MACHINE: ReadonlySet<string> = new Set([
  ...['num', 'cache_size', 'max_background_jobs'],
  ...['max_bytes_for_level_base', 'write_buffer_size', 'target_file_size_base'],
]);
const SAME_SETTINGS =
  'Coefficients of different work say little of machines: measure again with the same settings, or apart.';

/** What a reader of their coefficients side by side should know. */
export function runWarnings(runs: readonly NamedRun[]): readonly StudyWarning[] {
  const cautions = [...new Set(runs.flatMap((one) => one.cautions))];
  return [
    ...cautions.map((caution) => ({
      code: 'tool-warning',
      message: `db_bench warns: ${caution}`,
      remedy: 'Measure with a db_bench that was built for speed (DEBUG_LEVEL=0, Release): --db-bench PATH.',
    })),
    ...runs.flatMap(unfinished),
    ...differing(runs, 'different-programs', ({ db_bench }) => `db_bench of digest ${db_bench.sha256.slice(0, 12)}`, {
      words: 'programs differ',
      remedy: 'What differs between their coefficients may be the program: run the same file everywhere.',
    }),
    ...differing(runs, 'different-settings', ({ duration_s }) => formatDuration(duration_s), {
      words: 'steps ran for different times',
      remedy: SAME_SETTINGS,
    }),
    ...flagNames(runs).flatMap((flag) =>
      differing(runs, 'different-settings', (run) => flagValues(run, flag), {
        words: `--${flag} differs`,
        remedy: SAME_SETTINGS,
      }),
    ),
  ];
}

function unfinished({ name, run, done }: NamedRun): readonly StudyWarning[] {
  const planned = run.workloads.length * run.threads.length * run.repetitions * STEP_NAMES.length;
  // Without a single record only tables were brought here.
  if (done === 0 || done >= planned) return [];
  return [
    {
      code: 'unfinished-run',
      message: `${name}: ${done} of ${planned} steps are on record`,
      remedy: 'Go on with it, where it ran: assay variance run --resume DIR.',
    },
  ];
}

/** One warning, where not all runs have the same value. */
function differing(
  runs: readonly NamedRun[],
  code: string,
  value: (run: RunRecord) => string,
  { words, remedy }: { readonly words: string; readonly remedy: string },
): readonly StudyWarning[] {
  const groups = [...groupsBy(runs, ({ run }) => value(run))];
  if (groups.length < 2) return [];
  const each = groups.map(([value, of]) => `${value} in ${[...new Set(of.map(({ name }) => name))].join(', ')}`);
  return [{ code, message: `${words}: ${each.join('; ')}`, remedy }];
}

function flagNames(runs: readonly FoundRun[]): readonly string[] {
  const names = runs.flatMap(({ run }) => run.workloads.flatMap(({ flags }) => flags.map(({ name }) => name)));
  return [...new Set(names)].filter((name) => !BY_MACHINE.has(name));
}

function flagValues({ workloads }: RunRecord, name: string): string {
  const values = workloads.map(({ flags }) => flags.find((flag) => flag.name === name)?.value ?? 'not given');
  return [...new Set(values)].join(' and ');
}
