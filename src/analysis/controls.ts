/**
 * Controls: arms, work or metrics that must not differ. One that differs beyond chance says that the run measures something else
 * too, and makes it invalid; one that could not have seen an effect as large as the one claimed says nothing. Rules:
 * docs/methods.md, "Controls".
 */
import type { Journal } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import type { Comparison, ControlResult, Warning } from './analysis.ts';
import { buildDifference } from './builds.ts';
import { candidatesOf, keptAndRejected, rejectedPairs } from './compare.ts';
import { effectOf } from './effect.ts';
import { type Floors, floorOf, floorsOf } from './layout.ts';
import { changeOf, changesOf, type Measure, type Measured, type PhaseDesign } from './measure.ts';
import { NO_PAIRS } from './pairs.ts';
import { isSameCode } from './roles.ts';
import type { Contrast } from './sample.ts';
import type { SideData } from './side-data.ts';
import { differenceOf } from './stats/difference.ts';
import { type Estimate, intervalOf } from './stats/estimate.ts';
import { type HolmStep, holm } from './stats/holm.ts';
import { pNotZero } from './stats/region.ts';
import { type PairNoun, pairNoun, percent, quantity } from './wording.ts';

/** Of all controls together: a control is there to be believed, and a run is not thrown away lightly. */
const ALPHA = 0.01;

/** The confirmation as controls need it. */
export interface Confirmation {
  readonly contrasts: readonly Contrast[];
  readonly attempts: Attempts;
  readonly design: PhaseDesign;
  /** Their verdicts before anything was made invalid: they say which effect is claimed. */
  readonly comparisons: readonly Comparison[];
}

interface Subject {
  readonly name: string;
  readonly kind: ControlResult['kind'];
  readonly contrast: Contrast;
  readonly planned: number;
  readonly design: PhaseDesign;
  readonly same_code: boolean;
  readonly tested: boolean;
  readonly found: Found;
  /** With the rejected pairs kept; null where none was rejected. */
  readonly kept: Found | null;
  /** Pairs; of a control without counters those of the confirmation too. */
  readonly rejected: number;
}

interface Found {
  readonly measured: Measured;
  /** What is compared with zero; null where there is nothing to compare. */
  readonly estimate: Estimate | null;
  readonly reason: string | null;
}

const NOT_FINISHED = 'the plan has not been run to its end';
const UNFINISHED: Found = {
  measured: { measure: null, reason: NOT_FINISHED },
  estimate: null,
  reason: NOT_FINISHED,
};

export interface Controls {
  readonly results: readonly ControlResult[];
  readonly layout_floor: Floors;
  /** Those of failed controls: clauses. */
  readonly problems: readonly string[];
  readonly warnings: readonly Warning[];
}

/**
 * Tests all controls at 1 % (Holm over primary metrics × controls), and takes the layout floor from rebuilds. `sides` are those that
 * are controls. Where `finished` is false nothing is judged.
 */
export function controlsOf(
  journal: Journal,
  sides: readonly SideData[],
  confirmation: Confirmation,
  finished: boolean,
): Controls {
  const { level } = journal.run.experiment.decision;
  const subjects = subjectsOf(journal, sides, confirmation, finished);
  const family = subjects.filter(({ tested }) => tested);
  const steps = holm(
    family.map(({ found }) => pOf(found)),
    ALPHA,
  );
  const keptSteps = holm(
    family.map(({ found, kept }) => pOf(kept ?? found)),
    ALPHA,
  );
  const results = subjects.map((subject) => {
    const at = family.indexOf(subject);
    return resultOf(subject, steps[at] ?? null, keptSteps[at] ?? null, confirmation.comparisons, level);
  });
  return {
    results,
    layout_floor: floorsOf(results.flatMap(({ metric, floor }) => (floor === null ? [] : [{ metric, floor }]))),
    problems: results.filter(({ outcome }) => outcome === 'failed').map(problemOf),
    warnings: results.flatMap((result) => warningsOf(result, pairNoun(journal.run.experiment.design))),
  };
}

function subjectsOf(
  journal: Journal,
  sides: readonly SideData[],
  confirmation: Confirmation,
  finished: boolean,
): readonly Subject[] {
  const { unchanged } = journal.run.experiment;
  const ofSides = sides.flatMap((data) => {
    const { side, contrasts } = data;
    const kind = side.control?.kind ?? 'unchanged';
    return contrasts.map((contrast): Subject => {
      const same_code = kind === 'rebuild' && isSameCode(journal, contrast);
      // Whoever names the metrics of other work says that the change cannot have touched them.
      const named = kind === 'unchanged' && side.metrics !== null;
      return {
        ...{ name: side.name, kind, contrast, planned: data.blocks.length, design: designOf(data), same_code },
        tested: kind === 'rebuild' ? contrast.metric.primary && same_code : contrast.metric.primary || named,
        ...foundIn(
          contrast,
          { attempts: data.attempts, design: designOf(data) },
          kind === 'uncounted' ? confirmation : null,
          finished,
        ),
      };
    });
  });
  const ofMetrics = unchanged.flatMap(({ name, metric }) =>
    confirmation.contrasts
      .filter((contrast) => contrast.metric.name === metric)
      .map(
        (contrast): Subject => ({
          ...{
            name,
            kind: 'metric',
            contrast,
            planned: confirmation.design.blocks.length,
            same_code: false,
            tested: true,
          },
          design: confirmation.design,
          ...foundIn(contrast, confirmation, null, finished),
        }),
      ),
  );
  return [...ofSides, ...ofMetrics];
}

