/** Reads what `go test -bench` prints: each line of a benchmark as a result, those of -count under one name. */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { excerptOf, linesOf } from './lines.ts';
import { MetricNames } from './metric-names.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';
import { resultNameOf } from './result-name.ts';

/** Units that mean the same in every benchmark; Go's megabyte is a million bytes. Any other is the benchmark's own. */
const MEASURES: ReadonlyMap<string, Measure> = new Map([
  ['ns/op', { name: 'time_per_operation', unit: 'ns', better: 'lower' }],
  ['B/op', { name: 'bytes_per_operation', unit: 'bytes', better: 'lower' }],
  ['allocs/op', { name: 'allocations_per_operation', unit: 'count', better: 'lower' }],
  ['MB/s', { name: 'bytes_per_second', unit: 'bytes/s', better: 'higher', scale: 1e6 }],
]);
const OWN = ['iterations', ...[...MEASURES.values()].map(({ name }) => name)];
/** A benchmark's own zero may be one; these are rounded down. */
const NEVER_ZERO: ReadonlySet<string> = new Set(['ns/op', 'MB/s']);
const ITERATIONS = { name: 'iterations', unit: 'count', better: null } as const;
const NAME = /^Benchmark(?![a-z])/;
const WAITING = /^Benchmark\S{0,400} {0,400}\t/;
const VERDICT = /--- (FAIL|SKIP): (Benchmark\S{0,400})/;
const CONTEXT = /^(goos|goarch|pkg|cpu): (.{1,200})$/;
/** Of a package; what else goes wrong is said of benchmarks. */
const ERROR = /^FAIL\t|(?:^|\t)panic: /;
const MOST_WARNINGS = 20;
const MOST_WORDS = 400;
const MOST_RESULTS = 100_000;

interface Line {
  readonly name: string;
  readonly context: Readonly<Record<string, string>>;
  readonly failure: string | null;
  readonly findings: Findings;
}

/** Linear time; never throws. */
export function readGoBenchmark(text: string): Reading {
  const lines: Line[] = [];
  const warnings: ReadingWarning[] = [];
  let context: Record<string, string> = {};
  /** A name whose numbers have not come yet: what the benchmark itself prints stands between. */
  let pending: string | null = null;
  const fail = (name: string, failure: string): void => {
    const findings = new Findings();
    findings.lack('time_per_operation', failure);
    lines.push({ name: resultNameOf(name) ?? name, context, failure, findings });
  };
  for (const { text: line, ended } of linesOf(text)) {
    const [, key, value = ''] = CONTEXT.exec(line) ?? [];
    if (key !== undefined) context = { ...context, [key]: excerptOf(value) };
    const words = line.trim().split(/\s+/, MOST_WORDS);
    const [first = ''] = words;
    const named = NAME.test(line);
    if (named) {
      if (pending !== null) fail(pending, 'it has no result');
      // A name alone is what -v says before the line; a tab after it waits for the numbers.
      pending = WAITING.test(line) ? first : null;
    }
    const [, verdict, judged = ''] = VERDICT.exec(line) ?? [];
    if (verdict !== undefined) {
      fail(judged, verdict === 'SKIP' ? 'it was skipped' : 'it failed');
      pending = null;
    }
    const name = named ? first : pending;
    const findings = name === null ? null : numbersOf(named ? words.slice(1) : words, ended);
    if (name !== null && findings !== null) {
      lines.push({ name: resultNameOf(name) ?? name, context, failure: null, findings });
      pending = null;
    }
    if (ERROR.test(line) && warnings.length < MOST_WARNINGS) warnings.push(errorOf(line));
    if (lines.length > MOST_RESULTS) return { ok: false, reason: `it has more than ${MOST_RESULTS} results` };
  }
  if (pending !== null) fail(pending, 'it has no result');
  if (lines.length === 0) {
    const [warning] = warnings;
    return { ok: false, reason: warning?.message ?? 'it has no line of a Go benchmark' };
  }
  return { ok: true, results: resultsOf(lines), warnings };
}

function errorOf(line: string): ReadingWarning {
  return {
    code: 'tool-error',
    message: `go test reports an error: "${excerptOf(line)}"`,
    remedy: 'See what failed before it, and what is therefore missing.',
  };
}

/** Iterations, then numbers each with its unit; null where the words are none of that. */
function numbersOf(words: readonly string[], ended: boolean): Findings | null {
  const [count = '', ...rest] = words;
  if (!/^[0-9]{1,18}$/.test(count) || rest.length < 2) return null;
  const findings = new Findings();
  findings.takePositive(ITERATIONS, decimalOf(count));
  const names = new MetricNames(OWN);
  const seen = new Set<string>();
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [number = '', unit = ''] = rest.slice(at, at + 2);
    // Of a line that was cut, the last unit may be part of another.
    if (!ended && at + 2 >= rest.length && !MEASURES.has(unit)) break;
    if (!/[A-Za-z%]/.test(unit)) return null;
    if (seen.has(unit)) continue;
    seen.add(unit);
    const measure = MEASURES.get(unit) ?? { name: names.of(unit), unit: excerptOf(unit), better: null };
    const reason = `${excerptOf(number)} is no number`;
    if (NEVER_ZERO.has(unit)) findings.takePositive(measure, decimalOf(number), reason);
    else findings.take(measure, decimalOf(number), reason);
  }
  return findings.metrics.length + findings.absent.length > 1 ? findings : null;
}

/** Without GOMAXPROCS, which stands after the name unless it is 1. */
function withoutProcessors(name: string): string {
  return name.replace(/-[0-9]{1,6}$/, '');
}

/**
 * GOMAXPROCS is left out of the names where all have the same: else -cpu asked for several, or a name ends in a number of its own. A
 * package is in the names where there are several.
 */
function resultsOf(lines: readonly Line[]): ToolResult[] {
  // Of what failed, Go says the name without it.
  const measured = lines.filter(({ failure }) => failure === null);
  const suffixes = new Set(measured.map(({ name }) => name.slice(withoutProcessors(name).length)));
  const [suffix = ''] = suffixes;
  const common = suffixes.size === 1 && suffix !== '';
  const packages = new Set(lines.map(({ context }) => context['pkg']));
  return lines.map(({ name, context, failure, findings }) => {
    const { pkg, goos, goarch, cpu } = context;
    const short = common && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
    const settings: Record<string, string> = common ? { gomaxprocs: suffix.slice(1) } : {};
    for (const [key, value] of Object.entries({ package: pkg, goos, goarch, cpu })) {
      if (value !== undefined) settings[key] = value;
    }
    return {
      name: packages.size > 1 && pkg !== undefined ? `${pkg}.${short}` : short,
      settings,
      failure,
      metrics: findings.metrics,
      absent: findings.absent,
    };
  });
}
