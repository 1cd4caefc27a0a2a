/**
 * Reads summaries of the Insert Benchmark (iibench): a header that begins with `ips`, and a row for each step or configuration, whose last
 * column is its tag. Columns and rows are found by name. A file of several steps has a line with the step's name before each header.
 */
import { decimalOf } from './decimal.ts';
import { Findings, type Measure } from './findings.ts';
import { linesOf } from './lines.ts';
import type { Reading, ReadingWarning, ToolResult } from './reading.ts';

/** The steps of a whole run, in the order in which the scripts print them. */
const STEPS = [
  'l.i0',
  'l.x',
  'l.i1',
  'l.i2',
  'qr100.L1',
  'qp100.L2',
  'qr500.L3',
  'qp500.L4',
  'qr1000.L5',
  'qp1000.L6',
] as const;
const STEP = /^#?\s{0,8}((?:l\.(?:i0|x|i1|i2))|(?:q[rp][0-9]{1,6}\.L[0-9]{1,3}))(?:\s{1,8}\S.{0,200})?$/;
const QUERY = /^q[rp]([0-9]{1,6})\.L[0-9]{1,3}$/;
const CLIENTS = /(?:^|[^A-Za-z])dop([0-9]{1,5})(?![0-9])/;
/** A step keeps its rate where it inserts this share of what it is to insert. */
const KEPT = 0.95;
const MOST_ROWS = 100_000;
const MOST_COLUMNS = 256;

const KIB = 1024;
/** MB and KB are those of iostat, of 2^20 and 2^10 bytes; of sizes the scripts do not say which GB they mean. */
const COLUMNS: readonly (Measure & { readonly column: string })[] = [
  { column: 'ips', name: 'inserts_per_second', unit: '1/s', better: 'higher' },
  { column: 'qps', name: 'queries_per_second', unit: '1/s', better: 'higher' },
  { column: 'rps', name: 'device_reads_per_second', unit: '1/s', better: null },
  { column: 'rmbps', name: 'device_read_bytes_per_second', unit: 'bytes/s', better: null, scale: KIB ** 2 },
  { column: 'rkbps', name: 'device_read_bytes_per_second', unit: 'bytes/s', better: null, scale: KIB },
  { column: 'wps', name: 'device_writes_per_second', unit: '1/s', better: null },
  { column: 'wmbps', name: 'device_written_bytes_per_second', unit: 'bytes/s', better: null, scale: KIB ** 2 },
  { column: 'wkbps', name: 'device_written_bytes_per_second', unit: 'bytes/s', better: null, scale: KIB },
  { column: 'rpq', name: 'device_reads_per_operation', unit: 'reads/op', better: 'lower' },
  { column: 'rkbpq', name: 'device_read_bytes_per_operation', unit: 'bytes/op', better: 'lower', scale: KIB },
  { column: 'wpi', name: 'device_writes_per_insert', unit: 'writes/insert', better: 'lower' },
  { column: 'wkbpi', name: 'device_written_bytes_per_insert', unit: 'bytes/insert', better: 'lower', scale: KIB },
  { column: 'csps', name: 'context_switches_per_second', unit: '1/s', better: null },
  { column: 'cpups', name: 'host_cpu', unit: '%', better: null },
  { column: 'cspq', name: 'context_switches_per_operation', unit: 'switches/op', better: 'lower' },
  { column: 'cpupq', name: 'host_cpu_time_per_operation', unit: 'ns', better: 'lower', scale: 1000 },
  { column: 'dbgb1', name: 'database_size_1', unit: 'GB', better: 'lower' },
  { column: 'dbgb2', name: 'database_size_2', unit: 'GB', better: 'lower' },
  { column: 'rss', name: 'rss', unit: 'GB', better: 'lower' },
  { column: 'maxop', name: 'max', unit: 'ns', better: 'lower', scale: 1e9 },
  // Of the rates of intervals, the slow tail last: no latencies.
  { column: 'p50', name: 'rate_p50', unit: '1/s', better: 'higher' },
  { column: 'p99', name: 'rate_p99', unit: '1/s', better: 'higher' },
];
/** Without these it is another table. */
const NEEDED = ['qps', 'maxop', 'p50', 'p99', 'tag'];

interface Row {
  readonly step: string | null;
  readonly tag: string;
  readonly clients: number | null;
  readonly cells: ReadonlyMap<string, string>;
}

/** Linear time; never throws. */
export function readIibench(text: string): Reading {
  const rows: Row[] = [];
  const warnings: ReadingWarning[] = [];
  let header: readonly string[] | null = null;
  let step: string | null = null;
  let heading = '';
  let number = 0;
  for (const { text: line, ended } of linesOf(text)) {
    number += 1;
    const content = line.trim();
    // Scripts print a dash between groups of configurations.
    if (content === '' || content === '-') continue;
    const named = STEP.exec(content)?.[1];
    if (named !== undefined) {
      step = named;
      heading = content;
      header = null;
      continue;
    }
    if (/^ips(?:,|\s)/.test(content)) {
      header = cellsOf(content);
      const reason = headerFault(header);
      if (reason !== null) return { ok: false, reason: `line ${number} ${reason}` };
      continue;
    }
    if (header === null) {
      if (content.startsWith('#')) continue;
      return { ok: false, reason: `line ${number} is no header, which begins with ips` };
    }
    const cells = cellsOf(content);
    // Where the tag was cut the row is another configuration's.
    if (cells.length !== header.length || !ended) {
      if (warnings.length < 100) warnings.push(unreadable(number, cells.length, header.length));
      continue;
    }
    if (rows.length >= MOST_ROWS) return { ok: false, reason: `it has more than ${MOST_ROWS} rows` };
    rows.push(rowOf(header, cells, step, heading));
  }
  if (rows.length === 0)
    return { ok: false, reason: 'it has no row that can be read below a header that begins with ips' };
  const steps = stepsOf(rows);
  const ambiguous = ambiguousTags(rows, steps);
  const results = rows.map((row, index) => {
    const step = steps[index] ?? null;
    return step === null && ambiguous.has(row.tag) ? unnamed(row) : resultOf(row, step, warnings);
  });
  return { ok: true, results, warnings };
}