/** Trials that a control rests on. */
type Trials = Pick<Confirmation, 'attempts' | 'design'>;

/** Sides have a fixed number of blocks, however the confirmation ends. */
function designOf({ blocks, builds }: SideData): PhaseDesign {
  return { blocks, builds, sequential: null };
}

/** `against`: the confirmation, where the effect is compared with its effect and not with zero. */
function foundIn(
  contrast: Contrast,
  trials: Trials,
  against: Trials | null,
  finished: boolean,
): Pick<Subject, 'found' | 'kept' | 'rejected'> {
  if (!finished) return { found: UNFINISHED, kept: null, rejected: 0 };
  const own = keptAndRejected(trials.attempts);
  const other = against === null ? null : keptAndRejected(against.attempts);
  const find = (which: 'complete' | 'kept'): Found => {
    const measured = measuredOf(contrast, { ...trials, attempts: own[which] });
    if (against === null || other === null) return { measured, ...usable(measured) };
    return {
      measured,
      ...differenceFrom(measured, measuredOf(contrast, { ...against, attempts: other[which] })),
    };
  };
  const rejected = own.rejected + (other?.rejected ?? 0);
  return { found: find('complete'), kept: rejected === 0 ? null : find('kept'), rejected };
}

/** Both sets of trials run the same builds, so that builds are compared one by one. */
function differenceFrom(measured: Measured, counted: Measured): Omit<Found, 'measured'> {
  const [a, b] = [usable(measured), usable(counted)];
  if (a.estimate === null) return a;
  if (b.estimate === null) return b;
  const plain = differenceOf(a.estimate, b.estimate);
  const [builds, others] = [measured.measure?.builds ?? null, counted.measure?.builds ?? null];
  if (builds === null || others === null) return { estimate: plain, reason: null };
  const estimate = buildDifference(builds, others);
  return estimate === null
    ? { estimate, reason: 'the values are too large to compute with' }
    : { estimate: { ...estimate, minimumHalfWidth: plain.minimumHalfWidth }, reason: null };
}

function measuredOf(contrast: Contrast, { attempts, design }: Trials): Measured {
  return candidatesOf([contrast], attempts, design)[0]?.measured ?? { measure: null, reason: 'nothing was measured' };
}

function usable(measured: Measured): Omit<Found, 'measured'> {
  if (measured.measure === null) return { estimate: null, reason: measured.reason };
  const { coarse, estimate } = measured.measure;
  return coarse === null ? { estimate, reason: null } : { estimate: null, reason: coarse };
}

/** 1 where there is nothing to test: the family is as large as the experiment made it. */
function pOf({ estimate }: Found): number {
  return estimate === null ? 1 : pNotZero(estimate);
}

function resultOf(
  subject: Subject,
  step: HolmStep | null,
  kept: HolmStep | null,
  comparisons: readonly Comparison[],
  level: number,
): ControlResult {
  const { name, kind, contrast, planned, design, tested, same_code, found } = subject;
  const { metric, arm, reference } = contrast;
  const { measure } = found.measured;
  const decisive = step === null || kind === 'uncounted' ? level : step.level;
  const judged = measure === null ? null : plainly(measure, decisive);
  const effect = measure === null || judged === null ? null : effectOf(measure, judged, level, design.sequential);
  const outcome = outcomeOf(subject, step, kept, claimFor(subject, comparisons), level);
  return {
    ...{ name, kind, arm, reference, metric: metric.name, unit: metric.unit, metric_kind: metric.kind },
    ...{ better: metric.better, primary: metric.primary },
    pairs: measure === null ? 0 : measure.sample.pairs.length,
    planned_pairs: planned,
    effect,
    difference: kind === 'uncounted' ? differenceShown(found, contrast, step?.level ?? level) : null,
    p_value: step === null || found.estimate === null ? null : step.adjusted,
    ...{ tested, same_code, ...outcome },
    floor: outcome.outcome === 'floor' && effect !== null ? floorOf(effect) : null,
    values: measure === null || kind === 'metric' ? NO_PAIRS : measure.sample.pairs,
  };
}

/** Null where there is no interval yet. */
function plainly(measure: Measure, level: number): Parameters<typeof effectOf>[1] | null {
  const interval = measure.exact ? null : intervalOf(measure.estimate, level);
  return interval?.every(Number.isFinite) === false ? null : { interval, level, equivalence: null };
}

