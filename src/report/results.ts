/** `results.json`: everything that the analysis found, for programs. */
import type { Comparison, ControlResult, SideSummary } from '../analysis/analysis.ts';
import { wordingByArm } from './claims.ts';
import { countsOf } from './counts.ts';
import type { ReportInput } from './input.ts';
import { PLAIN } from './plain-text.ts';
import { RESULTS_VERSION, type Results, resultsSchema } from './results-schema.ts';
import { nounOf, type ResultRow, rowOf, rowsOf } from './row.ts';

function iso(unix_ms: number): string {
  return new Date(unix_ms).toISOString();
}

function comparisonOf(comparison: Comparison, in_words: string): Results['comparisons'][number] {
  const { effect, verdict } = comparison;
  const { metric, unit, kind, better, primary, arm, reference, pairs, planned_pairs, threshold, margin } = comparison;
  return {
    ...{ metric, unit, kind, better, primary, arm, reference, pairs, planned_pairs },
    operations: comparison.operations,
    means: effect === null ? null : { ...effect.means },
    change: effect === null ? null : effect.change,
    interval: effect?.interval == null ? null : [...effect.interval],
    interval_level: effect === null ? null : effect.interval_level,
    plain_interval: effect?.plain_interval == null ? null : [...effect.plain_interval],
    sequence:
      effect?.sequence == null
        ? null
        : {
            ...effect.sequence,
            looks: effect.sequence.looks.map((look) => ({
              ...look,
              interval: look.interval === null ? null : [...look.interval],
            })),
          },
    slices:
      comparison.slices === null
        ? null
        : {
            ...comparison.slices,
            total: { ...comparison.slices.total, interval: [...comparison.slices.total.interval] },
            sessions: comparison.slices.sessions.map((one) => ({
              ...one,
              noise: one.noise === null ? null : [...one.noise],
            })),
          },
    exact: effect !== null && effect.interval === null,
    ...{ threshold, margin },
    equivalence:
      effect?.equivalence == null ? null : { ...effect.equivalence, interval: [...effect.equivalence.interval] },
    verdict: verdict.kind,
    verdict_reason: 'reason' in verdict ? verdict.reason : null,
    measurably: verdict.kind === 'equivalent' ? verdict.measurably : null,
    layout: comparison.layout,
    in_words,
    companions:
      effect === null
        ? null
        : {
            sd: effect.sd,
            directions: { ...effect.directions },
            smallest_pair: effect.smallest_pair,
            largest_pair: effect.largest_pair,
            throughput_change: effect.throughput_change,
            order_effect:
              effect.order_effect === null
                ? null
                : { ...effect.order_effect, interval: [...effect.order_effect.interval] },
            autocorrelation: effect.autocorrelation,
            trend: effect.trend === null ? null : { ...effect.trend, interval: [...effect.trend.interval] },
            wilcoxon_p: effect.wilcoxon_p,
            hodges_lehmann: effect.hodges_lehmann,
            detectable: effect.detectable,
            stratified: effect.stratified,
            builds: effect.builds === null ? null : { ...effect.builds, means: [...effect.builds.means] },
          },
  };
}

function controlOf(control: ControlResult): Results['controls'][number] {
  const { effect, difference, better: _, values: __, ...rest } = control;
  return {
    ...rest,
    change: effect === null ? null : effect.change,
    interval: effect?.interval == null ? null : [...effect.interval],
    interval_level: effect === null ? null : effect.interval_level,
    difference: difference === null ? null : { ...difference, interval: [...difference.interval] },
    directions: effect === null ? null : effect.directions,
  };
}

