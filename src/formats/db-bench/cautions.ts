/** What a reader of db_bench's numbers must know: each caution once, with the benchmarks that it is about. */
import { intervalOf, meanEstimate } from '../../analysis/stats/estimate.ts';
import type { ReadingWarning } from '../reading.ts';
import type { DbBenchOutput, DbBenchResult, DbBenchSummary } from './output.ts';

type Output = Extract<DbBenchOutput, { ok: true }>;

/** A measurement below this is of the start as much as of what it names. */
const SHORT_NS = 1e9;
/** Busy threads above which micros/op cannot be that of a single one. */
const SEVERAL = 1.5;
/** Names that a message lists. */
const MOST_NAMES = 5;
/** These read what is there: what one of them read lies in memory for the next. */
const READS = /^(?:multi)?(?:read|seek|fwdrange|revrange|getmerge)/;

export function dbBenchWarnings(output: Output): ReadingWarning[] {
  const measured = output.results.filter(({ warmUp }) => !warmUp);
  return [
    ...buildWarnings(output),
    ...breakages(output),
    ...RESULT_CAUTIONS.flatMap(({ about, warning }) => {
      const texts = measured.map(about).filter((text) => text !== null);
      return texts.length === 0 ? [] : [warning(listOf(texts))];
    }),
    ...warmCache(output.results),
    ...wrongIntervals(output.summaries),
  ];
}

/** Threads that were busy on average: the time of all of them together / wall-clock time. Null where the printed numbers do not tell. */
export function threadsOf({ timePerOperationNs, operationsPerSecond, operations }: DbBenchResult): number | null {
  // One operation may be none, and below 100 operations/s the rate is rounded by more than a hundredth.
  if (operations === 1 || operationsPerSecond === null || operationsPerSecond < 100) return null;
  return Math.max(1, Math.round((timePerOperationNs / 1e9) * operationsPerSecond));
}

interface Caution {
  /** What it says of a result; null where it is not about that. */
  readonly about: (result: DbBenchResult) => string | null;
  readonly warning: (list: string) => ReadingWarning;
}

const RESULT_CAUTIONS: readonly Caution[] = [
  {
    about: (result) => {
      const threads = threadsOf(result);
      return threads === null || threads < SEVERAL ? null : `${result.name} (about ${threads})`;
    },
    warning: (list) => ({
      code: 'several-threads',
      message: `several threads worked: ${list}; time_per_operation is that of one thread, ops_per_second that of all together`,
      remedy: 'Compare one of the two only with the same number of threads.',
    }),
  },
  {
    about: ({ name, operationsPerSecond, timePerOperationNs }) =>
      operationsPerSecond === 0 ? `${name} (${timePerOperationNs / 1e9} s/op)` : null,
    warning: (list) => ({
      code: 'rounded-rate',
      message: `0 ops/sec is printed where less than one was done in a second: ${list}`,
      remedy: 'Take time_per_operation.',
    }),
  },
  {
    about: ({ name, elapsedNs }) =>
      elapsedNs !== null && elapsedNs < SHORT_NS ? `${name} (${elapsedNs / 1e9} s)` : null,
    warning: (list) => ({
      code: 'short-measurement',
      message: `less than a second was measured, however long the process lived: ${list}`,
      remedy: 'Give it more operations (--num, --reads) or a --duration.',
    }),
  },
  {
    about: ({ name, found }) =>
      found !== null && found.found < found.of && name !== 'readmissing'
        ? `${name} (${found.found} of ${found.of} found)`
        : null,
    warning: (list) => ({
      code: 'keys-missing',
      message: `keys were asked for that are not there, which is faster than to read them: ${list}`,
      remedy: 'Fill the database with fillseq or filluniquerandom and the same --num; fillrandom leaves keys out.',
    }),
  },
  {
    about: ({ name, operations }) => (operations === 1 ? name : null),
    warning: (list) => ({
      code: 'one-operation',
      message: `1 operation is what db_bench also prints where none was done, and its time is then that of all threads together: ${list}`,
      remedy: 'Take elapsed of such a benchmark, and see whether it did what it was to do.',
    }),
  },
];

