/** What a driver that works in slices answers, line by line: docs/slices.md has the protocol. */

/** Bytes of a line with its end. */
export const LONGEST_LINE = 512;

export interface Ready {
  readonly unit: number;
  /** Null: any number of operations. */
  readonly most: number | null;
}

export interface Done {
  readonly operations: number;
  readonly wall_ns: number;
  readonly cpu_ns: number;
  readonly voluntary: number;
  readonly involuntary: number;
  readonly busy: boolean;
  /** `NAME=COUNT`, as they were given. */
  readonly counts: readonly string[];
}

const MOST_COUNTS = 16;

/** Null where the line is no such answer, or one of another version of the protocol. */
export function parseReady(line: string): Ready | null {
  const found = /^ready 1 unit=(\d{1,16})(?: most=(\d{1,16}))?$/.exec(line);
  if (found === null) return null;
  const unit = Number(found[1]);
  const most = found[2] === undefined ? null : Number(found[2]);
  return unit > 0 && Number.isSafeInteger(unit) && Number.isSafeInteger(most ?? 0) ? { unit, most } : null;
}

/** Null where the line is no such answer. */
export function parseDone(line: string): Done | null {
  const found = /^done((?: \d{1,16}){5}) (idle|busy)((?: [a-z][a-z0-9_]*=\d{1,16})*)$/.exec(line);
  if (found === null) return null;
  const [, numbers = '', state, rest = ''] = found;
  const [operations = 0, wall_ns = 0, cpu_ns = 0, voluntary = 0, involuntary = 0] = numbers
    .trim()
    .split(' ')
    .map(Number);
  const counts = rest === '' ? [] : rest.slice(1).split(' ');
  if (counts.length > MOST_COUNTS) return null;
  const done = { operations, wall_ns, cpu_ns, voluntary, involuntary, busy: state === 'busy', counts };
  const counted = counts.map((count) => Number(count.slice(count.indexOf('=') + 1)));
  const isExact = [operations, wall_ns, cpu_ns, voluntary, involuntary, ...counted].every(Number.isSafeInteger);
  return isExact ? done : null;
}

/** Whether a slice can have taken so long: not longer than its turn, by clocks that may differ by 1 % and 1 µs. */
export function fitsTurn(wall_ns: number, turn_ns: number): boolean {
  return wall_ns - turn_ns <= wall_ns / 100 + 1000;
}
