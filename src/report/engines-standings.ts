/** What a study of engines says beside its numbers: who is better and worse at what, what engines promise, and whether order mattered. */
import type { Caveat, EngineFacts, SizeFindings, Stance, Standing } from '../storage/engines/analysis.ts';
import { ASPECTS, FIGURES } from '../storage/engines/figures.ts';
import { groupsBy } from '../storage/groups.ts';
import type { EnginesSection } from './engines.ts';
import type { EnginesInput } from './engines-input.ts';
import { counted, formatNumber } from './numbers.ts';
import { listText } from './plain-text.ts';
import { say } from './rules.ts';
import { left, listed, type Table, type Writer } from './writer.ts';

/** Facts that are shown beside each other, in this order, where an engine has them. */
const PROMISES = [
  ...['engine', 'version', 'variant', 'log', 'sync', 'checksums', 'compression', 'assertions'],
  ...['cache_bounded', 'direct_io', 'read_ahead_kb', 'background_threads', 'bytes_source'],
];

export function standingSections<Part>(input: EnginesInput, writer: Writer<Part>): readonly EnginesSection<Part>[] {
  const { standings, sizes } = input.findings;
  const titled = sizes.map(({ size }) => {
    const title = `${writer.escaping.name(size.name)}: better and worse`;
    const table = standingsTable(
      standings.filter((one) => one.size === size.name),
      writer,
    );
    return { title, parts: [writer.text(say('engines.standings', {})), writer.table(title, table)] };
  });
  return [...titled, promises(input, writer), orders(sizes, writer), leftOut(input, writer)].filter(
    ({ parts }) => parts.length > 0,
  );
}

function standingsTable(standings: readonly Standing[], writer: Writer<unknown>): Table {
  const text = (stances: readonly Stance[]) =>
    stances.length === 0 ? '-' : stances.map((one) => stanceText(one, writer)).join('; ');
  const rows = [...groupsBy(standings, ({ engine }) => engine)].flatMap(([engine, of]) =>
    ASPECTS.flatMap((aspect) => {
      const one = of.find((each) => each.aspect === aspect);
      return one === undefined ? [] : [[writer.escaping.name(engine), aspect, text(one.better), text(one.worse)]];
    }),
  );
  const lines = rows.map(([engine, aspect, better, worse]) => `${engine}, ${aspect}: better ${better}; worse ${worse}`);
  return { columns: [left('engine'), left('in'), left('better'), left('worse')], rows, lines };
}

/** `insert: 2.1x lmdb, 3x sqlite`. */
function stanceText({ figure, than }: Stance, { escaping }: Writer<unknown>): string {
  const times = than.map(({ engine, times: by }) => `${timesText(by)} ${escaping.name(engine)}`).join(', ');
  return say('engines.better', { figure: FIGURES.find(({ key }) => key === figure)?.title ?? figure, times });
}

/** What is just told apart must not read as equal. */
function timesText(times: number): string {
  return `${times < 1.1 ? times.toFixed(3) : formatNumber(times)}x`;
}

function promises<Part>({ findings }: EnginesInput, writer: Writer<Part>): EnginesSection<Part> {
  const facts = new Map(findings.sizes.flatMap((size) => Object.entries(size.facts)));
  const shown = PROMISES.filter((name) => [...facts.values()].some((one) => one[name] !== undefined));
  const rows = [...facts].map(([engine, one]) => [
    writer.escaping.name(engine),
    ...shown.map((name) => writer.escaping.prose(String(one[name] ?? '-'))),
  ]);
  const titles = shown.map((name) => name.replaceAll('_', ' '));
  const lines = rows.map(
    ([engine, ...cells]) => `${engine}: ${cells.map((cell, at) => `${titles[at]} ${cell}`).join('; ')}`,
  );
  const columns = [left('engine'), ...titles.map(left)];
  const title = 'What engines promise';
  return {
    title,
    parts: [
      ...(shown.length === 0 ? [] : [writer.table(title, { columns, rows, lines })]),
      ...settings([...facts], writer),
      ...listed(writer, [...findings.caveats.map((one) => caveatText(one, writer)), ...claims([...facts], writer)]),
    ],
  };
}

