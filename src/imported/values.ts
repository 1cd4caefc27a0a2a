/** The value of a metric in one repetition, and how metrics of results are called. */
import { mean } from '../analysis/stats/moments.ts';
import type { KnownMetric, ToolMetric } from '../formats/reading.ts';
import { cutShown } from '../trial/quote.ts';
import { type Repetition, THE_RESULT } from './repetitions.ts';

/** A metric of a result that all sides have. */
export interface FoundMetric {
  readonly result: string;
  readonly metric: KnownMetric;
}

/** As readers name metrics; what begins with an underscore may be a property that every object has. */
const METRIC_NAME = /^[a-z0-9][a-z0-9_]{0,63}$/;

/** The mean over what the repetition holds; null where a value is missing. */
export function valueIn({ results }: Repetition, name: string): number | null {
  const values: number[] = [];
  for (const { metrics, failure } of results) {
    const found = failure === null ? metrics.find((metric) => metric.name === name) : undefined;
    if (found === undefined || !Number.isFinite(found.value)) return null;
    values.push(found.value);
  }
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : mean(Float64Array.from(values));
}

/** The metrics of some repetitions, by name, as they first stand there. */
export function metricsIn(repetitions: readonly Repetition[]): ReadonlyMap<string, ToolMetric> {
  const found = new Map<string, ToolMetric>();
  for (const { results } of repetitions) {
    for (const { metrics } of results) {
      for (const metric of metrics) {
        if (METRIC_NAME.test(metric.name) && !found.has(metric.name)) found.set(metric.name, metric);
      }
    }
  }
  return found;
}

/** As the user may name it, and reports do. */
export function fullName({ result, metric }: FoundMetric): string {
  return result === THE_RESULT ? metric.name : `${result}.${metric.name}`;
}

const LONGEST_RESULT = 120;

/** Names for reports: nothing in them that a terminal obeys, of bounded length, and each another. */
export function shownNames(metrics: readonly FoundMetric[]): readonly string[] {
  const taken = new Set<string>();
  return metrics.map(({ result, metric }) => {
    const base = fullName({ result: cutShown(result, LONGEST_RESULT), metric });
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base} (${number})`;
    taken.add(name);
    return name;
  });
}
