/** The account of a study of engines, for people: the same parts in every format. */
import type { EngineFacts, Figure, FigureOfSize, SizeFindings } from '../storage/engines/analysis.ts';
import { isDurable } from '../storage/engines/caveats.ts';
import type { EnginesInput } from './engines-input.ts';
import { counted, formatLevel, formatNumber, grouped } from './numbers.ts';
import { listText } from './plain-text.ts';
import { say } from './rules.ts';
import { formatQuantity } from './units.ts';
import { left, listed, marked, type Table, type Writer } from './writer.ts';

export interface EnginesSection<Part> {
  readonly title: string;
  readonly parts: readonly Part[];
}

/** As the seed of all such tables has them: what is written first, then reads, then space. */
const RATES = ['load_rate', 'load_settled_rate', 'point_rate', 'range_rate', 'overwrite_rate', 'load_wamp'];
const WRITES = ['overwrite_settled_rate', 'overwrite_wamp', 'load_settle', 'overwrite_settle'];
const SPACE = ['load_space', 'overwrite_space', 'peak_memory'];
const READS = ['point_reads', 'point_kb', 'range_reads', 'range_kb'];
const COSTS = ['load', 'point', 'range', 'overwrite'].flatMap((step) => [`${step}_cpu`, `${step}_p50`, `${step}_p99`]);

/** What the numbers are, in the first lines. */
export function aboutEngines({ findings }: EnginesInput, { escaping }: Writer<unknown>): readonly string[] {
  const { study, small, seed } = findings;
  const engines = listText(study.engines.map(({ name }) => escaping.name(name)));
  return [
    ...(study.question === null ? [] : [escaping.prose(study.question)]),
    say('engines.about', { engines, seed: String(seed), orders: say(`orders.${orderOf(findings)}`, {}) }),
    say('engines.means', { level: formatLevel(study.level) }),
    ...(small ? [say('engines.small', {})] : []),
  ];
}

/** Two engines run in pairs, half of them the other way round, which is a mirrored order. */
function orderOf({ study }: EnginesInput['findings']): 'balanced' | 'mirrored' {
  return study.engines.length === 2 ? 'mirrored' : study.order;
}

/** A number of a figure as tables have it; † where it is a write rate that promises nothing. */
export function figureText({ kind }: FigureOfSize, { mean }: Figure, facts: EngineFacts | undefined): string {
  if (mean === null) return '-';
  const text = numberText(mean);
  return isMarked(kind, facts) ? `${text} †` : text;
}

export function isMarked({ unit, aspect }: FigureOfSize['kind'], facts: EngineFacts | undefined): boolean {
  return aspect === 'write' && unit === 'operations/s' && !isDurable(facts ?? {});
}

function numberText(value: number): string {
  return value >= 1000 ? value.toFixed(0) : formatNumber(value);
}

/** Ends of intervals have three digits: more of them say nothing, and tables of them must fit. */
export function intervalText({ interval }: Figure): string {
  return interval === null ? '-' : `[${endText(interval[0])}, ${endText(interval[1])}]`;
}

function endText(value: number): string {
  if (value >= 1e6) return `${formatNumber(value / 1e6)}M`;
  return value >= 1e4 ? `${formatNumber(value / 1e3)}k` : formatNumber(value);
}

/** What is asked first of one size: rates, write amplification, reads of the device. */
export function mainSections<Part>(found: SizeFindings, writer: Writer<Part>): readonly EnginesSection<Part>[] {
  const name = writer.escaping.name(found.size.name);
  const hasMarks = found.figures.some(({ kind, engines }) =>
    Object.keys(engines).some((engine) => isMarked(kind, found.facts[engine])),
  );
  const notes = [say('engines.rates', {}), ...(hasMarks ? [say('engines.mark', {})] : [])];
  const [rates, reads] = [
    tablesOf(`${name}: operations a second`, found, [RATES], notes, writer),
    tablesOf(`${name}: reads of the device per query`, found, [READS], [say('engines.reads', {})], writer),
  ];
  const about = writer.text(sizeText(found, writer));
  return withParts([{ ...rates, parts: rates.parts.length === 0 ? [] : [about, ...rates.parts] }, reads]);
}

/** What stands behind it. */
export function detailSections<Part>(found: SizeFindings, writer: Writer<Part>): readonly EnginesSection<Part>[] {
  const name = writer.escaping.name(found.size.name);
  const costs = [COSTS.slice(0, 6), COSTS.slice(6)];
  return withParts([
    rankSection(found, writer),
    tablesOf(`${name}: settling, space and memory`, found, [WRITES, SPACE], [say('engines.settling', {})], writer),
    tablesOf(`${name}: CPU and latency`, found, costs, [costsText(found)], writer),
    shapeSection(found, writer),
  ]);
}

function withParts<Part>(sections: readonly EnginesSection<Part>[]): readonly EnginesSection<Part>[] {
  return sections.filter(({ parts }) => parts.length > 0);
}

