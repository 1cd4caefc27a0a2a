/** Values of JSON that strangers wrote: finding one, and comparing two. */

/**
 * The value that a JSON pointer (RFC 6901) names; undefined where there is none. Only what the document itself holds is
 * found, never what objects inherit.
 */
export function resolvePointer(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  if (!pointer.startsWith('/')) return undefined;
  let value = document;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  return value;
}

/** Whether a value is nested more than `most` levels deep. Iterative, for the value may be far deeper. */
export function deeperThan(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each === 'object' && each !== null) for (const child of Object.values(each)) next.push(child);
    }
    level = next;
  }
  return false;
}

/**
 * One text for equal values, whatever the order of their keys: JSON with sorted keys. Null where the value holds a
 * number that reading may have rounded (2^53 and beyond), so that different numbers could look equal.
 * The value must not be deep (`deeperThan`).
 */
export function canonicalJson(value: unknown): string | null {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? JSON.stringify(value) : null;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const parts = value.map(canonicalJson);
    return parts.includes(null) ? null : `[${parts.join(',')}]`;
  }
  const parts: string[] = [];
  for (const [key, child] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const text = canonicalJson(child);
    if (text === null) return null;
    parts.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${parts.join(',')}}`;
}
