/** Everything that Assay reads of the output of RocksDB's db_bench: its stdout, or that with stderr in it. */
import { excerptOf, linesOf } from '../lines.ts';
import { type DbBenchHeader, type OpenHeader, openHeader, takeHeaderLine } from './header.ts';
import {
  type DbBenchStatistics,
  histogramTitle,
  type LatencyHistogram,
  type OpenHistogram,
  type OpenStatistics,
  takeHistogramLine,
  takeStatisticsLine,
} from './latencies.ts';
import {
  type ResultLine,
  resultLine,
  type SkippedLine,
  type SummaryLine,
  skippedLine,
  summaryLine,
} from './result-line.ts';
import { closedTree, type OpenTree, openTree, type TreeReport, takeTreeLine } from './tree.ts';

export type DbBenchOutput =
  | {
      readonly ok: true;
      /** In their order; a benchmark that ran twice is there twice. */
      readonly results: readonly DbBenchResult[];
      readonly skipped: readonly SkippedLine[];
      /** The last of each benchmark, of each kind: db_bench prints one after every run. */
      readonly summaries: readonly DbBenchSummary[];
      /** Every print of a database's state, in their order. */
      readonly trees: readonly TreeReport[];
      /** Of each process that printed them (--statistics). */
      readonly statistics: readonly DbBenchStatistics[];
      readonly headers: readonly DbBenchHeader[];
      /** Benchmarks that were begun and have no result. */
      readonly unfinished: number;
      /** Names that db_bench does not know. */
      readonly unknown: readonly string[];
      /** What it said went wrong. */
      readonly errors: readonly string[];
    }
  /** A clause about the text, without a full stop. */
  | { readonly ok: false; readonly reason: string };

export interface DbBenchResult extends ResultLine {
  readonly header: DbBenchHeader;
  /** It ran only so that the next runs find everything warm (`fillseq[-W2-X3]`). */
  readonly warmUp: boolean;
  /** One for each kind of operation (--histogram). */
  readonly histograms: readonly LatencyHistogram[];
}

export interface DbBenchSummary extends SummaryLine {
  /** Of the results that it is of; null where not all of them are in the text. */
  readonly rates: readonly number[] | null;
}

/** Said before each benchmark; a database may have been destroyed before that. */
const BEGUN = /^DB path: \[/;
const WARM_UP = /^Warming up benchmark by running ([0-9]{1,6}) times$/;
const UNKNOWN = /^unknown benchmark '([^']{1,200})'/;
/** In the words of db_bench, of its assertions and of RocksDB's handler of signals. */
const ERROR =
  /^(?:[A-Za-z][A-Za-z ]{0,60} (?:error|failed|failure): |db_bench: |Received signal |Encountered an error )/;
const MOST_RESULTS = 100_000;
const MOST_ERRORS = 20;

interface State {
  header: OpenHeader;
  readonly headers: OpenHeader[];
  readonly results: (DbBenchResult & { readonly histograms: LatencyHistogram[] })[];
  readonly skipped: SkippedLine[];
  /** The last of each name and kind, with the number of results that stood before it. */
  readonly summaries: Map<string, { readonly summary: SummaryLine; readonly at: number }>;
  histogram: OpenHistogram | null;
  tree: OpenTree;
  readonly trees: TreeReport[];
  statistics: OpenStatistics | null;
  readonly allStatistics: OpenStatistics[];
  /** Since the last sign that a benchmark began, there was no result. */
  begun: boolean;
  /** So many of the next results are warm-ups. */
  warmUps: number;
  unfinished: number;
  readonly unknown: string[];
  readonly errors: string[];
}

/** The output of one or several executions of db_bench. Linear time; never throws. */
export function parseDbBench(text: string): DbBenchOutput {
  const header = openHeader();
  const state: State = {
    header,
    headers: [header],
    results: [],
    skipped: [],
    summaries: new Map(),
    histogram: null,
    tree: openTree(null),
    trees: [],
    statistics: null,
    allStatistics: [],
    begun: false,
    warmUps: 0,
    unfinished: 0,
    unknown: [],
    errors: [],
  };
  for (const { text: whole, ended } of linesOf(text)) {
    // Progress on stderr is overwritten on a terminal; in a file the next line stands after it.
    const line = whole.slice(whole.lastIndexOf('\r') + 1);
    // A result is closed by its units. Of any other line that may have been cut, the last number may be another.
    if (!takeResult(state, line) && ended) takeOther(state, line);
    if (state.results.length + state.skipped.length > MOST_RESULTS) {
      return { ok: false, reason: `it has more than ${MOST_RESULTS} results` };
    }
  }
  if (state.begun) state.unfinished += 1;
  keepTree(state, null);
  return outputOf(state);
}

