/** Who is better and worse at what, and what that must be read with. */
import type { Caveat, FactValue, Lead, SizeFindings, Stance, Standing } from '../storage/engines/analysis.ts';
import { declarations, trialsText } from '../storage/engines/facts.ts';
import { ASPECTS, FIGURES } from '../storage/engines/figures.ts';
import { groupsBy } from '../storage/groups.ts';
import type { EnginesSection } from './engines.ts';
import { isMarked } from './engines-cells.ts';
import type { EnginesInput } from './engines-input.ts';
import { hasPairTables } from './engines-pairs.ts';
import { formatNumber, formatShare } from './numbers.ts';
import { listText } from './plain-text.ts';
import { say } from './rules.ts';
import { left, listed, type Table, type Writer } from './writer.ts';

/** What holds for the tables of all sizes stands above the first. */
export function standingSections<Part>(
  { findings }: EnginesInput,
  writer: Writer<Part>,
): readonly EnginesSection<Part>[] {
  const { standings, sizes, families, study } = findings;
  const alpha = 1 - study.level;
  const expected = formatNumber(families * alpha, 2);
  const isTwo = study.engines.length === 2;
  const about = [
    say('engines.standings', {
      pairs: hasPairTables(study.engines.length)
        ? say('engines.pairs-here', {})
        : say('engines.pairs-elsewhere', { option: writer.escaping.name('--json') }),
    }),
    ...(isTwo ? [say('engines.standings-two', {})] : []),
    ...(families > 1
      ? [say('engines.families', { families: String(families), alpha: formatShare(alpha), expected })]
      : []),
  ];
  return sizes.map((found, at) => {
    const title = `${writer.escaping.name(found.size.name)}: better and worse`;
    const own = standings.filter((one) => one.size === found.size.name);
    const isSome = own.some(({ better, worse }) =>
      [...better, ...worse].some((one) => {
        const kind = kindOf(one, found);
        return kind !== null && Object.keys(found.facts).some((engine) => isMarked(kind, found, engine));
      }),
    );
    return {
      title,
      parts: [
        ...(at === 0 ? [writer.text(...about)] : []),
        writer.table(title, (isTwo ? tableOfTwo : standingsTable)(own, found, writer)),
        ...listed(writer, isSome ? [say('engines.mark-ranks', {})] : []),
      ],
    };
  });
}

type Kind = SizeFindings['figures'][number]['kind'];

function kindOf({ figure }: Stance, { figures }: SizeFindings): Kind | null {
  return figures.find(({ kind }) => kind.key === figure)?.kind ?? null;
}

function standingsTable(standings: readonly Standing[], found: SizeFindings, writer: Writer<unknown>): Table {
  const { name } = writer.escaping;
  const rows = [...groupsBy(standings, ({ engine }) => engine)].flatMap(([engine, of]) =>
    ASPECTS.flatMap((aspect) => {
      const one = of.find((each) => each.aspect === aspect);
      const text = (stances: readonly Stance[]) => stancesText(stances, engine, found, writer);
      return one === undefined ? [] : [[name(engine), aspect, text(one.better), text(one.worse)] as const];
    }),
  );
  // In a line the one is told apart from the other more easily than in a row.
  const lines = rows.flatMap(([engine, aspect, better, worse]) => [
    ...(better === '-' ? [] : [`${engine}, ${aspect}, better: ${better}`]),
    ...(worse === '-' ? [] : [`${engine}, ${aspect}, worse: ${worse}`]),
    ...(better === '-' && worse === '-' ? [`${engine}, ${aspect}: -`] : []),
  ]);
  return { columns: [left('engine'), left('in'), left('better'), left('worse')], rows, lines };
}

/** Of two engines what the one is better at the other is worse at: it stands once, below the better one. */
function tableOfTwo(standings: readonly Standing[], found: SizeFindings, writer: Writer<unknown>): Table {
  const byEngine = [...groupsBy(standings, ({ engine }) => engine)];
  const heads = byEngine.map(([engine]) => `${writer.escaping.name(engine)} better`);
  const rows = ASPECTS.map((aspect) => [
    aspect,
    ...byEngine.map(([engine, of]) =>
      stancesText(of.find((one) => one.aspect === aspect)?.better ?? [], engine, found, writer),
    ),
  ]);
  const lines = rows.flatMap(([aspect, ...cells]) => {
    const said = cells.flatMap((cell, at) => (cell === '-' ? [] : [`${aspect}, ${heads[at]}: ${cell}`]));
    return said.length === 0 ? [`${aspect}: -`] : said;
  });
  return { columns: [left('in'), ...heads.map((head) => left(head))], rows, lines };
}

