/** The noncentral t distribution, which planning needs and no library offers well. */
import { normalCdf } from './distributions.ts';

/** Beyond this many e-folds below its peak the weight no longer counts. */
const NEGLIGIBLE = 40;
/** A t of zero or less under more noncentrality than this is as good as impossible: P(T ≤ 0) = Φ(−δ). */
const ONE_SIDED = 9;
/** Between two points, on the scale on which the integrand is smooth: doubling the points changes nothing above 1e-12. */
const STEP = 0.25;

/**
 * P(T ≤ t) for noncentral t, absolute error below 1e-9.
 *
 * T = (Z + δ)/W with W = √(χ²/df), so P(T ≤ t) = E Φ(tW − δ). With u = ln W the density of u is proportional to exp(df·(u − (e²ᵘ − 1)/2)):
 * analytic, highest at u = 0 and fading at both ends, where the trapezoidal rule converges geometrically (Trefethen &
 * Weideman 2014). The same sum without Φ is the constant of proportionality.
 *
 * Φ rises around u = ln(δ/t) over a width of 1/δ, which for few values and a small α is a tiny part of the whole. The points
 * are therefore evenly spaced in `even` and not in u: dense at the rise, at most 1/(√(2df) + 6) apart elsewhere. Their
 * number grows with ln δ.
 */
export function noncentralTCdf(t: number, df: number, noncentrality: number): number {
  if (t <= 0 && noncentrality > ONE_SIDED) return 0;
  const rise = t * noncentrality > 0 ? Math.log(Math.abs(noncentrality)) - Math.log(Math.abs(t)) : 0;
  const width = 1 / Math.max(1, Math.abs(noncentrality));
  const density = Math.sqrt(2 * df) + 6;
  const even = (u: number): number => density * (u - rise) + Math.asinh((u - rise) / width);
  const slope = (u: number): number => density + 1 / Math.hypot(u - rise, width);
  let sum = 0;
  let weights = 0;
  const add = (u: number): boolean => {
    const fall = df * (u - Math.expm1(2 * u) / 2);
    const weight = Math.exp(fall) / slope(u);
    sum += weight * normalCdf(t * Math.exp(u) - noncentrality);
    weights += weight;
    return fall > -NEGLIGIBLE;
  };
  /** The u with the value x of `even`, by Newton's method from a point close by. */
  const solve = (x: number, near: number): number => {
    let u = near;
    for (let i = 0; i < 8; i++) {
      const step = (even(u) - x) / slope(u);
      u -= step;
      if (Math.abs(step) < 1e-8 * width) break;
    }
    return u;
  };
  add(0);
  for (const direction of [1, -1]) {
    let u = 0;
    let i = 0;
    do {
      i += 1;
      u = solve(even(0) + direction * i * STEP, u);
    } while (add(u));
  }
  return sum / weights;
}
