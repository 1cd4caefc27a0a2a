/** Which metrics an import compares, and which of them decide. */
import type { Metric } from '../experiment/experiment.ts';
import { cutShown, quoteStart } from '../trial/quote.ts';
import type { Repetition } from './repetitions.ts';
import { type FoundMetric, fullName, metricsIn, shownNames } from './values.ts';

/** Of a bundle that strangers verify. */
export const MOST_METRICS = 100;
const MOST_NAMED = 10;

export interface SidesOfResult {
  readonly result: string;
  /** Of each side, in their order. */
  readonly repetitions: readonly (readonly Repetition[])[];
}

/** Metrics with a good direction that some repetition of every side has, all in one unit; and those in several. */
export function findMetrics(results: readonly SidesOfResult[]): {
  readonly found: readonly FoundMetric[];
  readonly otherUnits: readonly FoundMetric[];
} {
  const found: FoundMetric[] = [];
  const otherUnits: FoundMetric[] = [];
  for (const { result, repetitions } of results) {
    const sides = repetitions.map(metricsIn);
    for (const { name, unit, better } of sides[0]?.values() ?? []) {
      const all = sides.map((side) => side.get(name));
      if (better === null || all.some((one) => one === undefined)) continue;
      const metric = { result, metric: { name, unit, better } };
      (all.every((one) => one?.unit === unit) ? found : otherUnits).push(metric);
    }
  }
  return { found, otherUnits };
}

export type Chosen =
  | { readonly ok: true; readonly primary: readonly FoundMetric[]; readonly others: readonly FoundMetric[] }
  | { readonly ok: false; readonly message: string; readonly remedy: string };

/**
 * The primary ones as they were asked for, by METRIC or RESULT.METRIC; else of each result the first time or rate, or what it has first.
 * @param beside results that decide where there is no other
 */
export function choosePrimary(
  found: readonly FoundMetric[],
  asked: readonly string[],
  beside: readonly string[],
): Chosen {
  const primary = new Set<FoundMetric>();
  for (const name of asked) {
    const meant = found.filter((one) => fullName(one) === name || one.metric.name === name);
    if (meant.length === 0) {
      const named = found.slice(0, MOST_NAMED).map((one) => quoteStart(fullName(one)));
      const more = found.length > named.length ? ` and ${found.length - named.length} more` : '';
      const message = `no metric that all sides have is called ${quoteStart(name)}`;
      return {
        ok: false,
        message,
        remedy: `Name one of these, or the part after the last dot: ${named.join(', ')}${more}.`,
      };
    }
    for (const one of meant) primary.add(one);
  }
  if (asked.length === 0) {
    const results = [...new Set(found.map((one) => one.result))];
    const measured = results.filter((result) => !beside.includes(result));
    for (const result of measured.length > 0 ? measured : results) {
      const own = found.filter((one) => one.result === result);
      const first = own.find(({ metric }) => isTimeOrRate(metric.unit)) ?? own[0];
      if (first !== undefined) primary.add(first);
    }
  }
  if (primary.size > MOST_METRICS) {
    const message = `${primary.size} metrics would decide, and at most ${MOST_METRICS} can`;
    return { ok: false, message, remedy: 'Name those that count with --metric RESULT.METRIC.' };
  }
  return { ok: true, primary: [...primary], others: found.filter((one) => !primary.has(one)) };
}

function isTimeOrRate(unit: string): boolean {
  return unit === 'ns' || unit.endsWith('/s');
}

/** As an experiment has them: those that decide first, where not all can be taken. */
export function metricsOf(
  taken: readonly FoundMetric[],
  primary: readonly FoundMetric[],
  limits: Pick<Metric, 'threshold' | 'margin'>,
): readonly Metric[] {
  const names = shownNames(taken);
  return taken.map((one, at): Metric => {
    const { name, unit, better } = one.metric;
    return {
      name: names[at] ?? name,
      // Readers have checked it no further than that it is there.
      unit: cutShown(unit, 32),
      better: better ?? 'lower',
      primary: primary.includes(one),
      ...{ per: null, kind: 'ratio', optional: true, from: { kind: 'imported', metric: name } },
      ...limits,
    };
  });
}
