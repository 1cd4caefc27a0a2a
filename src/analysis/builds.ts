/** Effects by build, where every arm was built several times: the unit of the interval is then the build. */
import { buildOfBlock } from '../plan/builds.ts';
import type { Pairs } from './pairs.ts';
import { type Estimate, meanEstimate } from './stats/estimate.ts';
import { type Fit, fitWithin, rootMeanSquare } from './stats/fit-within.ts';
import { mean, standardDeviation, type Values } from './stats/moments.ts';

export interface BuildMean {
  /** From 0. */
  readonly build: number;
  readonly pairs: number;
  /** Of the effects of its pairs; of both orders with the same weight, where it has both. */
  readonly effect: number;
  /** Variance of `effect` within the build, as a share of that of one pair. */
  readonly share: number;
}

export interface BuildSpread {
  /** Of pairs within their build and order, pooled over the builds; null where too few pairs are left to tell. */
  readonly within_sd: number | null;
  /** Of the builds' true effects: what the means vary by more than their pairs explain. */
  readonly between_sd: number;
}

/** The mean of each build, in the order of the builds; a text where one of them has no pair. */
export function buildMeans(pairs: Pairs, builds: number): readonly BuildMean[] | string {
  const means: BuildMean[] = [];
  for (let build = 0; build < builds; build++) {
    const found = meanOf(pairs, (index) => buildOfBlock(pairs.block[index] ?? 0, builds) === build);
    if (found === null) {
      return `build ${build + 1} of ${builds} has no complete pair, and the interval is made over all ${builds} builds`;
    }
    means.push({ build, ...found });
  }
  return means;
}

/** Where a build has more pairs of one order than of the other, an effect of the order cancels only between the means of both. */
function meanOf(pairs: Pairs, isOwn: (index: number) => boolean): Omit<BuildMean, 'build'> | null {
  const own = (first: boolean) =>
    pairs.effect.filter((_, index) => isOwn(index) && pairs.isReferenceFirst(index) === first);
  const effects = pairs.effect.filter((_, index) => isOwn(index));
  const [first, second] = [own(true), own(false)];
  const [ab, ba, all] = [mean(first), mean(second), mean(effects)];
  if (ab !== null && ba !== null && first.length !== second.length) {
    return { pairs: effects.length, effect: (ab + ba) / 2, share: (1 / first.length + 1 / second.length) / 4 };
  }
  return all === null ? null : { pairs: effects.length, effect: all, share: 1 / effects.length };
}

/** Mean over the builds, each with the same weight; t with k − 1 degrees of freedom. */
export function buildEstimate(means: readonly BuildMean[]): Estimate | null {
  return meanEstimate(means.map(({ effect }) => effect));
}

/** How far two sets of trials of the same builds differ: the layout of a build is in both, and cancels. */
export function buildDifference(means: readonly BuildMean[], others: readonly BuildMean[]): Estimate | null {
  return meanEstimate(means.map(({ effect, build }) => effect - (others[build]?.effect ?? Number.NaN)));
}

/**
 * Components of variance by the method of moments: s² of the means is σ²between + σ²within · share. What the order of arms does is taken
 * out of the pairs, since it cancels in the means.
 */
export function buildSpread(pairs: Pairs, means: readonly BuildMean[]): BuildSpread {
  const fit = withinBuilds(pairs, orderSigns(pairs), means.length);
  const within = fit === null || fit.df < 1 ? null : rootMeanSquare(fit.residuals, fit.df);
  const share = mean(means.map((one) => one.share)) ?? 0;
  const ofMeans = standardDeviation(means.map(({ effect }) => effect)) ?? 0;
  return { within_sd: within, between_sd: Math.sqrt(Math.max(0, ofMeans ** 2 - (within ?? 0) ** 2 * share)) };
}

/** Effects against `against`, each build with a level of its own; one build is all pairs. */
export function withinBuilds(pairs: Pairs, against: Values, builds: number): Fit | null {
  const groups = builds === 1 ? new Int32Array(pairs.length) : pairs.block.map((block) => buildOfBlock(block, builds));
  return fitWithin(pairs.effect, against, groups);
}

/** 1 where the reference ran first, else −1: the slope of the effects against it is the order effect γ. */
export function orderSigns(pairs: Pairs): Values {
  return new Int8Array(pairs.length).map((_, index) => (pairs.isReferenceFirst(index) ? 1 : -1));
}
