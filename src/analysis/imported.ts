/** What may be said of results that were measured elsewhere (docs/methods.md, "Results that were measured elsewhere"). */
import type { Imported } from '../journal/records.ts';
import type { Comparison } from './analysis.ts';

/** Why no verdict can be read from the intervals; null where they cover what those of a run do. */
function uncontrolled({ order, unit }: Imported): string | null {
  if (unit === 'shared') {
    return 'the repetitions of a side share one process, and what differs between processes is not in the interval';
  }
  if (order !== 'unknown') return null;
  return 'the order of the sides was not under control, so that what changed on the machine between them is in the change';
}

/** Change and interval stay; what would claim more than them goes. */
export function judgedImport(comparison: Comparison, imported: Imported | null): Comparison {
  const reason = imported === null ? null : uncontrolled(imported);
  const { effect, verdict } = comparison;
  if (reason === null || effect === null || verdict.kind === 'none') return comparison;
  return {
    ...comparison,
    effect: {
      ...effect,
      // Tests of no difference, too, take the pairs for such as differ by chance and by the arms alone.
      ...{ detectable: null, equivalence: null, wilcoxon_p: null },
      directions: { ...effect.directions, p_value: null },
    },
    verdict: { kind: 'inconclusive', reason },
  };
}