function takeResult(state: State, line: string): boolean {
  const result = resultLine(line);
  const skipped = result === null ? skippedLine(line) : null;
  if (result === null && skipped === null) return false;
  if (result !== null) {
    state.results.push({ ...result, header: state.header, warmUp: state.warmUps > 0, histograms: [] });
    state.warmUps = Math.max(0, state.warmUps - 1);
  }
  if (skipped !== null) state.skipped.push(skipped);
  state.begun = false;
  state.histogram = null;
  keepTree(state, result?.name ?? null);
  return true;
}

/** A print of the database's state does not go on after a result. */
function keepTree(state: State, after: string | null): void {
  const tree = closedTree(state.tree);
  if (tree !== null) state.trees.push(tree);
  state.tree = openTree(after ?? state.tree.report.after);
}

function takeOther(state: State, line: string): void {
  if (state.histogram !== null) {
    const histogram = takeHistogramLine(state.histogram, line);
    if (histogram !== null && histogram !== 'open') state.results.at(-1)?.histograms.push(histogram);
    if (histogram !== 'open') state.histogram = null;
    if (histogram !== null) return;
  }
  const title = state.results.length > 0 ? histogramTitle(line) : null;
  if (title !== null) {
    state.histogram = title;
    return;
  }
  const tree = takeTreeLine(state.tree, line);
  if (tree !== null) {
    if (tree !== state.tree) {
      keepTree(state, null);
      state.tree = tree;
    }
    return;
  }
  const header = takeHeaderLine(state.header, line);
  if (header !== null) {
    if (header !== state.header) state.headers.push(header);
    state.header = header;
    return;
  }
  takeRest(state, line);
}

function takeRest(state: State, line: string): void {
  const summary = summaryLine(line);
  if (summary !== null) state.summaries.set(`${summary.name} ${summary.kind}`, { summary, at: state.results.length });
  if (BEGUN.test(line)) {
    if (state.begun) state.unfinished += 1;
    state.begun = true;
    state.warmUps = 0;
  }
  const [, warmUps] = WARM_UP.exec(line) ?? [];
  if (warmUps !== undefined) state.warmUps = Number(warmUps);
  takeStatistics(state, line);
  const [, unknown] = UNKNOWN.exec(line) ?? [];
  if (unknown !== undefined && state.unknown.length < MOST_ERRORS) state.unknown.push(excerptOf(unknown) || 'unnamed');
  if (ERROR.test(line) && state.errors.length < MOST_ERRORS) state.errors.push(excerptOf(line));
}

function takeStatistics(state: State, line: string): void {
  if (line === 'STATISTICS:') state.statistics = null;
  if (!line.startsWith('rocksdb.')) return;
  const statistics = state.statistics ?? { tickers: new Map(), histograms: new Map() };
  if (!takeStatisticsLine(statistics, line) || state.statistics !== null) return;
  state.statistics = statistics;
  state.allStatistics.push(statistics);
}

/** Rates of as many results as a summary is of, if they stand in a row just before it. */
function ratesOf(before: readonly DbBenchResult[], at: number, { name, runs }: SummaryLine): readonly number[] | null {
  if (runs > at || before[at - 1]?.name !== name) return null;
  const rates: number[] = [];
  for (const result of before.slice(at - runs, at)) {
    if (result.name !== name || result.operationsPerSecond === null) return null;
    rates.push(result.operationsPerSecond);
  }
  return rates;
}

function outputOf(state: State): DbBenchOutput {
  const { results, skipped, trees, headers, unfinished, unknown, errors } = state;
  if (results.length + skipped.length === 0) {
    if (state.summaries.size > 0)
      return { ok: false, reason: 'it has means over runs, and not the results of the runs' };
    const [error] = [
      ...unknown.map((name) => `db_bench does not know the benchmark ${name}`),
      ...errors.map((text) => `"${text}"`),
    ];
    if (error !== undefined) return { ok: false, reason: `it has no result: ${error}` };
    const begun = unfinished > 0 || headers.some(({ keyBytes }) => keyBytes !== null);
    return { ok: false, reason: begun ? 'it ends before the first result' : 'it has no line of a result of db_bench' };
  }
  const summaries = [...state.summaries.values()].map(({ summary, at }) => ({
    ...summary,
    rates: ratesOf(results, at, summary),
  }));
  return {
    ok: true,
    results,
    skipped,
    summaries,
    trees,
    statistics: state.allStatistics,
    headers,
    unfinished,
    unknown,
    errors,
  };
}