function buildWarnings({ headers }: Output): ReadingWarning[] {
  const texts = new Set(headers.flatMap(({ warnings }) => warnings));
  return [...texts].map((text) => {
    if (text.startsWith('Assertions are enabled')) {
      return {
        code: 'assertions-enabled',
        message: 'db_bench was built with assertions, which cost time',
        remedy: 'Build it with DEBUG_LEVEL=0 or as Release.',
      };
    }
    if (text.startsWith('Optimization is disabled')) {
      return {
        code: 'not-optimised',
        message: 'db_bench was built without optimisation',
        remedy: 'Build it with DEBUG_LEVEL=0 or as Release.',
      };
    }
    return {
      code: 'tool-warning',
      message: `db_bench warns: "${text}"`,
      remedy: 'See what it means for these results.',
    };
  });
}

function breakages({ unfinished, errors }: Output): ReadingWarning[] {
  const warnings: ReadingWarning[] = errors.map((text) => ({
    code: 'tool-error',
    message: `db_bench reports an error: "${text}"`,
    remedy: 'See whether it came to an end, and what its exit code was.',
  }));
  if (unfinished > 0) {
    warnings.push({
      code: 'unfinished-benchmark',
      message: `${unfinished === 1 ? 'a benchmark was' : `${unfinished} benchmarks were`} begun without a result`,
      remedy: 'It was killed or failed: look at its exit code and at stderr.',
    });
  }
  return warnings;
}

/** Reads of one kind that follow each other on one database, in one process or in several that may have had one seed. */
function warmCache(results: readonly DbBenchResult[]): ReadingWarning[] {
  const kinds = new Map<string, DbBenchResult[]>();
  const found: DbBenchResult[][] = [];
  for (const result of results) {
    if (result.name.startsWith('fill')) kinds.clear();
    if (!READS.test(result.name)) continue;
    const same = kinds.get(result.name);
    const first = same?.[0];
    if (same === undefined || first === undefined || !mayShareKeys(first, result)) {
      kinds.set(result.name, [result]);
      continue;
    }
    same.push(result);
    if (same.length === 2) found.push(same);
  }
  const texts = found.map((same) => {
    const [first] = same;
    const rates = same.map(({ operationsPerSecond }) => operationsPerSecond ?? 0);
    const seed = seedOf(first);
    const processes = seed === null ? 'in processes whose seeds are not printed' : `with the seed ${seed}`;
    const how = same.every(({ header }) => header === first?.header) ? 'in one process' : processes;
    return `${first?.name} ${how} (${listOf(rates.map(String), ', then ')} ops/sec)`;
  });
  if (texts.length === 0) return [];
  return [
    {
      code: 'warm-cache',
      message: `the same was read again, and may have been in memory by then: ${listOf(texts)}`,
      remedy:
        'Read with another --seed each time (before RocksDB 7.2 all benchmarks of a process use the same), and compare only runs that began alike.',
    },
  ];
}

function mayShareKeys(a: DbBenchResult, b: DbBenchResult): boolean {
  return a.header === b.header || seedOf(a) === seedOf(b);
}

function seedOf(result: DbBenchResult | undefined): string | null {
  return result?.header.options?.get('seed') ?? result?.header.seed ?? null;
}

/** db_bench takes 1.96 standard errors whatever the number of runs; Student's t is what holds. */
function wrongIntervals(summaries: readonly DbBenchSummary[]): ReadingWarning[] {
  const texts = summaries
    .filter(({ printedHalfWidth }) => printedHalfWidth !== null)
    .map(({ name, runs, printedHalfWidth, rates }) => {
      const estimate = rates === null ? null : meanEstimate(rates);
      const instead = estimate === null ? null : Math.round(intervalOf(estimate, 0.95)[1] - estimate.value);
      const printed = `${name} (± ${printedHalfWidth} of ${runs} runs`;
      return instead === null
        ? `${printed}, whose results are not all there)`
        : `${printed} is ± ${instead} by Student's t)`;
    });
  if (texts.length === 0) return [];
  return [
    {
      code: 'narrow-interval',
      message: `the printed ± takes the normal distribution whatever the number of runs, and is too narrow: ${listOf(texts)}`,
      remedy: 'Take the runs themselves, which are results of their own.',
    },
  ];
}

function listOf(texts: readonly string[], between = ', '): string {
  const more = texts.length - MOST_NAMES;
  const shown = texts.slice(0, MOST_NAMES).join(between);
  return more > 0 ? `${shown} and ${more} more` : shown;
}
