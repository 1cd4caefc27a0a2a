/** What is compared with what. */
import type { Experiment, Metric } from '../experiment/experiment.ts';
import type { Contrast } from './sample.ts';
import { pairNoun } from './wording.ts';

/** Every arm of the confirmation against the reference, metric by metric. */
export function contrastsOf({ design, reference }: Experiment, metrics: readonly Metric[]): readonly Contrast[] {
  const noun = pairNoun(design);
  return metrics.flatMap((metric) =>
    design.arms.filter((arm) => arm !== reference).map((arm) => ({ metric, arm, reference, noun })),
  );
}
