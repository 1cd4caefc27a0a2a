/** Numbers as people read them: never more digits than the interval supports, the same for a change and its ends. */

/** How a number of one comparison is shown: times `factor`, rounded to `decimals`, followed by `suffix`. */
export interface Scale {
  readonly factor: number;
  /** Negative rounds to tens, hundreds, … */
  readonly decimals: number;
  readonly suffix: string;
}

const MOST_DECIMALS = 9;
/** Rounded to tens at the most: a small end of a very wide interval must not be rounded to nothing. */
const LEAST_DECIMALS = -1;
/** From here on (after scaling) numbers are printed with an exponent. */
const EXPONENT_FROM = 1e7;

/** Rounded to few digits, larger numbers would leave the range of doubles. */
const LARGEST = 1e308;

/** The analysis has no number that is not finite, but scaling or rounding the largest would make one. */
function finite(value: number): number {
  return Math.max(-LARGEST, Math.min(LARGEST, value));
}

/** Decimals that show `size` (not zero) with `digits` significant digits; negative where those end before the point. */
export function decimalsFor(size: number, digits = 2): number {
  const [, exponent] = finite(Math.abs(size))
    .toExponential(digits - 1)
    .split('e');
  return Math.min(MOST_DECIMALS, Math.max(LEAST_DECIMALS, digits - 1 - Number(exponent)));
}

function fixed(scaled: number, decimals: number): string {
  const value = finite(scaled);
  if (Math.abs(value) >= EXPONENT_FROM) return value.toExponential(2);
  if (decimals >= 0) return value.toFixed(decimals);
  const step = 10 ** -decimals;
  return (Math.round(value / step) * step).toFixed(0);
}

/** `value` without a sign of its own: a mean, a count, a limit. */
export function formatValue(value: number, scale: Scale): string {
  const text = fixed(value * scale.factor, scale.decimals);
  return (Number(text) === 0 ? text.replace('-', '') : text) + scale.suffix;
}

/** `value` with its sign; what is rounded to zero has none. */
export function formatSigned(value: number, scale: Scale): string {
  const text = fixed(Math.abs(value) * scale.factor, scale.decimals);
  const sign = Number(text) === 0 ? '' : value > 0 ? '+' : '-';
  return sign + text + scale.suffix;
}

export function formatInterval(interval: readonly [number, number], scale: Scale): string {
  return `[${formatSigned(interval[0], scale)}, ${formatSigned(interval[1], scale)}]`;
}

/**
 * The scale of `change` and everything printed beside it: the half width of `interval` has two significant digits. With
 * no interval, or one of no width, the change has three. Up to two decimals are added where an end would else read as
 * zero, so that the interval shows on which side of zero it ends.
 */
export function changeScale(
  change: number,
  interval: readonly [number, number] | null,
  unit: { readonly factor: number; readonly suffix: string },
): Scale {
  const half = interval === null ? 0 : ((interval[1] - interval[0]) / 2) * unit.factor;
  const shown = change * unit.factor;
  if (half > 0) return showingEnds({ ...unit, decimals: decimalsFor(half) }, interval ?? []);
  return { ...unit, decimals: shown === 0 ? 0 : Math.max(0, decimalsFor(shown, 3)) };
}

/** The scale with up to two decimals more, where an end would else read as zero. */
export function showingEnds(scale: Scale, ends: readonly number[]): Scale {
  const { decimals, factor } = scale;
  const hidden = ends
    .map((end) => Math.abs(end * factor))
    .filter((size) => size > 0 && Number(fixed(size, decimals)) === 0)
    .map((size) => decimalsFor(size, 1));
  return { ...scale, decimals: Math.min(MOST_DECIMALS, decimals + 2, Math.max(decimals, ...hidden)) };
}

export const PERCENT = { factor: 100, suffix: ' %' } as const;

/**
 * As changeScale, for changes that are fractions of the reference. A positive quantity cannot lose 100 %: decimals are
 * added until none of the three reads so.
 */
export function percentScale(change: number, interval: readonly [number, number] | null): Scale {
  const scale = changeScale(change, interval, PERCENT);
  const lowest = Math.min(change, interval?.[0] ?? change);
  if (!(lowest > -1 && lowest < -0.9)) return scale;
  return { ...scale, decimals: Math.max(scale.decimals, decimalsFor((1 + lowest) * 100, 1)) };
}

/** A number of at most `digits` significant digits and no needless zeros. */
export function formatNumber(value: number, digits = 3): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= EXPONENT_FROM * 1e3 || size < 1e-6) return String(Number(finite(value).toExponential(digits - 1)));
  return size >= 10 ** digits ? value.toFixed(0) : String(Number(value.toPrecision(digits)));
}

/** A whole number in prose: `18,533`. Numbers that are not whole come back as they are shown otherwise. */
export function grouped(count: number): string {
  return Number.isInteger(count) && Math.abs(count) < 1e15
    ? String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
    : formatNumber(count);
}

/** A fraction, such as a threshold or a share, in per cent and without a sign: `5 %`. */
export function formatShare(fraction: number): string {
  return `${formatNumber(fraction * 100)} %`;
}

/** A confidence level: as many digits as its distance from 100 % needs for two. `95 %`, `98.3 %`, `99.995 %`. */
export function formatLevel(level: number): string {
  const decimals = Math.max(0, decimalsFor((1 - level) * 100));
  return `${String(Number((level * 100).toFixed(decimals)))} %`;
}

/** `p = 0.031`, with two significant digits; `p < 0.001` below that. */
export function formatP(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${formatNumber(p, 2)}`;
}

/** A duration for planning, not for comparing: `48.2 s`, `12.5 min`, `3.1 h`. */
export function formatDuration(seconds: number): string {
  if (seconds < 120) return `${formatNumber(seconds)} s`;
  return seconds < 7200 ? `${formatNumber(seconds / 60)} min` : `${formatNumber(seconds / 3600)} h`;
}

/** `2025-11-30 21:08:41 UTC`. */
export function formatTime(unix_ms: number): string {
  return `${new Date(unix_ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `1 pair`, `2 pairs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
