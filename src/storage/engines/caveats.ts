/** What numbers of engines must be read with: where the engines, or the ways of measuring them, differ in what they promise. */

import { groupsBy } from '../groups.ts';
import type { Caveat, CaveatKind, EngineFacts, SizeFindings } from './analysis.ts';

/** Facts in which engines may differ. */
const PROMISES = ['log', 'checksums', 'direct_io'] as const;

/** Whether a write is on the device when it returns. What a driver does not say is not assumed. */
export function isDurable({ sync }: EngineFacts): boolean {
  return sync === 'commit';
}

/** In an order that is fixed: what weakens numbers of writing first. */
export function caveatsOf(sizes: readonly SizeFindings[]): readonly Caveat[] {
  const facts = new Map(sizes.flatMap((size) => Object.entries(size.facts)));
  return [
    ...durability(facts),
    ...promises(facts),
    ...builds(facts),
    ...caches(facts),
    ...counting(sizes),
    ...limits(sizes),
  ];
}

type Facts = ReadonlyMap<string, EngineFacts>;

function where(facts: Facts, holds: (one: EngineFacts) => boolean): readonly string[] {
  return [...facts].filter(([, one]) => holds(one)).map(([engine]) => engine);
}

function namesIn(facts: readonly (readonly [engine: string, EngineFacts])[]): readonly string[] {
  return facts.map(([engine]) => engine);
}

function caveat(kind: CaveatKind, engines: readonly string[]): readonly Caveat[] {
  return engines.length === 0 ? [] : [{ engines, ...kind }];
}

function durability(facts: Facts): readonly Caveat[] {
  const lacking = [...facts].filter(([, one]) => !isDurable(one));
  const bySync = groupsBy(lacking, ([, { sync }]) => String(sync ?? 'not said'));
  return [...bySync].flatMap(([sync, of]) => caveat({ code: 'not-durable', sync }, namesIn(of)));
}

/** Only where engines differ: what holds for all of them favours none. */
function promises(facts: Facts): readonly Caveat[] {
  return PROMISES.flatMap((name) => {
    const groups = groupsBy([...facts], ([, one]) => String(one[name] ?? 'not said'));
    if (groups.size < 2) return [];
    const each = [...groups].map(([value, of]) => ({ value, engines: namesIn(of) }));
    return caveat({ code: 'differ', promise: name, groups: each }, [...facts.keys()]);
  });
}

function builds(facts: Facts): readonly Caveat[] {
  const compressed = where(facts, ({ compression }) => compression !== undefined && compression !== 'off');
  return [
    ...caveat(
      { code: 'assertions' },
      where(facts, ({ assertions }) => assertions === true),
    ),
    ...caveat(
      { code: 'assertions-unknown' },
      where(facts, ({ assertions }) => assertions === undefined),
    ),
    ...caveat({ code: 'compression' }, compressed),
  ];
}

function caches(facts: Facts): readonly Caveat[] {
  return caveat(
    { code: 'cache-unbounded' },
    where(facts, ({ cache_bounded }) => cache_bounded === false),
  );
}

function counting(sizes: readonly SizeFindings[]): readonly Caveat[] {
  const facts = new Map(sizes.flatMap((size) => Object.entries(size.facts)));
  return caveat(
    { code: 'bytes-of-process' },
    where(facts, ({ bytes_source }) => bytes_source !== 'device'),
  );
}

/** A size that was meant to be IO-bound and whose reads did not go to the device, or a cached one whose reads did. */
function limits(sizes: readonly SizeFindings[]): readonly Caveat[] {
  return sizes.flatMap(({ size, figures }) => {
    const reads = figures.find(({ kind }) => kind.key === 'point_reads');
    if (reads === undefined) return [];
    const bound = size.memory_limit_bytes !== null;
    const odd = Object.entries(reads.engines)
      .filter(([, { mean }]) => mean !== null && (bound ? mean < LEAST_READS : mean >= LEAST_READS))
      .map(([engine]) => engine);
    return caveat({ code: bound ? 'not-io-bound' : 'not-cached', size: size.name }, odd);
  });
}

/** Reads from the device for each point read: below it most are answered from memory. */
const LEAST_READS = 0.1;