type Facts = readonly (readonly [engine: string, EngineFacts])[];

/** How each was set, and what settling means for it. */
function settings<Part>(facts: Facts, writer: Writer<Part>): readonly Part[] {
  const { name, prose } = writer.escaping;
  const rows = facts.flatMap(([engine, { settled, settings: list }]) => {
    const set = Array.isArray(list) && list.length > 0 ? prose(list.join(', ')) : '-';
    return settled === undefined && set === '-' ? [] : [[name(engine), prose(String(settled ?? '-')), set]];
  });
  const lines = rows.map(([engine, settled, set]) => `${engine}: settled: ${settled}; settings: ${set}`);
  const columns = [left('engine'), left('settled means'), left('settings')];
  return rows.length === 0 ? [] : [writer.table('Settings', { columns, rows, lines })];
}

function claims(facts: Facts, { escaping }: Writer<unknown>): readonly string[] {
  const all = new Set(facts.flatMap(([, { not_a_claim_about: list }]) => (Array.isArray(list) ? list : [])));
  return all.size === 0
    ? []
    : [say('engines.no-claim', { claims: [...all].map((one) => escaping.prose(String(one))).join('; ') })];
}

function caveatText(caveat: Caveat, { escaping }: Writer<unknown>): string {
  const { prose, name } = escaping;
  const engines = listText(caveat.engines.map(name));
  switch (caveat.code) {
    case 'not-durable':
      return say('engines.not-durable', { engines, sync: prose(caveat.sync) });
    case 'differ': {
      const groups = caveat.groups.map((group) => `${prose(group.value)} (${group.engines.map(name).join(', ')})`);
      return say('engines.differ', { promise: caveat.promise.replaceAll('_', ' '), groups: groups.join('; ') });
    }
    case 'not-io-bound':
    case 'not-cached':
      return say(`engines.${caveat.code}`, { engines, size: name(caveat.size) });
    default:
      return say(`engines.${caveat.code}`, { engines });
  }
}

function orders<Part>(sizes: readonly SizeFindings[], writer: Writer<Part>): EnginesSection<Part> {
  const { name } = writer.escaping;
  const items = sizes.flatMap(({ size, blocks, order_shows, figures }) => {
    if (!order_shows) return [say('engines.orders-few', { size: name(size.name), blocks: counted(blocks, 'block') })];
    const apart = figures.reduce((sum, one) => sum + one.orders.apart, 0);
    const untested = figures.reduce((sum, one) => sum + one.orders.untested, 0);
    const conflicts = figures.flatMap(({ kind, orders: { conflicts: all } }) =>
      all.map(([engine, other]) =>
        say('engines.conflict', {
          ...{ size: name(size.name), figure: kind.title, engine: name(engine), other: name(other) },
        }),
      ),
    );
    const agree = String(apart - untested - conflicts.length);
    const never = untested === 0 ? '' : say('engines.untested', { count: String(untested) });
    return [
      say('engines.orders', { size: name(size.name), apart: String(apart), agree, untested: never }),
      ...conflicts,
    ];
  });
  return { title: 'Whether the order mattered', parts: listed(writer, items) };
}

function leftOut<Part>({ findings }: EnginesInput, writer: Writer<Part>): EnginesSection<Part> {
  const { escaping } = writer;
  const { prose } = escaping;
  const items = findings.left_out.map(({ what, name, reason, remedy }) =>
    say(`engines.left-${what}`, { name: escaping.name(name), reason: prose(reason), remedy: prose(remedy) }),
  );
  return { title: 'Left out', parts: listed(writer, items) };
}
