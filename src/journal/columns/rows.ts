/** Rows of numbers that only grow, packed in columns: what is constant or small takes little room. */

const CHUNK_BITS = 10;
const CHUNK = 1 << CHUNK_BITS;
const FIRST_CAPACITY = 16;
/** Of the column that is being packed. */
const scratch = new Float64Array(CHUNK);

/** Of one column: equal numbers are one number; whole ones are as narrow as they can be. */
type Packed = number | Uint8Array | Uint16Array | Uint32Array | Float64Array;

export class Rows {
  readonly #width: number;
  /** By chunk, by column. */
  readonly #packed: Packed[][] = [];
  /** The rows that are no whole chunk yet, one after the other. */
  #open: Float64Array;
  #length = 0;

  constructor(width: number) {
    this.#width = width;
    this.#open = new Float64Array(width * FIRST_CAPACITY);
  }

  /** Adds the first numbers of `row`, as many as there are columns, and returns its index. */
  push(row: Float64Array): number {
    const place = (this.#length % CHUNK) * this.#width;
    if (place === this.#open.length) {
      const grown = new Float64Array(this.#open.length * 4);
      grown.set(this.#open);
      this.#open = grown;
    }
    for (let column = 0; column < this.#width; column++) this.#open[place + column] = row[column] ?? 0;
    this.#length += 1;
    if (this.#length % CHUNK === 0) {
      this.#packed.push(Array.from({ length: this.#width }, (_, column) => this.#pack(column)));
    }
    return this.#length - 1;
  }

  at(row: number, column: number): number {
    const chunk = this.#packed[row >>> CHUNK_BITS];
    const place = row & (CHUNK - 1);
    if (chunk === undefined) return this.#open[place * this.#width + column] ?? 0;
    const packed = chunk[column] ?? 0;
    return typeof packed === 'number' ? packed : (packed[place] ?? 0);
  }

  #pack(column: number): Packed {
    const values = scratch;
    const open = this.#open;
    const first = open[column] ?? 0;
    let most = 0;
    let isCount = true;
    let isConstant = true;
    for (let place = 0, at = column; place < CHUNK; place++, at += this.#width) {
      const value = open[at] ?? 0;
      values[place] = value;
      // Arrays of whole numbers have no −0.
      if (!Number.isInteger(value) || value < 0 || (value === 0 && 1 / value < 0)) isCount = false;
      if (value !== first) isConstant = false;
      if (value > most) most = value;
    }
    if (isConstant && (isCount || first !== 0)) return first;
    if (!isCount || most > 0xffff_ffff) return values.slice();
    if (most <= 0xff) return new Uint8Array(values);
    return most <= 0xffff ? new Uint16Array(values) : new Uint32Array(values);
  }
}
