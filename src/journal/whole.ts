/**
 * A copy with fields of its own, and so in depth. A trial that was read from a journal may look its fields up in columns
 * (`columns/trial-table.ts`): `{ ...trial }` would copy none of them.
 */
export function whole<T extends object>(value: T): T {
  const copy = Array.isArray(value) ? [] : {};
  for (const key in value) {
    const part = value[key];
    Reflect.set(copy, key, typeof part === 'object' && part !== null ? whole(part) : part);
  }
  return copy as T;
}
