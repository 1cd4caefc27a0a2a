/**
 * The trials of a journal, kept as numbers in columns, one table for each shape of line (`shape.ts`). A trial is made of
 * them when somebody looks at it: a million of them would not fit into memory as objects.
 */
import type { z } from 'zod';
import { type TrialLine, type TrialRecord, wholeTrial } from '../records.ts';
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

/** A class whose instances read from the columns what is not the same in all trials of the shape. */
function trialClass(trial: TrialRecord, { varying }: Shape, rows: Rows): Table['Trial'] {
  class StoredTrial {
    readonly #row: number;

    constructor(row: number) {
      this.#row = row;
    }

    static rowOf(stored: StoredTrial): number {
      return stored.#row;
    }

    toJSON(): TrialRecord {
      return wholeTrial(this as unknown as TrialRecord);
    }
  }
  const root: Parts = { read: null, parts: new Map() };
  for (const { path, value } of varying) {
    put(root, path, (row) => value((slot) => rows.at(row, slot)));
  }
  for (const [key, value] of Object.entries(trial)) {
    const read = readerOf(value, root.parts.get(key));
    const field =
      read === null
        ? { value }
        : {
            get(this: StoredTrial) {
              return read(StoredTrial.rowOf(this));
            },
          };
    Object.defineProperty(StoredTrial.prototype, key, { enumerable: true, ...field });
  }
  return StoredTrial as unknown as Table['Trial'];
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

/** Null where nothing in the value varies. */
function readerOf(value: unknown, parts: Parts | undefined): Reader | null {
  if (parts === undefined) return null;
  if (parts.read !== null) return parts.read;
  if (typeof value !== 'object' || value === null) return null;
  const fields = Object.entries(value).flatMap(([key, part]) => {
    const read = readerOf(part, parts.parts.get(Array.isArray(value) ? Number(key) : key));
    return read === null ? [] : [{ key, read }];
  });
  if (fields.length === 0) return null;
  const like: object = value;
  return (row) => {
    const made: object = Array.isArray(like) ? [...like] : { ...like };
    for (const { key, read } of fields) Reflect.set(made, key, read(row));
    return made;
  };
}
