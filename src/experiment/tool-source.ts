/** What readers of other tools' output serve: how `from` of a metric names a value of theirs, and what is known of it beforehand. */
import type { KnownMetric } from '../formats/reading.ts';
import { knownMetric, TOOL_NAMES, type ToolName } from '../formats/tools.ts';
import type { ToolSource } from './experiment.ts';

/** What of a result that is there several times. */
export const REPEATS = ['mean', 'median', 'min', 'max'] as const;

/** `TOOL.RESULT.METRIC`: what is between the first dot and the last is the result's name, which may have dots itself. */
const SHORT = new RegExp(`^(${TOOL_NAMES.join('|')})\\.(.{1,1000})\\.([a-z0-9_]{1,64})$`, 's');
export const TOOL_SOURCE_PATTERN = SHORT;
export const TOOL_METRIC_PATTERN = /^[a-z0-9_]{1,64}$/;

/** Whatever a file may say in a map with `tool`. */
interface ToolDocument {
  readonly tool?: ToolName | undefined;
  readonly result?: string | undefined;
  readonly metric?: string | undefined;
  readonly stdout?: string | true | undefined;
  readonly stderr?: string | true | undefined;
  readonly file?: string | undefined;
  readonly repeats?: ToolSource['repeats'] | undefined;
}

/** What `from` names of another tool's output; null where it names something else, or not all of it. */
export function toolSourceOf(from: string | ToolDocument | undefined): ToolSource | null {
  if (typeof from === 'string') {
    const [, tool, result, metric] = SHORT.exec(from) ?? [];
    const known = TOOL_NAMES.find((name) => name === tool);
    if (known === undefined || result === undefined || metric === undefined) return null;
    return { kind: 'tool', tool: known, text: { kind: 'stream', stream: 'stdout' }, result, metric, repeats: null };
  }
  const { tool, result, metric, stderr, file, repeats } = from ?? {};
  if (tool === undefined || result === undefined || metric === undefined) return null;
  const text: ToolSource['text'] =
    file === undefined
      ? { kind: 'stream', stream: stderr === undefined ? 'stdout' : 'stderr' }
      : { kind: 'file', path: file };
  return { kind: 'tool', tool, text, result, metric, repeats: repeats ?? null };
}

/** Unit and better direction of such a metric, where its reader has them before anything has run. */
export function knownToolMetric(from: Parameters<typeof toolSourceOf>[0]): KnownMetric | null {
  const source = toolSourceOf(from);
  return source === null ? null : knownMetric(source.tool, source.metric);
}

/** As an experiment would write it, for sentences. */
export function toolSourceName({ tool, result, metric, text, repeats }: ToolSource): string {
  const place = text.kind === 'file' ? ` in ${text.path}` : text.stream === 'stdout' ? '' : ' in stderr';
  return `${tool}.${result}.${metric}${repeats === null ? '' : ` (${repeats})`}${place}`;
}
