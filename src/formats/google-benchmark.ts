/** Reads the JSON of Google Benchmark (--benchmark_format=json): each repetition as a result; what was computed from several is left out. */
import { Findings } from './findings.ts';
import { finiteOf, type JsonObject, listOf, objectOf, parseStrangersJson, textOf } from './json.ts';
import { excerptOf } from './lines.ts';
import { MetricNames } from './metric-names.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';
import { resultNameOf } from './result-name.ts';

const TIME_UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
]);
const REAL = { name: 'real_time', unit: 'ns', better: 'lower' } as const;
const CPU = { name: 'cpu_time', unit: 'ns', better: 'lower' } as const;
const ITERATIONS = { name: 'iterations', unit: 'count', better: null } as const;
const RATES = [
  { key: 'items_per_second', name: 'items_per_second', unit: '1/s', better: 'higher' },
  { key: 'bytes_per_second', name: 'bytes_per_second', unit: 'bytes/s', better: 'higher' },
] as const;
/** Numbers of an entry that are not counters of the user's. */
const OWN: ReadonlySet<string> = new Set([
  'family_index',
  'per_family_instance_index',
  'repetitions',
  'repetition_index',
  'threads',
  'iterations',
  'real_time',
  'cpu_time',
  ...RATES.map(({ key }) => key),
]);
/** How versions before run_type name what is computed from several repetitions. */
const AGGREGATE = /_(?:mean|median|stddev|cv|BigO|RMS)$/;
/** It writes counters that are no numbers as C++ prints them, which no JSON has. */
const NOT_A_NUMBER = /: (?:-?[Nn]a[Nn]|-?[Ii]nf(?:inity)?)(,?\r?)$/gm;

/** Linear time; never throws. */
export function readGoogleBenchmark(text: string): Reading {
  const json = parseStrangersJson(text.replace(NOT_A_NUMBER, ': null$1'));
  if (!json.ok) return json;
  const document = objectOf(json.value);
  const context = objectOf(document?.['context']);
  const entries = listOf(document?.['benchmarks']);
  if (context === null || entries === null) {
    return { ok: false, reason: 'it is no output of Google Benchmark, which has context and benchmarks' };
  }
  const results: ToolResult[] = [];
  const measured = new Set<string>();
  const computed = new Set<string>();
  for (const [at, value] of entries.entries()) {
    const entry = objectOf(value) ?? {};
    const name = resultNameOf(textOf(entry['name']));
    if (name === null) return { ok: false, reason: `benchmark ${at + 1} has no name` };
    const run = resultNameOf(textOf(entry['run_name']));
    if (isAggregate(entry, name)) {
      computed.add(run ?? name.replace(AGGREGATE, ''));
      continue;
    }
    const result = resultOf(entry, run ?? name);
    results.push(result);
    measured.add(result.name);
  }
  if (results.length === 0) {
    return {
      ok: false,
      reason:
        computed.size === 0
          ? 'it has no benchmark'
          : 'it has means over repetitions, and not the repetitions themselves',
    };
  }
  return {
    ok: true,
    results,
    warnings: warningsOf(
      context,
      [...computed].filter((run) => !measured.has(run)),
    ),
  };
}

function isAggregate(entry: JsonObject, name: string): boolean {
  const type = textOf(entry['run_type']);
  return type === null ? AGGREGATE.test(name) : type === 'aggregate';
}

function resultOf(entry: JsonObject, name: string): ToolResult {
  const settings: Record<string, string> = {};
  const threads = finiteOf(entry['threads']);
  if (threads !== null) settings['threads'] = String(threads);
  const label = textOf(entry['label']);
  if (label !== null) settings['label'] = excerptOf(label);
  const failure = failureOf(entry);
  const findings = new Findings();
  if (failure === null) {
    const unit = textOf(entry['time_unit']) ?? 'ns';
    const scale = TIME_UNITS.get(unit);
    for (const measure of [REAL, CPU]) {
      if (scale === undefined) findings.lack(measure.name, `its unit ${excerptOf(unit)} is not known`);
      else findings.takePositive({ ...measure, scale }, finiteOf(entry[measure.name]));
    }
    findings.takePositive(ITERATIONS, finiteOf(entry['iterations']));
    for (const { key, ...measure } of RATES) {
      if (key in entry) findings.takePositive(measure, finiteOf(entry[key]), 'it is no number');
    }
    takeCounters(findings, entry);
  } else findings.lack(REAL.name, failure);
  return { name, settings, failure, metrics: findings.metrics, absent: findings.absent };
}

/** `skipped` came with 1.8; a benchmark that it names so did not fail, and measured nothing either. */
function failureOf(entry: JsonObject): string | null {
  if (entry['error_occurred'] === true) {
    return `it failed: "${excerptOf(textOf(entry['error_message']) ?? '')}"`;
  }
  if (entry['skipped'] === true) return `it was skipped: "${excerptOf(textOf(entry['skip_message']) ?? '')}"`;
  return null;
}

function takeCounters(findings: Findings, entry: JsonObject): void {
  const names = new MetricNames(OWN);
  for (const [key, value] of Object.entries(entry)) {
    if (OWN.has(key) || (typeof value !== 'number' && value !== null)) continue;
    findings.take({ name: names.of(key), unit: 'counter', better: null }, finiteOf(value), 'it is no number');
  }
}

function warningsOf(context: JsonObject, meansOnly: readonly string[]): ReadingWarning[] {
  const warnings: ReadingWarning[] = [];
  if (context['library_build_type'] === 'debug') {
    warnings.push({
      code: 'debug-library',
      message: 'the library of Google Benchmark was built for debugging, and its own work may be in the times',
      remedy: 'Link against a release build of it.',
    });
  }
  if (context['cpu_scaling_enabled'] === true) {
    warnings.push({
      code: 'cpu-scaling',
      message: 'the frequency of the CPU was not fixed',
      remedy: 'Set the governor to performance.',
    });
  }
  if (meansOnly.length > 0) {
    const named = `${excerptOf(meansOnly.slice(0, 5).join(', '))}${meansOnly.length > 5 ? ` and ${meansOnly.length - 5} more` : ''}`;
    warnings.push({
      code: 'summary-only',
      message: `only means over repetitions are there of ${named}`,
      remedy: 'Run without --benchmark_report_aggregates_only.',
    });
  }
  return warnings;
}
