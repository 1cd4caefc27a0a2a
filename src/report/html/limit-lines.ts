/** Lines that changes are held against, in plots whose changes lie on the vertical axis. */
import { type Markish, ruleY } from '@observablehq/plot';
import type { Limit } from '../limits.ts';
import type { Axis } from './axes.ts';
import { dashes, type Key } from './symbols.ts';

const STROKES = { threshold: 'dashed', margin: 'dotted' } as const;

/** `facet`: the channel that says whose panel a limit belongs to. */
export function limitLines(limits: readonly Limit[], axis: Axis, facet: object = {}): readonly Markish[] {
  return (['threshold', 'margin'] as const).map((kind) =>
    ruleY(
      limits.filter((limit) => limit.kind === kind),
      {
        ...facet,
        y: ({ value }: Limit) => axis.at(value),
        stroke: 'var(--limit)',
        strokeDasharray: dashes(STROKES[kind]),
        strokeWidth: 1.25,
      },
    ),
  );
}

export function limitKeys(limits: readonly Limit[]): readonly Key[] {
  return (['threshold', 'margin'] as const).flatMap((kind): Key[] =>
    limits.some((limit) => limit.kind === kind)
      ? [{ kind: 'line', color: 'var(--limit)', stroke: STROKES[kind], text: kind }]
      : [],
  );
}
