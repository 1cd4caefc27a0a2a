/** What a control or side comparison consists of: its planned blocks, its attempts, and what is compared in it. */
import type { SideDesign } from '../experiment/experiment.ts';
import type { Journal } from '../journal/records.ts';
import type { Attempts } from '../plan/attempts.ts';
import { buildsIn } from '../plan/builds.ts';
import type { PlannedPhase } from '../plan/plan.ts';
import type { CounterSummary } from './analysis.ts';
import { isCounted } from './counter-summary.ts';
import type { Contrast } from './sample.ts';
import { pairNoun } from './wording.ts';

export interface SideData {
  readonly side: SideDesign;
  readonly blocks: PlannedPhase['blocks'];
  readonly attempts: Attempts;
  /** That its blocks go through. */
  readonly builds: number;
  readonly contrasts: readonly Contrast[];
}

/** One for each side of the experiment, in its order. `attempts` are all those of the run. */
export function sideData({ run }: Journal, attempts: Attempts, counters: CounterSummary | null): readonly SideData[] {
  const { experiment, plan } = run;
  const noun = pairNoun(experiment.design);
  return experiment.sides.map((side) => {
    const metrics = experiment.metrics.filter(
      (metric) =>
        (side.metrics === null || side.metrics.includes(metric.name)) &&
        (metric.from.kind !== 'counter' || (side.counters !== 'off' && isCounted(metric, counters))),
    );
    const [first] = side.arms;
    const pairs = side.arms.flatMap((arm) => {
      const reference = Object.hasOwn(side.against, arm) ? (side.against[arm] ?? first) : first;
      return arm === reference ? [] : [{ arm, reference }];
    });
    return {
      side,
      blocks: plan.phases.find(({ phase }) => phase === side.name)?.blocks ?? [],
      attempts: attempts.filter(({ phase }) => phase === side.name),
      builds: buildsIn(experiment, side.name),
      contrasts: metrics.flatMap((metric) => pairs.map((sides) => ({ ...sides, metric, noun }))),
    };
  });
}
