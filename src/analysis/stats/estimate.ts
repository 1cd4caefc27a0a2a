/** Estimates whose error follows Student's t, and means that were looked at on the way: their intervals and p-values. */
import { logEvidence, type SequenceState, sequenceHalfWidth } from './confidence-sequence.ts';
import { tCdf, tQuantile } from './distributions.ts';
import { mean, standardDeviation, type Values } from './moments.ts';

type Interval = readonly [low: number, high: number];

export interface Estimate {
  readonly value: number;
  readonly standardError: number;
  readonly df: number;
  /**
   * No interval is narrower than ± this, and no p-value claims what such an interval does not: for data that moves in
   * quanta, whose spread can be zero by chance. 0: no such limit.
   */
  readonly minimumHalfWidth: number;
  /** Set where data may have ended because of what it showed: intervals and p-values then hold at every look. */
  readonly sequence?: SequenceState;
}

/** Mean with standard error s/√n and n − 1 degrees of freedom (Student 1908). Null for n < 2 or a value that is not finite. */
export function meanEstimate(values: Values): Estimate | null {
  const value = mean(values);
  const sd = standardDeviation(values);
  if (value === null || sd === null) {
    return null;
  }
  return { value, standardError: sd / Math.sqrt(values.length), df: values.length - 1, minimumHalfWidth: 0 };
}

/** The mean of values that were looked at after each of them; `c2` is that of the prior (confidence-sequence.ts). */
export function sequentialEstimate(values: Values, c2: number): Estimate | null {
  const estimate = meanEstimate(values);
  const sd = standardDeviation(values);
  if (estimate === null || sd === null) return null;
  return { ...estimate, sequence: { n: values.length, sd, c2 } };
}

/**
 * Two-sided interval value ± t((1 + level)/2, df) · standard error; of a sequence, its confidence sequence, which may be unbounded.
 * `level` is a fraction such as 0.95.
 */
export function intervalOf(estimate: Estimate, level: number): Interval {
  const { sequence, df, standardError } = estimate;
  const width =
    sequence === undefined ? -tQuantile((1 - level) / 2, df) * standardError : sequenceHalfWidth(sequence, 1 - level);
  const half = Math.max(width, estimate.minimumHalfWidth);
  return [estimate.value - half, estimate.value + half];
}

/** One-sided p for "the value is above the bound". Below 0.5 only where it stands above by more than the minimum half width. */
export function pAbove(estimate: Estimate, bound: number): number {
  const distance = estimate.value - bound;
  const tail =
    estimate.sequence === undefined ? upperTail(distance, estimate) : evidenceTail(distance, estimate.sequence);
  return distance > estimate.minimumHalfWidth ? tail : Math.max(tail, 0.5);
}

/** One-sided p for "the value is below the bound". */
export function pBelow(estimate: Estimate, bound: number): number {
  return pAbove({ ...estimate, value: -estimate.value }, -bound);
}

function upperTail(distance: number, { standardError, df }: Estimate): number {
  if (standardError > 0) {
    return tCdf(-distance / standardError, df);
  }
  return distance > 0 ? 0 : 1;
}

/** Half of 1/M on the side where the mean lies, so that both sides together are the test of "the mean is the bound". */
function evidenceTail(distance: number, sequence: SequenceState): number {
  const half = Math.min(1, Math.exp(-logEvidence(sequence, distance))) / 2;
  return distance > 0 ? half : 1 - half;
}
