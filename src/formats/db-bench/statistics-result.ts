/** The counters of a process, as one result: those of RocksDB, by their names. */
import { scaled } from '../decimal.ts';
import type { ToolMetric, ToolResult } from '../reading.ts';
import type { DbBenchStatistics } from './latencies.ts';
import { processWriteAmplification } from './write-amplification.ts';

/** Words of a name that say its unit. Times are told in ns, and their names do without. */
const UNITS: ReadonlyMap<string, { readonly unit: string; readonly factor: number }> = new Map([
  ['bytes', { unit: 'bytes', factor: 1 }],
  ['nanos', { unit: 'ns', factor: 1 }],
  ['micros', { unit: 'ns', factor: 1e3 }],
  ['millis', { unit: 'ns', factor: 1e6 }],
]);

/** Some more follow where it is one of a distribution; those of RocksDB are shorter. */
const MOST_CHARACTERS = 56;

/** From the start of the process to its end, whatever benchmarks it did. */
export function statisticsResult(statistics: DbBenchStatistics): ToolResult {
  const metrics = new Map<string, ToolMetric>();
  const add = (name: string, unit: string, better: ToolMetric['better'], value: number | null): void => {
    if (value !== null && !metrics.has(name)) metrics.set(name, { name, unit, better, value });
  };
  add('write_amplification', 'ratio', 'lower', processWriteAmplification(statistics));
  for (const [printed, value] of statistics.tickers) {
    const { name, unit, factor } = measureOf(printed);
    add(name, unit, null, scaled(value, factor));
  }
  for (const [printed, { p50, p95, p99, max, count, sum }] of statistics.histograms) {
    const { name, unit, factor } = measureOf(printed);
    add(`${name}_samples`, 'count', null, count);
    // Without samples the others are printed as 0.
    if (count === 0) continue;
    const better = unit === 'ns' ? 'lower' : null;
    const values = { mean: sum / count, p50, p95, p99, max };
    for (const [part, value] of Object.entries(values)) add(`${name}_${part}`, unit, better, scaled(value, factor));
  }
  return { name: 'statistics', settings: {}, failure: null, metrics: [...metrics.values()], absent: [] };
}

function measureOf(printed: string): { name: string; unit: string; factor: number } {
  const words = printed.toLowerCase().split(/[^a-z0-9]+/);
  const unit = words.map((word) => UNITS.get(word)).find((known) => known !== undefined);
  const isTime = unit?.unit === 'ns';
  const kept = words.filter((word) => word !== '' && !(isTime && UNITS.get(word)?.unit === 'ns'));
  const name = kept.join('_').slice(0, MOST_CHARACTERS) || 'unnamed';
  return { name, ...(unit ?? { unit: 'count', factor: 1 }) };
}
