/**
 * Controls: arms, work or metrics that must not differ. One that differs beyond chance says that the run measures something else
 * too, and makes it invalid; one that could not have seen an effect as large as the one claimed says nothing. Rules:
 * docs/methods.md, "Controls".
 */
import type { Journal } from '../journal/records.ts';
import type { Attempt } from '../plan/progress.ts';
import type { Comparison, ControlResult, Warning } from './analysis.ts';
import { candidatesOf, keptAndRejected, rejectedPairs } from './compare.ts';
import { effectOf } from './effect.ts';
import { changeOf, changesOf, type Measure, type Measured, type PhaseDesign } from './measure.ts';
import { isSameCode } from './roles.ts';
import type { Contrast } from './sample.ts';
import type { SideData } from './side-data.ts';
import { type Estimate, intervalOf } from './stats/estimate.ts';
import { type HolmStep, holm } from './stats/holm.ts';
import { pNotZero } from './stats/region.ts';
import { differenceOf } from './stats/welch.ts';
import { percent, quantity } from './wording.ts';

/** Of all controls together: a control is there to be believed, and a run is not thrown away lightly. */
const ALPHA = 0.01;

/** The confirmation as controls need it. */
export interface Confirmation {
  readonly contrasts: readonly Contrast[];
  readonly attempts: readonly Attempt[];
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
  readonly rejected: number;
}

interface Found {
  readonly measured: Measured;
  /** What is compared with zero; null where there is nothing to compare. */
  readonly estimate: Estimate | null;
  readonly reason: string | null;
}

export interface Controls {
  readonly results: readonly ControlResult[];
  readonly layout_floor: Readonly<Record<string, number>>;
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
    layout_floor: floorsOf(results),
    problems: results.filter(({ outcome }) => outcome === 'failed').map(problemOf),
    warnings: results.flatMap(warningsOf),
  };
}

function subjectsOf(
  journal: Journal,
  sides: readonly SideData[],
  confirmation: Confirmation,
  finished: boolean,
): readonly Subject[] {
  const { unchanged } = journal.run.experiment;
  const unfinished: Found = {
    measured: { measure: null, reason: 'the plan has not been run to its end' },
    estimate: null,
    reason: 'the plan has not been run to its end',
  };
  const ofSides = sides.flatMap(({ side, blocks, attempts, builds, contrasts }) => {
    const kind = side.control?.kind ?? 'unchanged';
    const { complete, kept, rejected } = keptAndRejected(attempts);
    const design = { blocks, builds, sequential: null };
    return contrasts.map((contrast): Subject => {
      const same_code = kind === 'rebuild' && isSameCode(journal, contrast);
      const find = (chosen: readonly Attempt[]) =>
        finished ? foundOf(contrast, chosen, design, kind === 'uncounted' ? confirmation : null) : unfinished;
      return {
        ...{ name: side.name, kind, contrast, planned: blocks.length, design, same_code, rejected },
        tested: contrast.metric.primary && (kind !== 'rebuild' || same_code),
        found: find(complete),
        kept: rejected === 0 ? null : find(kept),
      };
    });
  });
  const { complete, kept, rejected } = keptAndRejected(confirmation.attempts);
  const ofMetrics = unchanged.flatMap(({ name, metric }) =>
    confirmation.contrasts
      .filter((contrast) => contrast.metric.name === metric)
      .map((contrast): Subject => {
        const { design } = confirmation;
        const find = (chosen: readonly Attempt[]) => (finished ? foundOf(contrast, chosen, design, null) : unfinished);
        return {
          ...{
            name,
            kind: 'metric',
            contrast,
            planned: design.blocks.length,
            design,
            same_code: false,
            tested: true,
            rejected,
          },
          found: find(complete),
          kept: rejected === 0 ? null : find(kept),
        };
      }),
  );
  return [...ofSides, ...ofMetrics];
}

/** `against`: the confirmation, where the effect is compared with its effect and not with zero. */
function foundOf(
  contrast: Contrast,
  attempts: readonly Attempt[],
  design: PhaseDesign,
  against: Confirmation | null,
): Found {
  const measured = measuredOf(contrast, attempts, design);
  const estimate = usable(measured);
  if (against === null || estimate.value === null) {
    return { measured, estimate: estimate.value, reason: estimate.reason };
  }
  const { complete } = keptAndRejected(against.attempts);
  const counted = usable(measuredOf(contrast, complete, against.design));
  return counted.value === null
    ? { measured, estimate: null, reason: counted.reason }
    : { measured, estimate: differenceOf(estimate.value, counted.value), reason: null };
}

