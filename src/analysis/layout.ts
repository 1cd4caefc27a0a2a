/**
 * The layout floor: how far rebuilds of one source may have moved a metric, since where code lies moves times by itself. It is a note
 * beside a verdict and changes none. Rules: docs/methods.md, "Controls".
 */
import type { Comparison, Interval, SideComparison } from './analysis.ts';

/** By metric, as changes without sign. */
export type Floors = Readonly<Record<string, number>>;

/** The larger bound of a plain interval, without sign; of what is exact, the change. */
export function floorOf({ change, interval, plain_interval }: PlainEffect): number {
  const bounds = plain_interval ?? interval ?? [change];
  return Math.max(...bounds.map(Math.abs));
}

interface PlainEffect {
  readonly change: number;
  readonly interval: Interval | null;
  readonly plain_interval: Interval | null;
}

/** The largest of each metric. */
export function floorsOf(rebuilds: readonly { readonly metric: string; readonly floor: number }[]): Floors {
  const floors = new Map<string, number>();
  for (const { metric, floor } of rebuilds) floors.set(metric, Math.max(floor, floors.get(metric) ?? 0));
  return Object.fromEntries(floors);
}

/** Those of a comparison beside the confirmation, for what stands in the same blocks. A code that is the same shows no layout. */
export function floorsBeside(comparisons: readonly SideComparison[], floors: Floors): Floors {
  const rebuilds = comparisons.flatMap(({ metric, role, same_code, effect, verdict }) =>
    role === 'rebuild' && !same_code && effect !== null && verdict.kind !== 'none'
      ? [{ metric, floor: floorOf(effect) }]
      : [],
  );
  return floorsOf([...Object.entries(floors).map(([metric, floor]) => ({ metric, floor })), ...rebuilds]);
}

/** The note that stands beside the verdict of an effect that is claimed; null where there is none. */
export function layoutOf({ metric, verdict, effect }: Comparison, floors: Floors): Comparison['layout'] {
  const floor = Object.hasOwn(floors, metric) ? (floors[metric] ?? null) : null;
  const claimed =
    verdict.kind === 'slower' ||
    verdict.kind === 'faster' ||
    (verdict.kind === 'equivalent' && verdict.measurably !== null);
  if (floor === null || effect === null || !claimed) return null;
  const [low, high] = effect.interval ?? [effect.change, effect.change];
  return { floor, beyond: low > floor || high < -floor };
}
