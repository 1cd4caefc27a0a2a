/**
 * What drivers declare of their engines, over all sizes and trials: a fact may depend on the size, and then each size has its own. Within
 * a size it is the same in all trials; where it is not, whatever is judged by it is judged by the weakest.
 */
import { groupsBy } from '../groups.ts';
import type { ChangedFact, Declared, EngineFacts, SizeFindings } from './analysis.ts';

/**
 * Facts in which a driver says what its engine is, how it is set and what it promises. All others may differ from trial to trial, such as
 * those that are measured: the shape of the tree, how long it takes to read the clock.
 */
export const STEADY_FACTS = [
  ...['engine', 'version', 'variant', 'log', 'sync', 'checksums', 'compression', 'assertions', 'cache_bounded'],
  ...['direct_io', 'read_ahead_kb', 'client_threads', 'background_threads', 'write_buffer_bytes', 'bytes_source'],
  ...['key_bytes', 'load_latency_records', 'overwrite_latency_records', 'settled', 'before_queries', 'settings'],
  ...['timed', 'not_a_claim_about'],
];

/** The facts of one engine, size by size. */
export type SizedFacts = readonly {
  readonly size: string;
  /** Of its first trial. */
  readonly facts: EngineFacts;
  readonly changed: readonly ChangedFact[];
}[];

type OfEngines = Pick<Declared, 'facts' | 'changed'>;

export function factsByEngine(
  sizes: readonly Pick<SizeFindings, 'size' | 'facts' | 'changed'>[],
): ReadonlyMap<string, SizedFacts> {
  const declared = sizes.flatMap(({ size, facts, changed }) =>
    Object.entries(facts).map(([engine, own]) => ({
      ...{ engine, size: size.name, facts: own },
      changed: changed[engine] ?? [],
    })),
  );
  const byEngine = groupsBy(declared, ({ engine }) => engine);
  return new Map([...byEngine].map(([engine, of]) => [engine, of.map(({ engine: _, ...facts }) => facts)] as const));
}

/** The facts of an engine's first trial, and for each value that a later one declared instead the same with that value. */
export function declarations({ facts, changed }: OfEngines, engine: string): readonly EngineFacts[] {
  return allOf(facts[engine] ?? {}, changed[engine] ?? []);
}

/** As `declarations`, of one size of one engine. */
export function allOf(first: EngineFacts, changed: readonly ChangedFact[]): readonly EngineFacts[] {
  const instead = changed.flatMap(({ fact, values }) =>
    values.slice(1).map(({ value }) => {
      const { [fact]: _, ...rest } = first;
      return value === null ? rest : { ...rest, [fact]: value };
    }),
  );
  return [first, ...instead];
}

/** A fact in words: once where it is the same everywhere, else each value with the sizes that it holds in, and in how many trials. */
export function factText(of: SizedFacts, name: string, missing: string): string {
  const all = of.flatMap(({ size, facts, changed }) => {
    const found = changed.find(({ fact }) => fact === name);
    if (found === undefined) return [{ where: size, value: facts[name] ?? null }];
    return found.values.map(({ value, trials }) => ({
      where: `${size} in ${trialsText(trials, found.trials)}`,
      value,
    }));
  });
  const groups = groupsBy(all, ({ value }) => String(value ?? missing));
  const [only, ...others] = groups.keys();
  if (only === undefined || others.length === 0) return only ?? missing;
  return [...groups].map(([value, those]) => `${value} (${those.map(({ where }) => where).join(', ')})`).join('; ');
}

export function trialsText(some: number, all: number): string {
  return `${some} of ${all} trials`;
}

/** Whether a write is on the device when it returns. What a driver does not say is not assumed. */
export function isDurable({ sync }: EngineFacts): boolean {
  return sync === 'commit';
}

/** Whether it is in all trials of a size. */
export function isAlwaysDurable(found: OfEngines, engine: string): boolean {
  return declarations(found, engine).every(isDurable);
}

/** Why bytes and reads of two engines, by what they declare, are no numbers of one kind; null where they are. */
export function differentSources(one: readonly EngineFacts[], other: readonly EngineFacts[]): string | null {
  const sources = [one, other].map((all) => new Set(all.map(sourceOf)));
  if (sources.some(({ size }) => size > 1)) {
    return 'bytes of the one or the other are counted at its device in some trials, and accounted to its process in others';
  }
  if (new Set(sources.flatMap((all) => [...all])).size === 1) return null;
  return 'bytes of the one are counted at its device, those of the other accounted to its process';
}

/** What is not said is not taken for the better one. */
function sourceOf({ bytes_source }: EngineFacts): string {
  return bytes_source === 'device' ? 'device' : 'process';
}