function stancesText(stances: readonly Stance[], engine: string, found: SizeFindings, writer: Writer<unknown>): string {
  return stances.length === 0 ? '-' : stances.map((each) => stanceText(each, engine, found, writer)).join('; ');
}

/** `insert: 2.1x lmdb, 3x sqlite`. Names go without a mark where all have it. */
function stanceText(stance: Stance, own: string, found: SizeFindings, { escaping }: Writer<unknown>): string {
  const kind = kindOf(stance, found);
  const mark = (engine: string) => (kind !== null && isMarked(kind, found, engine) ? ' †' : '');
  const all = Object.keys(found.facts).every((engine) => mark(engine) !== '');
  const leads = stance.than.map(
    (lead) => `${leadText(lead, escaping.name(lead.engine))}${all ? '' : mark(lead.engine)}`,
  );
  return say('engines.better', { figure: `${kind?.title ?? stance.figure}${mark(own)}`, times: leads.join(', ') });
}

function leadText({ times, by, interval }: Lead, engine: string): string {
  const text = times === null ? formatNumber : timesText;
  const ends = interval === null ? '' : ` [${interval.map((end) => text(end)).join(', ')}]`;
  if (times === null) return say('engines.by', { by: formatNumber(by ?? 0), interval: ends, engine });
  return say('engines.times', { times: timesText(times), interval: ends, engine });
}

/** What is just told apart must not read as equal. */
function timesText(times: number): string {
  return times < 1.1 ? times.toFixed(3) : formatNumber(times);
}

/** Before details: numbers that are not read with it are misread. */
export function caveatSection<Part>({ findings }: EnginesInput, writer: Writer<Part>): EnginesSection<Part> {
  const { prose } = writer.escaping;
  const all = findings.sizes.flatMap((found) =>
    Object.keys(found.facts).flatMap((engine) => declarations(found, engine)),
  );
  const claims = new Set(all.flatMap(({ not_a_claim_about: list }) => (Array.isArray(list) ? list : [])));
  const items = [
    ...findings.caveats.map((one) => caveatText(one, writer)),
    ...limitationTexts(findings.sizes, writer),
    ...(claims.size === 0
      ? []
      : [say('engines.no-claim', { claims: [...claims].map((one) => prose(String(one))).join('; ') })]),
  ];
  return { title: 'What the numbers must be read with', parts: listed(writer, items) };
}

/** What is the same in all runs is said once. */
function limitationTexts(sizes: readonly SizeFindings[], { escaping }: Writer<unknown>): readonly string[] {
  const all = sizes.flatMap(({ size, limitations }) => limitations.map((one) => ({ size: size.name, ...one })));
  return [...groupsBy(all, ({ message, remedy }) => `${message}\n${remedy}`).values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const names = listText(of.map(({ size }) => escaping.name(size)));
    const words = { sizes: names, message: escaping.prose(first.message), remedy: escaping.prose(first.remedy) };
    return [say('engines.limitation', words)];
  });
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
    case 'changing': {
      const values = caveat.values.map(({ value, trials, block }, at) => {
        const first = at === 0 ? '' : `, the first in block ${block}`;
        return `${valueText(value)} (${trialsText(trials, caveat.trials)}${first})`;
      });
      const words = { size: name(caveat.size), engines, fact: prose(caveat.fact.replaceAll('_', ' ')) };
      return say('engines.changing', { ...words, values: prose(values.join('; ')) });
    }
    case 'unread': {
      const trials = trialsText(caveat.trials, caveat.of);
      return say('engines.unread', { size: name(caveat.size), engines, trials });
    }
    case 'mixture': {
      const figure = FIGURES.find(({ key }) => key === caveat.figure)?.title ?? caveat.figure;
      return say('engines.mixture', { engines, size: name(caveat.size), figure });
    }
    case 'not-io-bound':
    case 'not-cached':
    case 'overwrites-in-buffer':
    case 'reads-that-wrote':
      return say(`engines.${caveat.code}`, { engines, size: name(caveat.size) });
    default:
      return say(`engines.${caveat.code}`, { engines });
  }
}

function valueText(value: FactValue['value']): string {
  if (value === null) return 'not said';
  return typeof value === 'object' ? value.join(', ') : String(value);
}
