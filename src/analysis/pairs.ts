/** The pairs of a comparison in columns: there may be half a million of them, and estimates take a column at a time. */
import type { PairValue } from './analysis.ts';

interface Columns {
  readonly block: Int32Array;
  readonly attempt: Int32Array;
  /** 1 where the reference ran first. */
  readonly reference_first: Uint8Array;
  readonly reference: Float64Array;
  readonly arm: Float64Array;
  readonly effect: Float64Array;
}

/** In the order in which they ran. A pair is made when somebody looks at it. */
export class Pairs implements Iterable<PairValue> {
  readonly length: number;
  readonly block: Int32Array;
  readonly attempt: Int32Array;
  readonly reference: Float64Array;
  readonly arm: Float64Array;
  readonly effect: Float64Array;
  /** Null where they are not of slices. */
  readonly totals: readonly (number | null)[] | null;
  readonly #reference_first: Uint8Array;

  constructor(columns: Columns, totals: readonly (number | null)[] | null) {
    this.length = columns.block.length;
    this.block = columns.block;
    this.attempt = columns.attempt;
    this.reference = columns.reference;
    this.arm = columns.arm;
    this.effect = columns.effect;
    this.totals = totals;
    this.#reference_first = columns.reference_first;
  }

  /** Whether the reference of a pair ran first. */
  isReferenceFirst(index: number): boolean {
    return this.#reference_first[index] === 1;
  }

  /** How many pairs ran the reference first. */
  get referenceFirst(): number {
    return this.#reference_first.reduce((sum, first) => sum + first, 0);
  }

  at(index: number): PairValue | undefined {
    const block = this.block[index];
    if (block === undefined) return undefined;
    return {
      block,
      attempt: this.attempt[index] ?? 0,
      reference_first: this.isReferenceFirst(index),
      reference: this.reference[index] ?? 0,
      arm: this.arm[index] ?? 0,
      effect: this.effect[index] ?? 0,
      total: this.totals?.[index] ?? null,
    };
  }

  *[Symbol.iterator](): Iterator<PairValue> {
    for (let index = 0; index < this.length; index++) {
      const pair = this.at(index);
      if (pair !== undefined) yield pair;
    }
  }
}

/** Pairs while they are found, of which there are at most so many. */
export class PairLog {
  readonly #columns: Columns;
  readonly #totals: (number | null)[] = [];
  #length = 0;

  constructor(most: number) {
    this.#columns = {
      block: new Int32Array(most),
      attempt: new Int32Array(most),
      reference_first: new Uint8Array(most),
      reference: new Float64Array(most),
      arm: new Float64Array(most),
      effect: new Float64Array(most),
    };
  }

  push({ block, attempt, reference_first, reference, arm, effect, total }: PairValue): void {
    const place = this.#length++;
    const columns = this.#columns;
    columns.block[place] = block;
    columns.attempt[place] = attempt;
    columns.reference_first[place] = reference_first ? 1 : 0;
    columns.reference[place] = reference;
    columns.arm[place] = arm;
    columns.effect[place] = effect;
    if (total !== null) {
      while (this.#totals.length < place) this.#totals.push(null);
      this.#totals.push(total);
    }
  }

  pairs(): Pairs {
    const { block, attempt, reference_first, reference, arm, effect } = this.#columns;
    const length = this.#length;
    const columns = {
      block: block.subarray(0, length),
      attempt: attempt.subarray(0, length),
      reference_first: reference_first.subarray(0, length),
      reference: reference.subarray(0, length),
      arm: arm.subarray(0, length),
      effect: effect.subarray(0, length),
    };
    return new Pairs(columns, this.#totals.length === 0 ? null : this.#totals);
  }
}

export const NO_PAIRS: Pairs = new PairLog(0).pairs();
