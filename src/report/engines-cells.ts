/** Numbers of a study of engines as tables and plots have them. */
import type { Figure, FigureOfSize, SizeFindings } from '../storage/engines/analysis.ts';
import { isAlwaysDurable } from '../storage/engines/facts.ts';
import { formatNumber } from './numbers.ts';
import type { Table } from './writer.ts';

/** A mean; of how many blocks, where some have none; † where it is a write rate that promises nothing. */
export function figureText(
  { kind }: FigureOfSize,
  { mean, values }: Figure,
  found: SizeFindings,
  engine: string,
): string {
  if (mean === null) return '-';
  const there = values.filter((value) => value !== null).length;
  const marks = [...(there < values.length ? [`(n=${there})`] : []), ...(isMarked(kind, found, engine) ? ['†'] : [])];
  return [numberText(mean), ...marks].join(' ');
}

export function isMarked({ unit, aspect }: FigureOfSize['kind'], found: SizeFindings, engine: string): boolean {
  return aspect === 'write' && unit === 'operations/s' && !isAlwaysDurable(found, engine);
}

function numberText(value: number): string {
  return value >= 1000 ? Number(value.toPrecision(4)).toFixed(0) : formatNumber(value);
}

/** Ends of intervals have three digits: more of them say nothing, and tables of them must fit. */
export function intervalText({ interval, exact }: Figure): string {
  if (interval === null) return exact ? 'exact' : '-';
  return `[${endText(interval[0])}, ${endText(interval[1])}]`;
}

/** From here on letters for thousands and millions help nobody. */
const FAR = 1e12;

function endText(value: number): string {
  if (Math.abs(value) >= FAR) return formatNumber(value);
  if (value >= 1e6) return `${formatNumber(value / 1e6)}M`;
  return value >= 1e4 ? `${formatNumber(value / 1e3)}k` : formatNumber(value);
}

/** A figure and how its means are taken, where that is not the way of most. */
export function headOf({ kind, scale }: FigureOfSize, weak: boolean): string {
  const notes = [
    ...(kind.unit === 's' || kind.unit === 'MiB' ? [kind.unit] : []),
    ...(scale === 'difference' ? ['arith.'] : []),
    ...(weak ? ['weak'] : []),
  ];
  return notes.length === 0 ? kind.title : `${kind.title} (${notes.join(', ')})`;
}

/** A table of numbers, which may be split; where not even that fits each row is a line, which begins with what it is about. */
export function tableWithLines(
  columns: Table['columns'],
  rows: readonly (readonly string[])[],
  about: (first: string) => string = (first) => first,
): Table {
  const lines = rows.map(
    ([first = '', ...cells]) =>
      `${about(first)}: ${cells.map((cell, at) => `${columns[at + 1]?.title} ${cell}`).join('; ')}`,
  );
  return { columns, rows, lines, splits: true };
}
