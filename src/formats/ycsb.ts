/**
 * Reads what YCSB prints at the end of a load or run, as text: one result for each kind of operation, and OVERALL. So, too, what go-ycsb
 * prints after it has finished; what it prints before are sums so far.
 */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { excerptOf, linesOf } from './lines.ts';
import { percentileName } from './percentile.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** By the tool's words, the first of each. */
type Section = Map<string, string>;

const MEASURE = /^\[([^\][]{1,64})\], ([^,]{1,64}), (\S{1,64})\s{0,8}$/;
const GO_LINE = /^([A-Z][A-Z0-9_]{0,40})\s{0,40}- (Takes\(s\): .{1,1000})$/;
const GO_FINISHED = /^(?:Run|Load) finished, takes /;
const PERCENTILE = /^([0-9.]{1,12})(?:st|nd|rd|th)?(?:PercentileLatency)?\((us|ms)\)$/;
const RETURN = /^Return=(.{1,50})$/;
const MOST_SECTIONS = 1000;
const MOST_MEASURES = 1000;
/** HdrHistogram's least value of none is the largest that there is. */
const NONE = 2 ** 63;

/** Linear time; never throws. */
export function readYcsb(text: string): Reading {
  const sections = new Map<string, Section>();
  const add = (name: string, measure: string, value: string): void => {
    const section = sections.get(name) ?? (sections.size < MOST_SECTIONS ? new Map<string, string>() : null);
    if (section === null || section.has(measure) || section.size >= MOST_MEASURES) return;
    sections.set(name, section.set(measure, value));
  };
  let exception: string | null = null;
  let finished = false;
  let unfinished = false;
  for (const { text: line, ended } of linesOf(text)) {
    // The last line may have been cut within a number.
    if (!ended) break;
    if (GO_FINISHED.test(line)) finished = true;
    if (line.startsWith('Exception in thread')) exception ??= excerptOf(line);
    const [, name, measure, value] = MEASURE.exec(line) ?? [];
    if (name !== undefined && measure !== undefined && value !== undefined) add(name, measure, value);
    const [, operation, measures] = GO_LINE.exec(line) ?? [];
    if (operation === undefined || measures === undefined) continue;
    if (!finished) unfinished = true;
    else for (const part of measures.split(', ')) addPart(operation, part, add);
  }
  const goes = finished && !sections.has('OVERALL');
  if (sections.size === 0 && unfinished) return { ok: false, reason: 'go-ycsb had not finished when it ended' };
  if (!goes && !sections.has('OVERALL'))
    return { ok: false, reason: 'it has no line [OVERALL]: the run had not finished' };
  if (sections.size === 0) return { ok: false, reason: 'it has no operation after the run finished' };
  const warnings: ReadingWarning[] = [];
  const results: ToolResult[] = [];
  for (const [name, section] of sections) {
    if (name === 'OVERALL') results.push(overallOf(section, sections, exception));
    else if (section.has('Operations') || section.has('Count')) {
      if (!name.startsWith('TOTAL_GC')) results.push(operationOf(name, section, warnings));
    }
  }
  return { ok: true, results, warnings };
}

function addPart(operation: string, part: string, add: (name: string, measure: string, value: string) => void): void {
  const colon = part.indexOf(': ');
  if (colon > 0) add(operation, part.slice(0, colon), part.slice(colon + 2).trim());
}

function overallOf(section: Section, sections: ReadonlyMap<string, Section>, exception: string | null): ToolResult {
  const findings = new Findings();
  const rate = decimalOf(section.get('Throughput(ops/sec)'));
  findings.takePositive(RATE, rate, 'it is not a number');
  findings.takePositive(
    { name: 'run_time', unit: 'ns', better: null, scale: 1e6 },
    decimalOf(section.get('RunTime(ms)')),
    'it is not a number',
  );
  const collection = sections.get('TOTAL_GC_TIME')?.get('Time(ms)');
  if (collection !== undefined) {
    findings.takePositive(
      { name: 'gc_time', unit: 'ns', better: null, scale: 1e6 },
      decimalOf(collection),
      'it is not a number',
    );
  }
  // Threads that an exception ended did less than they were to do.
  const failure = exception ?? (rate === 0 ? 'no operation was done' : null);
  return { name: 'OVERALL', settings: {}, failure, metrics: findings.metrics, absent: findings.absent };
}

const RATE: Measure = { name: 'ops_per_second', unit: '1/s', better: 'higher' };
/** As YCSB calls them, and as go-ycsb does. */
const LATENCIES = [
  ['mean', 'AverageLatency(us)', 'Avg(us)'],
  ['min', 'MinLatency(us)', 'Min(us)'],
  ['max', 'MaxLatency(us)', 'Max(us)'],
] as const;

function operationOf(name: string, section: Section, warnings: ReadingWarning[]): ToolResult {
  const findings = new Findings();
  const operations = decimalOf(section.get('Operations') ?? section.get('Count'));
  findings.take({ name: 'operations', unit: 'operations', better: null }, operations, 'it is not a number');
  const goRate = section.get('OPS');
  if (goRate !== undefined) findings.takePositive(RATE, decimalOf(goRate), 'it is not a number');
  const nothing = operations === 0;
  const latency = (metric: string, written: string, scale: number): void => {
    const value = decimalOf(written);
    const reason = nothing ? 'no operation was done' : `${written} is no latency`;
    // What was measured of none is no latency, whatever is printed.
    const real = !nothing && value !== null && value < NONE;
    findings.takePositive({ name: metric, unit: 'ns', better: 'lower', scale }, real ? value : null, reason);
  };
  for (const [metric, ...labels] of LATENCIES) {
    const written = labels.map((label) => section.get(label)).find((value) => value !== undefined);
    if (written === undefined) findings.lack(metric, 'it is not printed');
    else latency(metric, written, 1000);
  }
  for (const [label, written] of section) {
    const [, percent = '', unit] = PERCENTILE.exec(label) ?? [];
    const metric = percentileName(percent);
    if (metric !== null) latency(metric, written, unit === 'ms' ? 1e6 : 1000);
  }
  // Operations that failed have a section of their own.
  const failed = /(?:-FAILED|_ERROR)$/.test(name) ? 'these operations failed' : failureOf(name, section, warnings);
  const failure = nothing ? 'no operation was done' : failed;
  return { name, settings: {}, failure, metrics: findings.metrics, absent: findings.absent };
}

/** Of what the operations returned, all but OK. A key that was not there is what the database says, and no failure of it. */
function failureOf(name: string, section: Section, warnings: ReadingWarning[]): string | null {
  const returned = [...section].flatMap(([label, written]) => {
    const status = RETURN.exec(label)?.[1];
    const count = decimalOf(written);
    return status === undefined || status === 'OK' || count === null || count === 0 ? [] : [{ status, count }];
  });
  if (returned.length === 0) return null;
  const counts = returned.map(({ status, count }) => `${count} ${status}`).join(', ');
  warnings.push({
    code: 'failed-operations',
    message: `operations of ${name} returned ${counts}; the overall rate counts them as done`,
    remedy: 'Look at the errors of the database; load the records before the run.',
  });
  return returned.some(({ status }) => status !== 'NOT_FOUND') ? `operations returned ${counts}` : null;
}
