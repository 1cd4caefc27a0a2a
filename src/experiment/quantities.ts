/** Times, sizes and fractions as people write them in an experiment file. */

const NUMBER = String.raw`\d{1,15}(?:\.\d{1,9})?`;

export const DURATION_PATTERN = new RegExp(`^(${NUMBER}) ?(ms|s|m|min|h)$`);
export const SIZE_PATTERN = new RegExp(`^(${NUMBER}) ?(B|kB|MB|GB|KiB|MiB|GiB)$`);
export const PERCENT_PATTERN = new RegExp(`^(${NUMBER}) ?%$`);

/** Down to microseconds. */
export const SHORT_DURATION_PATTERN = new RegExp(`^(${NUMBER}) ?(us|ms|s|m|min)$`);

const NANOSECONDS: Readonly<Record<string, number>> = { us: 1e3, ms: 1e6, s: 1e9, m: 60e9, min: 60e9 };
const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1e3, m: 60e3, min: 60e3, h: 3600e3 };
const BYTES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
};

/** Milliseconds, rounded to whole ones; a number without a unit is in seconds. Null where the text is no time. */
export function parseDuration(value: string | number): number | null {
  return parseQuantity(typeof value === 'number' ? `${value} s` : value, DURATION_PATTERN, MILLISECONDS);
}

/** Nanoseconds, rounded to whole ones; a number without a unit is in seconds. Null where the text is no time. */
export function parseNanoseconds(value: string | number): number | null {
  return parseQuantity(typeof value === 'number' ? `${value} s` : value, SHORT_DURATION_PATTERN, NANOSECONDS);
}

/** Bytes, rounded to whole ones; a number without a unit is in bytes. Null where the text is no size. */
export function parseSize(value: string | number): number | null {
  return parseQuantity(typeof value === 'number' ? `${value} B` : value, SIZE_PATTERN, BYTES);
}

/** `1 %` is 0.01; a number stands for itself. Null where the text is no percentage. */
export function parseFraction(value: string | number): number | null {
  if (typeof value === 'number') return value;
  const digits = PERCENT_PATTERN.exec(value)?.[1];
  // Shifting the decimal point in the text keeps 1.1 % at 0.011, where a division can be one bit off.
  return digits === undefined ? null : Number(`${digits}e-2`);
}

function parseQuantity(text: string, pattern: RegExp, units: Readonly<Record<string, number>>): number | null {
  const match = pattern.exec(text);
  const unit = units[match?.[2] ?? ''];
  return match === null || unit === undefined ? null : Math.round(Number(match[1]) * unit);
}

/** A change given as an option, as an experiment file writes it: a percentage is a text there, a fraction is a number. */
export function writtenChange(text: string): string | number {
  return text.endsWith('%') ? text : Number(text);
}
