/** How often RocksDB held back or stopped those who write, as its statistics count it. */

export interface StallCounts {
  /** By the cause as it is printed. */
  readonly causes: ReadonlyMap<string, number>;
  /** Writers were slowed down. */
  readonly delays: number;
  /** Writers had to wait. */
  readonly stops: number;
}

/** Before 8.1; those "with_compaction" are among those without. */
const OLD_DELAYS = ['level0_slowdown', 'slowdown for pending_compaction_bytes', 'memtable_slowdown'];
const OLD_STOPS = ['level0_numfiles', 'stop for pending_compaction_bytes', 'memtable_compaction'];
const OLD_TITLE = 'Stalls(count): ';
const TITLE = 'Write Stall (count): ';
const MOST_CAUSES = 64;

/** Null: the line counts no stalls. */
export function stallCounts(line: string): StallCounts | null {
  if (line.startsWith(OLD_TITLE)) {
    const causes = causesIn(line.slice(OLD_TITLE.length), /^([0-9]{1,18}) ([a-z0-9_ ]{1,64})$/, 'number first');
    return { causes, delays: sumOf(causes, OLD_DELAYS), stops: sumOf(causes, OLD_STOPS) };
  }
  if (!line.startsWith(TITLE)) return null;
  const causes = causesIn(line.slice(TITLE.length), /^([a-z0-9-]{1,100}): ([0-9]{1,18})$/, 'name first');
  const total = (name: string, ending: string): number =>
    causes.get(name) ??
    sumOf(
      causes,
      [...causes.keys()].filter((cause) => cause.endsWith(ending)),
    );
  return { causes, delays: total('total-delays', '-delays'), stops: total('total-stops', '-stops') };
}

/** What follows the counts in the same line is another matter: some versions forgot the newline. */
function causesIn(text: string, pattern: RegExp, order: 'number first' | 'name first'): ReadonlyMap<string, number> {
  const causes = new Map<string, number>();
  for (const part of text.split(', ', MOST_CAUSES)) {
    const [, first = '', second = ''] = pattern.exec(part.trim()) ?? [];
    const [name, count] = order === 'name first' ? [first, second] : [second, first];
    if (name !== '') causes.set(name, Number(count));
  }
  return causes;
}

function sumOf(causes: ReadonlyMap<string, number>, names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (causes.get(name) ?? 0), 0);
}
