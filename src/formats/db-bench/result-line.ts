/** The lines of db_bench that hold results, in the forms before and after RocksDB 7.3, and those over several runs. */
import { decimalOf, scaled } from '../decimal.ts';

const MIB = 2 ** 20;

/** As printed: what is rounded there is rounded here. */
export interface ResultLine {
  readonly name: string;
  /** Sum of the seconds of all threads / operations. */
  readonly timePerOperationNs: number;
  /** Operations / wall-clock time, rounded down to an integer. Null: what is printed is no rate (measured in no time at all). */
  readonly operationsPerSecond: number | null;
  /** Wall-clock time; null in the form before 7.3. */
  readonly elapsedNs: number | null;
  /** db_bench says 1 where none was done. Null in the form before 7.3. */
  readonly operations: number | null;
  /** Null where the benchmark does not count bytes, or where they make no rate. */
  readonly bytesPerSecond: number | null;
  /** Of one thread, whatever their number. */
  readonly found: { readonly found: number; readonly of: number } | null;
}

/** A mean or median over runs of one benchmark, as `fillseq[-X3]` makes them. */
export interface SummaryLine {
  readonly name: string;
  readonly kind: 'mean' | 'median';
  readonly runs: number;
  readonly operationsPerSecond: number;
  /** What db_bench prints after ±: 1.96 standard errors, which is too narrow for few runs. */
  readonly printedHalfWidth: number | null;
}

const RESULT =
  /^([A-Za-z0-9_]{1,64}) *: +([0-9]{1,18}\.[0-9]{1,6}) micros\/op (-?[0-9]{1,20}) ops\/sec(?: ([0-9]{1,15}\.[0-9]{1,6}) seconds ([0-9]{1,20}) operations)?;(.*)$/;
const SKIPPED = /^([A-Za-z0-9_]{1,64}) *: skipped \(([^()]{1,120})\)$/;
const SUMMARY =
  /^([A-Za-z0-9_]{1,64}) \[(AVG|MEDIAN) {1,8}([0-9]{1,6}) runs\] : ([0-9]{1,15})(?: \(± ([0-9]{1,15})\))? ops\/sec/;
const RATE = /^ +([0-9]{1,15}\.[0-9]{1,3}) MB\/s/;
const FOUND = /\(([0-9]{1,18}) of ([0-9]{1,18}) found\)/;

/** Null: the line is no result. */
export function resultLine(line: string): ResultLine | null {
  const [, name, micros, rate, seconds, operations, rest = ''] = RESULT.exec(line) ?? [];
  if (name === undefined) return null;
  const timePerOperationNs = nanoseconds(micros, 1000);
  if (timePerOperationNs === null) return null;
  const operationsPerSecond = decimalOf(rate);
  const megabytes = decimalOf(RATE.exec(rest)?.[1]);
  const [, found, of] = FOUND.exec(rest) ?? [];
  return {
    name,
    timePerOperationNs,
    operationsPerSecond: operationsPerSecond !== null && isRate(operationsPerSecond) ? operationsPerSecond : null,
    elapsedNs: nanoseconds(seconds, 1e9),
    operations: decimalOf(operations),
    bytesPerSecond: megabytes === null ? null : scaled(megabytes, MIB),
    found: found === undefined || of === undefined ? null : { found: Number(found), of: Number(of) },
  };
}

/** Division by a time of 0 gives the smallest or the largest integer that there is. */
function isRate(value: number): boolean {
  return value >= 0 && value < 2 ** 62;
}

function nanoseconds(text: string | undefined, factor: number): number | null {
  const value = decimalOf(text);
  return value === null ? null : scaled(value, factor);
}

export interface SkippedLine {
  readonly name: string;
  readonly reason: string;
}

/** Null: the line does not say that a benchmark was skipped. */
export function skippedLine(line: string): SkippedLine | null {
  const [, name, reason] = SKIPPED.exec(line) ?? [];
  return name === undefined || reason === undefined ? null : { name, reason };
}

/** Null: the line is no summary over runs. */
export function summaryLine(line: string): SummaryLine | null {
  const [, name, kind, runs, rate, half] = SUMMARY.exec(line) ?? [];
  if (name === undefined) return null;
  return {
    name,
    kind: kind === 'AVG' ? 'mean' : 'median',
    runs: Number(runs),
    operationsPerSecond: Number(rate),
    printedHalfWidth: decimalOf(half),
  };
}
