/** From the attempts of a phase to its comparisons. */
import type { Attempts } from '../plan/attempts.ts';
import type { Comparison, Verdict, Warning } from './analysis.ts';
import { diagnose } from './diagnostics.ts';
import { effectOf } from './effect.ts';
import { lastLook } from './looks.ts';
import { measureOf, type PhaseDesign } from './measure.ts';
import { NO_PAIRS } from './pairs.ts';
import { type Contrast, type Sample, samplesOf } from './sample.ts';
import { sliceSummary } from './slice-summary.ts';
import { type Candidate, type Judgement, judge } from './verdict.ts';
import { counted, type PairNoun } from './wording.ts';

export interface Paired extends Candidate {
  readonly sample: Sample;
}

interface Compared {
  readonly comparisons: readonly Comparison[];
  readonly warnings: readonly Warning[];
}

/** Effects and verdicts of all contrasts of a phase: one family. `attempts` are those of that phase. */
export function compare(
  contrasts: readonly Contrast[],
  attempts: Attempts,
  design: PhaseDesign,
  level: number,
): Compared {
  const { complete, kept, rejected } = keptAndRejected(attempts);
  const candidates = candidatesOf(contrasts, complete, design);
  const judgements = judge(candidates, level, design.sequential !== null);
  // Rules that decide what counts must not decide the verdict: it has to be the same with the rejected pairs kept.
  const keptJudgements =
    rejected === 0 ? judgements : judge(candidatesOf(contrasts, kept, design), level, design.sequential !== null);
  const warnings: Warning[] = [];
  const comparisons = candidates.map(({ contrast, sample, measured }, index): Comparison => {
    const judgement = judgements[index];
    if (judgement === undefined) throw new RangeError('every comparison is judged');
    const { measure } = measured;
    const unbounded = judgement.interval === null && measure?.exact === false;
    const effect = measure === null || unbounded ? null : effectOf(measure, judgement, level, design.sequential);
    const slices = measure === null || effect === null ? null : sliceSummary(measure, judgement);
    warnings.push(...diagnose(sample, measured, effect, slices, level, hasSeveralArms(contrasts)));
    const verdict = robust(judgement, keptJudgements[index] ?? judgement, rejectedPairs(rejected, contrast.noun));
    // What the spread could have shown is beside the point where the rejections decide.
    const undecided = verdict.kind === 'inconclusive' && judgement.verdict.kind !== 'inconclusive';
    return {
      ...without(contrast, design.blocks.length),
      pairs: effect === null ? 0 : sample.pairs.length,
      operations: sample.operations,
      effect: effect !== null && undecided ? { ...effect, detectable: null } : effect,
      verdict,
      values: effect === null ? NO_PAIRS : sample.pairs,
      slices,
    };
  });
  return { comparisons, warnings };
}

/** Attempts that count, those that would without the rules of rejection, and how many the rules took. */
export function keptAndRejected(attempts: Attempts): {
  readonly complete: Attempts;
  readonly kept: Attempts;
  readonly rejected: number;
} {
  const complete = attempts.filter(({ outcome }) => outcome === 'complete');
  const kept = attempts.filter(({ outcome }) => outcome === 'complete' || outcome === 'rejected');
  return { complete, kept, rejected: kept.length - complete.length };
}

export function candidatesOf(contrasts: readonly Contrast[], attempts: Attempts, design: PhaseDesign): Paired[] {
  const looked = design.sequential === null ? attempts : lastLook(attempts);
  return samplesOf(contrasts, looked).map((sample) => ({
    contrast: sample.contrast,
    sample,
    measured: measureOf(sample, design),
  }));
}

function hasSeveralArms(contrasts: readonly Contrast[]): boolean {
  return contrasts.some(({ arm }) => arm !== contrasts[0]?.arm);
}

function robust(judgement: Judgement, kept: Judgement, rejected: string): Verdict {
  const { verdict } = judgement;
  if (verdict.kind === 'none' || isSame(verdict, kept.verdict)) return verdict;
  return { kind: 'inconclusive', reason: `the verdict would be another if ${rejected} kept` };
}

/** `the 2 rejected pairs are`. */
export function rejectedPairs(rejected: number, noun: PairNoun): string {
  return rejected === 1 ? `the rejected ${noun} is` : `the ${counted(rejected, `rejected ${noun}`)} are`;
}

function isSame(a: Verdict, b: Verdict): boolean {
  if (a.kind === 'equivalent' && b.kind === 'equivalent') return a.measurably === b.measurably;
  return a.kind === b.kind;
}

/** A comparison of which nothing is shown. */
export function without({ metric, arm, reference }: Contrast, plannedPairs: number): Comparison {
  const { name, unit, kind, better, primary, threshold, margin, per } = metric;
  return {
    ...{ metric: name, unit, kind, better, primary, threshold, margin, arm, reference },
    pairs: 0,
    planned_pairs: plannedPairs,
    operations: typeof per === 'number' ? { lowest: per, highest: per, contradicted: false } : null,
    effect: null,
    verdict: {
      kind: 'none',
      reason: plannedPairs === 0 ? 'no confirmation was planned' : 'the plan has not been run to its end',
    },
    values: NO_PAIRS,
    layout: null,
    slices: null,
  };
}