function sideOf(side: SideSummary, input: ReportInput): Results['sides'][number] {
  const setting = { several: side.arms.length > 2, noun: nounOf(input, side.arms.length) };
  return {
    ...side,
    arms: [...side.arms],
    comparisons: side.comparisons.map((comparison) => {
      const { role, same_code, rebuilt_reference, contribution } = comparison;
      const { finding } = rowOf(comparison, input, PLAIN, setting);
      return { ...comparisonOf(comparison, finding), role, same_code, rebuilt_reference, contribution };
    }),
    remainders: side.remainders.map((remainder) => ({
      ...remainder,
      ablations: [...remainder.ablations],
      interval: [...remainder.interval],
    })),
  };
}

function countingOf(input: ReportInput, rows: readonly ResultRow[]): Results['counting'] {
  const { counting } = input.analysis;
  if (counting === null) return null;
  const views = countsOf(input, rows, PLAIN)?.views ?? [];
  return {
    ...counting,
    params: { ...counting.params },
    arms: counting.arms.map((arm) => ({ ...arm })),
    contrasts: counting.contrasts.map((contrast, at) => ({
      ...contrast,
      range: [...contrast.range],
      functions: contrast.functions.map((one) => ({ ...one, range: [...one.range] })),
      in_words: views[at]?.findings.join(' ') ?? '',
    })),
  };
}

/**
 * The results of a run in the format of schemas/results.schema.json. Throws where the analysis holds a number that is
 * not finite, which is a fault of Assay's.
 */
export function toResults(input: ReportInput): Results {
  const { analysis, journal } = input;
  const { run } = journal;
  const { design } = run.experiment;
  const rows = rowsOf(input, PLAIN);
  return resultsSchema.parse({
    format: 'assay-results',
    version: RESULTS_VERSION,
    assay: run.assay,
    experiment_id: run.experiment_id,
    title: analysis.title,
    question: analysis.question,
    constructed: analysis.constructed,
    state: analysis.state,
    problems: [...analysis.problems],
    started: iso(analysis.started_unix_ms),
    trial_seconds: analysis.trial_seconds,
    level: analysis.level,
    plan: {
      seed: analysis.seed,
      arms: [...analysis.arms],
      reference: analysis.reference,
      screening_pairs: design.screening_pairs,
      pairs: analysis.pairs.planned,
      complete_pairs: analysis.pairs.complete,
      warmup: design.warmup,
      builds: analysis.builds,
    },
    comparisons: rows.map((row) => comparisonOf(row.comparison, row.finding)),
    controls: analysis.controls.map(controlOf),
    sides: analysis.sides.map((side) => sideOf(side, input)),
    layout_floor: analysis.layout_floor,
    checks: analysis.checks,
    warnings: analysis.warnings,
    ...(analysis.counters === null ? {} : { counters: analysis.counters }),
    rejections: analysis.rejections,
    rejections_beside: analysis.rejections_beside,
    interruptions: journal.interruptions,
    screening: analysis.screening,
    counting: countingOf(input, rows),
    drivers: wordingByArm(input).map(({ arm, wording }) => ({ arm, ...wording })),
    ...(run.imported === null
      ? {}
      : {
          imported: {
            ...{ tool: run.imported.tool, order: run.imported.order, unit: run.imported.unit },
            sides: run.imported.sides.map((side) => ({ ...side })),
            files: run.imported.files.map(({ name, sha256, arms }) => ({ name, sha256, arms: [...arms] })),
          },
        }),
    ...(run.calibration === null ? {} : { calibration: run.calibration }),
    earlier_runs: run.earlier.map(({ name, started_unix_ms, finished }) => ({
      ...{ name, started: iso(started_unix_ms), finished },
    })),
  } satisfies { [K in keyof Results]: unknown });
}

/** What could steer a terminal or hide, bar the line feeds of the layout; in JSON such characters stand in strings only. */
const HIDDEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

function unicodeEscape(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  );
}

/** `results.json` and what `--json` prints: the same values whatever they hold, invisible characters as escapes. */
export function resultsJson(input: ReportInput): string {
  return visibleJson(toResults(input));
}

/** A document as JSON, whose invisible characters are escapes. */
export function visibleJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2).replace(HIDDEN, unicodeEscape)}\n`;
}
