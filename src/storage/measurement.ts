/** One execution of one step, whichever tool's output it stands in: what series are gathered from. */
import type { ReportRow } from '../formats/benchmark-report.ts';
import type { ToolResult } from '../formats/reading.ts';
import type { ToolName } from '../formats/tools.ts';
import { type Beside, besideOf } from './beside.ts';

export interface Measurement {
  /** As the tool calls it, such as `readrandom.t4`. */
  readonly test: string;
  /** The step is the test's name up to a full stop, as benchmark.sh has it; else the whole name. */
  readonly dotted: boolean;
  /** Client threads as the output says; null where it does not. */
  readonly threads: number | null;
  /** When it began, in a form that sorts; null where the output does not say. */
  readonly date: string | null;
  /** Of the metric that is studied, above 0; null where it failed or has none. */
  readonly value: number | null;
  /** Two with the same are one result that stands there twice; null where nothing would tell. */
  readonly identity: string | null;
  readonly beside: Beside;
}

/** @param metric a column of the report */
export function measurementOfRow(row: ReportRow, metric: string): Measurement {
  const { test, threads, date, values } = row;
  return {
    ...{ test, dotted: true, threads, date },
    value: positive(values.get(metric)),
    identity: date === null ? null : JSON.stringify([test, date, [...values]]),
    beside: besideOf(values),
  };
}

/** What db_bench's reader calls the state of the database after a benchmark: it stands beside that. */
const STATE = 'database';

/**
 * Of all results of a reading that have the metric, or should have it.
 * @param metric by the name that the tool's reader gives it
 */
export function measurementOfReading(
  results: readonly ToolResult[],
  metric: string,
  tool: ToolName,
): readonly Measurement[] {
  return results.flatMap((result, at) => {
    const isOne = [...result.metrics, ...result.absent].some(({ name }) => name === metric);
    if (!isOne && result.failure === null) return [];
    const next = results[at + 1];
    const state = next?.name === STATE && next.settings['after'] === result.name ? next.metrics : [];
    return [measurementOfResult(result, metric, tool === 'benchmark_sh', state)];
  });
}

function measurementOfResult(
  { name, settings, failure, metrics }: ToolResult,
  metric: string,
  dotted: boolean,
  state: ToolResult['metrics'],
): Measurement {
  const values = new Map(metrics.map((one) => [one.name, one.value]));
  const { threads, date } = settings;
  return {
    ...{ test: name, dotted, date: date ?? null },
    threads: threads !== undefined && /^[1-9][0-9]{0,5}$/.test(threads) ? Number(threads) : null,
    value: failure === null ? positive(values.get(metric)) : null,
    identity: date === undefined ? null : JSON.stringify([name, date, [...values]]),
    beside: besideOf(new Map([...state.map((one) => [one.name, one.value] as const), ...values])),
  };
}

function positive(value: number | undefined): number | null {
  return value !== undefined && value > 0 ? value : null;
}
