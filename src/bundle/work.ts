/** How long it may take at most to compute a trial again: patterns are a stranger's, and so is the text that they search. */
import { isAccounted, type ValueSource } from '../experiment/experiment.ts';
import type { PhaseSetting } from '../plan/phase-setting.ts';
import { compilePattern } from '../trial/pattern.ts';

/** Of a search, an instruction and a character: up to two passes of 20 ns. */
const PATTERN_NS = 40;
/** Of parsing JSON, a result line or a profile, a character. */
const PARSE_NS = 40;
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
  const sources = metrics.map(({ from }) => from);
  const costs = [
    ...sources.flatMap((from) => (isAccounted(from) ? [] : [costOf(from)])),
    ...checks.flatMap((check) => {
      if (check.kind === 'equal') return [costOf(check.from)];
      if (check.kind === 'pattern') return [costOf({ kind: 'pattern', stream: check.stream, pattern: check.pattern })];
      return [];
    }),
  ];
  return (sizes) => (costs.reduce((sum, cost) => sum + cost(sizes), 0) + PARSES * PARSE_NS * sizes.total) / 1e9;
}

/** In ns. */
function costOf(source: ValueSource): (sizes: TextSizes) => number {
  if (source.kind === 'pattern') {
    const each = PATTERN_NS * sizeOf(source.pattern);
    return (sizes) => each * sizes[source.stream];
  }
  if (source.kind === 'result') return () => 0;
  const { path, read } = source;
  const each = read.kind === 'pattern' ? PATTERN_NS * sizeOf(read.pattern) : PARSE_NS;
  return (sizes) => each * sizes.file(path);
}

/** One that is not compiled is not searched for. */
function sizeOf(pattern: string): number {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.pattern.size : 0;
}
