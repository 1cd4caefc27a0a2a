/** A study of variance for programs. */
import { driftOf, rankSetUps, rankSteps } from '../storage/repeatability.ts';
import { compareSpreads } from '../storage/told-apart.ts';
import type { VarianceInput } from './variance-input.ts';
import { VARIANCE_VERSION, type VarianceDocument, varianceSchema } from './variance-schema.ts';

export function varianceDocument({ assay, title, metric, variance, imported, pairs }: VarianceInput): VarianceDocument {
  const { rules } = variance;
  return varianceSchema.parse({
    version: VARIANCE_VERSION,
    assay,
    title,
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
      beside: Object.fromEntries(steps.map(({ step, beside }) => [step, beside])),
    })),
    good: variance.good,
    steps_ranked: rankSteps(variance),
    setups_ranked: rankSetUps(variance, pairs),
    drift: driftOf(variance),
    spread_ratios: compareSpreads(variance),
    warnings: variance.warnings,
    files: imported.read,
    ignored: imported.ignored,
  });
}
