/** Values for made-up runs. */

export const PAIRS = 16;

/** Numbers around `mean` with a relative spread of `spread`, the same every time (a linear congruential generator). */
export function around(mean: number, spread: number, seed: number, count = PAIRS): number[] {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => {
    const bell = uniform() + uniform() + uniform() + uniform();
    return Math.round(mean * (1 + spread * bell * Math.sqrt(3)));
  });
}
