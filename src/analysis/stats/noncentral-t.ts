/** The noncentral t distribution, which planning needs and no library offers well. */
import { normalCdf } from './distributions.ts';

/** Beyond this many e-folds below its peak the weight no longer counts. */
const NEGLIGIBLE = 40;

/**
 * P(T ≤ t) for noncentral t, absolute error below 1e-9.
 *
 * T = (Z + δ)/W with W = √(χ²/df), so P(T ≤ t) = E Φ(tW − δ). With u = ln W the density of u is proportional to exp(df·(u − (e²ᵘ − 1)/2)):
 * analytic, highest at u = 0 and fading at both ends, where the trapezoidal rule converges geometrically (Trefethen &
 * Weideman 2014). The same sum without Φ is the constant of proportionality.
 */
export function noncentralTCdf(t: number, df: number, noncentrality: number): number {
  // A fraction of the narrower of the two widths: that of the density, and that of the rise of Φ in u.
  const step = 1 / (2 * (Math.sqrt(2 * df) + Math.abs(noncentrality) + 6));
  let sum = 0;
  let weights = 0;
  const add = (u: number): boolean => {
    const fall = df * (u - Math.expm1(2 * u) / 2);
    const weight = Math.exp(fall);
    sum += weight * normalCdf(t * Math.exp(u) - noncentrality);
    weights += weight;
    return fall > -NEGLIGIBLE;
  };
  add(0);
  for (let i = 1; add(i * step); i++) {}
  for (let i = 1; add(-i * step); i++) {}
  return sum / weights;
}
