/** Several tests at one error rate (Holm 1979). */

export interface HolmStep {
  /** Adjusted p-value: rejected exactly where it is at most α. */
  readonly adjusted: number;
  readonly rejected: boolean;
  /**
   * Level of the interval that agrees with the decision: 1 − α/(m − r + 1) where it was rejected as the r-th of m, 1 − α/(m − R) where
   * it was not and R others were. Such intervals are not simultaneous.
   */
  readonly level: number;
}

/** Holm's step-down procedure; one step for each p-value, in the order given. */
export function holm(pValues: readonly number[], alpha: number): HolmStep[] {
  const m = pValues.length;
  const byRank = pValues.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  let adjusted = 0;
  const ranked = byRank.map(({ p, index }, i) => {
    adjusted = Math.max(adjusted, Math.min(1, (m - i) * p));
    return { adjusted, index, rank: i + 1 };
  });
  const rejections = ranked.filter((step) => step.adjusted <= alpha).length;
  return ranked
    .sort((a, b) => a.index - b.index)
    .map((step) => {
      const rejected = step.rank <= rejections;
      const remaining = rejected ? m - step.rank + 1 : m - rejections;
      return { adjusted: step.adjusted, rejected, level: 1 - alpha / remaining };
    });
}
