/** What engines promise, how they were set, and what was left out. */
import { allOf, factsByEngine, factText, type SizedFacts, trialsText } from '../storage/engines/facts.ts';
import type { LeftOut } from '../storage/engines/settled.ts';
import { groupsBy } from '../storage/groups.ts';
import type { EnginesSection } from './engines.ts';
import type { EnginesInput } from './engines-input.ts';
import { say } from './rules.ts';
import { left, listed, type TableColumn, type Writer } from './writer.ts';

/** Facts that are shown beside each other, in this order, where an engine has them. */
const PROMISES = [
  ...['engine', 'version', 'variant', 'log', 'sync', 'checksums', 'compression', 'assertions'],
  ...['cache_bounded', 'direct_io', 'read_ahead_kb', 'background_threads', 'write_buffer_bytes', 'bytes_source'],
];

/** A row for each fact, so that engines stand side by side; in lines, by what they have in common. */
export function promises<Part>({ findings }: EnginesInput, writer: Writer<Part>): EnginesSection<Part> {
  const { name, prose } = writer.escaping;
  const facts = [...factsByEngine(findings.sizes)];
  const shown = PROMISES.filter((fact) => facts.some(([, of]) => isDeclared(of, fact)));
  const rows = shown.map((fact) => [
    fact.replaceAll('_', ' '),
    ...facts.map(([, of]) => prose(factText(of, fact, '-'))),
  ]);
  const lines = rows.map(([fact = '', ...values]) => {
    const byValue = groupsBy([...facts.keys()], (at) => values[at] ?? '-');
    const of = (those: readonly number[]) => those.map((at) => name(facts[at]?.[0] ?? '')).join(', ');
    const each = [...byValue].map(([value, those]) => (byValue.size === 1 ? value : `${value} (${of(those)})`));
    return `${fact}: ${each.join('; ')}`;
  });
  const columns = [left('fact'), ...facts.map(([engine]) => left(name(engine)))];
  const title = 'What engines promise';
  return {
    title,
    parts: [...(shown.length === 0 ? [] : [writer.table(title, { columns, rows, lines })]), ...settings(facts, writer)],
  };
}

function isDeclared(of: SizedFacts, fact: string): boolean {
  return of.some((each) => allOf(each.facts, each.changed).some(({ [fact]: value }) => value !== undefined));
}

type Facts = readonly (readonly [engine: string, SizedFacts])[];

/** How each was set, what settling means for it, and what is done before queries. */
function settings<Part>(facts: Facts, writer: Writer<Part>): readonly Part[] {
  const { name, prose } = writer.escaping;
  const hasBefore = facts.some(([, of]) => isDeclared(of, 'before_queries'));
  const rows = facts.flatMap(([engine, of]) => {
    const cells = [
      factText(of, 'settled', '-'),
      ...(hasBefore ? [factText(of, 'before_queries', '-')] : []),
      settingsText(of),
    ];
    return cells.every((cell) => cell === '-') ? [] : [[name(engine), ...cells.map(prose)]];
  });
  const columns: readonly TableColumn[] = [
    left('engine'),
    left('settled means'),
    ...(hasBefore ? [left('before queries')] : []),
    left('settings'),
  ];
  const lines = rows.map(
    ([engine, ...cells]) => `${engine}: ${cells.map((cell, at) => `${columns[at + 1]?.title}: ${cell}`).join('; ')}`,
  );
  return rows.length === 0 ? [] : [writer.table('Settings', { columns, rows, lines })];
}

/** What is the same in all sizes, and behind it what each size has of its own. */
function settingsText(of: SizedFacts): string {
  const lists = of.flatMap(({ size, facts: { settings: first }, changed }) => {
    const found = changed.find(({ fact }) => fact === 'settings');
    if (found === undefined) return [{ size, list: Array.isArray(first) ? first : [] }];
    return found.values.map(({ value, trials }) => ({
      size: `${size} in ${trialsText(trials, found.trials)}`,
      list: Array.isArray(value) ? value : [],
    }));
  });
  const common = (lists[0]?.list ?? []).filter((one) => lists.every(({ list }) => list.includes(one)));
  const own = lists.flatMap(({ size, list }) => {
    const rest = list.filter((one) => !common.includes(one));
    return rest.length === 0 ? [] : [`${size}: ${rest.join(', ')}`];
  });
  const parts = [...(common.length === 0 ? [] : [common.join(', ')]), ...own];
  return parts.length === 0 ? '-' : parts.join('; ');
}

export function leftOut<Part>({ findings }: EnginesInput, writer: Writer<Part>): EnginesSection<Part> {
  return { title: 'Left out', parts: listed(writer, leftOutTexts(findings.left_out, writer)) };
}

export function leftOutTexts(all: readonly LeftOut[], { escaping }: Writer<unknown>): readonly string[] {
  const { name: dress, prose } = escaping;
  return all.map(({ what, name, reason, remedy }) =>
    say(`engines.left-${what}`, { name: dress(name), reason: prose(reason), remedy: prose(remedy) }),
  );
}
