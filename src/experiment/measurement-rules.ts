/** Rules about metrics, checks and the decision. */

import { canonicalJson } from './canonical.ts';
import { counterOf, counterUnit } from './counters.ts';
import type { Draft, Reading } from './draft.ts';
import { exactlyOne } from './exactly-one.ts';
import { type Metric, SYSTEM_METRICS, type SystemMetric } from './experiment.ts';
import type { Fault, Path } from './fault.ts';
import { parseFraction } from './quantities.ts';
import { SLICE_UNITS, sliceOf } from './slices.ts';
import { knownToolMetric, toolSourceOf } from './tool-source.ts';

const SYSTEM_UNITS: Readonly<Record<SystemMetric, string>> = { wall: 'ns', cpu: 'ns', max_rss: 'bytes' };

type DraftMetric = NonNullable<NonNullable<Draft['metrics']>[number]>;

export function* metricRules(reading: Reading): Generator<Fault> {
  const metrics = reading.draft.metrics ?? [];
  const names = metrics.map((metric) => metric?.name);
  for (const [index, metric] of metrics.entries()) {
    if (metric === undefined) continue;
    const path: Path = ['metrics', index];
    if (metric.name !== undefined && names.indexOf(metric.name) < index) {
      yield { path: [...path, 'name'], at: 'value', message: `two metrics are named \`${metric.name}\`` };
    }
    yield* sourceRules(reading, [...path, 'from'], metric.from);
    yield* unitRules(reading, path, metric);
    yield* limitRules(reading, path, metric);
  }
}

export function* checkRules(reading: Reading): Generator<Fault> {
  const checks = reading.draft.checks ?? [];
  const seen = new Set<string>();
  for (const [index, check] of checks.entries()) {
    if (check === undefined) continue;
    const path: Path = ['checks', index];
    yield* exactlyOne(reading, path, ['exit_code', 'driver', 'equal', 'must_match', 'must_not_match']);
    yield* sourceRules(reading, [...path, 'equal'], check.equal);
    for (const kind of ['must_match', 'must_not_match'] as const) {
      if (check[kind] !== undefined) yield* exactlyOne(reading, [...path, kind], ['stdout', 'stderr']);
    }
    const same = check.exit_code === undefined ? canonicalJson(check) : 'exit_code';
    if (seen.has(same) && !reading.troubled(path)) {
      const message =
        check.exit_code === undefined ? 'the same check stands above' : 'a check above already says the exit code';
      yield { path, at: 'value', message };
    }
    seen.add(same);
  }
}

export function* decisionRules({ draft }: Reading): Generator<Fault> {
  const { level, threshold, margin } = draft.decision ?? {};
  const path: Path = ['decision'];
  const value = level === undefined ? null : parseFraction(level);
  if (value !== null && !(value > 0.5 && value < 1)) {
    const message = 'a confidence level lies between 0.5 and 1, such as 0.95';
    yield { path: [...path, 'level'], at: 'value', message };
  }
  yield* fractionRules([...path, 'threshold'], threshold);
  yield* fractionRules([...path, 'margin'], margin);
  if (margin !== undefined) yield* marginRules([...path, 'margin'], parseFraction(margin), fractionOr0(threshold));
}

function* sourceRules(reading: Reading, path: Path, from: DraftMetric['from']): Generator<Fault> {
  if (typeof from !== 'object') return;
  if (reading.document.has([...path, 'tool'])) {
    yield* toolRules(reading, path, from);
    return;
  }
  for (const key of ['result', 'metric', 'repeats'] as const) {
    if (!reading.document.has([...path, key])) continue;
    const message = `\`${key}\` says what to take of the output of another tool, and no \`tool\` is named`;
    yield { path: [...path, key], at: 'key', message };
    return;
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    if (from[stream] !== true) continue;
    const message = `\`true\` is for the output of another \`tool\`, and none is named: expected a pattern`;
    yield { path: [...path, stream], at: 'value', message };
  }
  yield* exactlyOne(reading, path, ['stdout', 'stderr', 'file']);
  for (const part of ['pointer', 'pattern'] as const) {
    if (from[part] === undefined || reading.document.has([...path, 'file'])) continue;
    yield {
      path: [...path, part],
      at: 'key',
      message: `\`${part}\` says what to take from a \`file\`, and there is none`,
    };
  }
  if (from.pointer !== undefined && from.pattern !== undefined) {
    yield { path: [...path, 'pattern'], at: 'key', message: 'either `pointer` or `pattern` says where the value is' };
  }
}

/** Another tool's output is read whole, by its reader. */
function* toolRules(
  reading: Reading,
  path: Path,
  from: Exclude<DraftMetric['from'], string | undefined>,
): Generator<Fault> {
  const { document, troubled } = reading;
  for (const key of ['result', 'metric'] as const) {
    if (document.has([...path, key]) || reading.hasUnknownKey(path)) continue;
    yield { path, at: 'key', message: `\`${key}\` is missing: it says which number of the tool's output is meant` };
  }
  const places = (['stdout', 'stderr', 'file'] as const).filter((place) => document.has([...path, place]));
  if (places.length > 1) yield* exactlyOne(reading, path, places);
  for (const stream of ['stdout', 'stderr'] as const) {
    if (from[stream] === undefined || from[stream] === true || troubled([...path, stream])) continue;
    const message = `the reader of the tool takes all of ${stream}: say \`${stream}: true\`, or take \`tool\` away`;
    yield { path: [...path, stream], at: 'value', message };
  }
  for (const part of ['pointer', 'pattern'] as const) {
    if (!document.has([...path, part])) continue;
    const message = `the reader of the tool finds the value by \`result\` and \`metric\`: take \`${part}\` away`;
    yield { path: [...path, part], at: 'key', message };
  }
}

