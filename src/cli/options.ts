/** Parsers of option values: a wrong value is a sentence, not NaN. */
import { InvalidArgumentError } from 'commander';
import { parseDuration, parseFraction } from '../experiment/quantities.ts';

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
  if (/^\d{1,6}(\.\d{1,12})? ?%$/.test(text) || /^0(\.\d{1,12})?$/.test(text)) return text;
  throw new InvalidArgumentError('Expected a percentage such as 5%, or a fraction below 1 such as 0.05.');
}

/** What is to be found: `1%`, or a number in the unit of a metric. Both directions are alike, so it has no sign. */
export function wantedChange(text: string): { readonly value: number; readonly percent: boolean } {
  const percent = text.endsWith('%');
  const value = percent ? parseFraction(text) : /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : null;
  if (value !== null && value > 0) return { value, percent };
  throw new InvalidArgumentError(
    'Expected a percentage such as 1%, or for a metric that is a difference a number in its unit, such as 2.',
  );
}

/** Seconds: `10m`, `90s`, `2h`. */
export function timeSpan(text: string): number {
  const milliseconds = parseDuration(/^\d+(\.\d+)?$/.test(text) ? `${text}s` : text);
  if (milliseconds !== null && milliseconds > 0) return milliseconds / 1000;
  throw new InvalidArgumentError('Expected a time such as 10m, 90s or 2h.');
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
