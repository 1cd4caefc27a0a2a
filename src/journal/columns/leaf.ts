/** Which values a schema takes in one place, while all around it stays as it is. */
import { z } from 'zod';

/** The numbers that a schema takes in one place: from the least to the most. */
export interface Range {
  readonly least: number;
  readonly most: number;
  /** Only whole numbers that a double holds exactly. */
  readonly whole: boolean;
}

type Path = readonly (string | number)[];

/**
 * What a schema asks of a number in one place of a value that it takes; null where it asks anything else, or what cannot be told
 * of this number alone. One of the range can take the place of the number that is there, and the schema takes the whole by the
 * same ways.
 */
export function numberRange(schema: z.ZodType, value: unknown, path: Path): Range | null {
  const leaf = leafAt(schema, value, path);
  if (!(leaf instanceof z.ZodNumber)) return null;
  if (!(leaf.def.checks ?? []).every((check) => PLAIN.includes(check._zod.def.check))) return null;
  const least = Math.max(leaf.minValue ?? -Number.MAX_VALUE, -Number.MAX_VALUE);
  const most = Math.min(leaf.maxValue ?? Number.MAX_VALUE, Number.MAX_VALUE);
  // A bound that the schema does not take itself: the next number is.
  return {
    least: leaf.safeParse(least).success ? least : nextAbove(least),
    most: leaf.safeParse(most).success ? most : -nextAbove(-most),
    whole: leaf.isInt,
  };
}

/** The same of a string, which the schema then takes whatever it is. */
export function takesAnyText(schema: z.ZodType, value: unknown, path: Path): boolean {
  const leaf = leafAt(schema, value, path);
  return leaf instanceof z.ZodString && (leaf.def.checks ?? []).length === 0;
}

const PLAIN: readonly string[] = ['greater_than', 'less_than', 'number_format'];

function leafAt(schema: z.core.$ZodType, value: unknown, path: Path): z.core.$ZodType | null {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return leafAt(schema.def.innerType, value, path);
  }
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  // What looks at several fields together is not told by one.
  if ((schema._zod.def.checks ?? []).length > 0) return null;
  if (schema instanceof z.ZodUnion) {
    const option = decidedOption(schema, value);
    return option === null ? null : leafAt(option, value, path);
  }
  const part = partOf(schema, key);
  return part === null ? null : leafAt(part, fieldOf(value, key), rest);
}

function partOf(schema: z.core.$ZodType, key: string | number): z.core.$ZodType | null {
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    return Object.hasOwn(shape, key) ? (shape[key] ?? null) : null;
  }
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  return null;
}

/**
 * The option that takes the value, where words and keys alone decide that it is this one: a word of its own in each, or those
 * before it miss a key.
 */
function decidedOption(union: z.ZodUnion, value: unknown): z.core.$ZodType | null {
  for (const option of union.options) {
    const { success, error } = z.core.safeParse(option, value);
    if (success) return option;
    if (union instanceof z.ZodDiscriminatedUnion) continue;
    const missing = error.issues.some(({ code, path }) => code === 'invalid_type' && at(value, path) === undefined);
    if (!missing) return null;
  }
  return null;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((part, key) => fieldOf(part, key), value);
}

function fieldOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** The next double. */
function nextAbove(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) + (value > 0 ? 1n : -1n);
  return new Float64Array(bits.buffer)[0] ?? value;
}
