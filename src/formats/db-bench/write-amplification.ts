/** Bytes that an engine wrote for each byte that it was given, without its log, from what RocksDB prints of itself. */
import type { DbBenchStatistics } from './latencies.ts';
import type { Amount, TreeReport } from './tree.ts';

/** A ratio of printed numbers. */
export interface RoundedRatio {
  readonly value: number;
  /** What it can be, given how its parts were rounded. */
  readonly least: number;
  readonly most: number;
}

/** Half of the last printed place: of 0.01 GB, and of 0.01 MB/s. */
const BYTES = 0.005 * 2 ** 30;
const BYTES_PER_SECOND = 0.005 * 2 ** 20;

/**
 * Since the database was opened. What is written is what RocksDB calls compaction, in which flushes are counted already: to add them
 * again, as benchmark.sh does, counts them twice. Null where a part is not printed, or rounded to 0. Small databases are told by the
 * rates, which have more digits then; with several column families, whose uptimes may differ, by the bytes alone.
 */
export function writeAmplification(tree: TreeReport): RoundedRatio | null {
  const { families, ingested } = tree;
  if (ingested === null || families.length === 0) return null;
  const amounts: Amount[] = [];
  for (const { written } of families) {
    if (written === null) return null;
    amounts.push(written);
  }
  const total = (of: (amount: Amount) => number): number => amounts.reduce((sum, amount) => sum + of(amount), 0);
  const byBytes = ratioOf(
    total((amount) => amount.bytes),
    ingested.bytes,
    BYTES,
    amounts.length,
  );
  if (amounts.length > 1) return byBytes;
  const rate = total((amount) => amount.bytesPerSecond);
  const byRates = ratioOf(rate, ingested.bytesPerSecond, BYTES_PER_SECOND, 1);
  if (byBytes === null || byRates === null) return byBytes ?? byRates;
  return byRates.most / byRates.least < byBytes.most / byBytes.least ? byRates : byBytes;
}

function ratioOf(written: number, put: number, half: number, parts: number): RoundedRatio | null {
  const least = (written - parts * half) / (put + half);
  if (least <= 0 || put <= half) return null;
  return { value: written / put, least, most: (written + parts * half) / (put - half) };
}

/** Of a whole process, whatever databases it had; its counters are exact. Null where they were not printed or nothing was put. */
export function processWriteAmplification({ tickers }: DbBenchStatistics): number | null {
  const put = tickers.get('bytes.written');
  const flushed = tickers.get('flush.write.bytes');
  const compacted = tickers.get('compact.write.bytes');
  if (put === undefined || put === 0 || flushed === undefined || compacted === undefined) return null;
  return (flushed + compacted) / put;
}
