/** The account of a study of engines, for people: the same parts in every format. */
import type { FigureOfSize, SizeFindings } from '../storage/engines/analysis.ts';
import { LEAST_READS } from '../storage/engines/caveats.ts';
import { declarations } from '../storage/engines/facts.ts';
import { figureText, headOf, intervalText, isMarked, tableWithLines } from './engines-cells.ts';
import type { EnginesInput } from './engines-input.ts';
import { counted, formatLevel, formatNumber, grouped } from './numbers.ts';
import { listText } from './plain-text.ts';
import { say } from './rules.ts';
import { formatQuantity } from './units.ts';
import { left, listed, marked, type Writer } from './writer.ts';

export interface EnginesSection<Part> {
  readonly title: string;
  readonly parts: readonly Part[];
}

/** As the seed of all such tables has them: what is written first, then reads. */
const RATES = ['load_rate', 'load_settled_rate', 'point_rate', 'range_rate', 'overwrite_rate', 'load_wamp'];
const READS = ['point_reads', 'point_kb', 'range_reads', 'range_kb'];

/** What the numbers are, in the first lines. */
export function aboutEngines({ findings }: EnginesInput, { escaping }: Writer<unknown>): readonly string[] {
  const { study, small, seed } = findings;
  const engines = listText(study.engines.map(({ name }) => escaping.name(name)));
  return [
    ...(study.question === null ? [] : [escaping.prose(study.question)]),
    say('engines.about', { engines, seed: String(seed), orders: say(`orders.${orderOf(findings)}`, {}) }),
    say('engines.means', { level: formatLevel(study.level) }),
    say('engines.scope', {}),
    ...(small ? [say('engines.small', { option: escaping.name('--small') })] : []),
  ];
}

/** Two engines run in pairs, half of them the other way round, which is a mirrored order. */
function orderOf({ study }: EnginesInput['findings']): 'balanced' | 'mirrored' {
  return study.engines.length === 2 ? 'mirrored' : study.order;
}

/** What is asked first of one size: rates, write amplification, reads of the device. */
export function mainSections<Part>(found: SizeFindings, writer: Writer<Part>): readonly EnginesSection<Part>[] {
  const name = writer.escaping.name(found.size.name);
  const hasMarks = found.figures.some(({ kind, engines }) =>
    Object.keys(engines).some((engine) => isMarked(kind, found, engine)),
  );
  const notes = [say('engines.rates', {}), ...(hasMarks ? [say('engines.mark', {})] : [])];
  const [rates, reads] = [
    tablesOf(`${name}: operations a second`, found, [RATES], notes, writer),
    tablesOf(`${name}: reads of the device per query`, found, [READS], readNotes(found, writer), writer),
  ];
  const about = writer.text(sizeText(found, writer));
  return withParts([{ ...rates, parts: rates.parts.length === 0 ? [] : [about, ...rates.parts] }, reads]);
}

function readNotes(found: SizeFindings, { escaping }: Writer<unknown>): readonly string[] {
  const accounted = Object.keys(found.facts).filter((engine) =>
    declarations(found, engine).some(({ bytes_source }) => bytes_source !== 'device'),
  );
  const engines = listText(accounted.map(escaping.name));
  return [say('engines.reads', {}), ...(accounted.length === 0 ? [] : [say('engines.reads-process', { engines })])];
}

export function withParts<Part>(sections: readonly EnginesSection<Part>[]): readonly EnginesSection<Part>[] {
  return sections.filter(({ parts }) => parts.length > 0);
}

/**
 * A table for each group of figures, and what they are; nothing where there are none.
 * @param weak keys of figures that rest on too little
 */
export function tablesOf<Part>(
  title: string,
  found: SizeFindings,
  groups: readonly (readonly string[])[],
  notes: readonly string[],
  writer: Writer<Part>,
  weak: readonly string[] = [],
): EnginesSection<Part> {
  const parts = groups.flatMap((keys) => figureParts(title, found, keys, writer, weak));
  return { title, parts: parts.length === 0 ? [] : [...parts, ...listed(writer, notes)] };
}

function sizeText({ size, blocks, figures }: SizeFindings, { escaping }: Writer<unknown>): string {
  const limit =
    size.memory_limit_bytes === null
      ? say('engines.unlimited', {})
      : say('engines.limited', { limit: formatQuantity(size.memory_limit_bytes, 'bytes') });
  return escaping.prose(
    say('engines.size', {
      ...{ keys: grouped(size.keys), record: `16 + ${size.value_bytes} bytes`, load: say(`engines.${size.load}`, {}) },
      ...{ points: grouped(size.points), ranges: grouped(size.ranges), length: String(size.range_length) },
      ...{ overwrites: grouped(size.overwrites), cache: formatQuantity(size.cache_bytes, 'bytes'), limit },
      ...{ blocks: counted(blocks, 'block'), io: size.memory_limit_bytes === null ? '' : deviceText(figures) },
    }),
  );
}

/** That a size is IO-bound, where it is for all engines; where it is not for some, a caveat names them. */
function deviceText(figures: SizeFindings['figures']): string {
  const reads = figures.find(({ kind }) => kind.key === 'point_reads');
  const means = Object.values(reads?.engines ?? {}).map(({ mean }) => mean ?? 0);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  if (means.length === 0 || least < LEAST_READS) return '';
  const [low, high] = [formatNumber(least, 2), formatNumber(most, 2)];
  return say('engines.io-bound', { reads: low === high ? low : `${low} to ${high}` });
}

/** The means of these figures and their intervals; nothing where no engine has any of them. */
function figureParts<Part>(
  title: string,
  found: SizeFindings,
  keys: readonly string[],
  writer: Writer<Part>,
  weak: readonly string[],
): readonly Part[] {
  const figures = keys.flatMap((key) => found.figures.filter(({ kind }) => kind.key === key));
  if (figures.length === 0) return [];
  const rows = (cell: (figure: FigureOfSize, engine: string) => string) =>
    Object.keys(found.facts).map((engine) => [
      writer.escaping.name(engine),
      ...figures.map((one) => cell(one, engine)),
    ]);
  const heads = figures.map((one) => marked(headOf(one, weak.includes(one.kind.key))));
  const means = rows((figure, engine) => {
    const one = figure.engines[engine];
    return one === undefined ? '-' : figureText(figure, one, found, engine);
  });
  const intervals = rows(({ engines }, engine) => {
    const one = engines[engine];
    return one === undefined ? '-' : intervalText(one);
  });
  const hasIntervals = figures.some(({ engines }) => Object.values(engines).some(({ interval }) => interval !== null));
  return [
    writer.table(title, tableWithLines([left('engine'), ...heads], means)),
    ...(hasIntervals
      ? [
          writer.table(
            `${title}, intervals`,
            tableWithLines([left('interval of'), ...heads], intervals, (engine) => `intervals of ${engine}`),
          ),
        ]
      : []),
  ];
}