/** Between commas or tabs, where cells may be empty; else between spaces. */
function cellsOf(line: string): readonly string[] {
  const between = line.includes(',') ? ',' : line.includes('\t') ? '\t' : /\s+/;
  return line.split(between, MOST_COLUMNS + 1).map((cell) => cell.trim());
}

function headerFault(header: readonly string[]): string | null {
  if (header.length > MOST_COLUMNS) return `has more than ${MOST_COLUMNS} columns`;
  const missing = NEEDED.find((name) => !header.includes(name));
  if (missing !== undefined) return `has no column ${missing}`;
  return new Set(header).size === header.length ? null : 'has a column twice';
}

function unreadable(line: number, found: number, expected: number): ReadingWarning {
  return {
    code: 'unreadable-line',
    message:
      found === expected
        ? `line ${line} may have been cut: no newline ends it`
        : `line ${line} has ${found} columns where its header has ${expected}`,
    remedy: 'Make the summary again.',
  };
}

function rowOf(header: readonly string[], cells: readonly string[], step: string | null, heading: string): Row {
  const named = new Map(header.map((name, at) => [name, cells[at] ?? '']));
  const tag = named.get('tag') ?? '';
  const clients = decimalOf(CLIENTS.exec(tag)?.[1] ?? CLIENTS.exec(heading)?.[1]);
  return { step, tag, clients: clients === 0 ? null : clients, cells: named };
}

/** The steps of rows: as the lines before them say, else by their places, where there is a row for each step of a whole run. */
function stepsOf(rows: readonly Row[]): readonly (string | null)[] {
  const whole = rows.length === STEPS.length && rows.every(({ step, tag }) => step === null && tag === rows[0]?.tag);
  return rows.map(({ step }, index) => step ?? (whole ? (STEPS[index] ?? null) : null));
}

/** Names that several rows without a step have: these are steps of a run in which some are missing, and no repetitions. */
function ambiguousTags(rows: readonly Row[], steps: readonly (string | null)[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const [index, { tag }] of rows.entries()) {
    if (steps[index] !== null) continue;
    if (seen.has(tag)) twice.add(tag);
    seen.add(tag);
  }
  return twice;
}

function unnamed({ tag }: Row): ToolResult {
  const failure = 'its step is not named, and cannot be told by its place: steps of the run are missing';
  return { name: tag === '' ? 'row' : tag, settings: { tag }, failure, metrics: [], absent: [] };
}

function resultOf(row: Row, step: string | null, warnings: ReadingWarning[]): ToolResult {
  const name = [step, row.tag].filter((part) => part !== null && part !== '').join(' ') || 'row';
  const settings = {
    tag: row.tag,
    ...(step === null ? {} : { step }),
    ...(row.clients === null ? {} : { clients: String(row.clients) }),
  };
  const findings = new Findings();
  for (const { column, ...measure } of COLUMNS) {
    const cell = row.cells.get(column);
    if (cell === undefined) continue;
    const value = decimalOf(cell);
    const reason = cell === '' || cell === 'NA' ? 'the row has none' : 'it is not a number';
    // A load step has no queries; a rate of the device or of a size may be 0 once rounded, and is not kept as a number then.
    findings.takePositive(measure, value, reason);
  }
  const inserts = decimalOf(row.cells.get('ips'));
  const queries = decimalOf(row.cells.get('qps'));
  const failure =
    inserts === null || queries === null
      ? 'the step has no rates: it failed, or did not run'
      : rateFailure(row, step, inserts);
  if (failure === null && row.clients === null && QUERY.test(step ?? '')) {
    warnings.push({
      code: 'clients-unknown',
      message: `whether ${name} kept its rate of inserts cannot be told: nothing says how many clients it had`,
      remedy: 'Write the clients into the line of the step or into the tag, as dop8.',
    });
  }
  return { name, settings, failure, metrics: findings.metrics, absent: findings.absent };
}

/** Why the step's numbers are none of that rate; null where it kept the rate, or that cannot be told. One client is the least. */
function rateFailure({ clients }: Row, step: string | null, inserts: number): string | null {
  const rate = QUERY.exec(step ?? '')?.[1];
  if (rate === undefined) return null;
  const asked = Number(rate) * (clients ?? 1);
  return inserts >= KEPT * asked
    ? null
    : `it inserted ${inserts} rows/s where ${asked} were asked for: below ${KEPT * 100} %`;
}
