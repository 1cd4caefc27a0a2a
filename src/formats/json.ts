/** JSON that may be none, and that strangers wrote. */

/** The value of the text, or undefined, which no JSON is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An empty list takes two bytes of text, and thirty times that once it is parsed. */
const MOST_VALUES = 1_000_000;

/** A clause, where a text would hold more values than any tool's output does; else null. Punctuation inside strings counts too. */
export function excessOf(text: string): string | null {
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // A value stands after each `[`, `{`, `,`.
    if (code === 0x5b || code === 0x7b || code === 0x2c) values += 1;
  }
  return values > MOST_VALUES ? `it holds more than ${MOST_VALUES} values` : null;
}

/** What `parseJson` gives, in memory that is bounded; else a clause about the text. */
export function parseStrangersJson(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly reason: string } {
  const excess = excessOf(text);
  if (excess !== null) return { ok: false, reason: excess };
  const value = parseJson(text);
  return value === undefined ? { ok: false, reason: 'it is no JSON, or was cut' } : { ok: true, value };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Null where the value is no object. */
export function objectOf(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** Null where the value is no list. */
export function listOf(value: unknown): readonly unknown[] | null {
  return Array.isArray(value) ? value : null;
}

/** Null where the value is no finite number: JSON's 1e999 is read as infinite. */
export function finiteOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Null where the value is no text. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
