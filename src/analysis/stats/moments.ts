/** Mean, spread and order statistics. Null where there is no answer: too few values, or one that is not finite. */

/** Numbers in a row: a list, or a column of a packed table. */
export type Values = ArrayLike<number> & Iterable<number>;

/** Arithmetic mean. Null without values, or where it is not finite. */
export function mean(values: Values): number | null {
  const running = new RunningMean();
  for (let i = 0; i < values.length; i++) running.add(values[i] ?? 0);
  return running.value;
}

/** The mean of what is added one by one, with a compensated sum (Neumaier 1974). */
export class RunningMean {
  #count = 0;
  #first = 0;
  #isConstant = true;
  #sum = 0;
  #lost = 0;

  add(value: number): void {
    if (this.#count === 0) this.#first = value;
    else if (value !== this.#first) this.#isConstant = false;
    this.#count += 1;
    const sum = this.#sum;
    const next = sum + value;
    this.#lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    this.#sum = next;
  }

  /** Null where nothing was added, or it is not finite. */
  get value(): number | null {
    if (this.#count === 0) return null;
    // Equal values have exactly that mean, and with it exactly no spread.
    return finiteOrNull(this.#isConstant ? this.#first : (this.#sum + this.#lost) / this.#count);
  }
}

/** Sample standard deviation, n − 1 in the denominator, in two passes. Null for n < 2. */
export function standardDeviation(values: Values): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) {
    return null;
  }
  // Scaled by the largest deviation, so that squares neither overflow nor vanish.
  const scale = largestSize(values, centre);
  if (scale === 0) {
    return 0;
  }
  const squares = compensatedSum(values, (value) => ((value - centre) / scale) ** 2);
  const rest = compensatedSum(values, (value) => (value - centre) / scale);
  return finiteOrNull(scale * Math.sqrt((squares - rest ** 2 / values.length) / (values.length - 1)));
}

/** Middle value, or the mean of the two middle ones. Null without values, or where one is not finite. */
export function median(values: readonly number[]): number | null {
  if (!values.every(Number.isFinite)) {
    return null;
  }
  const sorted = values.toSorted((a, b) => a - b);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || upper === undefined ? null : lower / 2 + upper / 2;
}

/** Smallest and largest value; zero and zero without values. */
export function rangeOf(values: Values): { readonly lowest: number; readonly highest: number } {
  const first = values[0] ?? 0;
  let lowest = first;
  let highest = first;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return { lowest, highest };
}

/** The largest distance from a centre; zero without values, NaN where one is not a number. */
export function largestSize(values: Values, centre = 0): number {
  let largest = 0;
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs((values[i] ?? 0) - centre));
  return largest;
}

/**
 * Sum that loses no low-order digits to the order of its terms (Neumaier 1974).
 * @param term what is added for a value; null: the value itself
 */
export function compensatedSum(values: Values, term: ((value: number, place: number) => number) | null = null): number {
  let sum = 0;
  let lost = 0;
  for (let i = 0; i < values.length; i++) {
    const own = values[i] ?? 0;
    const value = term === null ? own : term(own, i);
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
