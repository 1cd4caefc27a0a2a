/** The test that a plan will make of each metric, and its power (docs/methods.md, "Planning"). */
import type { Experiment } from '../experiment/experiment.ts';
import { designPeriod } from '../plan/order.ts';
import type { Plan } from '../plan/plan.ts';
import { contrastsOf } from './contrasts.ts';
import { boundOf, changeOf } from './measure.ts';
import type { Contrast } from './sample.ts';
import { type KnownSpread, type PlanSources, spreadOf, type Unit } from './spread.ts';
import { sequenceCriticalValue } from './stats/confidence-sequence.ts';
import {
  type CriticalValue,
  chanceToFind,
  criticalT,
  detectableShiftBeyond,
  valuesNeededBeyond,
} from './stats/power.ts';

/** Of each metric by itself. */
const POWER = 0.8;
/** As many as an experiment file can ask for. */
const MOST_PAIRS = 10_000;
const MOST_BUILDS = 20;

/** What a plan's values are, and in which numbers they come. */
export interface PlannedValues {
  readonly unit: Unit;
  /** Pairs, sessions, blocks; of several builds: builds. Of a run that may end early: the most. */
  readonly count: number;
  /** Pairs or blocks of each build; 1 where the pair is the unit. */
  readonly pairs_each: number;
  /** Pairs come in multiples of this. */
  readonly period: number;
  /** The most that an experiment can have. */
  readonly most: number;
}

export interface PlannedTest {
  readonly contrast: Contrast;
  /** Of a primary metric that of the first step of Holm's procedure: α/m for m primary comparisons. */
  readonly alpha: number;
  readonly critical: CriticalValue;
  /** On the scale of the effects. */
  readonly threshold: number;
  readonly spread: KnownSpread;
}

export function plannedValues({ design }: Experiment, plan: Plan): PlannedValues {
  const pairs = plan.phases.find(({ phase }) => phase === 'confirmation')?.blocks.length ?? 0;
  const period = designPeriod(design.arms.length, design.order);
  if (design.builds > 1) {
    const pairs_each = pairs / design.builds;
    return { unit: 'build', count: design.builds, pairs_each, period, most: MOST_BUILDS };
  }
  const unit = design.slices === null ? 'pair' : 'session';
  return { unit, count: pairs, pairs_each: 1, period, most: Math.floor(MOST_PAIRS / period) * period };
}

/**
 * A primary metric is tested as the first step of Holm's procedure does, at α/m for m primary comparisons; a sequential run tests each of
 * them at α/m from first to last; others are tested at α.
 */
export function plannedTests(experiment: Experiment, plan: Plan, sources: PlanSources): readonly PlannedTest[] {
  const contrasts = contrastsOf(experiment, experiment.metrics);
  const family = contrasts.filter(({ metric }) => metric.primary).length;
  const values = plannedValues(experiment, plan);
  const { sequential } = plan;
  return contrasts.map((contrast) => {
    const { metric } = contrast;
    const alpha = (1 - experiment.decision.level) / (metric.primary ? family : 1);
    return {
      contrast,
      alpha,
      critical: sequential === null ? criticalT(alpha) : (n) => sequenceCriticalValue(n, sequential.c2, alpha),
      threshold: boundOf(contrast, metric.threshold),
      spread: spreadOf(sources, contrast, values),
    };
  });
}

/** Smallest change that so many values find; the threshold is in it. Null: unknown, or so few decide nothing. */
export function detectableWith({ contrast, critical, threshold, spread }: PlannedTest, values: number): number | null {
  if (spread.sd === null) return null;
  const shift = detectableShiftBeyond(critical, spread.sd_upper_80, values, POWER);
  return shift === null ? null : changeOf(contrast, threshold + shift);
}

/** Chance that so many values find a true change. Null: unknown. */
export function powerWith(
  { contrast, critical, threshold, spread }: PlannedTest,
  values: number,
  change: number,
): number | null {
  if (spread.sd === null) return null;
  const shift = boundOf(contrast, change) - threshold;
  return shift <= 0 ? 0 : chanceToFind(critical, shift, spread.sd_upper_80, values);
}

/** Fewest values that find a change with 80 % power; null where they are more than a million. */
export function valuesFor(
  { contrast, critical, threshold }: Pick<PlannedTest, 'contrast' | 'critical' | 'threshold'>,
  sd: number,
  change: number,
): number | null {
  return valuesNeededBeyond(critical, boundOf(contrast, change) - threshold, sd, POWER);
}

/** Pairs (sessions, blocks) that so many values are, each build with as many as it needs to be balanced. */
export function pairsOf({ unit, pairs_each, period }: PlannedValues, values: number): number {
  if (unit !== 'build') return Math.ceil(values / period) * period;
  return values * Math.ceil(pairs_each / period) * period;
}
