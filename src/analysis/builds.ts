/** Effects by build, where every arm was built several times: the unit of the interval is then the build. */
import { buildOfBlock } from '../plan/builds.ts';
import type { PairValue } from './analysis.ts';
import { type Estimate, meanEstimate } from './stats/estimate.ts';
import { compensatedSum, mean, standardDeviation } from './stats/moments.ts';

export interface BuildMean {
  /** From 0. */
  readonly build: number;
  readonly pairs: number;
  /** Of the effects of its pairs. */
  readonly effect: number;
}

export interface BuildSpread {
  /** Of pairs within their build, pooled over the builds; null where no build has two pairs. */
  readonly within_sd: number | null;
  /** Of the builds' true effects: what the means vary by more than their pairs explain. */
  readonly between_sd: number;
}

/** The mean of each build, in the order of the builds; a text where one of them has no pair. */
export function buildMeans(pairs: readonly PairValue[], builds: number): readonly BuildMean[] | string {
  const means: BuildMean[] = [];
  for (let build = 0; build < builds; build++) {
    const effects = effectsOf(pairs, build, builds);
    const effect = mean(effects);
    if (effect === null) {
      return `build ${build + 1} of ${builds} has no complete pair, and the interval is made over all ${builds} builds`;
    }
    means.push({ build, pairs: effects.length, effect });
  }
  return means;
}

/** Mean over the builds, each with the same weight; t with k − 1 degrees of freedom. */
export function buildEstimate(means: readonly BuildMean[]): Estimate | null {
  return meanEstimate(means.map(({ effect }) => effect));
}

/** Components of variance by the method of moments: s² of the means is σ²between + σ²within / pairs of a build. */
export function buildSpread(pairs: readonly PairValue[], means: readonly BuildMean[]): BuildSpread {
  const builds = means.length;
  const squares = means.map(({ build }) => {
    const effects = effectsOf(pairs, build, builds);
    return (standardDeviation(effects) ?? 0) ** 2 * Math.max(0, effects.length - 1);
  });
  const df = pairs.length - builds;
  const within = df > 0 ? Math.sqrt(compensatedSum(squares) / df) : null;
  const perPair = mean(means.map((one) => 1 / one.pairs)) ?? 0;
  const ofMeans = standardDeviation(means.map(({ effect }) => effect)) ?? 0;
  return { within_sd: within, between_sd: Math.sqrt(Math.max(0, ofMeans ** 2 - (within ?? 0) ** 2 * perPair)) };
}

/** Each effect less the mean of its build. */
export function withoutBuildMeans(pairs: readonly PairValue[], means: readonly BuildMean[]): readonly number[] {
  return pairs.map(({ block, effect }) => effect - (means[buildOfBlock(block, means.length)]?.effect ?? 0));
}

function effectsOf(pairs: readonly PairValue[], build: number, builds: number): readonly number[] {
  return pairs.filter(({ block }) => buildOfBlock(block, builds) === build).map(({ effect }) => effect);
}
