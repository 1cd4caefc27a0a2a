/**
 * Reads the tables that RocksDB's tools/benchmark.sh writes: `report.tsv`, and summaries of several of them, in which blocks of a header
 * and its rows follow each other. Columns are found by the header's names: their number differs between versions.
 */
import type { Reading, ToolMetric } from './reading.ts';

export type BenchmarkReport =
  | { readonly ok: true; readonly rows: readonly ReportRow[]; readonly faults: readonly ReportFault[] }
  /** A clause about the file, without a full stop. */
  | { readonly ok: false; readonly reason: string };

/** One execution of one test. */
export interface ReportRow {
  /** In the file, from 1. */
  readonly line: number;
  /** As it stands there, such as `readwhilewriting.t4`. */
  readonly test: string;
  /** Client threads as the test's name has them (`.t4`); null where it does not. */
  readonly threads: number | null;
  /** The job failed: it has no values. */
  readonly failed: boolean;
  /** When it began, as `2022-12-13T19:50:05`; null where that is missing or written otherwise. */
  readonly date: string | null;
  /**
   * Numbers by the column's name. `NA` and empty cells are left out; so is whatever is no number or has a unit, as sizes have. A rate of
   * 0 is left out too: it was rounded down, or nothing was done.
   */
  readonly values: ReadonlyMap<string, number>;
}

/** A line that was not read, or not whole. */
interface ReportFault {
  readonly line: number;
  /** A clause about the line. */
  readonly message: string;
}

const MOST_COLUMNS = 256;
const MOST_ROWS = 100_000;
/** More would be the same again: who made such a file knows by then. */
const MOST_FAULTS = 100;
/** Columns that give the rate of a test: none of them is 0 where anything was done. */
const RATES: ReadonlySet<string> = new Set(['ops_sec', 'usec_op']);
const NUMBER = /^[0-9]{1,300}(?:\.[0-9]{1,300})?(?:[eE][+-]?[0-9]{1,3})?$/;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const TEST = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,16}$/;

/** The rows of such a file, in their order. Linear time; never throws. */
export function parseBenchmarkReport(text: string): BenchmarkReport {
  let header: readonly string[] | null = null;
  const rows: ReportRow[] = [];
  const faults: ReportFault[] = [];
  const fault = (line: number, message: string): void => {
    if (faults.length < MOST_FAULTS) faults.push({ line, message });
  };
  let line = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const content = text.slice(start, end).replace(/\r$/, '');
    const cut = newline < 0;
    start = end + 1;
    line += 1;
    if (content.trim() === '' || content.startsWith('#')) continue;
    const cells = content.split('\t', MOST_COLUMNS + 1);
    if (cells.length > MOST_COLUMNS) return { ok: false, reason: `line ${line} has more than ${MOST_COLUMNS} columns` };
    if (cells[0] === 'ops_sec') {
      const reason = headerFault(cells);
      if (reason !== null) return { ok: false, reason: `line ${line} ${reason}` };
      header = cells;
      continue;
    }
    if (header === null) {
      return { ok: false, reason: `line ${line} is not the header, which begins with ops_sec and has tabs` };
    }
    if (rows.length >= MOST_ROWS) return { ok: false, reason: `it has more than ${MOST_ROWS} rows` };
    const row = rowOf(header, cells, line, cut, fault);
    if (row !== null) rows.push(row);
  }
  if (header === null) return { ok: false, reason: 'it has no header that begins with ops_sec' };
  if (rows.length === 0) return { ok: false, reason: 'it has no row that can be read' };
  return { ok: true, rows, faults };
}

function headerFault(cells: readonly string[]): string | null {
  if (!cells.includes('test')) return 'has no column test';
  const twice = cells.find((name, at) => name !== '' && cells.indexOf(name) !== at);
  return twice === undefined ? null : 'has a column twice';
}

/** Null, and a fault, where a line cannot be told to be a whole row. */
function rowOf(
  header: readonly string[],
  cells: readonly string[],
  line: number,
  cut: boolean,
  fault: (line: number, message: string) => void,
): ReportRow | null {
  const at = header.indexOf('test');
  const test = cells[at] ?? '';
  if (cells.length > header.length) {
    fault(line, `has ${cells.length} columns where its header has ${header.length}`);
    return null;
  }
  // Empty cells at the end may have been trimmed; but a line that ends within the name of its test, or before it, was cut.
  if (cells.length <= at || (cells.length === at + 1 && cut && header.length > at + 1)) {
    fault(line, 'ends before the name of its test is over');
    return null;
  }
  if (!TEST.test(test)) {
    fault(line, 'has no name of a test in the column test');
    return null;
  }
  const failed = cells[0] === 'failed';
  const values = new Map<string, number>();
  if (!failed) {
    for (const [column, name] of header.entries()) {
      const value = numberOf(cells[column] ?? '');
      if (value === null || name === '') continue;
      if (value === 0 && RATES.has(name)) fault(line, `has ${name} 0: rounded down, or nothing was done`);
      else values.set(name, value);
    }
    if (!values.has('ops_sec') && numberOf(cells[0] ?? '') === null) fault(line, 'has no number in the column ops_sec');
  }
  const threads = /\.t([1-9][0-9]{0,5})(?:\.|$)/.exec(test)?.[1];
  const date = cells[header.indexOf('date')] ?? '';
  return {
    line,
    test,
    threads: threads === undefined ? null : Number(threads),
    failed,
    date: DATE.test(date) ? date : null,
    values,
  };
}

function numberOf(text: string): number | null {
  if (text.length > 400 || !NUMBER.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/** What columns are, of those whose meaning does not depend on the job; the rest of a row is left to who reads the table. */
const COLUMNS: readonly (Omit<ToolMetric, 'value'> & { readonly column: string; readonly scale: number })[] = [
  { column: 'ops_sec', name: 'ops_per_second', unit: '1/s', better: 'higher', scale: 1 },
  { column: 'usec_op', name: 'time_per_operation', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'p50', name: 'p50', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'p99', name: 'p99', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'p99.9', name: 'p99_9', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'p99.99', name: 'p99_99', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'pmax', name: 'max', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'c_wgb', name: 'compaction_written', unit: 'bytes', better: 'lower', scale: 2 ** 30 },
];

/** The same as results, one for each row. Write amplification is not taken from here: the script counts flushes twice. */
export function readBenchmarkReport(text: string): Reading {
  const report = parseBenchmarkReport(text);
  if (!report.ok) return report;
  const results = report.rows.map((row) => ({
    name: row.test,
    settings: {
      ...(row.threads === null ? {} : { threads: String(row.threads) }),
      ...(row.date === null ? {} : { date: row.date }),
    },
    failure: row.failed ? 'the job failed' : null,
    metrics: COLUMNS.flatMap(({ column, scale, ...metric }) => {
      const value = row.values.get(column);
      return value === undefined ? [] : [{ ...metric, value: value * scale }];
    }),
    absent: COLUMNS.flatMap(({ column, name }) =>
      row.values.has(column) ? [] : [{ name, reason: row.failed ? 'the job failed' : `the row has no ${column}` }],
    ),
  }));
  const warnings = report.faults.map(({ line, message }) => ({
    code: 'unreadable-line',
    message: `line ${line} ${message}`,
    remedy: 'Look at the output of that test.',
  }));
  return { ok: true, results, warnings };
}
