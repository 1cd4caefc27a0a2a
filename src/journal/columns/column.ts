/** A column of a table that grows. */

const CHUNK_BITS = 10;
const CHUNK = 1 << CHUNK_BITS;
const FIRST_CAPACITY = 16;

/** Equal numbers so far are one number; then whole numbers below 2³² while all are; then doubles. */
type Chunk = number | Uint32Array | Float64Array;

/** Numbers in the order in which they were added. Constant and small ones take little room. */
export class NumberColumn {
  readonly #chunks: Chunk[] = [];
  #length = 0;

  push(value: number): void {
    const place = this.#length & (CHUNK - 1);
    this.#length += 1;
    if (place === 0) {
      this.#chunks.push(value);
      return;
    }
    const last = this.#chunks.length - 1;
    const chunk = this.#chunks[last] ?? 0;
    if (typeof chunk === 'number' && Object.is(chunk, value)) return;
    const wide = chunk instanceof Float64Array || !isSmall(value) || (typeof chunk === 'number' && !isSmall(chunk));
    const room = roomFor(chunk, place, wide);
    room[place] = value;
    this.#chunks[last] = room;
  }

  at(row: number): number {
    const chunk = this.#chunks[row >>> CHUNK_BITS] ?? 0;
    return typeof chunk === 'number' ? chunk : (chunk[row & (CHUNK - 1)] ?? 0);
  }
}

/** Whether an array of 32-bit numbers gives it back; it has no −0. */
function isSmall(value: number): boolean {
  return value >>> 0 === value && !Object.is(value, -0);
}

/** The chunk as an array with a place of that index, with all that stood before it. */
function roomFor(chunk: Chunk, place: number, wide: boolean): Uint32Array | Float64Array {
  if (typeof chunk !== 'number' && place < chunk.length && wide === chunk instanceof Float64Array) return chunk;
  const held = typeof chunk === 'number' ? FIRST_CAPACITY : chunk.length;
  let capacity = held;
  while (capacity <= place) capacity *= 4;
  const grown = wide ? new Float64Array(capacity) : new Uint32Array(capacity);
  if (typeof chunk === 'number') grown.fill(chunk, 0, place);
  else grown.set(chunk.subarray(0, place));
  return grown;
}
