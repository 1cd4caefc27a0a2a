/** The tables "Compaction Stats" of RocksDB. Columns are found by the header's names: their number differs between versions. */
import { decimalOf, scaled } from '../decimal.ts';

const GIB = 2 ** 30;

/** A row: a level, all levels, or a priority of background work. Null is a column that this version does not have. */
export interface TreeRow {
  /** `L0`, `Sum`, `Low` … */
  readonly name: string;
  readonly files: number | null;
  readonly filesInCompaction: number | null;
  readonly bytes: number | null;
  readonly score: number | null;
  /** Read and written by flushes (in L0) and compactions, printed to 0.1 GB. */
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
  /** RocksDB's own: written / flushed into the tree, which is less than what was put where a memtable overwrites. */
  readonly writeAmplification: number | null;
  readonly compactionNs: number | null;
  readonly compactionCpuNs: number | null;
  readonly compactions: number | null;
  /** Printed to three or four digits. */
  readonly keysIn: number | null;
  readonly keysDropped: number | null;
}

/** The column `Size` is one word in the header and two in the rows, such as `1.50 GB`. */
export type TableHeader = readonly string[];

const MOST_COLUMNS = 64;
const TABLE = /^\*\* Compaction Stats \[(.{0,256})\] \*\*$/;
const SIZES: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: GIB, TB: 2 ** 40 };
const COUNTS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9 };

/** The column family of the table that the line begins; null where it begins none. */
export function tableFamily(line: string): string | null {
  return TABLE.exec(line)?.[1] ?? null;
}

/** Null: the line is no header of such a table. */
export function tableHeader(line: string): TableHeader | null {
  const names = line.trim().split(/\s+/, MOST_COLUMNS);
  const known = names[0] === 'Level' || names[0] === 'Priority';
  return known && names.includes('Size') && names.includes('Score') ? names : null;
}

/** Null: the line is no whole row under this header. */
export function tableRow(header: TableHeader, line: string): TreeRow | null {
  const words = line.trim().split(/\s+/, MOST_COLUMNS + 2);
  const size = header.indexOf('Size');
  if (words.length !== header.length + 1) return null;
  const cells = [...words.slice(0, size), `${words[size]} ${words[size + 1]}`, ...words.slice(size + 2)];
  const cell = (column: string): string | undefined => cells[header.indexOf(column)];
  const number = (column: string, factor = 1): number | null => {
    const value = decimalOf(cell(column));
    return value === null ? null : scaled(value, factor);
  };
  const name = cells[0] ?? '';
  const [, files, inCompaction] = /^([0-9]{1,9})\/([0-9]{1,9})$/.exec(cell('Files') ?? '') ?? [];
  if (!/^[A-Za-z][A-Za-z0-9]{0,15}$/.test(name) || files === undefined) return null;
  return {
    name,
    files: Number(files),
    filesInCompaction: Number(inCompaction),
    bytes: sizeOf(cell('Size') ?? ''),
    score: number('Score'),
    readBytes: number('Read(GB)', GIB),
    writtenBytes: number('Write(GB)', GIB),
    writeAmplification: number('W-Amp'),
    compactionNs: number('Comp(sec)', 1e9),
    compactionCpuNs: number('CompMergeCPU(sec)', 1e9),
    compactions: number('Comp(cnt)'),
    keysIn: countOf(cell('KeyIn')),
    keysDropped: countOf(cell('KeyDrop')),
  };
}

/** `1.50 GB` in bytes. */
function sizeOf(text: string): number | null {
  const [, number, unit = ''] = /^([0-9]{1,15}(?:\.[0-9]{1,3})?) ([KMGT]?B)$/.exec(text) ?? [];
  const factor = SIZES[unit];
  const value = decimalOf(number);
  return value === null || factor === undefined ? null : Math.round(value * factor);
}

/** `12M` is 12 million: RocksDB rounds down to thousands, millions or thousands of millions. */
export function countOf(text: string | undefined): number | null {
  const [, number, unit = ''] = /^([0-9]{1,18})([KMG]?)$/.exec(text ?? '') ?? [];
  const factor = COUNTS[unit];
  const value = decimalOf(number);
  return value === null || factor === undefined ? null : value * factor;
}
