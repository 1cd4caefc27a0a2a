/** Parsers of option values: a wrong value is a sentence, not NaN. */
import { InvalidArgumentError } from 'commander';

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** An even number of pairs, since half of them run in the other order. */
export function evenPairs(text: string): number {
  const value = wholeNumber(2, 100_000)(text);
  if (value % 2 === 0) return value;
  throw new InvalidArgumentError(`Half of the pairs run in the other order: use ${value - 1 || 2} or ${value + 1}.`);
}

/** `5%` or `0.05`, as a fraction from 0 to 10. */
export function fraction(text: string): number {
  const match = /^(\d{1,6}(?:\.\d{1,12})?)(%?)$/.exec(text.trim());
  const value = match === null ? Number.NaN : Number(match[1]) / (match[2] === '%' ? 100 : 1);
  if (value >= 0 && value <= 10) return value;
  throw new InvalidArgumentError('Expected a fraction such as 0.05, or a percentage such as 5%.');
}

export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

export const MOST_SEED = 2 ** 31 - 1;
