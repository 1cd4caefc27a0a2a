/**
 * Counts as people read them: in full, never with an exponent, and never finer than the range of their repeats. Ends of a
 * range are rounded outward, and differences are taken of what is printed, so that a reader's sums come out.
 */
import type { CountRange, Interval } from '../analysis/analysis.ts';
import { PERCENT, type Scale } from './numbers.ts';

const MOST_DECIMALS = 9;
/** Exact quotients are printed whole up to here; beyond, in three digits of the difference. */
const MOST_EXACT_DECIMALS = 3;

/** Decimals that show `size` (not zero) with `digits` digits; negative where those end before the point. */
function decimalsOf(size: number, digits: number): number {
  const [, exponent] = size.toExponential(digits - 1).split('e');
  return Math.min(MOST_DECIMALS, digits - 1 - Number(exponent));
}

/** Decimals for half a range: two digits of what begins with less than 3.55, else one (Particle Data Group). */
function rangeDecimals(half: number): number {
  return decimalsOf(half, Number(half.toExponential().split('e')[0]) < 3.55 ? 2 : 1);
}

/** The fewest decimals that print every one of `values` as it is; more than there can be where none do. */
function exactDecimals(values: readonly number[]): number {
  for (let decimals = 0; decimals <= MOST_DECIMALS; decimals++) {
    if (values.every((value) => Number(value.toFixed(decimals)) === value)) return decimals;
  }
  return Number.POSITIVE_INFINITY;
}

/**
 * Decimals for a difference with this range, and for the `values` beside it: as many as half the range has, more where an
 * end would reach zero that does not.
 */
export function countDecimals([low, high]: Interval, values: readonly number[]): number {
  const exact = exactDecimals([low, high, ...values]);
  if (low !== high) {
    const nearest = Math.min(Math.abs(low), Math.abs(high));
    const ends = low <= 0 && high >= 0 ? Number.NEGATIVE_INFINITY : decimalsOf(nearest, 1);
    return Math.min(exact, Math.max(rangeDecimals((high - low) / 2), ends));
  }
  if (exact <= MOST_EXACT_DECIMALS) return exact;
  const size = low === 0 ? Math.max(...values.map(Math.abs)) : Math.abs(low);
  return Math.max(1, decimalsOf(size, 3));
}

/** Decimals of a difference that is known exactly: its own where they are few, else those of the values beside it. */
export function differenceDecimals(difference: number, besides: number): number {
  const exact = exactDecimals([difference]);
  return exact <= MOST_EXACT_DECIMALS ? exact : besides;
}

function rounded(value: number, decimals: number, how: (value: number) => number): number {
  // What has no more decimals than these must not be moved by how numbers are stored.
  if (decimals >= 0 && Number(value.toFixed(decimals)) === value) return value;
  const step = 10 ** -decimals;
  return decimals >= 0 ? how(value * 10 ** decimals) / 10 ** decimals : how(value / step) * step;
}

/** A range as it is printed: its ends rounded outward, or one number where all counts were alike. */
export function printedRange({ lowest, highest }: CountRange, decimals: number): CountRange {
  if (lowest === highest) {
    const value = rounded(lowest, decimals, Math.round);
    return { lowest: value, highest: value };
  }
  return { lowest: rounded(lowest, decimals, Math.floor), highest: rounded(highest, decimals, Math.ceil) };
}

export function formatCount(value: number, decimals: number): string {
  const text = rounded(value, decimals, Math.round).toFixed(Math.max(0, decimals));
  return Number(text) === 0 ? text.replace('-', '') : text;
}

export function formatSignedCount(value: number, decimals: number): string {
  const text = formatCount(value, decimals);
  return Number(text) > 0 ? `+${text}` : text;
}

/** How a change is shown whose range is `range`, as fractions of the reference. */
export function countChangeScale(change: number, [low, high]: Interval): Scale {
  const half = ((high - low) / 2) * PERCENT.factor;
  const size = Math.abs(change) * PERCENT.factor;
  const decimals = half > 0 ? rangeDecimals(half) : size === 0 ? 0 : decimalsOf(size, 3);
  // A count that is left cannot read as none.
  const left = change > -1 && change < -0.9 ? decimalsOf((1 + change) * PERCENT.factor, 1) : 0;
  return { ...PERCENT, decimals: Math.max(0, decimals, left) };
}
