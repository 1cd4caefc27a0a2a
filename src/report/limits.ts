/** The lines that a change is held against. */
import type { Comparison } from '../analysis/analysis.ts';

export interface Limit {
  /** As a change. */
  readonly value: number;
  readonly kind: 'threshold' | 'margin';
}

/** The change below zero that is as large as `limit` above it. */
export function lowerLimit(limit: number, kind: Comparison['kind']): number {
  return kind === 'ratio' ? 1 / (1 + limit) - 1 : -limit;
}

/** Threshold and margin in both directions; nothing where there are none. */
export function limitsOf({ threshold, margin, kind }: Comparison): readonly Limit[] {
  const both = (limit: number, name: Limit['kind']) =>
    [limit, lowerLimit(limit, kind)].map((value) => ({ value, kind: name }));
  return [...(threshold > 0 ? both(threshold, 'threshold') : []), ...(margin === null ? [] : both(margin, 'margin'))];
}
