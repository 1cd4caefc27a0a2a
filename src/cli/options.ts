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
  const value = wholeNumber(2, 10_000)(text);
  if (value % 2 === 0) return value;
  throw new InvalidArgumentError(`Half of the pairs run in the other order: use ${value - 1 || 2} or ${value + 1}.`);
}

/** `5%` or `0.05`, as experiment files write changes. */
export function changeText(text: string): string {
  if (/^\d{1,6}(\.\d{1,12})?%$/.test(text) || /^0(\.\d{1,12})?$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a percentage such as 5%, or a fraction below 1 such as 0.05.');
}

/** Names of variables, one for each use of the option. */
export function collectNames(value: string, previous: readonly string[]): readonly string[] {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(value)) throw new InvalidArgumentError('Expected the name of a variable.');
  return [...previous, value];
}

/** Paths of files, one for each use of the option. */
export function collectFiles(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

export const MOST_SEED = 2 ** 31 - 1;
