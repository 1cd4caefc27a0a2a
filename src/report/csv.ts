/**
 * CSV for other programs: RFC 4180 quoting, lines that end in one LF (every reader takes it, and awk and cut meet no
 * CR), numbers as JavaScript prints them, which is exact, and nothing where a value is missing.
 */
import type { Comparison } from '../analysis/analysis.ts';
import { reportedMetrics } from './counters.ts';
import { isOrderKnown } from './imported.ts';
import type { ReportInput } from './input.ts';
import { escapeText } from './plain-text.ts';

type Cell = string | number | boolean | null;

/** What makes a spreadsheet take text for a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

function cell(value: Cell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = escapeText(FORMULA.test(value) ? `'${value}` : value);
  return /[",\r\n]|^ | $/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV. */
export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\n`).join('');
}

const TRIAL_COLUMNS = [
  ...['phase', 'block', 'position', 'arm', 'attempt', 'included', 'reason', 'started', 'wall_ns'],
] as const;

/** A metric's column has its name; where that is taken, `metric:` stands before it. */
function metricColumn(name: string): string {
  return (TRIAL_COLUMNS as readonly string[]).includes(name) ? `metric:${name}` : name;
}

/** `trials.csv`: every trial that the journal has, in the order in which they ran, included or not. */
export function trialsCsv(input: ReportInput): string {
  const metrics = reportedMetrics(input).map((metric) => metric.name);
  const ordered = isOrderKnown(input.journal);
  const rows = input.analysis.trials.map((trial): readonly Cell[] => [
    ...[trial.phase, trial.block, ordered ? trial.position : null],
    ...[trial.arm, trial.attempt, trial.included, trial.reason],
    trial.started_unix_ms === null ? null : new Date(trial.started_unix_ms).toISOString(),
    trial.wall_ns,
    ...metrics.map((name) => (Object.hasOwn(trial.metrics, name) ? (trial.metrics[name] ?? null) : null)),
  ]);
  return csvLines([[...TRIAL_COLUMNS, ...metrics.map(metricColumn)], ...rows]);
}

type Paired = Pick<Comparison, 'metric' | 'arm' | 'reference' | 'kind' | 'values'>;

/**
 * `pairs.csv`: every pair that an effect rests on, of the confirmation and of what stands beside it, told apart by `phase`.
 * `order` is AB where the reference ran first; of results that were measured elsewhere it may not be known. `change` is the pair's own, as a fraction for ratio metrics; `effect` is what
 * is averaged: ln(arm/reference), or the difference. Of sessions AB means that the reference started first; an effect that was
 * taken from slices is that of the typical slice, and that of the total stands beside it.
 */
export function pairsCsv({ analysis, journal }: ReportInput): string {
  const sliced = journal.run.experiment.design.slices !== null;
  const ordered = isOrderKnown(journal);
  const columns = ['phase', 'metric', 'arm', 'reference', 'block', 'attempt', 'order'];
  const rowsOf = (phase: string, comparisons: readonly Paired[]) =>
    comparisons.flatMap((comparison) =>
      Array.from(comparison.values, (pair): readonly Cell[] => [
        ...[phase, comparison.metric, comparison.arm, comparison.reference, pair.block, pair.attempt],
        ordered ? (pair.reference_first ? 'AB' : 'BA') : null,
        ...[pair.reference, pair.arm],
        comparison.kind === 'ratio' ? Math.expm1(pair.effect) : pair.effect,
        pair.effect,
        ...(sliced ? [pair.total === null ? null : Math.expm1(pair.total), pair.total] : []),
      ]),
    );
  return csvLines([
    [
      ...[...columns, 'reference_value', 'arm_value', 'change', 'effect'],
      ...(sliced ? ['total_change', 'total_effect'] : []),
    ],
    ...rowsOf('confirmation', analysis.comparisons),
    ...analysis.controls.flatMap((control) => rowsOf(control.name, [{ ...control, kind: control.metric_kind }])),
    ...analysis.sides.flatMap((side) => rowsOf(side.name, side.comparisons)),
  ]);
}
