/**
 * The state of a database that RocksDB prints (`rocksdb.stats`): the shape of its tree, what was written into and inside it, and stalls.
 * All is since the database was opened; the lines of intervals are left out.
 */
import { decimalOf, scaled } from '../decimal.ts';
import { type StallCounts, stallCounts } from './stalls.ts';
import { countOf, type TableHeader, type TreeRow, tableFamily, tableHeader, tableRow } from './tree-table.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** One print of that state. Null is what it does not have. */
export interface TreeReport {
  /** The benchmark whose result stands before it; null where none does. */
  readonly after: string | null;
  readonly uptimeNs: number | null;
  readonly families: readonly FamilyReport[];
  /** What the users of the database put in: keys and values with the overhead of their batches. */
  readonly ingested: Amount | null;
  readonly writes: number | null;
  readonly keys: number | null;
  readonly stallNs: number | null;
  /** Of the uptime, 0 to 1. */
  readonly stallShare: number | null;
  /** Of the whole database, not of one column family. */
  readonly stalls: StallCounts | null;
}

/** Of one column family. */
export interface FamilyReport {
  readonly name: string;
  /** L0 and so on; levels that RocksDB leaves out are empty and were never written to. */
  readonly levels: readonly TreeRow[];
  readonly sum: TreeRow | null;
  /** The same work by the priority of the threads that did it. */
  readonly priorities: readonly TreeRow[];
  readonly flushedBytes: number | null;
  /** Written by flushes and compactions: RocksDB counts a flush as the compaction into L0. */
  readonly written: Amount | null;
  readonly read: Amount | null;
  readonly compactionNs: number | null;
  readonly stalls: StallCounts | null;
}

/** Printed twice, each time rounded: the bytes to 0.01 GB, the rate over the uptime to 0.01 MB/s. */
export interface Amount {
  readonly bytes: number;
  readonly bytesPerSecond: number;
}

type Open<T> = { -readonly [key in keyof T]: T[key] };
interface OpenFamily extends Open<Omit<FamilyReport, 'levels' | 'priorities'>> {
  readonly levels: TreeRow[];
  readonly priorities: TreeRow[];
}

export interface OpenTree {
  readonly report: Open<Omit<TreeReport, 'families'>>;
  readonly families: Map<string, OpenFamily>;
  /** What lines that say neither are about. */
  about: 'database' | OpenFamily | null;
  /** What the table is of whose title or rows are being read. */
  table: { readonly family: string; header: TableHeader | null } | null;
  /** The part about the whole database was there. */
  hasDatabase: boolean;
}

export function openTree(after: string | null): OpenTree {
  const numbers = { uptimeNs: null, ingested: null, writes: null, keys: null, stallNs: null, stallShare: null };
  return {
    report: { after, ...numbers, stalls: null },
    families: new Map(),
    about: null,
    table: null,
    hasDatabase: false,
  };
}

/** Null: nothing of it was there. */
export function closedTree({ report, families, hasDatabase }: OpenTree): TreeReport | null {
  return families.size === 0 && !hasDatabase ? null : { ...report, families: [...families.values()] };
}

const N = '([0-9]{1,15}(?:\\.[0-9]{1,6})?)';
const UPTIME = new RegExp(`^Uptime\\(secs\\): ${N} total`);
const WRITES = new RegExp(
  `^Cumulative writes: ([0-9]{1,18}[KMG]?) writes, ([0-9]{1,18}[KMG]?) keys, .{1,120} ingest: ${N} GB, ${N} MB/s$`,
);
const STALL = new RegExp(`^Cumulative stall: ([0-9]{2,9}):([0-9]{2}):${N} H:M:S, ${N} percent$`);
const FLUSH = new RegExp(`^Flush\\(GB\\): cumulative ${N}`);
const COMPACTION = new RegExp(
  `^Cumulative compaction: ${N} GB write, ${N} MB/s write, ${N} GB read, ${N} MB/s read, ${N} seconds$`,
);
const DATABASE = '** DB Stats **';

/**
 * Takes a line in, if it is of such a report: the report that it is of, which is another than `tree` where the line begins another print.
 * Null: it is of none.
 */