/** A table for each group of figures, and what they are; nothing where there are none. */
function tablesOf<Part>(
  title: string,
  found: SizeFindings,
  groups: readonly (readonly string[])[],
  notes: readonly string[],
  writer: Writer<Part>,
): EnginesSection<Part> {
  const parts = groups.flatMap((keys) => figureParts(title, found, keys, writer));
  return { title, parts: parts.length === 0 ? [] : [...parts, ...listed(writer, notes)] };
}

function sizeText({ size, blocks }: SizeFindings, { escaping }: Writer<unknown>): string {
  const limit =
    size.memory_limit_bytes === null
      ? say('engines.unlimited', {})
      : say('engines.limited', { limit: formatQuantity(size.memory_limit_bytes, 'bytes') });
  return escaping.prose(
    say('engines.size', {
      ...{ keys: grouped(size.keys), record: `16 + ${size.value_bytes} bytes`, load: say(`engines.${size.load}`, {}) },
      ...{ points: grouped(size.points), ranges: grouped(size.ranges), length: String(size.range_length) },
      ...{ overwrites: grouped(size.overwrites), cache: formatQuantity(size.cache_bytes, 'bytes'), limit },
      blocks: counted(blocks, 'block'),
    }),
  );
}

function costsText({ facts }: SizeFindings): string {
  const records = (name: string) =>
    [...new Set(Object.values(facts).flatMap((one) => (typeof one[name] === 'number' ? [one[name]] : [])))].join(
      ' or ',
    );
  const [batch, overwrite] = [records('load_latency_records'), records('overwrite_latency_records')];
  return say('engines.costs', { batch: batch || 'an unknown number of', overwrite: overwrite || 'an unknown number' });
}

/** The means of these figures and their intervals; nothing where no engine has any of them. */
function figureParts<Part>(
  title: string,
  found: SizeFindings,
  keys: readonly string[],
  writer: Writer<Part>,
): readonly Part[] {
  const figures = keys.flatMap((key) => found.figures.filter(({ kind }) => kind.key === key));
  if (figures.length === 0) return [];
  const rows = (cell: (figure: FigureOfSize, engine: string) => string) =>
    Object.keys(found.facts).map((engine) => [
      writer.escaping.name(engine),
      ...figures.map((one) => cell(one, engine)),
    ]);
  const titles = figures.map(({ kind }) => titleOf(kind));
  const means = rows((figure, engine) => {
    const one = figure.engines[engine];
    return one === undefined ? '-' : figureText(figure, one, found.facts[engine]);
  });
  const intervals = rows(({ engines }, engine) => {
    const one = engines[engine];
    return one === undefined ? '-' : intervalText(one);
  });
  return [
    writer.table(title, tableOf([left('engine'), ...titles.map(marked)], means)),
    writer.table(`${title}, intervals`, tableOf([left('interval of'), ...titles.map(marked)], intervals)),
  ];
}

/** A rate's unit stands in the title of its table. */
function titleOf({ title, unit }: FigureOfSize['kind']): string {
  const shown = { s: ' (s)', us: ' (µs)', MB: ' (MB)' } as Readonly<Record<string, string>>;
  return `${title}${shown[unit] ?? ''}`;
}

function tableOf(columns: Table['columns'], rows: readonly (readonly string[])[]): Table {
  const lines = rows.map(
    ([first, ...cells]) => `${first}: ${cells.map((cell, at) => `${columns[at + 1]?.title} ${cell}`).join('; ')}`,
  );
  return { columns, rows, lines };
}

function rankSection<Part>(found: SizeFindings, writer: Writer<Part>): EnginesSection<Part> {
  const title = `${writer.escaping.name(found.size.name)}: ranks`;
  const figures = found.figures.filter(
    // Where all have zero there is nothing to rank.
    ({ kind, engines }) => kind.main && Object.values(engines).some(({ rank, mean }) => rank !== null && mean !== 0),
  );
  if (figures.length === 0) return { title, parts: [] };
  const rows = figures.map(({ kind, engines }) => [
    kind.title,
    ...Object.keys(found.facts).map((engine) => rankText(engines[engine]?.rank ?? null)),
  ]);
  const columns = [left('figure'), ...Object.keys(found.facts).map((engine) => left(writer.escaping.name(engine)))];
  return { title, parts: [writer.text(say('engines.ranks', {})), writer.table(title, tableOf(columns, rows))] };
}

function rankText(rank: Figure['rank']): string {
  if (rank === null) return '-';
  return rank.best === rank.worst ? String(rank.best) : `${rank.best}–${rank.worst}`;
}

function shapeSection<Part>(found: SizeFindings, writer: Writer<Part>): EnginesSection<Part> {
  const rows = Object.entries(found.facts).flatMap(([engine, { load_shape: shape }]) =>
    Array.isArray(shape) && shape.length > 0
      ? [[writer.escaping.name(engine), writer.escaping.prose(shape.filter((line) => /\w/.test(line)).join('; '))]]
      : [],
  );
  const title = `${writer.escaping.name(found.size.name)}: shape of the tree after the load`;
  if (rows.length === 0) return { title, parts: [] };
  return { title, parts: [writer.table(title, tableOf([left('engine'), left('of its first trial')], rows))] };
}
