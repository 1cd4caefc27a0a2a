/** Tables that stand beside the results: companions, which never decide a verdict, and the screening. */
import type { Comparison } from '../analysis/analysis.ts';
import type { ReportInput } from './input.ts';
import { formatDuration, formatInterval, formatNumber, formatP, formatSigned } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import type { ResultRow } from './row.ts';
import { left, right, type Table } from './writer.ts';

export const COMPANIONS_LEAD = 'None of these decides a verdict.';

/** `term` marks a word that is explained here. */
export function companionsNote(term: (word: string) => string): string {
  return `The order effect is half the difference between pairs that ran the reference first and pairs that ran it second. ${term('Detectable')} is the change that a run of this spread finds 4 times in 5.`;
}

/** What stands on the logarithm's scale, as a change. */
function asChange(comparison: Comparison, value: number): number {
  return comparison.kind === 'ratio' ? Math.expm1(value) : value;
}

function subjectOf(row: ResultRow, several: boolean): string {
  return several ? `${row.metric} ${row.arm}` : row.metric;
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
      return `${signed(asChange(comparison, estimate.value))} ${formatInterval(ends, scale)}`;
    };
    const { order_effect: order, trend, autocorrelation } = effect;
    spread.push([
      subjectOf(row, several),
      ...[signed(effect.smallest_pair), signed(effect.largest_pair), signed(effect.throughput_change)],
      signed(effect.hodges_lehmann),
      effect.wilcoxon_p === null ? '-' : formatP(effect.wilcoxon_p),
      effect.directions.p_value === null ? '-' : formatP(effect.directions.p_value),
      effect.detectable === null ? '-' : signed(effect.detectable).slice(1),
    ]);
    course.push([
      subjectOf(row, several),
      ranged(order === null ? null : { value: order.gamma, interval: order.interval }),
      autocorrelation === null
        ? '-'
        : `${formatNumber(autocorrelation.lag1, 2)} (limit ${formatNumber(autocorrelation.limit, 2)})`,
      ranged(trend === null ? null : { value: trend.slope, interval: trend.interval }),
    ]);
  }
  if (spread.length === 0) return null;
  const spreadColumns = [
    ...[left('metric'), right('smallest pair'), right('largest pair'), right('as throughput')],
    ...[right('Hodges-Lehmann'), left('Wilcoxon'), left('sign test'), right('detectable')],
  ];
  const courseColumns = [left('metric'), left('order effect'), left('lag-1 correlation'), left('trend per pair')];
  return { spread: { columns: spreadColumns, rows: spread }, course: { columns: courseColumns, rows: course } };
}

/** Spread and cost of the screening, metric by metric. */
export function screeningTable({ analysis }: ReportInput, escaping: Escaping): Table {
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
    ...[left('metric'), left('arm'), right('pairs'), right('spread of pairs'), right('its upper 80 % bound')],
    right('time a pair'),
  ];
  return { columns, rows };
}
