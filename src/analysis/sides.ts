/** Comparisons beside the confirmation: each in blocks of its own, each arm against its own reference. They decide nothing. */
import type { Journal } from '../journal/records.ts';
import type { Comparison, Direction, Remainder, SideComparison, SideSummary, Warning } from './analysis.ts';
import { candidatesOf, compare, type Paired, without } from './compare.ts';
import { changeOf, changesOf } from './measure.ts';
import { copyOf, isSameCode, roleOf } from './roles.ts';
import type { SideData } from './side-data.ts';
import { intervalOf, meanEstimate } from './stats/estimate.ts';

/**
 * Effects and verdicts of a side: t over its blocks with n − 1 degrees of freedom for each contrast, Holm over its primary ones. Nothing
 * of it is pooled with the confirmation, and nothing of it decides over the run. Warnings are those of its primary metrics.
 */
export function sideSummary(
  journal: Journal,
  { side, blocks, attempts, builds, contrasts }: SideData,
  finished: boolean,
  confirmation: readonly Comparison[],
): { readonly summary: SideSummary; readonly warnings: readonly Warning[] } {
  const { experiment } = journal.run;
  const { level } = experiment.decision;
  const design = { blocks, builds, sequential: null };
  const compared = finished
    ? compare(contrasts, attempts, design, level)
    : { comparisons: contrasts.map((contrast) => without(contrast, blocks.length)), warnings: [] };
  const told = (comparison: Comparison): SideComparison => {
    const found = roleOf(experiment, comparison);
    const of = copyOf(experiment, comparison.arm)?.of;
    const changed = [...compared.comparisons, ...confirmation].find(
      ({ metric, arm, reference }) => metric === comparison.metric && arm === of && reference === experiment.reference,
    );
    return {
      ...comparison,
      ...found,
      same_code: isSameCode(journal, comparison),
      contribution: found.role === 'ablation' ? contributionOf(comparison, changed) : null,
    };
  };
  const complete = attempts.filter(({ outcome }) => outcome === 'complete');
  const primary = new Set(contrasts.filter(({ metric }) => metric.primary).map(({ metric }) => metric.name));
  return {
    summary: {
      name: side.name,
      arms: side.arms,
      counters: side.counters,
      blocks: { planned: blocks.length, complete: complete.length },
      comparisons: compared.comparisons.map(told),
      remainders: finished ? remaindersOf(journal, candidatesOf(contrasts, complete, design)) : [],
    },
    warnings: compared.warnings
      .filter(({ metric }) => metric !== null && primary.has(metric))
      .map((warning) => ({ ...warning, message: `In ${side.name}: ${warning.message}` })),
  };
}

function contributionOf(ablation: Comparison, changed: Comparison | undefined): SideComparison['contribution'] {
  const without = directionOf(ablation);
  if (without === null) return 'open';
  const found = changed === undefined ? null : directionOf(changed);
  return found !== null && found !== without ? 'supports' : 'same-way';
}

/** Null where it is not decided. */
function directionOf({ verdict }: Comparison): Direction | null {
  if (verdict.kind === 'slower' || verdict.kind === 'faster') return verdict.kind;
  return verdict.kind === 'equivalent' ? verdict.measurably : null;
}

/**
 * What the ablations do not explain: in each block, the stock effect and the effects of all ablations of its arm, added (a part that
 * made the arm slower makes it faster where it is taken out). A t interval over the blocks that have all of them. Right where the
 * parts act independently of each other and do not overlap.
 */
function remaindersOf(journal: Journal, candidates: readonly Paired[]): readonly Remainder[] {
  const { experiment } = journal.run;
  const { level } = experiment.decision;
  const roles = candidates.map((candidate) => ({ ...candidate, ...roleOf(experiment, candidate.contrast) }));
  return roles.flatMap((stock): Remainder[] => {
    if (stock.role !== 'stock') return [];
    const { metric, arm, reference } = stock.contrast;
    const parts = roles.filter(
      ({ role, contrast }) =>
        role === 'ablation' && contrast.metric === metric && copyOf(experiment, contrast.arm)?.of === arm,
    );
    const measures = [stock, ...parts].map(({ measured }) => measured.measure);
    if (parts.length === 0 || measures.some((measure) => measure === null || measure.coarse !== null)) return [];
    // A block counts once: its one attempt that was complete.
    const byBlock = parts.map(({ sample }) => new Map(Array.from(sample.pairs, (pair) => [pair.block, pair.effect])));
    const sums = [...stock.sample.pairs].flatMap(({ block, effect }) => {
      const effects = byBlock.map((found) => found.get(block) ?? null);
      return effects.every((one) => one !== null) ? [effects.reduce((sum, one) => sum + one, effect)] : [];
    });
    const mean = meanEstimate(sums);
    if (mean === null) return [];
    // Each of the effects that are added may be off by its own quantum.
    const minimumHalfWidth = measures.reduce((sum, measure) => sum + (measure?.estimate.minimumHalfWidth ?? 0), 0);
    const estimate = { ...mean, minimumHalfWidth };
    return [
      {
        ...{ metric: metric.name, unit: metric.unit, kind: metric.kind, arm, reference },
        ablations: parts.map(({ contrast }) => contrast.arm),
        blocks: sums.length,
        change: changeOf(stock.contrast, estimate.value),
        interval: changesOf(stock.contrast, intervalOf(estimate, level)),
      },
    ];
  });
}