export function takeTreeLine(tree: OpenTree, line: string): OpenTree | null {
  if (line === DATABASE) {
    const target = tree.hasDatabase ? openTree(tree.report.after) : tree;
    return Object.assign(target, { about: 'database', hasDatabase: true, table: null });
  }
  const family = tableFamily(line);
  if (family !== null) {
    tree.table = { family, header: null };
    return tree;
  }
  if (tree.table !== null) {
    const { table } = tree;
    if (table.header === null) return takeHeader(tree, table.family, line);
    const row = tableRow(table.header, line);
    if (row !== null) return takeRow(tree, table.header, row);
    if (line.startsWith('---')) return tree;
    tree.table = null;
  }
  if (tree.about === null) return null;
  const taken =
    tree.about === 'database' ? takeDatabaseLine(tree.report, line) : takeFamilyLine(tree, tree.about, line);
  return taken ? tree : null;
}

/** The line below the title of a table. A table of levels that was there already belongs to another print. */
function takeHeader(tree: OpenTree, name: string, line: string): OpenTree | null {
  const header = tableHeader(line);
  if (header === null) {
    tree.table = null;
    return null;
  }
  const known = tree.families.get(name);
  const again = header[0] === 'Level' && known !== undefined;
  const target = again ? openTree(tree.report.after) : tree;
  const family = (again ? undefined : known) ?? openFamily(name);
  target.families.set(name, family);
  target.about = family;
  target.table = { family: name, header };
  return target;
}

function openFamily(name: string): OpenFamily {
  const none = { sum: null, flushedBytes: null, written: null, read: null, compactionNs: null, stalls: null };
  return { name, levels: [], priorities: [], ...none };
}

/** `Int` is of an interval. */
function takeRow(tree: OpenTree, header: TableHeader, row: TreeRow): OpenTree {
  const { about } = tree;
  if (about === null || about === 'database' || row.name === 'Int') return tree;
  if (header[0] === 'Priority') about.priorities.push(row);
  else if (row.name === 'Sum') about.sum = row;
  else about.levels.push(row);
  return tree;
}

function takeDatabaseLine(report: OpenTree['report'], line: string): boolean {
  const [, uptime] = UPTIME.exec(line) ?? [];
  if (uptime !== undefined) report.uptimeNs = inUnits(uptime, 1e9);
  const [, writes, keys, gigabytes, rate] = WRITES.exec(line) ?? [];
  if (gigabytes !== undefined) {
    report.writes = countOf(writes);
    report.keys = countOf(keys);
    report.ingested = amountOf(gigabytes, rate);
  }
  const [, hours, minutes, seconds, percent] = STALL.exec(line) ?? [];
  if (seconds !== undefined) {
    const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    report.stallNs = scaled(total, 1e9);
    report.stallShare = inUnits(percent, 0.01);
  }
  const stalls = stallCounts(line);
  if (stalls !== null) report.stalls = stalls;
  return uptime !== undefined || gigabytes !== undefined || seconds !== undefined || stalls !== null;
}

function takeFamilyLine(tree: OpenTree, family: OpenFamily, line: string): boolean {
  const [, uptime] = UPTIME.exec(line) ?? [];
  if (uptime !== undefined) tree.report.uptimeNs = inUnits(uptime, 1e9);
  const [, flushed] = FLUSH.exec(line) ?? [];
  if (flushed !== undefined) family.flushedBytes = inUnits(flushed, GIB);
  const [, written, writeRate, read, readRate, seconds] = COMPACTION.exec(line) ?? [];
  if (seconds !== undefined) {
    family.written = amountOf(written, writeRate);
    family.read = amountOf(read, readRate);
    family.compactionNs = inUnits(seconds, 1e9);
  }
  const stalls = stallCounts(line);
  if (stalls !== null) family.stalls = stalls;
  return uptime !== undefined || flushed !== undefined || seconds !== undefined || stalls !== null;
}

function amountOf(gigabytes: string | undefined, rate: string | undefined): Amount | null {
  const bytes = inUnits(gigabytes, GIB);
  const bytesPerSecond = inUnits(rate, MIB);
  return bytes === null || bytesPerSecond === null ? null : { bytes, bytesPerSecond };
}

function inUnits(text: string | undefined, factor: number): number | null {
  const value = decimalOf(text);
  return value === null ? null : scaled(value, factor);
}