/** The operating system's account that a metric is, by its name or by `from`. */
export function systemMetric(metric: {
  readonly name?: string | undefined;
  readonly from?: unknown;
}): SystemMetric | null {
  const from = metric.from ?? metric.name;
  return SYSTEM_METRICS.find((name) => name === from) ?? null;
}

/** The unit of what is measured in one unit only: an account of the operating system, a counter, what a reader knows. */
export function fixedUnit(metric: Parameters<typeof systemMetric>[0] & Pick<DraftMetric, 'from'>): string | null {
  const system = systemMetric(metric);
  const counter = counterOf(metric.from);
  const slice = sliceOf(metric.from);
  if (system !== null) return SYSTEM_UNITS[system];
  if (slice !== null) return SLICE_UNITS[slice].unit;
  if (counter !== null) return counterUnit(counter);
  return knownToolMetric(metric.from)?.unit ?? null;
}

/** How arms are compared by a metric. */
export function kindOf({
  kind,
  from,
}: {
  readonly kind?: Metric['kind'] | undefined;
  readonly from?: unknown;
}): Metric['kind'] {
  const slice = sliceOf(from);
  return kind ?? (slice === null ? 'ratio' : SLICE_UNITS[slice].kind);
}

/** The first metric that the outcome is read from: the first of all where none is marked. */
export function primaryMetric<M extends { readonly primary?: boolean | undefined }>(
  metrics: readonly (M | undefined)[],
): M | null {
  return metrics.find((metric) => metric?.primary === true) ?? metrics[0] ?? null;
}

function* unitRules({ document }: Reading, path: Path, metric: DraftMetric): Generator<Fault> {
  // A `from` that the schema refused may be any of them.
  if (metric.name === undefined || (metric.from === undefined && document.has([...path, 'from']))) return;
  // Which of a tool's metrics is meant has not been said, and that it has not, has.
  if (document.has([...path, 'from', 'tool']) && toolSourceOf(metric.from) === null) return;
  const fixed = fixedUnit(metric);
  const tool = toolSourceOf(metric.from);
  if (tool !== null && knownToolMetric(metric.from) === null && !document.has([...path, 'better'])) {
    const message = `which direction of \`${tool.metric}\` is good is not known before the tool has run: say \`better: lower\` or \`higher\``;
    yield { path: [...path, 'from'], at: 'value', message };
  }
  if (fixed === null) {
    if (!document.has([...path, 'unit'])) {
      const message = `metric \`${metric.name}\` has no \`unit\`: \`ns\` and \`bytes\` are scaled in reports, any other is printed as it stands`;
      yield { path, at: 'key', message };
    }
    if (tool === null && metric.unit?.endsWith('/s') === true && !document.has([...path, 'better'])) {
      const message = 'for a rate say which direction is good: `better: higher`, or `lower`';
      yield { path: [...path, 'unit'], at: 'value', message };
    }
    return;
  }
  if (metric.unit !== undefined && metric.unit !== fixed) {
    const what = tool === null ? String(metric.from ?? metric.name) : `${tool.tool}: ${tool.metric}`;
    const message = `\`${what}\` is measured in \`${fixed}\`: leave the unit out`;
    yield { path: [...path, 'unit'], at: 'value', message };
  }
}

function* limitRules({ draft, document }: Reading, path: Path, metric: DraftMetric): Generator<Fault> {
  const { threshold, margin } = metric;
  if (metric.kind === undefined && document.has([...path, 'kind'])) return;
  if (kindOf(metric) === 'difference') {
    for (const [name, value] of Object.entries({ threshold, margin })) {
      if (typeof value !== 'string') continue;
      const message = `the ${name} of a difference is a number in the unit of the metric, not a percentage`;
      yield { path: [...path, name], at: 'value', message };
    }
    if (typeof margin === 'number' && typeof threshold !== 'string') {
      yield* marginRules([...path, 'margin'], margin, threshold ?? 0);
    }
    return;
  }
  yield* fractionRules([...path, 'threshold'], threshold);
  yield* fractionRules([...path, 'margin'], margin);
  const least = fractionOr0(threshold ?? draft.decision?.threshold);
  if (margin !== undefined) yield* marginRules([...path, 'margin'], parseFraction(margin), least);
  else if (threshold !== undefined && draft.decision?.margin !== undefined) {
    const general = parseFraction(draft.decision.margin);
    if (general !== null && general < least) {
      const message = `the threshold is wider than the margin of \`decision\` (${draft.decision.margin}): give this metric a margin of its own`;
      yield { path: [...path, 'threshold'], at: 'value', message };
    }
  }
}

/** A bare number of 1 or more is most likely meant as a percentage. */
function* fractionRules(path: Path, value: number | string | undefined): Generator<Fault> {
  if (typeof value === 'number' && value >= 1) {
    yield { path, at: 'value', message: `${value} is a change by ${100 * value} %: did you mean \`${value}%\`?` };
  } else if (typeof value === 'string' && (parseFraction(value) ?? 0) > 10) {
    yield { path, at: 'value', message: 'a change of more than 1000 % is no limit' };
  }
}

function* marginRules(path: Path, margin: number | null, threshold: number): Generator<Fault> {
  if (margin === 0) {
    yield { path, at: 'value', message: 'a margin is more than 0: nothing is surely equal to the last digit' };
  } else if (margin !== null && margin < threshold) {
    const message = 'the margin is narrower than the threshold: a change between the two could never get a verdict';
    yield { path, at: 'value', message };
  }
}

function fractionOr0(value: number | string | undefined): number {
  // A number that is refused for being 1 or more says nothing about the margin.
  return value === undefined || (typeof value === 'number' && value >= 1) ? 0 : (parseFraction(value) ?? 0);
}
