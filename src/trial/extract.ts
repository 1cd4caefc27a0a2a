/**
 * From a trial's raw output to the values of its metrics. Nothing else goes in, so that all numbers can be computed
 * from the kept files again.
 */
import type { CounterName } from '../experiment/counters.ts';
import type { Metric, SliceMetric, SystemMetric, ToolSource, ValueSource } from '../experiment/experiment.ts';
import { DECLARED_OPERATIONS, isOperationCount, OPERATION_COUNT, type Operations } from '../experiment/operations.ts';
import { toolSourceName } from '../experiment/tool-source.ts';
import { parseJson } from '../formats/json.ts';
import type { TrialCounters } from '../journal/records.ts';
import { resolvePointer } from './json-value.ts';
import type { LaunchAccount } from './launch.ts';
import { compilePattern, matchOne, parseNumber } from './pattern.ts';
import { cutShown, quoteStart, quoteValue } from './quote.ts';
import { type FoundResultLine, findResultLine } from './result-line.ts';
import { type SessionHalf, sliceCount, sliceValue } from './slice-metrics.ts';
import { toolValue } from './tool-output.ts';

/** Text of a file that a metric or check reads, or why there is none ("does not exist", "is a symbolic link"). */
export type FileText = string | { readonly missing: string };

export interface RawOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** By the path that the experiment names. */
  readonly files: Readonly<Record<string, FileText>>;
  readonly account: LaunchAccount;
}

/**
 * `text` is what a pattern or a whole file gave, `json` what a pointer gave. `absent`: the output has no such value.
 * `broken`: it has something in that place that cannot be read. Reasons are sentences without subject and full stop.
 */
export type Extracted =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'broken'; readonly reason: string };

export interface ExtractedMetrics {
  /** Null where an optional metric has no value. A metric that failed is missing. */
  readonly values: Readonly<Record<string, number | null>>;
  /** By JSON pointer: what the result line has where a metric's `per` looks, and what the driver declares. */
  readonly operations: Readonly<Record<string, number>>;
  /** The first metric, in the order of the experiment, whose value or operations are missing or no such number. */
  readonly failure: { readonly metric: string; readonly message: string } | null;
}

/**
 * The values of all metrics, divided by the operations of the trial. One that fails does not keep the others from being read.
 * @param counters what was counted in the trial, which is a function of the raw output too
 * @param half what its slices say, where it is a half of a session
 */
export function extractMetrics(
  metrics: readonly Metric[],
  raw: RawOutput,
  counters: TrialCounters | null = null,
  half: SessionHalf | null = null,
): ExtractedMetrics {
  const result = findResultLine(raw.stdout);
  const values: [string, number | null][] = [];
  const operations = new Map<string, number>();
  if (result.ok && result.line.operations !== null) operations.set(DECLARED_OPERATIONS, result.line.operations);
  let failure: ExtractedMetrics['failure'] = null;
  for (const metric of metrics) {
    const read = readSource(metric, raw, result, counters, half);
    if (read.kind === 'absent' && metric.optional) {
      values.push([metric.name, null]);
    } else if (read.kind === 'absent' || read.kind === 'broken') {
      failure ??= { metric: metric.name, message: read.reason };
    } else {
      const done = metric.per === null ? 1 : countOperations(metric.per, raw, result);
      if (typeof done === 'string') {
        failure ??= { metric: metric.name, message: done };
        continue;
      }
      if (metric.per !== null && typeof metric.per === 'object') operations.set(metric.per.pointer, done);
      values.push([metric.name, read.value / done]);
    }
  }
  return { values: Object.fromEntries(values), operations: Object.fromEntries(operations), failure };
}

/** The operations of a trial, or why they are not known: a clause. */
export function countOperations(
  per: Operations,
  raw: RawOutput,
  result: FoundResultLine = findResultLine(raw.stdout),
): number | string {
  if (typeof per === 'number') return per;
  const source: ValueSource = { kind: 'result', pointer: per.pointer };
  const found = extractValue(source, raw, result);
  if (found.kind === 'absent' || found.kind === 'broken') return `its operations are not known: ${found.reason}`;
  const value = found.kind === 'json' ? found.value : found.text;
  if (isOperationCount(value)) return value;
  return `its operations are not known: ${placeOf(source)} has ${quoteValue(value)} where ${OPERATION_COUNT} should stand`;
}

/** The value that a source names in the raw output; `result` is what `findResultLine` found in its stdout. */
export function extractValue(
  source: ValueSource,
  raw: RawOutput,
  result: FoundResultLine = findResultLine(raw.stdout),
): Extracted {
  switch (source.kind) {
    case 'result':
      if (!result.ok) return { kind: result.kind === 'absent' ? 'absent' : 'broken', reason: result.reason };
      return atPointer(result.line.document, source.pointer, 'the result line');
    case 'pattern':
      return atPattern(source.pattern, raw[source.stream], source.stream);
    case 'file': {
      const file = Object.hasOwn(raw.files, source.path) ? raw.files[source.path] : undefined;
      const name = `the file ${quoteStart(source.path)}`;
      if (typeof file !== 'string') return { kind: 'absent', reason: `${name} ${file?.missing ?? 'was not kept'}` };
      if (source.read.kind === 'whole') return { kind: 'text', text: file };
      if (source.read.kind === 'pattern') return atPattern(source.read.pattern, file, name);
      const document = parseJson(file);
      return document === undefined
        ? { kind: 'broken', reason: `${name} is not JSON` }
        : atPointer(document, source.read.pointer, name);
    }
    case 'tool': {
      const found = toolValue(source, raw);
      return found.kind === 'number' ? { kind: 'json', value: found.value } : found;
    }
  }
}