function differenceShown({ estimate }: Found, contrast: Contrast, level: number): ControlResult['difference'] {
  if (estimate === null) return null;
  return {
    change: changeOf(contrast, estimate.value),
    interval: changesOf(contrast, intervalOf(estimate, level)),
    interval_level: level,
  };
}

function outcomeOf(
  { kind, same_code, contrast, found, rejected }: Subject,
  step: HolmStep | null,
  kept: HolmStep | null,
  claim: number | null,
  level: number,
): Pick<ControlResult, 'outcome' | 'reason'> {
  if (found.estimate === null) return { outcome: 'none', reason: found.reason };
  if (kind === 'rebuild' && !same_code) return { outcome: 'floor', reason: null };
  if (step === null) return { outcome: 'none', reason: 'not primary: shown, not tested' };
  // The steps of all controls are one procedure: pairs of another one can decide, too.
  if (step.rejected !== kept?.rejected) {
    const { noun } = contrast;
    const pairs = rejected > 0 ? rejectedPairs(rejected, noun) : `the rejected ${noun}s of other controls are`;
    return { outcome: 'uninformative', reason: `the outcome would be another if ${pairs} kept` };
  }
  if (step.rejected) return { outcome: 'failed', reason: 'the interval excludes zero' };
  // At the level at which the effect is claimed: the level of a test says nothing about precision.
  const [low, high] = changesOf(contrast, intervalOf(found.estimate, level));
  if (claim !== null && high - low > claim) {
    const show = (value: number) =>
      contrast.metric.kind === 'ratio' ? percent(value) : quantity(value, contrast.metric.unit);
    const width = `its ${percent(level)} interval is ${show(high - low)} wide`;
    return { outcome: 'uninformative', reason: `${width}, and the effect that is claimed is ${show(claim)}` };
  }
  return { outcome: 'passed', reason: null };
}

/**
 * The smallest change that the run claims and that the control would have to be able to see: of a direction its size, of equivalence its
 * margin. Of the same metric; one that is not primary has the primary metrics to vouch for.
 */
function claimFor({ contrast }: Subject, comparisons: readonly Comparison[]): number | null {
  const claims = comparisons
    .filter(({ primary, metric }) => primary && (!contrast.metric.primary || metric === contrast.metric.name))
    .filter((comparison) => comparison.kind === contrast.metric.kind)
    .map(claimOf)
    .filter((claim) => claim !== null);
  return claims.length === 0 ? null : Math.min(...claims);
}

function claimOf({ verdict, effect, margin }: Comparison): number | null {
  if (effect === null) return null;
  if (verdict.kind === 'slower' || verdict.kind === 'faster') return Math.abs(effect.change);
  if (verdict.kind !== 'equivalent') return null;
  return verdict.measurably === null ? margin : Math.abs(effect.change);
}

const WHY: Readonly<Record<ControlResult['kind'], string>> = {
  same: 'both sides are the same artefact',
  rebuild: 'both sides have the same machine code',
  uncounted: 'counting must not change the effect',
  unchanged: 'the change cannot have touched this work',
  metric: 'the change cannot have touched this metric',
};

function problemOf(result: ControlResult): string {
  const { name, kind, metric, arm, reference } = result;
  const sides = `${metric} of ${arm} against ${reference}`;
  const what =
    kind === 'uncounted' ? `the effect without counters differs from that with them, ${sides}` : `${sides} differs`;
  return `the control ${name} failed: ${what}, by ${figures(result)}, and ${WHY[kind]}`;
}

/** `+1.2 % [+0.3 %, +2.1 %] at 99.5 %`. */
function figures({ metric_kind, unit, effect, difference }: ControlResult): string {
  const shown = difference ?? effect;
  if (shown === null) return 'an unknown amount';
  const signed = (value: number) =>
    `${value > 0 ? '+' : ''}${metric_kind === 'ratio' ? percent(value) : quantity(value, unit)}`;
  const { interval } = shown;
  const range =
    interval === null ? ', exact' : ` [${interval.map(signed).join(', ')}] at ${percent(shown.interval_level)}`;
  return `${signed(shown.change)}${range}`;
}

function warningsOf(result: ControlResult, noun: PairNoun): readonly Warning[] {
  const { name, metric, arm, reference, outcome, reason, p_value, tested } = result;
  const about = `Control ${name}, ${arm} against ${reference}`;
  if (outcome === 'uninformative') {
    return [
      {
        ...{ code: 'uninformative-control', metric },
        message: `${about}, says nothing: ${reason}.`,
        remedy: `Run more ${noun}s of the control, on a quieter machine.`,
      },
    ];
  }
  const wanted = tested || (result.kind === 'rebuild' && result.primary);
  if (outcome !== 'none' || !wanted || p_value !== null || reason === NOT_FINISHED) return [];
  return [
    {
      ...{ code: 'control-without-result', metric },
      message: `${about}, has no result: ${reason}.`,
      remedy: 'See why; until then the run stands without this control.',
    },
  ];
}
