/**
 * Reads the JSON that JMH writes (`-rf json`): one result for each fork of each benchmark. Iterations of one fork share a process, with its
 * memory layout and its compiled code; forks are what repeats.
 */
import { Findings, type Measure } from './findings.ts';
import { finiteOf, type JsonObject, listOf, objectOf, parseStrangersJson, textOf } from './json.ts';
import { metricNameOf } from './metric-name.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** What each mode measures. */
const SCORES: Readonly<Record<string, string>> = {
  thrpt: 'ops_per_second',
  avgt: 'time_per_operation',
  sample: 'sampled_time',
  ss: 'single_shot_time',
};
const SETTINGS = [
  'jmhVersion',
  'jdkVersion',
  'vmName',
  'vmVersion',
  'threads',
  'warmupIterations',
  'warmupTime',
  'measurementIterations',
  'measurementTime',
  'measurementBatchSize',
];
/** In nanoseconds, as JMH abbreviates them. */
const TIMES: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  min: 6e10,
  hr: 3.6e12,
  day: 8.64e13,
};
const PERCENTILES = [50, 90, 95, 99, 99.9, 99.99];
/** What `sample` has among its secondary metrics too, of each iteration: here percentiles are those of a whole fork. */
const SAMPLED_PERCENTILE = /(?:^|[^A-Za-z0-9])p[01]\.[0-9]{1,6}$/;
/** Each fork has the parameters and the secondary metrics of its benchmark: what is in the text once is in memory as often. */
const MOST_FORKS = 10_000;
const MOST_PARAMS = 100;
const MOST_SECONDARY = 200;

/** Never throws; linear time, but for the sorting of what `sample` measured. */
export function readJmh(text: string): Reading {
  const parsed = parseStrangersJson(text);
  if (!parsed.ok) return parsed;
  const entries = listOf(parsed.value)?.map(objectOf);
  if (entries === undefined) return { ok: false, reason: 'it is no list of benchmarks' };
  if (entries.length === 0) return { ok: false, reason: 'it has no benchmark: all of them failed, or none was chosen' };
  const results: ToolResult[] = [];
  const warnings: ReadingWarning[] = [];
  const names = namesOf(entries);
  for (const [index, entry] of entries.entries()) {
    const benchmark = textOf(entry?.['benchmark']);
    const primary = objectOf(entry?.['primaryMetric']);
    if (entry === null || entry === undefined || benchmark === null || benchmark === '' || primary === null) {
      return { ok: false, reason: 'it has an entry without benchmark and primaryMetric' };
    }
    if (results.length + forksOf(primary).length > MOST_FORKS) {
      return { ok: false, reason: `it has more than ${MOST_FORKS} forks` };
    }
    for (const result of resultsOf(entry, names[index] ?? benchmark, primary, warnings)) results.push(result);
  }
  return { ok: true, results, warnings };
}

/** A benchmark with other parameters is another one, and no repetition of it; so is one in another mode, where there are several. */
function namesOf(entries: readonly (JsonObject | null)[]): readonly string[] {
  const modes = new Map<string, Set<string>>();
  const named = entries.map((entry) => {
    const params = paramsOf(entry).map(([key, value]) => `${key}=${value}`);
    const name = `${textOf(entry?.['benchmark']) ?? ''}${params.length === 0 ? '' : ` (${params.join(', ')})`}`;
    const mode = textOf(entry?.['mode']) ?? '';
    const others = modes.get(name) ?? new Set();
    modes.set(name, others.add(mode));
    return { name, mode };
  });
  return named.map(({ name, mode }) => ((modes.get(name)?.size ?? 0) > 1 ? `${name} [${mode}]` : name));
}

function paramsOf(entry: JsonObject | null): readonly (readonly [key: string, value: string])[] {
  const params = Object.entries(objectOf(entry?.['params']) ?? {}).slice(0, MOST_PARAMS);
  return params.map(([key, value]) => [key, scalar(value) ?? '?'] as const);
}

/** A list for each fork of what its iterations measured. */
function forksOf(primary: JsonObject): readonly unknown[] {
  return listOf(primary['rawDataHistogram']) ?? listOf(primary['rawData']) ?? [];
}

function resultsOf(
  entry: JsonObject,
  name: string,
  primary: JsonObject,
  warnings: ReadingWarning[],
): readonly ToolResult[] {
  const mode = textOf(entry['mode']) ?? '';
  const settings = {
    mode,
    ...Object.fromEntries(SETTINGS.flatMap((key) => (scalar(entry[key]) === null ? [] : [[key, scalar(entry[key])]]))),
    ...Object.fromEntries(paramsOf(entry)),
  };
  const score: Measure = { ...measureOf(textOf(primary['scoreUnit']) ?? ''), name: SCORES[mode] ?? 'score' };
  const forks = forksOf(primary);
  warnForks(name, entry, forks.length, warnings);
  if (forks.length === 0) {
    const findings = new Findings();
    findings.takePositive(score, finiteOf(primary['score']), 'it is not a number');
    return [{ name, settings, failure: null, metrics: findings.metrics, absent: findings.absent }];
  }
  const secondary = Object.entries(objectOf(entry['secondaryMetrics']) ?? {})
    .filter(([label]) => !SAMPLED_PERCENTILE.test(label))
    .slice(0, MOST_SECONDARY);
  return forks.map((iterations, fork) => {
    const findings = new Findings();
    takeScore(findings, score, listOf(iterations) ?? []);
    const taken = new Set([...findings.metrics, ...findings.absent].map((found) => found.name));
    for (const [label, metric] of secondary) {
      const metricName = metricNameOf(label);
      const object = objectOf(metric);
      if (metricName === null || object === null || taken.has(metricName)) continue;
      taken.add(metricName);
      const values = numbersIn(listOf(listOf(object['rawData'])?.[fork]) ?? []);
      const measure = { ...measureOf(textOf(object['scoreUnit']) ?? ''), name: metricName };
      findings.take(measure, meanOf(values), 'this fork has no number of it');
    }
    const failure = findings.metrics.some(({ name: metric }) => metric === score.name)
      ? null
      : 'this fork measured nothing';
    return {
      name,
      settings: { ...settings, fork: String(fork + 1) },
      failure,
      metrics: findings.metrics,
      absent: findings.absent,
    };
  });
}

