/** Tables that stand beside the results: companions, which never decide a verdict, and the screening. */
import type { Comparison } from '../analysis/analysis.ts';
import type { ReportInput } from './input.ts';
import {
  formatDuration,
  formatInterval,
  formatNumber,
  formatP,
  formatSigned,
  formatValue,
  showingEnds,
} from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { blockNoun, type ResultRow } from './row.ts';
import { left, number, numbers, type Table } from './writer.ts';

/** What stands on the logarithm's scale, as a change. */
function asChange(comparison: Comparison, value: number): number {
  return comparison.kind === 'ratio' ? Math.expm1(value) : value;
}

function subjectOf(row: ResultRow, several: boolean): string {
  return several ? `${row.metric} ${row.arm}` : row.metric;
}

/** As a cell has it, below a head that says p. */
function pValue(p: number): string {
  return formatP(p).replace(/^p (?:= )?/, '');
}

interface CompanionTables {
  readonly spread: Table;
  readonly course: Table;
}

/**
 * Spread and course of the pairs: whether a change hangs on few pairs, on their order or on the method. Null where there
 * is no effect.
 */
export function companionTables(input: ReportInput, rows: readonly ResultRow[]): CompanionTables | null {
  const several = input.analysis.arms.length > 2;
  const noun = blockNoun(input) === 'session' ? 'session' : 'pair';
  const spread: string[][] = [];
  const course: string[][] = [];
  for (const row of rows) {
    const { comparison, scale } = row;
    const { effect } = comparison;
    if (effect === null) continue;
    const signed = (value: number | null): string => (value === null ? '-' : formatSigned(value, scale));
    const ranged = (estimate: { value: number; interval: readonly [number, number] } | null): string => {
      if (estimate === null) return '-';
      const [low, high] = estimate.interval;
      const ends = [asChange(comparison, low), asChange(comparison, high)] as const;
      const own = showingEnds(scale, ends);
      return `${formatSigned(asChange(comparison, estimate.value), own)} ${formatInterval(ends, own)}`;
    };
    const { order_effect: order, trend, autocorrelation } = effect;
    spread.push([
      subjectOf(row, several),
      ...[signed(effect.smallest_pair), signed(effect.largest_pair), signed(effect.throughput_change)],
      signed(effect.hodges_lehmann),
      effect.wilcoxon_p === null ? '-' : pValue(effect.wilcoxon_p),
      effect.directions.p_value === null ? '-' : pValue(effect.directions.p_value),
      effect.detectable === null ? '-' : formatValue(effect.detectable, scale),
    ]);
    course.push([
      subjectOf(row, several),
      ranged(order === null ? null : { value: order.gamma, interval: order.interval }),
      ...(autocorrelation === null
        ? ['-', '-']
        : [formatNumber(autocorrelation.lag1, 2), formatNumber(autocorrelation.limit, 2)]),
      ranged(trend === null ? null : { value: trend.slope, interval: trend.interval }),
    ]);
  }
  if (spread.length === 0) return null;
  const spreadColumns = [
    ...[left('metric'), number(`smallest ${noun}`), number(`largest ${noun}`), number('as throughput')],
    ...[number('Hodges-Lehmann'), number('Wilcoxon p'), number('sign test p'), number('detectable')],
  ];
  const courseColumns = [
    ...[left('metric'), numbers('order effect', 'estimate'), number('lag-1 correlation'), number('its limit')],
    numbers(`trend per ${noun}`, 'estimate'),
  ];
  return { spread: { columns: spreadColumns, rows: spread }, course: { columns: courseColumns, rows: course } };
}

/** Spread and cost of the screening, metric by metric. */
export function screeningTable(input: ReportInput, escaping: Escaping): Table {
  const { analysis } = input;
  const noun = blockNoun(input) === 'session' ? 'session' : 'pair';
  const rows = analysis.screening
    .filter((summary) => summary.pairs > 0)
    .map((summary) => {
      const ratio = analysis.comparisons.find((one) => one.metric === summary.metric)?.kind !== 'difference';
      const show = (value: number | null): string => {
        if (value === null) return '-';
        return ratio ? `${formatNumber(value * 100, 2)} %` : formatNumber(value, 2);
      };
      return [
        ...[escaping.name(summary.metric), escaping.name(summary.arm), String(summary.pairs)],
        ...[show(summary.sd), show(summary.sd_upper_80), formatDuration(summary.pair_seconds)],
      ];
    });
  const columns = [
    ...[left('metric'), left('arm'), number(`${noun}s`), number(`spread of ${noun}s`), number('its upper 80 % bound')],
    number(`time a ${noun}`),
  ];
  return { columns, rows };
}
