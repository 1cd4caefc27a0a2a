/** From an analysis to the exit code that a script sees. */
import type { Analysis } from './analysis.ts';

/**
 * In this order: 3 the run is invalid or not finished, or a primary metric has no effect to judge (missing data is a
 * failure, unless no confirmation was planned); 1 a primary metric is slower; 4 a primary metric is inconclusive or too coarse, where that was asked; 0.
 */
export function exitCode(analysis: Analysis, options: { readonly requireConclusive: boolean }): 0 | 1 | 3 | 4 {
  const primary = analysis.comparisons.filter((comparison) => comparison.primary);
  const has = (kind: string) => primary.some(({ verdict }) => verdict.kind === kind);
  const missing = analysis.pairs.planned > 0 && primary.some(({ effect }) => effect === null);
  if (analysis.state !== 'complete' || missing) return 3;
  if (has('slower')) return 1;
  return options.requireConclusive && (has('inconclusive') || has('none')) ? 4 : 0;
}
