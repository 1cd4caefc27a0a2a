/** Each two engines by each main figure, told apart or not: where there are so few of them that a person reads it. */
import type { EngineComparison, FigureOfSize, SizeFindings } from '../storage/engines/analysis.ts';
import type { EnginesSection } from './engines.ts';
import { tableWithLines } from './engines-cells.ts';
import { formatNumber, formatP } from './numbers.ts';
import { say } from './rules.ts';
import { left, marked, type Writer } from './writer.ts';

const MOST_ENGINES = 3;

export function hasPairTables(engines: number): boolean {
  return engines <= MOST_ENGINES;
}

export function pairsSection<Part>(found: SizeFindings, writer: Writer<Part>): EnginesSection<Part> {
  const { name } = writer.escaping;
  const title = `${name(found.size.name)}: each two engines`;
  const figures = found.figures.filter(({ kind }) => kind.main);
  const all = figures.flatMap((figure) => figure.comparisons.map((one) => ({ figure, one })));
  if (all.length === 0 || !hasPairTables(Object.keys(found.facts).length)) return { title, parts: [] };
  const rows = all.map(({ figure, one }) => [
    figure.kind.title,
    `${name(one.engine)} / ${name(one.other)}`,
    ...cellsOf(figure, one),
  ]);
  const columns = [left('figure'), left('engines'), marked('ratio or difference'), marked('interval'), left('p')];
  return {
    title,
    parts: [writer.text(say('engines.pairs', {})), writer.table(title, tableWithLines(columns, rows))],
  };
}

function cellsOf({ kind, scale }: FigureOfSize, one: EngineComparison): readonly string[] {
  const { ratio, difference, interval, exact, adjusted_p } = one;
  const value = ratio ?? difference;
  const text = (size: number) => formatNumber(size, scale === 'ratio' ? 4 : 3);
  return [
    value === null ? '-' : `${text(value)}${scale === 'ratio' ? 'x' : ` ${kind.unit}`}`,
    interval === null ? (exact ? 'exact' : '-') : `[${text(interval[0])}, ${text(interval[1])}]`,
    adjusted_p === null ? '-' : formatP(adjusted_p),
  ];
}
