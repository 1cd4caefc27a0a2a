/**
 * Reads what `perf stat -x,` counted over the whole life of one command: a line for each event, with value, unit, event, time it was
 * counted for, and the share of its time on the CPU. Lines of intervals, CPUs and threads are refused: they are parts of a count.
 */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { excerptOf, linesOf } from './lines.ts';
import { MetricNames } from './metric-names.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** Units that perf prints, in ours. */
const UNITS: ReadonlyMap<string, Pick<Measure, 'unit' | 'scale'>> = new Map([
  ['', { unit: 'count' }],
  ['msec', { unit: 'ns', scale: 1e6 }],
  ['ns', { unit: 'ns' }],
  ['Bytes', { unit: 'bytes' }],
  ['KiB', { unit: 'bytes', scale: 2 ** 10 }],
  ['MiB', { unit: 'bytes', scale: 2 ** 20 }],
]);
/** Less of these is less work or less waiting; of any other event perf does not say. */
const LOWER =
  /^(?:task-clock|cpu-clock|duration_time|user_time|system_time|cycles|cpu-cycles|instructions|branch-misses|cache-misses|page-faults|faults|minor-faults|major-faults|context-switches|cs|cpu-migrations|migrations)(?::|$)/;
const EVENT = /^[A-Za-z][A-Za-z0-9_.:/=,~?*-]{0,400}$/;
/** CPUs, cores, sockets, dies, nodes and threads, which perf names first where it counts them apart. */
const PART = /^(?:CPU[0-9]+|[SDCNL][0-9]+(?:-[A-Z]+[0-9]+)*|.{1,64}-[0-9]+)$/;
/** Where several runs are appended to one file. */
const STARTED = '# started on ';
const MOST_EVENTS = 10_000;
const FULLY = 99.995;

interface Count {
  readonly event: string;
  readonly unit: string;
  /** A number, or what stands there instead. */
  readonly printed: string;
  /** Of the time, in percent; null where it is not printed. */
  readonly running: number | null;
  /** A mean over several executions (-r). */
  readonly isMean: boolean;
}

/** Linear time; never throws. What the command itself wrote to the same stream may stand between, as long as it is no such line. */
export function readPerfStat(text: string): Reading {
  const runs: Map<string, Count>[] = [new Map()];
  let number = 0;
  for (const { text: line, ended } of linesOf(text)) {
    number += 1;
    if (line.startsWith(STARTED)) runs.push(new Map());
    const count = ended ? countOf(line.split(',', 64)) : null;
    if (count === null) continue;
    if (typeof count === 'string') return { ok: false, reason: `line ${number} ${count}` };
    const run = runs.at(-1);
    if (run?.has(count.event)) {
      return { ok: false, reason: `line ${number} counts ${count.event} again: of a part, an interval or another run` };
    }
    run?.set(count.event, count);
    if ((run?.size ?? 0) > MOST_EVENTS) return { ok: false, reason: `it has more than ${MOST_EVENTS} events` };
  }
  const counted = runs.filter((run) => run.size > 0);
  if (counted.length === 0) return { ok: false, reason: 'it has no line of perf stat -x,' };
  return { ok: true, results: counted.map(resultOf), warnings: warningsOf(counted) };
}

/** Null: the line is none of perf. A clause: it is one, and cannot be taken for a count of the whole. */
function countOf(fields: readonly string[]): Count | string | null {
  const whole = wholeCount(fields);
  if (whole !== null) return whole;
  const [first = '', ...rest] = fields;
  if (/^ *[0-9]+\.[0-9]{9}$/.test(first) && partCount(rest)) return 'is of an interval (-I)';
  if (/^ *[0-9]+$/.test(first) && /^[0-9]{9}$/.test(rest[0] ?? '') && partCount(rest.slice(1))) {
    return 'is of an interval (-I)';
  }
  return PART.test(first.trim()) && partCount(rest) ? 'is of a part: a CPU, a core, a socket or a thread' : null;
}

