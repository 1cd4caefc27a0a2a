/**
 * Verdicts, in this order: equivalent, slower or faster, inconclusive. (Invalid comes before all of them and is a matter
 * of the whole run.) `better` turns the direction of the words and no number.
 */
import type { Direction, Interval, Verdict } from './analysis.ts';
import { boundOf, type Measure, type Measured } from './measure.ts';
import type { Contrast } from './sample.ts';
import { type Estimate, intervalOf } from './stats/estimate.ts';
import { holm } from './stats/holm.ts';
import { pInside, pOutside } from './stats/region.ts';
import { counted, percent, quantity } from './wording.ts';

export interface Candidate {
  readonly contrast: Contrast;
  readonly measured: Measured;
}

/** A verdict with the intervals that it was read from, on the scale of the pairs' effects. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly interval: Interval | null;
  readonly level: number;
  readonly equivalence: {
    readonly interval: Interval;
    readonly level: number;
    readonly p: number;
    readonly equivalent: boolean;
  } | null;
}

interface Step {
  readonly decided: boolean;
  readonly level: number;
}

/**
 * Judges all comparisons of a run at one confidence level. A `sequential` run has no p-values that Holm's procedure could order: each
 * primary comparison is read from its own confidence sequence at 1 − α/m, its margin too. Else the primary ones (arms × primary metrics) are one family:
 * Holm's procedure (Holm 1979) on p against ±threshold decides, each interval is at the level of its step, and
 * equivalence is tested at α/m (Bonferroni). The family is as large as the experiment made it: a comparison without an
 * effect counts as not rejected. Secondary comparisons stand alone, each at the plain level.
 */
export function judge(candidates: readonly Candidate[], level: number, sequential: boolean): readonly Judgement[] {
  const alpha = 1 - level;
  const family = candidates.filter(({ contrast }) => contrast.metric.primary);
  if (sequential) {
    return candidates.map((candidate) => {
      const own = candidate.contrast.metric.primary ? alpha / family.length : alpha;
      return judgeOne(candidate, { decided: pOf(candidate) <= own, level: 1 - own }, { alpha: own, level: 1 - own });
    });
  }
  const steps = new Map<Candidate, Step>();
  for (const [index, { rejected, level: stepLevel }] of holm(family.map(pOf), alpha).entries()) {
    const candidate = family[index];
    if (candidate !== undefined) steps.set(candidate, { decided: rejected, level: stepLevel });
  }
  return candidates.map((candidate) => {
    const step = steps.get(candidate) ?? { decided: pOf(candidate) <= alpha, level };
    // Two one-sided tests (Schuirmann 1987), each at α: the interval at 1 − 2α lies inside ±margin.
    const own = candidate.contrast.metric.primary ? alpha / family.length : alpha;
    return judgeOne(candidate, step, { alpha: own, level: 1 - 2 * own });
  });
}

/** p for "the effect lies beyond ±threshold"; 1 where nothing can be decided. */
function pOf({ contrast, measured }: Candidate): number {
  if (measured.measure === null || measured.measure.coarse !== null) return 1;
  const threshold = boundOf(contrast, contrast.metric.threshold);
  return pOutside(measured.measure.estimate, -threshold, threshold);
}

/** At which level the interval is that equivalence is read from, and the p that this is. */
interface EquivalenceTest {
  readonly alpha: number;
  readonly level: number;
}

function judgeOne({ contrast, measured }: Candidate, step: Step, test: EquivalenceTest): Judgement {
  const { measure } = measured;
  if (measure === null) {
    return { verdict: { kind: 'none', reason: measured.reason }, interval: null, level: step.level, equivalence: null };
  }
  const interval = intervalOf(measure.estimate, step.level);
  if (!interval.every(Number.isFinite)) {
    const reason = `${counted(measure.sample.pairs.length, contrast.noun)} are too few for the sequence of intervals to have a bound`;
    return { verdict: { kind: 'none', reason }, interval: null, level: step.level, equivalence: null };
  }
  const equivalence = equivalenceOf(contrast, measure, test);
  const judged = { interval: measure.exact ? null : interval, level: step.level, equivalence };
  if (measure.coarse !== null) {
    return { ...judged, verdict: { kind: 'none', reason: measure.coarse } };
  }
  const direction = directionOf(contrast, measure.estimate.value);
  if (equivalence?.equivalent === true) {
    const excludesZero = interval[0] > 0 || interval[1] < 0;
    return { ...judged, verdict: { kind: 'equivalent', measurably: excludesZero ? direction : null } };
  }
  if (step.decided) {
    return { ...judged, verdict: { kind: direction } };
  }
  return { ...judged, verdict: { kind: 'inconclusive', reason: openReason(contrast, measure) } };
}

/** Of slices both the typical one and the total must lie inside: the larger p decides. */
function equivalenceOf(
  contrast: Contrast,
  { estimate, total }: Measure,
  { alpha, level }: EquivalenceTest,
): Judgement['equivalence'] {
  const { margin } = contrast.metric;
  if (margin === null) return null;
  const bound = boundOf(contrast, margin);
  const inside = (one: Estimate) => pInside(one, -bound, bound);
  const larger = Math.max(inside(estimate), total === null ? 0 : inside(total));
  // One-sided: twice that where the whole interval is at 1 − α.
  const p = Math.min(1, ((2 * alpha) / (1 - level)) * larger);
  return { interval: intervalOf(estimate, level), level, p, equivalent: p <= alpha };
}

function directionOf({ metric }: Contrast, effect: number): Direction {
  return effect > 0 === (metric.better === 'lower') ? 'slower' : 'faster';
}

function openReason({ metric, noun }: Contrast, { exact, estimate }: Measure): string {
  if (exact && estimate.value === 0) {
    return metric.margin === null
      ? `both arms gave the same value in every ${noun}, and no margin says what counts as equivalent`
      : `both arms gave the same value in every ${noun}`;
  }
  const limit = (value: number) => (metric.kind === 'ratio' ? percent(value) : quantity(value, metric.unit));
  const what = exact ? 'the change' : 'the interval';
  const beyond =
    metric.threshold === 0 ? `${what} does not exclude zero` : `${what} is not beyond ±${limit(metric.threshold)}`;
  return metric.margin === null ? beyond : `${beyond}, and not within ±${limit(metric.margin)}`;
}
