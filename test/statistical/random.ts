/** Seeded random numbers for simulations. */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export const FULL = process.env['ASSAY_TEST_FULL'] === '1';

/** The quick tests make a twentieth of the runs… */
export const FEWER = FULL ? 1 : 20;
/** …and allow chance as much more: what is gross they find all the same. */
export const LOOSER = Math.sqrt(FEWER);

export interface Random {
  /** Uniform in (0, 1]. */
  uniform(): number;
  /** Standard normal, by the polar method (Marsaglia & Bray 1964). */
  normal(): number;
}

export function seeded(seed: number): Random {
  const generator = xoroshiro128plus(seed);
  const uniform = (): number => 1 - uniformFloat64(generator);
  const normal = (): number => {
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square > 0 && square < 1) {
        return x * Math.sqrt((-2 * Math.log(square)) / square);
      }
    }
  };
  return { uniform, normal };
}

/** How often the trial succeeds in so many runs, in per cent. */
export function percentage(runs: number, trial: () => boolean): number {
  let successes = 0;
  for (let run = 0; run < runs; run++) {
    successes += trial() ? 1 : 0;
  }
  return (100 * successes) / runs;
}

export function sample(n: number, draw: (i: number) => number): number[] {
  return Array.from({ length: n }, (_, i) => draw(i));
}
