/** What repeats of one loop show of a machine: how small an effect pairs of such loops could find. */
import { median, standardDeviation } from './stats/moments.ts';
import { detectableShift, upperSd, valuesNeeded } from './stats/power.ts';

/** What a plan made from the probe is assumed to be: as many pairs, α and power as an ordinary experiment has. */
export const PROBE_PLAN = { pairs: 16, alpha: 0.05, power: 0.8 } as const;
/** A spread is as often too small as too large by chance: plans are made with this upper bound of it. */
const SPREAD_CONFIDENCE = 0.8;
/** The effect whose price in pairs is told. */
const WANTED_EFFECT = 0.01;

export interface ProbeSpread {
  /** Pairs of adjacent loops that the spread is of. */
  readonly pairs: number;
  /** Middle time of a loop. */
  readonly loop_ns: number;
  /** Standard deviation of ln(second / first) over the pairs. */
  readonly sd: number;
  /** As a fraction: the smallest effect that 16 pairs find with 80 % power in a two-sided test at 5 %. */
  readonly detectable: number;
  /** Pairs that would find 1 % with that power; null: more than a million. */
  readonly pairs_for_one_percent: number | null;
}

/**
 * The spread of repeats, taken in pairs of neighbours (the first and second, the third and fourth, …), and what it lets
 * one find: noncentral t, at the upper 80 % bound of the spread. Null for fewer than two pairs, for times that are not
 * positive, or where all pairs are alike: then nothing is known.
 */
export function probeSpread(times_ns: readonly number[]): ProbeSpread | null {
  const loop_ns = median(times_ns);
  if (loop_ns === null || times_ns.some((time) => !(time > 0))) return null;
  const ratios: number[] = [];
  for (let at = 0; at + 1 < times_ns.length; at += 2) {
    ratios.push(Math.log((times_ns[at + 1] ?? 0) / (times_ns[at] ?? 0)));
  }
  const sd = standardDeviation(ratios);
  const upper = sd === null ? null : upperSd(sd, ratios.length - 1, SPREAD_CONFIDENCE);
  if (sd === null || upper === null) return null;
  const { pairs, alpha, power } = PROBE_PLAN;
  const shift = detectableShift(upper, pairs, power, alpha);
  if (shift === null) return null;
  return {
    pairs: ratios.length,
    loop_ns,
    sd,
    detectable: Math.expm1(shift),
    pairs_for_one_percent: valuesNeeded(Math.log1p(WANTED_EFFECT), upper, power, alpha),
  };
}