/** The fork's own score, which is the mean of its iterations as JMH takes it, and the iterations themselves. */
function takeScore(findings: Findings, score: Measure, iterations: readonly unknown[]): void {
  const samples = iterations.flatMap((iteration) => (Array.isArray(iteration) ? samplesIn(iteration) : []));
  if (samples.length > 0) {
    takeSamples(findings, score, samples);
    return;
  }
  const values = iterations.map(finiteOf);
  findings.takePositive(score, meanOf(values.filter((value) => value !== null)), 'no iteration has a number');
  for (const [index, value] of values.entries()) {
    findings.take({ ...score, name: `iteration_${index + 1}`, better: null }, value, 'it is not a number');
  }
}

type Sample = readonly [value: number, count: number];

/** What one iteration of `sample` measured: pairs of a value and how often it came. */
function samplesIn(iteration: readonly unknown[]): Sample[] {
  return iteration.flatMap((pair) => {
    const [value, count] = [finiteOf(listOf(pair)?.[0]), finiteOf(listOf(pair)?.[1])];
    return value === null || count === null || count <= 0 ? [] : [[value, count] as const];
  });
}

function takeSamples(findings: Findings, score: Measure, samples: readonly Sample[]): void {
  const sorted = [...samples].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  findings.takePositive(score, sorted.reduce((sum, [value, count]) => sum + value * count, 0) / total);
  let index = 0;
  let below = sorted[0]?.[1] ?? 0;
  for (const percentile of PERCENTILES) {
    // The nearest rank: the first value that this share of the samples does not exceed.
    while (below < (percentile / 100) * total && index < sorted.length - 1) {
      index += 1;
      below += sorted[index]?.[1] ?? 0;
    }
    const name = `p${String(percentile).replace('.', '_')}`;
    findings.takePositive({ ...score, name }, sorted[index]?.[0] ?? null);
  }
  findings.takePositive({ ...score, name: 'max' }, sorted.at(-1)?.[0] ?? null);
  findings.take({ name: 'samples', unit: 'samples', better: null }, total);
}

function warnForks(name: string, entry: JsonObject, found: number, warnings: ReadingWarning[]): void {
  const asked = finiteOf(entry['forks']);
  if (found === 0) {
    warnings.push({
      code: 'no-raw-data',
      message: `${name} has no raw data: its forks are one number`,
      remedy: 'Leave the property jmh.json.rawData as it is.',
    });
  } else if (asked === 0) {
    warnings.push({
      code: 'no-fork',
      message: `${name} ran in the process of JMH itself, with whatever ran there before`,
      remedy: 'Give it forks: -f 5.',
    });
  } else if (asked !== null && found < asked) {
    warnings.push({
      code: 'forks-missing',
      message: `${name} has ${found} of ${asked} forks`,
      remedy: 'Look for what ended the others.',
    });
  } else if (found === 1) {
    warnings.push({
      code: 'one-fork',
      message: `${name} has one fork: its iterations say nothing of how processes differ`,
      remedy: 'Give it more forks: -f 5.',
    });
  }
}

/** JMH's units: operations a time, times an operation, and what profilers count. */
function measureOf(unit: string): Omit<Measure, 'name'> {
  const parts = unit.split('/');
  const [above, below] = parts;
  const perTime = TIMES[below ?? ''];
  const time = TIMES[above ?? ''];
  if (parts.length === 2 && above === 'ops' && perTime !== undefined) {
    return { unit: '1/s', better: 'higher', scale: 1e9 / perTime };
  }
  if (parts.length === 2 && below === 'op' && time !== undefined) return { unit: 'ns', better: 'lower', scale: time };
  if (parts.length === 1 && time !== undefined) return { unit: 'ns', better: null, scale: time };
  if (unit === 'B/op') return { unit: 'bytes/op', better: 'lower' };
  // JMH's MB are of 2^20 bytes.
  if (unit === 'MB/sec') return { unit: 'bytes/s', better: null, scale: 2 ** 20 };
  return { unit, better: below === 'op' ? 'lower' : null };
}

/** JMH writes what is no number as text: "NaN", "+INF". */
function numbersIn(values: readonly unknown[]): number[] {
  return values.map(finiteOf).filter((value) => value !== null);
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value / values.length, 0);
}

function scalar(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
