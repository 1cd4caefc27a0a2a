/** Distributions that db_bench prints: of the operations of one benchmark (--histogram), and the statistics of the process (--statistics). */
import { decimalOf, scaled } from '../decimal.ts';

/** Of one kind of operation in one benchmark. Nothing in it is of a sample that was not taken: `count` is above 0. */
export interface LatencyHistogram {
  /** `read`, `write`, `seek` …: operations of one kind. */
  readonly operation: string;
  readonly count: number;
  readonly meanNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** By the percentile as it is printed, such as `99.9`. */
  readonly percentilesNs: ReadonlyMap<string, number>;
}

/** What is known of a histogram before its last line. */
export interface OpenHistogram {
  readonly operation: string;
  count: number | null;
  meanNs: number | null;
  minNs: number | null;
  maxNs: number | null;
}

const TITLE = /^Microseconds per ([a-z]{1,32}):$/;
const FIELD = /([A-Za-z][A-Za-z0-9.]{0,15}): {1,4}([0-9]{1,18}(?:\.[0-9]{1,9})?)(?= |$)/g;
const MICROSECOND = 1000;

/** Null: the line opens no histogram of a benchmark. */
export function histogramTitle(line: string): OpenHistogram | null {
  const operation = TITLE.exec(line)?.[1];
  return operation === undefined ? null : { operation, count: null, meanNs: null, minNs: null, maxNs: null };
}

/** Takes a line of an open histogram in: the histogram where that was its last line. Null: the line is of none, or nothing was counted. */
export function takeHistogramLine(open: OpenHistogram, line: string): LatencyHistogram | 'open' | null {
  if (!/^(?:Count|Min|Percentiles): /.test(line)) return null;
  const fields = new Map([...line.matchAll(FIELD)].map(([, name = '', value]) => [name, decimalOf(value)]));
  const time = (name: string): number | null => {
    const value = fields.get(name) ?? null;
    return value === null ? null : scaled(value, MICROSECOND);
  };
  if (line.startsWith('Count: ')) {
    open.count = fields.get('Count') ?? null;
    open.meanNs = time('Average');
    return 'open';
  }
  if (line.startsWith('Min: ')) {
    open.minNs = time('Min');
    open.maxNs = time('Max');
    return 'open';
  }
  const { operation, count, meanNs, minNs, maxNs } = open;
  if (count === null || count === 0 || meanNs === null || minNs === null || maxNs === null) return null;
  const percentilesNs = new Map<string, number>();
  for (const name of fields.keys()) {
    const value = time(name);
    if (/^P[0-9]/.test(name) && value !== null) percentilesNs.set(name.slice(1), value);
  }
  return { operation, count, meanNs, minNs, maxNs, percentilesNs };
}

/** The counters and distributions of a whole process, from its start or the last `resetstats`. Names are without `rocksdb.`. */
export interface DbBenchStatistics {
  readonly tickers: ReadonlyMap<string, number>;
  readonly histograms: ReadonlyMap<string, StatisticsHistogram>;
}

/** In the unit of what is measured, mostly microseconds or bytes; its name says which. */
interface StatisticsHistogram {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  readonly count: number;
  readonly sum: number;
}

export interface OpenStatistics {
  readonly tickers: Map<string, number>;
  readonly histograms: Map<string, StatisticsHistogram>;
}

const TICKER = /^rocksdb\.([A-Za-z0-9._-]{1,100}) COUNT : ([0-9]{1,20})$/;
const NUMBER = '([0-9]{1,20}(?:\\.[0-9]{1,9})?)';
const DISTRIBUTION = new RegExp(
  `^rocksdb\\.([A-Za-z0-9._-]{1,100}) P50 : ${NUMBER} P95 : ${NUMBER} P99 : ${NUMBER} P100 : ${NUMBER} COUNT : ([0-9]{1,20}) SUM : ([0-9]{1,20})$`,
);
const MOST_STATISTICS = 10_000;

/** Whether the line is one of statistics, which it then takes in. */
export function takeStatisticsLine(statistics: OpenStatistics, line: string): boolean {
  if (!line.startsWith('rocksdb.')) return false;
  const [, ticker, value] = TICKER.exec(line) ?? [];
  if (ticker !== undefined && statistics.tickers.size < MOST_STATISTICS) {
    statistics.tickers.set(ticker, Number(value));
  }
  const [, name, ...numbers] = DISTRIBUTION.exec(line) ?? [];
  const [p50, p95, p99, max, count, sum] = numbers.map(Number);
  if (name === undefined || statistics.histograms.size >= MOST_STATISTICS) return true;
  if (p50 === undefined || p95 === undefined || p99 === undefined) return true;
  if (max === undefined || count === undefined || sum === undefined) return true;
  statistics.histograms.set(name, { p50, p95, p99, max, count, sum });
  return true;
}
