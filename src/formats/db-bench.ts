/**
 * Reads the output of RocksDB's db_bench: each benchmark as a result under its name, the state of the database at the end as `database`,
 * and the counters of the process as `statistics`.
 */
import { dbBenchWarnings, threadsOf } from './db-bench/cautions.ts';
import type { LatencyHistogram } from './db-bench/latencies.ts';
import { type DbBenchResult, parseDbBench } from './db-bench/output.ts';
import { statisticsResult } from './db-bench/statistics-result.ts';
import { databaseResult } from './db-bench/tree-result.ts';
import type { Reading, ToolMetric, ToolResult } from './reading.ts';

/** The same as results. Linear time; never throws. */
export function readDbBench(text: string): Reading {
  const output = parseDbBench(text);
  if (!output.ok) return output;
  const results: ToolResult[] = output.results.filter(({ warmUp }) => !warmUp).map(benchmarkResult);
  for (const { name, reason } of output.skipped) results.push(failed(name, `it was skipped (${reason})`));
  for (const name of output.unknown) results.push(failed(name, 'db_bench does not know this benchmark'));
  // A print is the last of its database where the next one is of a younger one.
  const { trees } = output;
  for (const [at, tree] of trees.entries()) {
    const next = trees[at + 1];
    if (next === undefined || (next.uptimeNs ?? 0) < (tree.uptimeNs ?? 0)) results.push(databaseResult(tree));
  }
  for (const statistics of output.statistics) results.push(statisticsResult(statistics));
  return { ok: true, results, warnings: dbBenchWarnings(output) };
}

function failed(name: string, failure: string): ToolResult {
  return { name, settings: {}, failure, metrics: [], absent: [{ name: 'ops_per_second', reason: failure }] };
}

function benchmarkResult(result: DbBenchResult): ToolResult {
  const { found } = result;
  const failure = failureOf(result);
  const settings = settingsOf(result);
  // Its numbers are of nothing.
  if (failure === NOTHING_DONE) return { ...failed(result.name, failure), settings };
  const rate = rateOf(result);
  const metrics: ToolMetric[] = [];
  const absent: { name: string; reason: string }[] = [];
  const add = (name: string, unit: string, better: ToolMetric['better'], value: number | null): void => {
    if (value !== null) metrics.push({ name, unit, better, value });
  };
  if ('value' in rate) add('ops_per_second', '1/s', 'higher', rate.value);
  else absent.push({ name: 'ops_per_second', reason: rate.reason });
  if (result.timePerOperationNs > 0) add('time_per_operation', 'ns', 'lower', result.timePerOperationNs);
  else absent.push({ name: 'time_per_operation', reason: 'it is printed as 0.000 micros/op, rounded down' });
  // Before RocksDB 7.3 it is not printed.
  if (result.elapsedNs !== 0) add('elapsed', 'ns', null, result.elapsedNs);
  else absent.push({ name: 'elapsed', reason: 'it is printed as 0.000 seconds, rounded down' });
  add('operations', 'count', null, result.operations);
  // A benchmark that counts bytes has moved some: what is printed as 0.0 is less than that shows.
  if (result.bytesPerSecond !== 0) add('bytes_per_second', 'bytes/s', 'higher', result.bytesPerSecond);
  else absent.push({ name: 'bytes_per_second', reason: 'it is printed as 0.0 MB/s, rounded down' });
  if (found !== null && found.of > 0) add('hit_rate', 'ratio', null, found.found / found.of);
  for (const histogram of result.histograms) {
    for (const metric of latencyMetrics(histogram, result.histograms.length > 1)) {
      // The smallest is printed in whole microseconds.
      if (metric.value > 0) metrics.push(metric);
      else absent.push({ name: metric.name, reason: 'it is printed as 0 microseconds, rounded down' });
    }
  }
  return { name: result.name, settings, failure, metrics, absent };
}

/** Operations / wall-clock time as printed; where that was rounded down to 0, from its parts. */
function rateOf(result: DbBenchResult): { readonly value: number } | { readonly reason: string } {
  const { operationsPerSecond: printed, operations, elapsedNs } = result;
  if (printed === null) return { reason: 'what is printed is no rate: it was measured in no time' };
  if (printed > 0) return { value: printed };
  if (operations !== null && operations > 0 && elapsedNs !== null && elapsedNs > 0) {
    return { value: operations / (elapsedNs / 1e9) };
  }
  return { reason: 'it is printed as 0, rounded down: time_per_operation has what was measured' };
}

const NOTHING_DONE = 'no operation was done';

/** `readmissing` asks for keys that are not there. */
function failureOf({ name, found, operations }: DbBenchResult): string | null {
  if (operations === 0 || found?.of === 0) return NOTHING_DONE;
  if (found?.found === 0 && name !== 'readmissing') return `none of ${found.of} keys was found`;
  return null;
}

/** With several kinds of operations in one benchmark, each name says which. */
function latencyMetrics(histogram: LatencyHistogram, several: boolean): ToolMetric[] {
  const prefix = several ? `${histogram.operation}_` : '';
  const times: [string, number][] = [
    ['mean', histogram.meanNs],
    ['min', histogram.minNs],
    ['max', histogram.maxNs],
  ];
  for (const [percentile, value] of histogram.percentilesNs) times.push([`p${percentile.replace('.', '_')}`, value]);
  return [
    ...times.map(([name, value]) => ({ name: prefix + name, unit: 'ns', better: 'lower' as const, value })),
    { name: `${prefix}samples`, unit: 'count', better: null, value: histogram.count },
  ];
}

function settingsOf(result: DbBenchResult): Record<string, string> {
  const { version, seed, keyBytes, valueBytes, entries, compression, options } = result.header;
  const said = options?.get('threads');
  const inferred = threadsOf(result);
  const settings: Record<string, string | number | null | undefined> = {
    threads: said ?? (inferred === null ? undefined : `about ${inferred}`),
    entries,
    key_bytes: keyBytes,
    value_bytes: valueBytes,
    compression,
    seed: options?.get('seed') ?? seed,
    rocksdb: version,
  };
  const known: Record<string, string> = {};
  for (const [name, value] of Object.entries(settings)) {
    if (value !== null && value !== undefined) known[name] = String(value);
  }
  return known;
}