/** A count after what it is a part of; a number of CPUs may stand between. */
function partCount(fields: readonly string[]): boolean {
  if (wholeCount(fields) !== null || wholeCount(fields.slice(1)) !== null) return true;
  return PART.test(fields[0]?.trim() ?? '') && (wholeCount(fields.slice(1)) ?? wholeCount(fields.slice(2))) !== null;
}

function wholeCount(fields: readonly string[]): Count | null {
  const [integer = '', second = ''] = fields;
  // With a decimal comma a value is two fields; a unit is no number.
  const split = /^[0-9]{1,18}$/.test(integer) && /^[0-9]{1,9}$/.test(second);
  const printed = split ? `${integer}.${second}` : integer;
  if (!/^(?:[0-9]{1,20}(?:\.[0-9]{1,9})?|<not counted>|<not supported>)$/.test(printed)) return null;
  const [unit = '', ...rest] = fields.slice(split ? 2 : 1);
  const [event, after] = eventOf(rest);
  if (!/^[A-Za-z]{0,16}$/.test(unit) || !EVENT.test(event)) return null;
  // The spread over several runs comes first, where there is one; with a decimal comma it is two fields, and so is the share.
  const isMean = /^[0-9]{1,9}\.[0-9]{2}%$/.test(after[0] ?? '');
  const isSplitMean = /^[0-9]{1,9}$/.test(after[0] ?? '') && /^[0-9]{2}%$/.test(after[1] ?? '');
  const [time = '', percent = '', hundredths = ''] = after.slice(isMean ? 1 : isSplitMean ? 2 : 0);
  if (!/^[0-9]{1,20}$/.test(time)) return null;
  const share = /^[0-9]{1,3}$/.test(percent) && /^[0-9]{2}$/.test(hundredths) ? `${percent}.${hundredths}` : percent;
  const running = decimalOf(share);
  return running === null ? null : { event, unit, printed, running, isMean: isMean || isSplitMean };
}

/** An event of a unit of the CPU has commas of its own: `cpu/event=0x3c,umask=0x0/u`. */
function eventOf(fields: readonly string[]): readonly [event: string, after: readonly string[]] {
  const [first = ''] = fields;
  if (first.split('/').length !== 2) return [first, fields.slice(1)];
  const end = fields.findIndex((field, at) => at > 0 && field.includes('/'));
  return end < 0 ? [first, fields.slice(1)] : [fields.slice(0, end + 1).join(','), fields.slice(end + 1)];
}

function resultOf(counts: ReadonlyMap<string, Count>): ToolResult {
  const findings = new Findings();
  const names = new MetricNames();
  for (const { event, unit, printed } of counts.values()) {
    const name = names.of(event);
    const measure: Measure = {
      name,
      better: LOWER.test(event) ? 'lower' : null,
      ...(UNITS.get(unit) ?? { unit }),
    };
    const value = decimalOf(printed);
    if (value === null) findings.lack(name, `perf says ${printed}`);
    else if (value === 0 && printed.includes('.')) findings.lack(name, `it is printed as ${printed}, rounded down`);
    else findings.take(measure, value);
  }
  return { name: 'total', settings: {}, failure: null, metrics: findings.metrics, absent: findings.absent };
}

function warningsOf(runs: readonly ReadonlyMap<string, Count>[]): ReadingWarning[] {
  const counts = runs.flatMap((run) => [...run.values()]);
  const warnings: ReadingWarning[] = [];
  const scaled = counts.filter(({ printed, running }) => decimalOf(printed) !== null && (running ?? 100) < FULLY);
  if (scaled.length > 0) {
    const shown = scaled.slice(0, 5).map(({ event, running }) => `${event} (${running} %)`);
    const more = scaled.length > shown.length ? ` and ${scaled.length - shown.length} more` : '';
    warnings.push({
      code: 'scaled-counts',
      message: `counted for a part of the time only, and scaled up: ${excerptOf(shown.join(', '))}${more}`,
      remedy: 'Count fewer events at once.',
    });
  }
  if (counts.some(({ isMean }) => isMean)) {
    warnings.push({
      code: 'summary-only',
      message: 'the counts are means over several executions (-r)',
      remedy: 'Run perf stat once for each execution.',
    });
  }
  return warnings;
}
