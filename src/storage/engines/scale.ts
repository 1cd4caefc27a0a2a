/** On which scale a figure is averaged and compared: one for all engines, since its numbers stand beside each other. */
import type { Values } from '../../analysis/stats/moments.ts';

export type ScaleName = 'ratio' | 'difference';

export interface FigureScale {
  readonly name: ScaleName;
  readonly to: (value: number) => number;
  readonly back: (shown: number) => number;
  /** What a step of a count is on this scale, near a value; no interval is narrower than ± this. */
  readonly step: (quantum: number, near: number) => number;
}

/** The rounding of doubles is a quantum too: what lies within it is no difference. */
const ROUNDING = 2 ** -50;

/** Logarithms, for geometric means and ratios. */
const RATIO: FigureScale = {
  name: 'ratio',
  to: Math.log,
  back: Math.exp,
  step: (quantum, near) => Math.max(Math.log1p(quantum / near), ROUNDING),
};

/** The unit itself, for arithmetic means and differences. */
const DIFFERENCE: FigureScale = {
  name: 'difference',
  to: (value) => value,
  back: (shown) => shown,
  step: (quantum, near) => Math.max(quantum, ROUNDING * Math.abs(near)),
};

/** Zero has no logarithm: one of them among the values of any engine, and the whole figure is taken by differences. */
export function scaleOf(values: Values): FigureScale {
  return Array.from(values).every((value) => value > 0) ? RATIO : DIFFERENCE;
}
