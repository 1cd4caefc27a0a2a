/** When a run that may end early would end: a simulation, since no closed form is known. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { sequenceCriticalValue } from './confidence-sequence.ts';

/** Looks come after every fourth value, and of those between after two in three: where two of two orders have run equally often. */
const GROUP = 4;
const LOOK_WITHIN = 2 / 3;
const MOST_RUNS = 2000;
/** Of all runs together, so that a plan is made in a moment. */
const MOST_DRAWS = 4_000_000;
const SEED = 1976;

export interface StoppingRule {
  /** True mean of the values; they are normal. */
  readonly shift: number;
  readonly sd: number;
  /** A look decides where the whole sequence at 1 − α lies beyond ± this. */
  readonly threshold: number;
  readonly min: number;
  readonly max: number;
  readonly alpha: number;
  readonly c2: number;
}

/**
 * Mean number of values at the look that ends the run, and the share of the runs that a look decides; from up to 2,000 simulated
 * runs, always the same ones. Null where there is no spread.
 */
export function stoppingTime({ shift, sd, threshold, min, max, alpha, c2 }: StoppingRule): {
  readonly values: number;
  readonly decided: number;
} | null {
  if (!(sd > 0) || max < 2) return null;
  const runs = Math.max(100, Math.min(MOST_RUNS, Math.floor(MOST_DRAWS / max)));
  const half = Array.from({ length: max + 1 }, (_, n) => sequenceCriticalValue(n, c2, alpha) / Math.sqrt(n));
  const { normal, uniform } = draws();
  let values = 0;
  let decided = 0;
  for (let run = 0; run < runs; run++) {
    let mean = 0;
    let squares = 0;
    let n = 0;
    let ended = false;
    while (!ended && n < max) {
      n += 1;
      const off = shift + sd * normal() - mean;
      mean += off / n;
      squares += off * off * ((n - 1) / n);
      const isLook = n === max || n % GROUP === 0 || (n % 2 === 0 && uniform() < LOOK_WITHIN);
      if (n < min || !isLook) continue;
      ended = Math.abs(mean) - (half[n] ?? Number.POSITIVE_INFINITY) * Math.sqrt(squares / (n - 1)) > threshold;
    }
    values += n;
    decided += ended ? 1 : 0;
  }
  return { values: values / runs, decided: decided / runs };
}

/** Standard normal numbers by the polar method (Marsaglia & Bray 1964). */
function draws(): { readonly uniform: () => number; readonly normal: () => number } {
  const generator = xoroshiro128plus(SEED);
  const uniform = (): number => uniformFloat64(generator);
  const normal = (): number => {
    for (;;) {
      const x = 2 * uniform() - 1;
      const square = x * x + (2 * uniform() - 1) ** 2;
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
    }
  };
  return { uniform, normal };
}
