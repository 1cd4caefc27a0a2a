/** How long it may take at most to compute a trial again: patterns are a stranger's, and so is the text that they search. */
import { isAccounted, type ValueSource } from '../experiment/experiment.ts';
import type { PhaseSetting } from '../plan/phase-setting.ts';
import { compilePattern } from '../trial/pattern.ts';
import { readingKey } from '../trial/tool-output.ts';

/** Of a search, an instruction and a character: up to two passes of 20 ns. */
const PATTERN_NS = 40;
/** Of parsing JSON, a result line or a profile, a character. */
const PARSE_NS = 40;
/** Of reading another tool's output, a character. */
export const READ_NS = 200;
/** Of whatever the output: the result line is looked for this often. */
const PARSES = 4;

export interface TextSizes {
  readonly stdout: number;
  readonly stderr: number;
  readonly file: (path: string) => number;
  /** Of all texts. */
  readonly total: number;
}

/** A function that bounds the time, in seconds, that the patterns and pointers of a phase take on texts of such sizes. */
export function workOf({ metrics, checks }: Pick<PhaseSetting, 'metrics' | 'checks'>): (sizes: TextSizes) => number {
  const sources = metrics.flatMap(({ from }) => (isAccounted(from) ? [] : [from]));
  const looked = checks.flatMap((check): readonly ValueSource[] => {
    if (check.kind === 'equal') return [check.from];
    return check.kind === 'pattern' ? [{ kind: 'pattern', stream: check.stream, pattern: check.pattern }] : [];
  });
  const all = [...sources, ...looked];
  // A tool's output is parsed once, however many metrics are read from it.
  const parsed = new Map(
    all.flatMap((source) => (source.kind === 'tool' ? [[readingKey(source), source] as const] : [])),
  );
  const costs = [...all.filter(({ kind }) => kind !== 'tool'), ...parsed.values()].map(costOf);
  return (sizes) => (costs.reduce((sum, cost) => sum + cost(sizes), 0) + PARSES * PARSE_NS * sizes.total) / 1e9;
}

/** In ns. */
function costOf(source: ValueSource): (sizes: TextSizes) => number {
  if (source.kind === 'pattern') {
    const each = PATTERN_NS * sizeOf(source.pattern);
    return (sizes) => each * sizes[source.stream];
  }
  if (source.kind === 'result') return () => 0;
  if (source.kind === 'tool') {
    const { text } = source;
    return (sizes) => READ_NS * (text.kind === 'file' ? sizes.file(text.path) : sizes[text.stream]);
  }
  const { path, read } = source;
  const each = read.kind === 'pattern' ? PATTERN_NS * sizeOf(read.pattern) : PARSE_NS;
  return (sizes) => each * sizes.file(path);
}

/** One that is not compiled is not searched for. */
function sizeOf(pattern: string): number {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.pattern.size : 0;
}