function measuredOf(contrast: Contrast, attempts: readonly Attempt[], design: PhaseDesign): Measured {
  return candidatesOf([contrast], attempts, design)[0]?.measured ?? { measure: null, reason: 'nothing was measured' };
}

function usable(measured: Measured): { readonly value: Estimate | null; readonly reason: string | null } {
  if (measured.measure === null) return { value: null, reason: measured.reason };
  const { coarse, estimate } = measured.measure;
  return coarse === null ? { value: estimate, reason: null } : { value: null, reason: coarse };
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
  const { name, kind, contrast, planned, design, same_code, found } = subject;
  const { metric, arm, reference } = contrast;
  const { measure } = found.measured;
  const decisive = step === null || kind === 'uncounted' ? level : step.level;
  const { sequential } = design;
  const judged = measure === null ? null : plainly(measure, decisive);
  const effect = measure === null || judged === null ? null : effectOf(measure, judged, level, sequential);
  return {
    ...{ name, kind, arm, reference, metric: metric.name, unit: metric.unit, metric_kind: metric.kind },
    ...{ better: metric.better, primary: metric.primary },
    pairs: measure === null ? 0 : measure.sample.pairs.length,
    planned_pairs: planned,
    effect,
    difference: kind === 'uncounted' ? differenceShown(found, contrast, step?.level ?? level) : null,
    p_value: step === null || found.estimate === null ? null : step.adjusted,
    same_code,
    ...outcomeOf(subject, step, kept, claimFor(subject, comparisons), level),
    values: measure === null || kind === 'metric' ? [] : measure.sample.pairs,
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
  if (rejected > 0 && step.rejected !== kept?.rejected) {
    return { outcome: 'uninformative', reason: `the outcome would be another if ${rejectedPairs(rejected)} kept` };
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
 * margin. Of the same metric; a metric that is a control itself has the primary metrics to vouch for.
 */
function claimFor({ kind, contrast }: Subject, comparisons: readonly Comparison[]): number | null {
  const claims = comparisons
    .filter(({ primary, metric }) => (kind === 'metric' ? primary : metric === contrast.metric.name))
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

/** A code that is the same shows no layout: such a rebuild measures no floor. */
function floorsOf(results: readonly ControlResult[]): Readonly<Record<string, number>> {
  const floors = new Map<string, number>();
  for (const { kind, same_code, outcome, metric, effect } of results) {
    if (kind !== 'rebuild' || same_code || outcome !== 'floor' || effect === null) continue;
    const bound = Math.max(...(effect.interval ?? [effect.change]).map(Math.abs));
    floors.set(metric, Math.max(bound, floors.get(metric) ?? 0));
  }
  return Object.fromEntries(floors);
}

/** The note that stands beside the verdict of an effect that is claimed; null where there is none. */
export function layoutOf(
  { metric, verdict, effect }: Comparison,
  floors: Readonly<Record<string, number>>,
  builds: number,
): Comparison['layout'] {
  const floor = Object.hasOwn(floors, metric) ? (floors[metric] ?? null) : null;
  const claimed =
    verdict.kind === 'slower' ||
    verdict.kind === 'faster' ||
    (verdict.kind === 'equivalent' && verdict.measurably !== null);
  if (floor === null || effect === null || !claimed || builds > 1) return null;
  const [low, high] = effect.interval ?? [effect.change, effect.change];
  return { floor, beyond: low > floor || high < -floor };
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

function warningsOf(result: ControlResult): readonly Warning[] {
  const { name, kind, metric, arm, reference, outcome, reason, p_value, primary } = result;
  const about = `Control ${name}, ${arm} against ${reference}`;
  if (outcome === 'uninformative') {
    return [
      {
        ...{ code: 'uninformative-control', metric },
        message: `${about}, says nothing: ${reason}.`,
        remedy: 'Run more pairs of the control, on a quieter machine.',
      },
    ];
  }
  const wanted = primary || kind === 'metric';
  if (outcome !== 'none' || !wanted || p_value !== null || reason === 'the plan has not been run to its end') return [];
  return [
    {
      ...{ code: 'control-without-result', metric },
      message: `${about}, has no result: ${reason}.`,
      remedy: 'See why; until then the run stands without this control.',
    },
  ];
}
