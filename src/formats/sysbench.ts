/** Reads what sysbench prints at the end of `run`, of 1.0 and of 0.4 and 0.5. Values are found by the names that stand before them. */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { excerptOf, linesOf } from './lines.ts';
import { percentileName } from './percentile.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** What one execution printed: its labels without colon, in small letters; the first value of each. */
interface Report {
  readonly version: string;
  readonly values: Map<string, string>;
  name: string;
  fatal: string | null;
  totals: boolean;
  /** Reports while it ran that have a rate which nothing has. */
  impossible: number;
}

const TITLE = /^sysbench ([0-9]{1,4}\.[0-9]{1,4}[^\s:]{0,40})/;
/** `label:   value`; labels have no colon but are followed by one. */
const LABELLED = /^\s{0,40}([A-Za-z0-9][^:]{0,60}):\s{1,80}(\S.{0,200})$/;
/** `1585.25 per sec.` in brackets behind a count, and the same in other words. */
const BRACKETED = /\(\s{0,20}([-0-9.]{1,60})\s{1,5}(?:per sec|ops\/sec|per second)/;
const LATENCY = /^([-0-9.]{1,60})(?:ms|s)?$/;
const PERCENTILE = /^(?:approx\.\s{1,4})?([0-9]{1,3})(?:st|nd|rd|th)? percentile$/;
/** Sections that only one test has. */
const TESTS: readonly (readonly [start: string, name: string])[] = [
  ['CPU speed:', 'cpu'],
  ['Maximum prime number checked in CPU test', 'cpu'],
  ['Prime numbers limit:', 'cpu'],
  ['Running memory speed test', 'memory'],
  ['Operations type:', 'memory'],
  ['Doing memory operations speed test', 'memory'],
  ['Extra file open flags', 'fileio'],
  ['File operations:', 'fileio'],
  ['SQL statistics:', 'sql'],
  ['OLTP test statistics:', 'sql'],
  ['Doing thread subsystem performance test', 'threads'],
  ['Doing mutex performance test', 'mutex'],
];
/** The histogram of latencies ends here, in milliseconds. */
const HISTOGRAM_END = 100_000;
/** No database does as much; differences below zero are printed as 1.8E19. */
const IMPOSSIBLE = 1e12;
const MOST_REPORTS = 10_000;

/** Linear time; never throws. */
export function readSysbench(text: string): Reading {
  const reports: Report[] = [];
  const warnings: ReadingWarning[] = [];
  for (const { text: line, ended } of linesOf(text)) {
    const version = TITLE.exec(line)?.[1];
    if (version !== undefined) {
      if (reports.length === MOST_REPORTS) return { ok: false, reason: `it has more than ${MOST_REPORTS} reports` };
      reports.push({ version, values: new Map(), name: 'test', fatal: null, totals: false, impossible: 0 });
    }
    const report = reports.at(-1);
    // The last line may have been cut within a number.
    if (report !== undefined && ended) takeLine(report, line, warnings);
  }
  if (reports.length === 0) return { ok: false, reason: 'it has no line that begins with sysbench and a version' };
  return { ok: true, results: reports.map((report) => resultOf(report, warnings)), warnings };
}

function takeLine(report: Report, line: string, warnings: ReadingWarning[]): void {
  if (line.startsWith('FATAL:')) report.fatal ??= excerptOf(line.slice(6));
  if (line.startsWith('WARNING:') && warnings.length < 100) {
    warnings.push({
      code: 'tool-message',
      message: `sysbench said: ${excerptOf(line.slice(8))}`,
      remedy: 'See whether the test is still the one that was meant.',
    });
  }
  if (line.startsWith('[')) {
    if (hasImpossible(line)) report.impossible += 1;
    return;
  }
  for (const [start, name] of TESTS) if (report.name === 'test' && line.startsWith(start)) report.name = name;
  if (line.startsWith('General statistics:') || line.startsWith('Test execution summary:')) report.totals = true;
  const transferred = /^\s{0,20}[0-9.]{1,40} Mi?B transferred \(([-0-9.]{1,60}) Mi?B\/sec\)/.exec(line)?.[1];
  if (transferred !== undefined) report.values.set('transferred', transferred);
  const operations = /^(?:Total operations|Operations performed): [0-9]{1,20} (\(.{1,80})$/.exec(line)?.[1];
  if (operations !== undefined) report.values.set('memory operations', operations);
  const doing = /^Doing (.{1,40}) test$/.exec(line)?.[1];
  if (doing !== undefined) report.values.set('doing', doing);
  const [, label, value] = LABELLED.exec(line) ?? [];
  if (label === undefined || value === undefined) return;
  const key = label.trim().toLowerCase();
  if (!report.values.has(key) && report.values.size < 200) report.values.set(key, value.trim());
}

function hasImpossible(line: string): boolean {
  return line
    .slice(0, 1000)
    .split(/[\s,:]+/)
    .some((word) => (decimalOf(word) ?? 0) > IMPOSSIBLE);
}

const EVENTS: Measure = { name: 'events', unit: 'events', better: null };
const TIME: Measure = { name: 'total_time', unit: 'ns', better: null, scale: 1e9 };
const MIB = 2 ** 20;
/** Rates behind a label, in brackets or alone; 0 where the test does nothing of the kind. */
const RATES: readonly (Measure & { readonly label: string })[] = [
  rate('events per second', 'cpu_events_per_second'),
  rate('transactions', 'transactions_per_second'),
  rate('queries', 'queries_per_second'),
  rate('read/write requests', 'queries_per_second'),
  rate('memory operations', 'memory_ops_per_second'),
  rate('reads/s', 'reads_per_second'),
  rate('writes/s', 'writes_per_second'),
  rate('fsyncs/s', 'fsyncs_per_second'),
  { label: 'read, mib/s', name: 'read_bytes_per_second', unit: 'bytes/s', better: 'higher', scale: MIB },
  { label: 'written, mib/s', name: 'written_bytes_per_second', unit: 'bytes/s', better: 'higher', scale: MIB },
  { label: 'transferred', name: 'transferred_bytes_per_second', unit: 'bytes/s', better: 'higher', scale: MIB },
];

function rate(label: string, name: string) {
  return { label, name, unit: '1/s', better: 'higher' as const };
}

function resultOf(report: Report, warnings: ReadingWarning[]): ToolResult {
  const { values, name, version } = report;
  const findings = new Findings();
  const events = decimalOf(values.get('total number of events'));
  const seconds = decimalOf(values.get('total time')?.replace(/s$/, ''));
  if (report.impossible > 0) {
    warnings.push({
      code: 'impossible-rate',
      message: `${report.impossible} reports of ${name} while it ran have a rate that nothing reaches`,
      remedy: 'sysbench subtracted counts in the wrong order: use a later version.',
    });
  }
  if (report.totals) {
    findings.take(EVENTS, events);
    findings.takePositive(TIME, seconds);
    const perSecond = events === null || seconds === null || seconds === 0 ? null : events / seconds;
    findings.takePositive(
      { name: 'events_per_second', unit: '1/s', better: 'higher' },
      perSecond,
      'it has no total time',
    );
    takeRates(findings, values, seconds);
    takeLatencies(findings, report, events, warnings);
  }
  const ignored = decimalOf(values.get('ignored errors')?.split(' ', 1)[0]);
  if (ignored !== null && ignored > 0) {
    warnings.push({
      code: 'ignored-errors',
      message: `${ignored} errors of ${name} were ignored, and what failed was done again`,
      remedy: 'Look for deadlocks and duplicate keys; compare runs with as many of them.',
    });
  }
  const threads = values.get('number of threads');
  const doing = values.get('doing');
  return {
    name,
    settings: {
      sysbench: version,
      ...(threads === undefined ? {} : { threads }),
      ...(doing === undefined ? {} : { doing }),
    },
    failure: failureOf(report, events),
    metrics: findings.metrics,
    absent: findings.absent,
  };
}

function failureOf({ fatal, totals }: Report, events: number | null): string | null {
  if (fatal !== null) return `sysbench said: ${fatal}`;
  if (!totals) return 'it ended before its statistics';
  return events === 0 ? 'no event was finished' : null;
}

function takeRates(findings: Findings, values: ReadonlyMap<string, string>, seconds: number | null): void {
  for (const { label, ...measure } of RATES) {
    const written = values.get(label);
    if (written === undefined || findings.metrics.some(({ name }) => name === measure.name)) continue;
    const bracketed = BRACKETED.exec(written)?.[1];
    const value = decimalOf(bracketed ?? written);
    const count = bracketed === undefined ? null : decimalOf(written.split(' ', 1)[0]);
    const expected = count === null || seconds === null || seconds === 0 ? null : count / seconds;
    if (value !== null && (value > IMPOSSIBLE || (expected !== null && value > 2 * expected + 1))) {
      findings.lack(measure.name, `${written} is impossible`);
    } else findings.takePositive(measure, value, 'it is no number');
  }
}

/** In milliseconds, which 0.4 and 0.5 write behind the number. Those of runs without events are what memory held. */
function takeLatencies(
  findings: Findings,
  { name, values }: Report,
  events: number | null,
  warnings: ReadingWarning[],
): void {
  const latency = (metric: string): Measure => ({ name: metric, unit: 'ns', better: 'lower', scale: 1e6 });
  const [least, most] = [milliseconds(values.get('min')), milliseconds(values.get('max'))];
  for (const [label, metric] of [
    ['min', 'min'],
    ['avg', 'mean'],
    ['max', 'max'],
  ] as const) {
    if (events === 0) findings.lack(metric, 'no event was finished');
    else findings.takePositive(latency(metric), milliseconds(values.get(label)));
  }
  for (const [label, written] of values) {
    const metric = percentileName(PERCENTILE.exec(label)?.[1] ?? '');
    if (metric === null) continue;
    const value = milliseconds(written);
    if (events === 0) findings.lack(metric, 'no event was finished');
    else if (value !== null && value >= HISTOGRAM_END) {
      findings.lack(metric, `> ${HISTOGRAM_END} ms, where the histogram ends`);
    } else if (value !== null && least !== null && value < least) {
      findings.lack(metric, `${value} ms is below the minimum of ${least} ms`);
      warnings.push(outside(metric, name));
    } else if (value !== null && most !== null && value > most) {
      findings.lack(metric, `${value} ms is above the maximum of ${most} ms`);
      warnings.push(outside(metric, name));
    } else findings.takePositive(latency(metric), value, 'it is no number');
  }
}

function outside(metric: string, name: string): ReadingWarning {
  return {
    code: 'percentile-out-of-bounds',
    message: `${metric} of ${name} is not between minimum and maximum: the histogram is coarse, and events were few`,
    remedy: 'Run it longer.',
  };
}

function milliseconds(written: string | undefined): number | null {
  const match = LATENCY.exec(written ?? '');
  if (match === null) return null;
  const value = decimalOf(match[1]);
  const inSeconds = /[0-9]s$/.test(written ?? '');
  return value === null ? null : inSeconds ? value * 1000 : value;
}
