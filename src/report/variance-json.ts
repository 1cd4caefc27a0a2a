/** A study of variance for programs. */
import { driftOf, rankSetUps, rankSteps } from '../storage/repeatability.ts';
import { compareSpreads } from '../storage/told-apart.ts';
import type { VarianceInput } from './variance-input.ts';

/** Counts up when a field changes its meaning or goes away; new fields do not count. */
const VARIANCE_VERSION = 1;

export function varianceDocument({ assay, metric, variance, imported, pairs }: VarianceInput): object {
  const { rules } = variance;
  return {
    version: VARIANCE_VERSION,
    assay,
    metric,
    deviation: rules.deviation,
    limit: rules.limit,
    level: rules.level,
    steps: rules.steps,
    workloads: variance.workloads,
    cells: variance.cells.map(({ setup, workload, threads, max_cv, mean_cv, steps }) => ({
      ...{ setup, workload, threads, max_cv, mean_cv },
      steps: Object.fromEntries(steps.map(({ step, cv }) => [step, cv])),
      repetitions: Object.fromEntries(steps.map(({ step, values }) => [step, values])),
      missing: Object.fromEntries(steps.map(({ step, missing }) => [step, missing])),
      sample_cv: Object.fromEntries(steps.map(({ step, sample_cv }) => [step, sample_cv])),
      intervals: Object.fromEntries(steps.map(({ step, interval }) => [step, interval])),
    })),
    good: variance.good,
    steps_ranked: rankSteps(variance),
    setups_ranked: rankSetUps(variance, pairs),
    drift: driftOf(variance),
    spread_ratios: compareSpreads(variance),
    warnings: variance.warnings,
    files: imported.read,
    ignored: imported.ignored,
  };
}
