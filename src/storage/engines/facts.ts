/** What drivers declare of their engines, over all sizes: a fact may depend on the size, and then each size has its own. */
import { groupsBy } from '../groups.ts';
import type { EngineFacts, SizeFindings } from './analysis.ts';

/** The facts of one engine, size by size. */
export type SizedFacts = readonly { readonly size: string; readonly facts: EngineFacts }[];

export function factsByEngine(sizes: readonly Pick<SizeFindings, 'size' | 'facts'>[]): ReadonlyMap<string, SizedFacts> {
  const declared = sizes.flatMap(({ size, facts }) =>
    Object.entries(facts).map(([engine, own]) => ({ engine, size: size.name, facts: own })),
  );
  const byEngine = groupsBy(declared, ({ engine }) => engine);
  return new Map(
    [...byEngine].map(([engine, of]) => [engine, of.map(({ size, facts }) => ({ size, facts }))] as const),
  );
}

/** A fact in words: once where it is the same in all sizes, else each value with the sizes that it holds in. */
export function factText(of: SizedFacts, name: string, missing: string): string {
  const groups = groupsBy(of, ({ facts }) => String(facts[name] ?? missing));
  const [only, ...others] = groups.keys();
  if (only === undefined || others.length === 0) return only ?? missing;
  return [...groups].map(([value, those]) => `${value} (${those.map(({ size }) => size).join(', ')})`).join('; ');
}

/** Whether a write is on the device when it returns. What a driver does not say is not assumed. */
export function isDurable({ sync }: EngineFacts): boolean {
  return sync === 'commit';
}

/** Why bytes and reads of two engines are no numbers of one kind; null where they are. */
export function differentSources(one: EngineFacts, other: EngineFacts): string | null {
  if (sourceOf(one) === sourceOf(other)) return null;
  return 'bytes of the one are counted at its device, those of the other accounted to its process';
}

/** What is not said is not taken for the better one. */
function sourceOf({ bytes_source }: EngineFacts): string {
  return bytes_source === 'device' ? 'device' : 'process';
}
