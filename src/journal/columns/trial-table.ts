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
  readonly trial: (row: number) => TrialRecord;
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
    return table.trial(table.rows.push(scratch));
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
      const table: Table = { shape, rows, trial: trialReader(trial, shape, rows), next: null };
      tables.push(table);
      return add(table);
    },
  };
}

function trialReader(trial: TrialRecord, { varying }: Shape, rows: Rows): Table['trial'] {
  const root: Parts = { read: null, parts: new Map() };
  for (const each of varying) {
    put(
      root,
      each.path,
      'slot' in each ? (row) => rows.at(row, each.slot) : (row) => each.text((slot) => rows.at(row, slot)),
    );
  }
  return rowReader(trial, root) as Table['trial'];
}

/** What a row has under one of its names: the same in all rows of its table, or read from the columns. */
interface Field {
  readonly value: unknown;
  readonly read: Reader | null;
}

/** Where a row is kept in itself: no name of the journal's, and not seen by who goes through those. */
const FIELDS = Symbol('fields');
const ROW = Symbol('row');

/** One row of a table, as the object that was learnt would be. */
interface Row {
  readonly [FIELDS]: readonly Field[];
  readonly [ROW]: number;
}

type RowClass = new (fields: readonly Field[], row: number) => Row;

/** By names: rows of all tables that have the same ones are of one class, since what reads them is fastest then. */
const classes = new Map<string, RowClass>();

function classOf(names: readonly string[]): RowClass {
  const key = JSON.stringify(names);
  const known = classes.get(key);
  if (known !== undefined) return known;
  class NamedRow implements Row {
    declare readonly [FIELDS]: readonly Field[];
    declare readonly [ROW]: number;

    constructor(fields: readonly Field[], row: number) {
      this[FIELDS] = fields;
      this[ROW] = row;
    }

    toJSON(): object {
      return whole(this);
    }
  }
  names.forEach((name, place) => {
    Object.defineProperty(NamedRow.prototype, name, {
      enumerable: true,
      get(this: Row) {
        const field = this[FIELDS][place];
        return field === undefined || field.read === null ? field?.value : field.read(this[ROW]);
      },
    });
  });
  classes.set(key, NamedRow);
  return NamedRow;
}

/** Makes rows that read from the columns what is not the same in all of them, and have all else from what was learnt. */
function rowReader(like: object, { parts }: Parts): (row: number) => object {
  const fields = Object.entries(like).map(
    ([name, value]): Field => ({ value, read: readerOf(value, parts.get(name), name) }),
  );
  const Named = classOf(Object.keys(like));
  return (row) => new Named(fields, row);
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
  return rowReader(value, parts);
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
