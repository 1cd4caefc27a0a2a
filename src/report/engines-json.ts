/** A study of engines for programs. */
import type { FigureOfSize, OrderEffect, SizeFindings } from '../storage/engines/analysis.ts';
import { isAlwaysDurable } from '../storage/engines/facts.ts';
import type { EnginesInput } from './engines-input.ts';
import { ENGINES_VERSION, type EnginesDocument } from './engines-schema.ts';

export function enginesDocument({ assay, findings }: EnginesInput): EnginesDocument {
  const { study, small, seed, sizes, standings, families, caveats, left_out } = findings;
  return {
    format: 'assay-engines',
    version: ENGINES_VERSION,
    assay,
    title: study.title,
    ...{ small, seed, level: study.level },
    engines: study.engines.map(({ name }) => name),
    sizes: sizes.map((found) => {
      const { size, blocks, facts, limitations, figures, orders } = found;
      return {
        ...{ ...size, blocks, facts: plainFacts(facts), limitations: [...limitations] },
        figures: figures.map((one) => figureDocument(one, found)),
        orders: {
          ...orders,
          largest: orders.largest === null ? null : effectDocument(orders.largest),
          conflicts: orders.conflicts.map(effectDocument),
        },
      };
    }),
    standings: standings.map(({ better, worse, ...rest }) => ({
      ...rest,
      better: stances(better),
      worse: stances(worse),
    })),
    families,
    caveats: caveats.map(({ engines, ...rest }) => ({ ...rest, engines: [...engines] })),
    left_out: [...left_out],
  };
}

function figureDocument(
  { kind: { key, ...kind }, scale, engines, comparisons, orders }: FigureOfSize,
  found: SizeFindings,
): EnginesDocument['sizes'][number]['figures'][number] {
  return {
    figure: key,
    ...{ ...kind, scale },
    engines: Object.entries(engines).map(([engine, { mean, interval, exact, rank, values }]) => ({
      ...{ engine, mean, interval: plainInterval(interval), exact, rank },
      durable: isAlwaysDurable(found, engine),
      values: [...values],
    })),
    comparisons: comparisons.map(({ interval, ...rest }) => ({ ...rest, interval: plainInterval(interval) })),
    orders: {
      ...{ ...orders, effects: orders.effects.map(effectDocument) },
      changed: orders.changed.map(([engine, other]) => [engine, other]),
    },
  };
}

function plainInterval(interval: readonly [number, number] | null): [number, number] | null {
  return interval === null ? null : [interval[0], interval[1]];
}

function effectDocument<Effect extends OrderEffect>({
  interval,
  ...rest
}: Effect): Omit<Effect, 'interval'> & { interval: [number, number] } {
  return { ...rest, interval: [interval[0], interval[1]] };
}

function plainFacts(facts: SizeFindings['facts']): EnginesDocument['sizes'][number]['facts'] {
  const copied = (value: SizeFindings['facts'][string][string]) => (typeof value === 'object' ? [...value] : value);
  return Object.fromEntries(
    Object.entries(facts).map(([engine, one]) => [
      engine,
      Object.fromEntries(Object.entries(one).map(([name, value]) => [name, copied(value)])),
    ]),
  );
}

function stances(
  all: EnginesInput['findings']['standings'][number]['better'],
): EnginesDocument['standings'][number]['better'] {
  return all.map(({ figure, than }) => ({
    figure,
    than: than.map(({ interval, ...lead }) => ({ ...lead, interval: plainInterval(interval) })),
  }));
}
