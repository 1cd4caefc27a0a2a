/** What numbers of engines must be read with: where the engines, or the ways of measuring them, differ in what they promise. */
import { mean } from '../../analysis/stats/moments.ts';
import { groupsBy } from '../groups.ts';
import type { Caveat, CaveatKind, EngineFacts, Figure, PlainCaveat, SizeFindings } from './analysis.ts';
import { allOf, declarations, factsByEngine, factText, isDurable, type SizedFacts } from './facts.ts';
import { recordBytes } from './study.ts';

/** Facts in which engines may differ. */
const PROMISES = ['log', 'checksums', 'direct_io'] as const;

/** In an order that is fixed: whether an engine was one and the same first, then what weakens numbers of writing. */
export function caveatsOf(sizes: readonly SizeFindings[]): readonly Caveat[] {
  const facts = factsByEngine(sizes);
  return [
    ...sizes.flatMap(changes),
    ...sizes.flatMap(unreadTrials),
    ...durability(facts),
    ...promises(facts),
    ...builds(facts),
    ...one('cache-unbounded', facts, ({ cache_bounded }) => cache_bounded === false),
    ...one('bytes-of-process', facts, ({ bytes_source }) => bytes_source !== 'device'),
    ...sizes.flatMap(limits),
    ...sizes.flatMap(buffered),
    ...sizes.flatMap(writingReads),
    ...sizes.flatMap(mixtures),
  ];
}

type Facts = ReadonlyMap<string, SizedFacts>;

/** The engines of which it holds in any trial of any size. */
function where(facts: Facts, holds: (one: EngineFacts) => boolean): readonly string[] {
  const anywhere = (of: SizedFacts) => of.some((each) => allOf(each.facts, each.changed).some(holds));
  return [...facts].filter(([, of]) => anywhere(of)).map(([engine]) => engine);
}

function caveat(kind: CaveatKind, engines: readonly string[]): readonly Caveat[] {
  return engines.length === 0 ? [] : [{ engines, ...kind }];
}

function one(code: PlainCaveat, facts: Facts, holds: (one: EngineFacts) => boolean): readonly Caveat[] {
  return caveat({ code }, where(facts, holds));
}

function changes({ size, changed }: SizeFindings): readonly Caveat[] {
  return Object.entries(changed).flatMap(([engine, all]) =>
    all.flatMap((one) => caveat({ code: 'changing', size: size.name, ...one }, [engine])),
  );
}

function unreadTrials({ size, unread }: SizeFindings): readonly Caveat[] {
  const byCount = groupsBy(unread, ({ trials, of }) => `${trials} ${of}`);
  return [...byCount.values()].flatMap((those) => {
    const [first] = those;
    if (first === undefined) return [];
    const { trials, of } = first;
    return caveat(
      { code: 'unread', size: size.name, trials, of },
      those.map(({ engine }) => engine),
    );
  });
}

function durability(facts: Facts): readonly Caveat[] {
  const lacking = where(facts, (own) => !isDurable(own));
  const bySync = groupsBy(lacking, (engine) => factText(facts.get(engine) ?? [], 'sync', NOT_SAID));
  return [...bySync].flatMap(([sync, engines]) => caveat({ code: 'not-durable', sync }, engines));
}

const NOT_SAID = 'not said';

/** Only where engines differ: what holds for all of them favours none. */
function promises(facts: Facts): readonly Caveat[] {
  const all = [...facts.keys()];
  return PROMISES.flatMap((name) => {
    const groups = groupsBy(all, (engine) => factText(facts.get(engine) ?? [], name, NOT_SAID));
    if (groups.size < 2) return [];
    const each = [...groups].map(([value, engines]) => ({ value, engines }));
    return caveat({ code: 'differ', promise: name, groups: each }, all);
  });
}

function builds(facts: Facts): readonly Caveat[] {
  return [
    ...one('assertions', facts, ({ assertions }) => assertions === true),
    ...one('assertions-unknown', facts, ({ assertions }) => assertions === undefined),
    ...one('compression', facts, ({ compression = 'off' }) => !UNCOMPRESSED.has(compression)),
  ];
}

/** Words for it that drivers may use. */
const UNCOMPRESSED: ReadonlySet<unknown> = new Set(['off', 'none', 'no', false]);

/** A size that was meant to be IO-bound and whose reads did not go to the device, or a cached one whose reads did. */
function limits({ size, figures }: SizeFindings): readonly Caveat[] {
  const bound = size.memory_limit_bytes !== null;
  const odd = enginesOf(figures, 'point_reads', ({ mean: reads }) => {
    if (reads === null) return false;
    return bound ? reads < LEAST_READS : reads >= LEAST_READS;
  });
  return caveat({ code: bound ? 'not-io-bound' : 'not-cached', size: size.name }, odd);
}

/** Reads from the device for each point read: below it most are answered from memory. */
export const LEAST_READS = 0.1;

/** Overwrites of which a good part has never left the memtable: their rate is not that of a tree at work. */
function buffered({ size, ...declared }: SizeFindings): readonly Caveat[] {
  const bytes = size.overwrites * recordBytes(size);
  const isWithin = ({ write_buffer_bytes: buffer }: EngineFacts) =>
    typeof buffer === 'number' && bytes < FEWEST_BUFFERS * buffer;
  const within = Object.keys(declared.facts).filter((engine) => declarations(declared, engine).some(isWithin));
  return caveat({ code: 'overwrites-in-buffer', size: size.name }, within);
}

const FEWEST_BUFFERS = 4;

/** Steps of reads in which the device was written: compactions that went on take their share of it. */
function writingReads({ size, figures }: SizeFindings): readonly Caveat[] {
  const wrote = ['point_written', 'range_written'].flatMap((key) =>
    enginesOf(figures, key, ({ values }) => (mean(values.filter((value) => value !== null)) ?? 0) > MOST_WRITTEN),
  );
  return caveat({ code: 'reads-that-wrote', size: size.name }, [...new Set(wrote)]);
}

/** Of the user data of the load. */
const MOST_WRITTEN = 0.01;

/** What the kernel wrote back in the one block, and not in the other. */
function mixtures({ size, figures }: SizeFindings): readonly Caveat[] {
  return ['load_wamp', 'overwrite_wamp'].flatMap((key) => {
    const apart = enginesOf(figures, key, ({ values }) => {
      const all = values.filter((value) => value !== null);
      const most = Math.max(...all);
      return most > 0 && most > WIDEST * Math.min(...all);
    });
    return caveat({ code: 'mixture', size: size.name, figure: key }, apart);
  });
}

/** Highest / lowest value of an engine in the blocks. */
const WIDEST = 4;

function enginesOf(
  figures: SizeFindings['figures'],
  key: string,
  holds: (figure: Figure) => boolean,
): readonly string[] {
  const found = figures.find(({ kind }) => kind.key === key);
  return Object.entries(found?.engines ?? {}).flatMap(([engine, figure]) => (holds(figure) ? [engine] : []));
}
