/** Axes of plots: a linear one where values lie together, a logarithmic one where they are many times apart. */
import { axisX, axisY, gridY, type Markish, type ScaleOptions } from '@observablehq/plot';
import type { Metric } from '../../experiment/experiment.ts';
import { formatNumber, type Scale } from '../numbers.ts';
import { unitFor } from '../units.ts';

export interface Axis {
  /** Where on the axis a value lies. */
  readonly at: (value: number) => number;
  readonly scale: ScaleOptions;
  /** Of the scale: where the axis begins and ends. */
  readonly ends: readonly [number, number];
  /** For the axis itself, which does not take them from its scale. */
  readonly ticks: { readonly ticks: number | number[]; readonly tickFormat: (tick: number) => string };
  readonly logarithmic: boolean;
}

/** Changes and values beyond these are told apart by factors. */
const LARGEST_LINEAR_CHANGE = 2;
const SMALLEST_LINEAR_CHANGE = -0.65;
const LARGEST_LINEAR_RATIO = 20;
/** So that scales stay finite and a rounded -100 % has a place. */
const LARGEST = 1e300;
const SMALLEST = 1e-12;
/** Nearer to zero than this no scale has ticks. */
const LEAST = 1e-300;
/** As a share of its largest number an axis spans this at least: between nearer ends doubles have no room for ticks. */
const NARROWEST = 1e-12;
/** Of the axis, left free at either end. */
const FREE = 0.05;
const MOST_TICKS = 7;

function clamped(value: number, least: number): number {
  return Math.min(LARGEST, Math.max(least, value));
}

function extent(values: readonly number[]): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low > high ? [0, 1] : [low, high];
}

function padded(low: number, high: number): [number, number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const width = high - low > size * NARROWEST ? high - low : size * 0.1 || 1;
  return [low - width * FREE, high + width * FREE];
}

/** 1, 2 and 5 times the powers of ten within a range, or the powers alone, or every few of them. */
function logarithmicTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = last - first <= 2 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil((last - first) / MOST_TICKS));
  const ticks: number[] = [];
  for (let exponent = Math.ceil(first / stride) * stride; exponent <= last; exponent += stride) {
    for (const step of steps) ticks.push(Number(`${step}e${exponent}`));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

function logarithmic(values: readonly number[], label: string, format: (tick: number) => string): Axis {
  const at = (value: number): number => clamped(value, SMALLEST);
  const [low, high] = extent(values.map(at));
  const room = Math.max(1.05, (high / low) ** FREE);
  const domain: [number, number] = [low / room, high * room];
  const ticks = { ticks: logarithmicTicks(...domain), tickFormat: format };
  return { at, scale: { type: 'log', domain, label }, ends: domain, ticks, logarithmic: true };
}

function linear(
  values: readonly number[],
  factor: number,
  label: string,
  format: (tick: number) => string,
  ticks: number,
): Axis {
  const at = (value: number): number => {
    const shown = clamped(value * factor, -LARGEST);
    return Math.abs(shown) < LEAST ? 0 : shown;
  };
  const domain = padded(...extent(values.map(at)));
  return {
    at,
    scale: { type: 'linear', domain, label },
    ends: domain,
    ticks: { ticks, tickFormat: format },
    logarithmic: false,
  };
}

function signed(tick: number): string {
  return (tick > 0 ? '+' : '') + formatNumber(tick, 6);
}

/** An axis of changes as they stand in an effect. Ratios far apart stand as factors: ×0.1, ×10. */
export function changeAxis(kind: 'ratio' | 'difference', scale: Scale, values: readonly number[], ticks = 6): Axis {
  if (kind === 'difference') {
    const unit = scale.suffix.trim();
    return linear(values, scale.factor, unit === '' ? 'difference' : `difference (${unit})`, signed, ticks);
  }
  const [low, high] = extent(values);
  if (high <= LARGEST_LINEAR_CHANGE && low >= SMALLEST_LINEAR_CHANGE) {
    return linear(values, 100, 'change (%)', signed, ticks);
  }
  const axis = logarithmic(
    values.map((value) => 1 + value),
    'times the reference (logarithmic)',
    (tick) => `×${formatNumber(tick)}`,
  );
  return { ...axis, at: (value) => axis.at(1 + value) };
}

/** An axis of a metric's values in the unit that they fill. */
export function valueAxis(unit: string, per: Metric['per'], values: readonly number[], ticks = 6): Axis {
  const [low, high] = extent(values);
  const { factor, suffix } = unitFor(unit, Math.max(Math.abs(low), Math.abs(high)), per, (text) => text);
  const label = suffix.trim();
  if (low > 0 && high / low > LARGEST_LINEAR_RATIO) {
    const axis = logarithmic(
      values.map((value) => value * factor),
      label === '' ? '(logarithmic)' : `${label} (logarithmic)`,
      (tick) => formatNumber(tick),
    );
    return { ...axis, at: (value) => axis.at(value * factor) };
  }
  return linear(values, factor, label, (tick) => formatNumber(tick, 6), ticks);
}

/** Where a value lies on the axis; one beyond it lies at its end. */
export function atOrEnd({ at, ends: [low, high] }: Axis, value: number): number {
  return Math.min(high, Math.max(low, at(value)));
}

/** Labels of an axis that counts. */
export function wholeNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : '';
}

/** What a plot of values over a count begins with: labels of both axes, and the grid. */
export function valuesOverCount({ ticks }: Axis): readonly Markish[] {
  return [
    // Nothing lies between two: a tick there would count nothing.
    axisX({ labelAnchor: 'left', labelArrow: 'none', tickFormat: wholeNumber, filter: Number.isInteger }),
    gridY({ ticks: ticks.ticks, stroke: 'var(--rule)', strokeOpacity: 1 }),
    axisY({ ...ticks, labelArrow: 'none', labelAnchor: 'top', tickSize: 0 }),
  ];
}

/** Of bars that begin at zero, as long as what they stand for. */
export function amountAxis(): Markish {
  return axisX({
    ...{ ticks: 5, tickFormat: (tick: number) => formatNumber(tick, 6) },
    ...{ labelAnchor: 'left', labelArrow: 'none' },
  });
}
