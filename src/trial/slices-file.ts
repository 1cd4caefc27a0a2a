/** The raw file of a session, which the launcher writes: what both drivers said when they were ready, and every slice. */
import type { DriverReady, SessionSlices } from '../journal/records.ts';
import { slicesOf } from '../plan/slices.ts';

/** In the raw folder of the session's first half. */
export const SLICES_FILE = 'slices.tsv';

const HEAD = 'assay-slices 1';
/** Before what a driver counts. */
const COLUMNS = 10;

export type ReadSlices =
  /** Null where a driver was never ready. */
  | { readonly ok: true; readonly slices: SessionSlices | null }
  /** A clause: `line 3 is no slice`. */
  | { readonly ok: false; readonly reason: string };

type Slice = readonly number[];

/** Reads such a file. A quad that was cut off is left out. Linear in its length. */
export function readSlices(text: string): ReadSlices {
  const lines = text.split('\n');
  if (lines[0] !== HEAD) return broken('it is no file of slices of a form that is known here');
  if (lines.at(-1) !== '') return broken('its last line is cut off');
  const [first, second] = [readyOf(lines[1], 0), readyOf(lines[2], 1)];
  if (first === null || second === null) {
    const read = lines.length - 2;
    return read <= (first === null ? 0 : 1)
      ? { ok: true, slices: null }
      : broken(`line ${first === null ? 2 : 3} says no ready`);
  }
  const columns = emptyColumns();
  const counts = new Map<string, number[]>();
  const uneven = new Set<string>();
  const rows = lines.slice(3, -1);
  for (let at = 0; at + 4 <= rows.length; at += 4) {
    const quad = rows.slice(at, at + 4).map((row) => row.split('\t'));
    const slices = quad.map((fields) => fields.slice(0, COLUMNS).map(wholeNumber));
    const head = slices[0] as Slice;
    const wrong = slices.findIndex((slice, place) => !isSlice(slice, head, at / 4 + 1, place));
    if (wrong !== -1) return broken(`line ${at + wrong + 4} is no slice that could stand there`);
    if (slices.some((slice) => [3, 4, 5].some((column) => slice[column] !== head[column]))) {
      return broken(`the slices of quad ${at / 4 + 1} differ in what was planned`);
    }
    columns.leader.push(head[2] === 0 ? 0 : 1);
    columns.gap_ns.push(head[3] as number);
    columns.prelude.push(head[4] as number);
    columns.operations.push(head[5] as number);
    for (const [place, slice] of slices.entries()) {
      columns.wall_ns.push(slice[6] as number);
      columns.cpu_ns.push(slice[7] as number);
      columns.voluntary_switches.push(slice[8] as number);
      columns.involuntary_switches.push(slice[9] as number);
      for (const field of quad[place]?.slice(COLUMNS) ?? []) {
        const counted = countOf(field);
        if (counted === null) return broken(`line ${at + place + 4} has a count that is none`);
        const [name, count] = counted;
        const column = counts.get(name) ?? [];
        counts.set(name, column);
        // A slice has it twice, or one before lacks it.
        if (column.length !== at + place) uneven.add(name);
        column.push(count);
      }
    }
  }
  const quads = columns.leader.length;
  // A count that some slices lack, or have twice, is none of the session.
  const whole = [...counts].filter(([name, column]) => column.length === 4 * quads && !uneven.has(name));
  const counters = whole.length === 0 ? null : Object.fromEntries(whole);
  return { ok: true, slices: { ready: [first, second], ...columns, counters } };
}

function broken(reason: string): ReadSlices {
  return { ok: false, reason };
}

function emptyColumns() {
  const numbers = (): number[] => [];
  return {
    leader: [] as (0 | 1)[],
    operations: numbers(),
    prelude: numbers(),
    gap_ns: numbers(),
    wall_ns: numbers(),
    cpu_ns: numbers(),
    voluntary_switches: numbers(),
    involuntary_switches: numbers(),
  };
}

function readyOf(line: string | undefined, subject: 0 | 1): DriverReady | null {
  const [word, who, unit, most, ...rest] = (line ?? '').split('\t');
  if (word !== 'ready' || who !== String(subject) || rest.length > 0) return null;
  const limit = most === '-' ? null : wholeNumber(most);
  const each = wholeNumber(unit);
  return each >= 1 && (limit === null || limit >= 0) ? { unit: each, most: limit } : null;
}

/** Whether a line is the slice at that place of that quad: leader, other, other, leader. */
function isSlice(slice: Slice, [, , leader]: Slice, quad: number, place: number): boolean {
  const [number, at, subject, , , operations] = slice;
  if (slice.length !== COLUMNS || slice.some((value) => value < 0)) return false;
  if (number !== quad || at !== place + 1 || (operations ?? 0) < 1) return false;
  return (leader === 0 || leader === 1) && subject === (place === 0 || place === 3 ? leader : 1 - leader);
}

/** −1 where it is none that can be represented. */
function wholeNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return -1;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : -1;
}

/** `cycles=123`. */
function countOf(field: string): readonly [string, number] | null {
  const match = /^([a-z][a-z0-9_]{0,63})=(\d{1,16})$/.exec(field);
  const count = wholeNumber(match?.[2]);
  return match?.[1] === undefined || count < 0 ? null : [match[1], count];
}

/** Operations that a driver was asked for in a session that went to its end: timed and not. */
export function operationsAsked({ operations, prelude }: SessionSlices): number {
  return operations.reduce((sum, count, quad) => sum + 2 * (count + (prelude[quad] ?? 0)), 0);
}

/** What one subject did in the slices of a session, in the order in which they ran. */
export function slicesBy(session: SessionSlices, subject: 0 | 1): readonly SubjectSlice[] {
  return session.leader.flatMap((leader, quad) =>
    slicesOf(leader, subject).map((place) => ({
      operations: session.operations[quad] ?? 0,
      wall_ns: session.wall_ns[4 * quad + place] ?? 0,
      cpu_ns: session.cpu_ns[4 * quad + place] ?? 0,
      switches:
        (session.voluntary_switches[4 * quad + place] ?? 0) + (session.involuntary_switches[4 * quad + place] ?? 0),
    })),
  );
}

export interface SubjectSlice {
  readonly operations: number;
  readonly wall_ns: number;
  readonly cpu_ns: number;
  readonly switches: number;
}
