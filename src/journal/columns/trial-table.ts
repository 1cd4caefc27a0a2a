/**
 * The trials of a journal, kept as numbers in columns, one table for each shape of line (`shape.ts`). A trial is made of
 * them when somebody looks at it: a million of them would not fit into memory as objects.
 */
import type { z } from 'zod';
import type { TrialLine, TrialRecord } from '../records.ts';
import { whole } from '../whole.ts';
import { Rows } from './rows.ts';
import { type Shape, shapeOf } from './shape.ts';

const MOST_SHAPES = 128;

interface Table {
  readonly shape: Shape;
  readonly rows: Rows;
  readonly Trial: new (row: number) => TrialRecord;
  /** The table of the line that came last after one of this table: the likeliest after the next one. */
  next: Table | null;
}

export interface TrialTables {
  /** The trial that a line holds, where it has the shape of one that was learnt; null where it must be parsed. */
  read(body: Buffer): TrialRecord | null;
  /**
   * Learns the shape of a line, and keeps its trial in columns; where it has none, as it is.
   * @param value what the line holds
   * @param line what the schema makes of it
   */
  learn(body: Buffer, value: unknown, line: TrialLine): TrialRecord;
}

/** @param schema of a trial's line; what it takes is a trial without its session */
export function trialTables(schema: z.ZodType): TrialTables {
  const tables: Table[] = [];
  let last: Table | null = null;
  let scratch = new Float64Array(0);

  function add(table: Table): TrialRecord {
    if (last !== null) last.next = table;
    last = table;
    return new table.Trial(table.rows.push(scratch));
  }

  return {
    read(body) {
      const likely = last?.next ?? null;
      if (likely?.shape.fits(body, scratch)) return add(likely);
      for (const table of tables) {
        if (table !== likely && table.shape.fits(body, scratch)) return add(table);
      }
      return null;
    },
    learn(body, value, line) {
      const trial: TrialRecord = { ...line, session: null };
      const shape = tables.length < MOST_SHAPES ? shapeOf(body, schema, value) : null;
      if (shape === null) return trial;
      if (shape.slots > scratch.length) scratch = new Float64Array(shape.slots);
      if (!shape.fits(body, scratch)) return trial;
      const rows = new Rows(shape.slots);
      const table: Table = { shape, rows, Trial: trialClass(trial, shape, rows), next: null };
      tables.push(table);
      return add(table);
    },
  };
}

function trialClass(trial: TrialRecord, { varying }: Shape, rows: Rows): Table['Trial'] {
  const root: Parts = { read: null, parts: new Map() };
  for (const each of varying) {
    put(
      root,
      each.path,
      'slot' in each ? (row) => rows.at(row, each.slot) : (row) => each.text((slot) => rows.at(row, slot)),
    );
  }
  return rowClass(trial, root) as unknown as Table['Trial'];
}

/** A class whose instances read from the columns what is not the same in all rows, and have all else from what was learnt. */
function rowClass(like: object, { parts }: Parts): new (row: number) => object {
  class Stored {
    readonly #row: number;

    constructor(row: number) {
      this.#row = row;
    }

    static rowOf(stored: Stored): number {
      return stored.#row;
    }

    toJSON(): object {
      return whole(this);
    }
  }
  for (const [key, value] of Object.entries(like)) {
    const read = readerOf(value, parts.get(key), key);
    const field =
      read === null
        ? { value }
        : {
            get(this: Stored) {
              return read(Stored.rowOf(this));
            },
          };
    Object.defineProperty(Stored.prototype, key, { enumerable: true, ...field });
  }
  return Stored;
}

type Reader = (row: number) => unknown;

/** Of a value that varies, how it is read; of one in which something does, its parts, by key or place. */
interface Parts {
  read: Reader | null;
  readonly parts: Map<string | number, Parts>;
}

function put(parts: Parts, path: readonly (string | number)[], read: Reader): void {
  const [key, ...rest] = path;
  if (key === undefined) {
    parts.read = read;
    return;
  }
  const part = parts.parts.get(key) ?? { read: null, parts: new Map() };
  parts.parts.set(key, part);
  put(part, rest, read);
}

/** What names of the user's stand in: whoever looks for one asks for a property of its own. */
const BY_NAME: readonly string[] = ['metrics', 'operations', 'events'];

/** Null where nothing in the value varies. */
function readerOf(value: unknown, parts: Parts | undefined, key: string): Reader | null {
  if (parts === undefined || parts.read !== null) return parts?.read ?? null;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return arrayReader(value, parts);
  if (BY_NAME.includes(key)) return copyReader(value, parts);
  const Part = rowClass(value, parts);
  return (row) => new Part(row);
}

function arrayReader(like: readonly unknown[], { parts }: Parts): Reader {
  const readers = like.map((value, place) => readerOf(value, parts.get(place), ''));
  return (row) => readers.map((read, place) => (read === null ? like[place] : read(row)));
}

function copyReader(like: object, { parts }: Parts): Reader {
  const fields = Object.entries(like).flatMap(([key, value]) => {
    const read = readerOf(value, parts.get(key), key);
    return read === null ? [] : [{ key, read }];
  });
  return (row) => {
    const copy: Record<string, unknown> = { ...like };
    for (const { key, read } of fields) copy[key] = read(row);
    return copy;
  };
}
