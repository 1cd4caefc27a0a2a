/** What the rules rejected, by arm, with a test of whether they hit the arms alike. */
import type { RejectRule } from '../experiment/experiment.ts';
import type { Attempts } from '../plan/attempts.ts';
import { rejectionsOf } from '../plan/rejection.ts';
import type { RejectionSummary } from './analysis.ts';
import { equalCountsTest } from './stats/exact-counts.ts';

/** Counts rejected trials; a trial that breaks two rules counts once, and has two rows. */
export function rejectionSummary(
  attempts: Attempts,
  rules: readonly RejectRule[],
  arms: readonly string[],
  plannedBlocks: number,
): RejectionSummary {
  const counts = new Map(arms.map((arm) => [arm, 0]));
  const blocks = new Set<number>();
  const rows: RejectionSummary['rows'][number][] = [];
  for (const { block, attempt, trials } of attempts.filter(({ outcome }) => outcome === 'rejected')) {
    blocks.add(block);
    for (const trial of trials) {
      const rejections = rejectionsOf(trial, rules);
      if (rejections.length > 0) counts.set(trial.arm, (counts.get(trial.arm) ?? 0) + 1);
      rows.push(
        ...rejections.map(({ fact, value, limit }) => ({ block, attempt, arm: trial.arm, fact, value, limit })),
      );
    }
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    total,
    by_arm: Object.fromEntries(counts),
    pair_share: plannedBlocks === 0 ? 0 : blocks.size / plannedBlocks,
    p_value: equalCountsTest([...counts.values()]),
    rows,
  };
}
