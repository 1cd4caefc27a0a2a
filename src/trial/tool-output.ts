/** Between a trial's raw output and metrics that another tool prints: its reader, asked once for each text. */
import { mean, median, rangeOf } from '../analysis/stats/moments.ts';
import type { Metric, ToolSource } from '../experiment/experiment.ts';
import type { ReadingWarning, ToolResult } from '../formats/reading.ts';
import { toolOf } from '../formats/tools.ts';
import { groupsBy } from '../storage/groups.ts';
import type { RawOutput } from './extract.ts';
import { cutShown, quoteStart } from './quote.ts';

export type ToolValue =
  | { readonly kind: 'number'; readonly value: number; readonly unit: string }
  | { readonly kind: 'absent'; readonly reason: string }
  | { readonly kind: 'broken'; readonly reason: string };

/** What a reader found, by the names of the results. */
type Found =
  | {
      readonly ok: true;
      readonly byName: ReadonlyMap<string, readonly ToolResult[]>;
      readonly warnings: readonly ReadingWarning[];
    }
  | { readonly ok: false; readonly kind: 'absent' | 'broken'; readonly reason: string };

const MOST_NAMED = 10;
const LONGEST_NAME = 60;
const LONGEST_REASON = 300;
/** Of one trial: who has seen so many looks at the output. */
const MOST_WARNINGS = 20;

/** Readings of one raw output: several metrics are read from one text. */
const readings = new WeakMap<RawOutput, Map<string, Found>>();

/** Which text a source reads, and how. */
export function readingKey({ tool, text }: ToolSource): string {
  return `${tool} ${text.kind === 'file' ? `file ${text.path}` : text.stream}`;
}

export function toolValue(source: ToolSource, raw: RawOutput): ToolValue {
  const found = readingOf(source, raw);
  if (!found.ok) return { kind: found.kind, reason: found.reason };
  const place = placeText(source);
  const results = found.byName.get(source.result);
  if (results === undefined) {
    return {
      kind: 'absent',
      reason: `${place} has no result ${quoteStart(source.result)}: ${namesText(found.byName)}`,
    };
  }
  if (results.length > 1 && source.repeats === null) {
    const reason = `${place} has ${results.length} results ${quoteStart(source.result)}: say with \`repeats\` what of them is meant (mean, median, min or max)`;
    return { kind: 'broken', reason };
  }
  const values: number[] = [];
  let unit = '';
  for (const result of results) {
    const one = metricOf(source, result, place);
    if (one.kind !== 'number') return one;
    if (values.length > 0 && one.unit !== unit) {
      return { kind: 'broken', reason: `${place} has ${source.metric} of ${quoteStart(source.result)} in two units` };
    }
    values.push(one.value);
    unit = one.unit;
  }
  const value = values.length === 1 ? values[0] : summaryOf(values, source.repeats);
  if (value === undefined || value === null || !Number.isFinite(value)) {
    return { kind: 'broken', reason: `${place} has values of ${source.metric} that are too large to compute with` };
  }
  return { kind: 'number', value, unit };
}

/** What the readers that these metrics need say of a trial's output. */
export function readerWarnings(metrics: readonly Pick<Metric, 'from'>[], raw: RawOutput): readonly ReadingWarning[] {
  const sources = metrics.flatMap(({ from }) => (from.kind === 'tool' ? [from] : []));
  const asked = new Map(sources.map((source) => [readingKey(source), source]));
  const all = [...asked.values()].flatMap((source) => {
    const found = readingOf(source, raw);
    if (!found.ok) return [];
    return found.warnings.slice(0, MOST_WARNINGS).map((warning) => shownWarning(source.tool, warning));
  });
  return all.slice(0, MOST_WARNINGS);
}

/** A reader's warning in words that any report may show, as a sentence that begins with the tool. */
export function shownWarning(tool: ToolSource['tool'], { code, message, remedy }: ReadingWarning): ReadingWarning {
  const sentence = (text: string) => cutShown(text, LONGEST_REASON).replace(/\.?$/, '.');
  return { code, message: sentence(`${toolOf(tool).title}: ${message}`), remedy: sentence(remedy) };
}

function readingOf(source: ToolSource, raw: RawOutput): Found {
  const known = readings.get(raw) ?? new Map<string, Found>();
  readings.set(raw, known);
  const key = readingKey(source);
  const found = known.get(key) ?? read(source, raw);
  known.set(key, found);
  return found;
}

function read(source: ToolSource, raw: RawOutput): Found {
  const { text, tool } = source;
  const file = text.kind === 'file' && Object.hasOwn(raw.files, text.path) ? raw.files[text.path] : undefined;
  const content = text.kind === 'stream' ? raw[text.stream] : file;
  if (typeof content !== 'string') {
    return { ok: false, kind: 'absent', reason: `${placeText(source)} ${content?.missing ?? 'was not kept'}` };
  }
  const { title, read: reader } = toolOf(tool);
  const reading = reader(content);
  if (!reading.ok) {
    const reason = `${placeText(source)} is no output of ${title} that can be read: ${cutShown(reading.reason, LONGEST_REASON)}`;
    return { ok: false, kind: 'broken', reason };
  }
  return { ok: true, byName: groupsBy(reading.results, ({ name }) => name), warnings: reading.warnings };
}

function metricOf({ result, metric, tool }: ToolSource, found: ToolResult, place: string): ToolValue {
  const named = `${quoteStart(result)} in ${place}`;
  if (found.failure !== null) {
    return { kind: 'broken', reason: `the result ${named} failed: ${cutShown(found.failure, LONGEST_REASON)}` };
  }
  const measured = found.metrics.find(({ name }) => name === metric);
  if (measured !== undefined) return { kind: 'number', value: measured.value, unit: measured.unit };
  const absent = found.absent.find(({ name }) => name === metric);
  if (absent !== undefined) {
    return {
      kind: 'absent',
      reason: `the result ${named} has no ${metric}: ${cutShown(absent.reason, LONGEST_REASON)}`,
    };
  }
  const others = found.metrics.slice(0, MOST_NAMED).map(({ name }) => cutShown(name, LONGEST_NAME));
  const known = others.length === 0 ? 'it has no metrics' : `it has ${others.join(', ')}`;
  return { kind: 'absent', reason: `the result ${named} has no ${metric} of ${toolOf(tool).title}: ${known}` };
}

function summaryOf(values: readonly number[], repeats: ToolSource['repeats']): number | null {
  switch (repeats) {
    case 'mean':
      return mean(Float64Array.from(values));
    case 'median':
      return median(values);
    case 'min':
      return rangeOf(values).lowest;
    case 'max':
      return rangeOf(values).highest;
    case null:
      return null;
  }
}

function placeText({ text }: ToolSource): string {
  return text.kind === 'file' ? `the file ${quoteStart(text.path)}` : text.stream;
}

function namesText(byName: ReadonlyMap<string, unknown>): string {
  if (byName.size === 0) return 'it has none';
  const shown = [...byName.keys()].slice(0, MOST_NAMED).map((name) => quoteStart(name, LONGEST_NAME));
  const rest = byName.size - shown.length;
  return `it has ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
