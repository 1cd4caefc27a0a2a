/** The estimate that a verdict is read from. Companions that decide nothing are in effect.ts. */

import { isTimeUnit } from '../experiment/unit.ts';
import type { PlannedPhase, Sequential } from '../plan/plan.ts';
import type { Interval } from './analysis.ts';
import { type BuildMean, buildEstimate, buildMeans } from './builds.ts';
import type { Pairs } from './pairs.ts';
import { type Contrast, plannedOrders, type Sample } from './sample.ts';
import { type Estimate, meanEstimate, sequentialEstimate } from './stats/estimate.ts';
import { largestSize, mean } from './stats/moments.ts';
import { stratifiedMean } from './stats/stratified-mean.ts';
import { percent, quantity } from './wording.ts';

/** A system metric coarser than this share of its mean gets no verdict. */
const COARSE_SHARE = 0.01;
/** The rounding of doubles is a quantum too: what lies within it is no difference. */
const ROUNDING = 2 ** -50;

/** What a phase was planned as. */
export interface PhaseDesign {
  readonly blocks: PlannedPhase['blocks'];
  /** Of each arm; with 2 or more the unit is the build. */
  readonly builds: number;
  /** Set where it may have ended because of what it showed. */
  readonly sequential: Sequential | null;
}

/** An effect that can be computed, on the scale of the pairs' effects (logarithmic for ratios). */
export interface Measure {
  readonly sample: Sample;
  readonly estimate: Estimate;
  /** Of slices: the effect on all that both arms took. Null for all else. */
  readonly total: Estimate | null;
  readonly means: { readonly reference: number; readonly arm: number };
  /** Both arms are constant: there is no spread that an interval could be made of. */
  readonly exact: boolean;
  /** Pairs were left out, unequally by order, so that both orders are averaged on their own. */
  readonly stratified: boolean;
  /** Why it is too coarse for a verdict; null where it is not. */
  readonly coarse: string | null;
  /** Set where the unit is the build and not the pair. */
  readonly builds: readonly BuildMean[] | null;
}

export type Measured = { readonly measure: Measure } | { readonly measure: null; readonly reason: string };

/**
 * Mean of the pairs' effects with n − 1 degrees of freedom; where pairs that were left out made the two orders
 * unequal, ½(mean AB + mean BA) with n − 2. Of several builds: the mean of their means, with k − 1. Of a sequential run: the mean
 * with its confidence sequence, which needs no equal counts to be valid.
 */
export function measureOf(sample: Sample, { blocks, builds, sequential }: PhaseDesign): Measured {
  if (sample.reason !== null) return { measure: null, reason: sample.reason };
  const byBuild = builds < 2 ? null : buildMeans(sample.pairs, builds);
  if (typeof byBuild === 'string') return { measure: null, reason: byBuild };
  const { pairs } = sample;
  const first = pairs.referenceFirst;
  const second = pairs.length - first;
  const isFixed = byBuild === null && sequential === null;
  const stratified = isFixed && first !== second && isBalanced(sample.contrast, blocks);
  if (stratified && (first === 0 || second === 0)) {
    return { measure: null, reason: `all ${sample.contrast.noun}s that are left ran in the same order` };
  }
  const exact = sample.quantum === 0 && isConstant(sample);
  const estimateOf = (values: Float64Array): Estimate | null => {
    if (stratified) return stratifiedMean(inOrder(values, pairs, true), inOrder(values, pairs, false));
    // Without spread there is no sequence. Such a run is never stopped for it (stopping.ts).
    return sequential === null || exact ? meanEstimate(values) : sequentialEstimate(values, sequential.c2);
  };
  const estimate = byBuild === null ? estimateOf(pairs.effect) : buildEstimate(byBuild);
  const reference = mean(pairs.reference);
  const arm = mean(pairs.arm);
  if (estimate === null || reference === null || arm === null || !Number.isFinite(estimate.standardError)) {
    return { measure: null, reason: 'the values are too large to compute with' };
  }
  const means = { reference, arm };
  const totals = (pairs.totals ?? []).filter((total) => total !== null);
  const total = totals.length < pairs.length ? null : estimateOf(Float64Array.from(totals));
  return {
    measure: {
      sample,
      estimate: { ...estimate, minimumHalfWidth: minimumHalfWidth(sample, means) },
      total,
      means,
      exact,
      stratified,
      coarse: coarseReason(sample, means) ?? roundedReason(sample),
      builds: byBuild,
    },
  };
}

/** Values of the pairs that ran the reference first, or second. */
function inOrder(values: Float64Array, pairs: Pairs, referenceFirst: boolean): Float64Array {
  return values.filter((_, index) => pairs.isReferenceFirst(index) === referenceFirst);
}

/** A number on the scale of the pairs' effects as a change: a fraction for ratios, in the metric's unit otherwise. */
export function changeOf({ metric }: Contrast, effect: number): number {
  return metric.kind === 'ratio' ? Math.min(Math.expm1(effect), Number.MAX_VALUE) : effect;
}

export function changesOf(contrast: Contrast, [low, high]: Interval): Interval {
  return [changeOf(contrast, low), changeOf(contrast, high)];
}

/** A threshold or margin on the scale of the pairs' effects: ln(1 + x) for ratios, so that both directions are alike. */
export function boundOf({ metric }: Contrast, limit: number): number {
  return metric.kind === 'ratio' ? Math.log1p(limit) : limit;
}

/** Spread below the rounding of doubles is none: what follows from it would be noise of the arithmetic. */
export function hasSpread(measure: Measure): boolean {
  const { sample, estimate } = measure;
  return estimate.standardError * Math.sqrt(sample.pairs.length) > ROUNDING * sizeOf(sample);
}

function isBalanced(contrast: Contrast, blocks: PlannedPhase['blocks']): boolean {
  const planned = plannedOrders(contrast, blocks);
  return planned.first === planned.second;
}

/** Largest value that an effect is computed from; logarithms are around 1. */
function sizeOf({ contrast, pairs }: Sample): number {
  if (contrast.metric.kind === 'ratio') return 1;
  return Math.max(largestSize(pairs.reference), largestSize(pairs.arm));
}

function minimumHalfWidth(sample: Sample, means: Measure['means']): number {
  const quantum =
    sample.contrast.metric.kind === 'ratio'
      ? Math.log1p(sample.quantum / Math.min(means.reference, means.arm))
      : sample.quantum;
  return Math.max(Number.isFinite(quantum) ? quantum : Number.MAX_VALUE, ROUNDING * sizeOf(sample));
}

function isConstant({ pairs: { reference, arm } }: Sample): boolean {
  return reference.every((value) => value === reference[0]) && arm.every((value) => value === arm[0]);
}

/** A count may be constant, and is exact then. A time that does not vary at all has been rounded, who knows how much. */
function roundedReason(sample: Sample): string | null {
  const { kind, name, unit } = sample.contrast.metric;
  if (kind !== 'ratio' || !isTimeUnit(unit) || sample.quantum !== 0 || !isConstant(sample)) return null;
  return `${name} has one value in all trials of an arm: a time that does not vary has been rounded`;
}

function coarseReason({ contrast, quantum }: Sample, means: Measure['means']): string | null {
  const smaller = Math.min(means.reference, means.arm);
  if (quantum <= COARSE_SHARE * smaller || quantum === 0) return null;
  const { name, unit } = contrast.metric;
  const share = smaller > 0 ? `${percent(quantum / smaller)} of its mean` : 'more than its mean';
  return `${name} is known only in steps of ${quantity(quantum, unit)}, which is ${share}`;
}
