/** On which scale a figure is averaged and compared: one for all engines, since its numbers stand beside each other. */
import type { Values } from '../../analysis/stats/moments.ts';

export type ScaleName = 'ratio' | 'difference';

export interface FigureScale {
  readonly name: ScaleName;
  readonly to: (value: number) => number;
  readonly back: (shown: number) => number;
  /** An effect: a fraction where the scale is one of ratios, else in the unit of the figure. */
  readonly change: (shown: number) => number;
  /** What a step of a count is on this scale, near a value; no interval is narrower than ± this. */
  readonly step: (quantum: number, near: number) => number;
}

/** The rounding of doubles is a quantum too: what lies within it is no difference. */
const ROUNDING = 2 ** -50;

/**
 * What no double holds is told as the largest that we compute with, or as its reciprocal: with two blocks and many engines an interval on
 * logarithms soon reaches beyond, and an infinite number is none in JSON.
 */
const LARGEST = 1e300;

function held(value: number, least: number): number {
  return Math.min(Math.max(value, least), LARGEST);
}

/** Logarithms, for geometric means and ratios. */
const RATIO: FigureScale = {
  name: 'ratio',
  to: Math.log,
  back: (shown) => held(Math.exp(shown), 1 / LARGEST),
  change: (shown) => held(Math.expm1(shown), -1),
  step: (quantum, near) => Math.max(Math.log1p(quantum / near), ROUNDING),
};

/** The unit itself, for arithmetic means and differences. */
const DIFFERENCE: FigureScale = {
  name: 'difference',
  to: (value) => value,
  back: (shown) => held(shown, -LARGEST),
  change: (shown) => held(shown, -LARGEST),
  step: (quantum, near) => Math.max(quantum, ROUNDING * Math.abs(near)),
};

/** Zero has no logarithm: one of them among the values of any engine, and the whole figure is taken by differences. */
export function scaleOf(values: Values): FigureScale {
  return Array.from(values).every((value) => value > 0) ? RATIO : DIFFERENCE;
}
