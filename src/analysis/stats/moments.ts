/** Mean, spread and order statistics. Null where there is no answer: too few values, or one that is not finite. */

/** Arithmetic mean, with a compensated sum (Neumaier 1974). Null without values. */
export function mean(values: readonly number[]): number | null {
  const first = values[0];
  if (first === undefined) {
    return null;
  }
  // Equal values have exactly that mean, and with it exactly no spread.
  if (values.every((value) => value === first)) {
    return finiteOrNull(first);
  }
  return finiteOrNull(compensatedSum(values) / values.length);
}

/** Sample standard deviation, n − 1 in the denominator, in two passes. Null for n < 2. */
export function standardDeviation(values: readonly number[]): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) {
    return null;
  }
  // Scaled by the largest deviation, so that squares neither overflow nor vanish.
  const scale = values.reduce((largest, value) => Math.max(largest, Math.abs(value - centre)), 0);
  if (scale === 0) {
    return 0;
  }
  const deviations = values.map((value) => (value - centre) / scale);
  const squares = compensatedSum(deviations.map((deviation) => deviation ** 2));
  const rest = compensatedSum(deviations);
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
export function rangeOf(values: readonly number[]): { readonly lowest: number; readonly highest: number } {
  const [first = 0, ...others] = values;
  let lowest = first;
  let highest = first;
  for (const value of others) {
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  }
  return { lowest, highest };
}

/** Sum that loses no low-order digits to the order of its terms (Neumaier 1974). */
export function compensatedSum(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