function atPointer(document: unknown, pointer: string, place: string): Extracted {
  const value = resolvePointer(document, pointer);
  if (value === undefined) return { kind: 'absent', reason: `${place} has nothing at ${quoteStart(pointer)}` };
  return { kind: 'json', value };
}

function atPattern(pattern: string, text: string, place: string): Extracted {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return { kind: 'broken', reason: compiled.reason };
  const match = matchOne(compiled.pattern, text);
  if (match.kind === 'match') return { kind: 'text', text: match.value };
  if (match.kind === 'broken') return match;
  return { kind: 'absent', reason: `nothing in ${place} matches ${quoteStart(pattern)}` };
}

type ReadNumber =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'broken'; readonly reason: string };

function readSource(
  { from, kind, unit }: Pick<Metric, 'from' | 'kind' | 'unit'>,
  raw: RawOutput,
  result: FoundResultLine,
  counters: TrialCounters | null,
  half: SessionHalf | null,
): ReadNumber {
  if (from.kind === 'system') return readSystem(from.name, raw.account);
  if (from.kind === 'slice') return readSlice(from.name, half);
  if (from.kind === 'imported') return { kind: 'absent', reason: 'it was imported, and is in no output of a trial' };
  if (from.kind === 'tool') return readTool(from, unit, raw);
  if (from.kind !== 'counter') return extractNumber(from, raw, result);
  const read = readCounter(from.name, counters);
  if (read.kind !== 'number' || half?.slices == null) return read;
  const value = sliceCount(from.name, half.slices, half.subject, kind);
  return value === null ? { kind: 'absent', reason: 'the counters never ran' } : { kind: 'number', value };
}

/** The number is in the reader's unit, whatever the experiment calls it. */
function readTool(source: ToolSource, unit: string, raw: RawOutput): ReadNumber {
  const found = toolValue(source, raw);
  if (found.kind !== 'number' || found.unit === unit) return found;
  const [is, said] = [found.unit, unit].map((text) => cutShown(text, 40));
  return {
    kind: 'broken',
    reason: `${source.metric} of ${source.tool} is in ${is}, and the experiment says \`unit: ${said}\``,
  };
}

function readSlice(name: SliceMetric, half: SessionHalf | null): ReadNumber {
  const value = half?.slices == null ? null : sliceValue(name, half.slices, half.subject);
  return value === null ? { kind: 'absent', reason: 'there are no slices' } : { kind: 'number', value };
}

/** A count of events that did not run all the time is scaled to it, as is usual: count · enabled / running. */
function readCounter(name: CounterName, counters: TrialCounters | null): ReadNumber {
  const absent = (reason: string): ReadNumber => ({ kind: 'absent', reason });
  if (counters === null) return absent('the experiment has no counters');
  if ('unsupported' in counters) return absent(`${counters.kind} counters are not available: ${counters.unsupported}`);
  const { events, enabled_ns, running_ns } = counters;
  const count = Object.hasOwn(events, name) ? events[name] : undefined;
  if (count === undefined) return absent(`${name} was not counted`);
  if (running_ns === 0) return absent('the counters never ran');
  return { kind: 'number', value: running_ns === enabled_ns ? count : count * (enabled_ns / running_ns) };
}

/** The finite number that a source names in the raw output. */
function extractNumber(
  source: ValueSource,
  raw: RawOutput,
  result: FoundResultLine = findResultLine(raw.stdout),
): ReadNumber {
  const extracted = extractValue(source, raw, result);
  if (extracted.kind === 'absent' || extracted.kind === 'broken') return extracted;
  const content = extracted.kind === 'text' ? extracted.text : extracted.value;
  const value = extracted.kind === 'text' ? parseNumber(extracted.text) : content;
  if (typeof value === 'number' && Number.isFinite(value)) return { kind: 'number', value };
  return { kind: 'broken', reason: `${placeOf(source)} has ${quoteValue(content)} where a finite number should stand` };
}

function placeOf(source: ValueSource): string {
  if (source.kind === 'result') return `the result line, at ${quoteStart(source.pointer)},`;
  if (source.kind === 'pattern') return source.stream;
  if (source.kind === 'tool') return toolSourceName(source);
  const file = `the file ${quoteStart(source.path)}`;
  return source.read.kind === 'pointer' ? `${file}, at ${quoteStart(source.read.pointer)},` : file;
}

function readSystem(name: SystemMetric, account: LaunchAccount): ReadNumber {
  const value = { wall: account.wall_ns, cpu: account.cpu_ns, max_rss: account.max_rss_bytes }[name];
  if (value !== null) return { kind: 'number', value };
  return { kind: 'absent', reason: `this machine does not account for ${name} (${account.accounting[name].method})` };
}
