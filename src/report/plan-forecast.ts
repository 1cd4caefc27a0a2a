/** How long a plan takes and what it could show, and what that is known from. */
import type { Warning } from '../analysis/analysis.ts';
import type { Detection, Reach } from '../analysis/detection.ts';
import type { DetectableEffect, Forecast } from '../analysis/forecast.ts';
import type { KnownSpread, SpreadSource } from '../analysis/spread.ts';
import type { Experiment, Metric } from '../experiment/experiment.ts';
import type { Plan } from '../plan/plan.ts';
import { counted, formatDuration, formatNumber, formatTime, grouped } from './numbers.ts';
import { formatQuantity, unitFor } from './units.ts';

export interface PlannedExperiment {
  readonly experiment: Experiment;
  readonly plan: Plan;
  /** False: drawn for this view; a run draws another unless a seed is given. */
  readonly seed_given: boolean;
  readonly forecast: Forecast;
  /** What `--detect` asked for; null where it was not given. */
  readonly detection: Detection | null;
  /** What `--within` asked for; null where it was not given. */
  readonly within: Reach | null;
  /** The earlier run that was looked at for time and spread. */
  readonly from: string | null;
  readonly warnings: readonly Warning[];
}

type Sized = Pick<Metric, 'kind' | 'unit'>;

export function forecastLines(planned: PlannedExperiment): string[] {
  const { experiment, forecast, from } = planned;
  const driver = experiment.workload.driver === null ? '' : '; compiling the driver is not in it';
  const lines = [`time: ${timeText(forecast, from)}${driver}`, ...detectableLines(planned)];
  const spreads = spreadLines(planned);
  if (spreads.length > 0 || experiment.design.builds > 1) return [...lines, ...spreads];
  if (forecast.detectable.some(({ spread }) => spread.source !== null)) return lines;
  const word = pairWord(experiment);
  const what = forecast.time.from === null ? 'Time and spread are' : 'The spread is';
  return [
    ...lines,
    `${what} unknown until the experiment has been run once, screened (design: {screening: {${word}s: 4}}) or calibrated (assay calibrate). A run that is not in assay-runs is named by --from DIR; pairs of processes tell nothing of sessions, nor sessions of them.`,
  ];
}

/** What two trials are together. */
export function pairWord({ design }: Experiment): 'session' | 'pair' {
  return design.slices === null ? 'pair' : 'session';
}

/** What the confirmation has several of. */
export function blockWord(experiment: Experiment): 'session' | 'pair' | 'block' {
  return experiment.design.arms.length === 2 ? pairWord(experiment) : 'block';
}

/** `1.2 %`, `3.1 MiB`. */
export function changeText(
  change: number,
  { kind, unit }: Sized,
  experiment: Experiment,
  name: string,
  digits = 2,
): string {
  if (kind === 'ratio') return `${formatNumber(change * 100, digits)} %`;
  const per = experiment.metrics.find((metric) => metric.name === name)?.per ?? null;
  const { factor, suffix } = unitFor(unit, change, per, (text) => text);
  return formatNumber(change * factor, digits) + suffix;
}

/** `write`, or `write, after` where there are several arms. */
export function contrastName(
  { metric, arm }: { readonly metric: string; readonly arm: string },
  { design }: Experiment,
): string {
  return design.arms.length === 2 ? metric : `${metric}, ${arm}`;
}

/** Why nothing is known of a row. */
export function unknownText({ source }: KnownSpread, experiment: Experiment): string {
  if (source !== null) return `unknown: no spread in ${counted(source.values, source.unit)}`;
  return experiment.design.builds > 1
    ? 'unknown: how far builds differ is not known until several have been run'
    : 'unknown';
}

/** `80 % power at the 95 % level`, and of a run that may end early when. */
export function powerText({ experiment, plan }: PlannedExperiment): string {
  const look = plan.sequential === null ? '' : ', at the last look';
  return `80 % power at the ${formatNumber(experiment.decision.level * 100)} % level${look}`;
}

function timeText({ seconds, time, builds }: Forecast, from: string | null): string {
  const source =
    time.from === 'run' ? ` (as in ${from})` : time.from === 'calibration' ? ' (as in the calibration)' : '';
  const trials = seconds === null ? 'unknown' : `about ${formatDuration(seconds)}`;
  if (builds === null) return trials + source;
  const made = counted(builds.count, 'build');
  return builds.seconds === null
    ? `${trials} for the trials${source}; before them ${made}, whose time is not known until they have been made`
    : `${trials} for the trials${source}; before them ${made}, about ${formatDuration(builds.seconds)} where the cache has none of them`;
}

/** A table: one line a metric, one column for each multiple of the planned number. */
function detectableLines(planned: PlannedExperiment): string[] {
  const { experiment, forecast } = planned;
  const head = `detectable with ${powerText(planned)}:`;
  const known = forecast.detectable.filter(({ spread }) => spread.sd !== null);
  const counts = known[0]?.with ?? [];
  const columns = counts.map(({ pairs, builds }) =>
    builds === null ? counted(pairs, blockWord(experiment)) : counted(builds, 'build'),
  );
  const rows = forecast.detectable.map((row) => [contrastName(row, experiment), ...cellsOf(row, experiment)]);
  const table = known.length === 0 ? rows : [['', ...columns], ...rows];
  const widths = table.reduce<readonly number[]>(
    // What is said in place of numbers has the line for itself.
    (most, cells) =>
      cells.length === 2 && columns.length > 1
        ? [Math.max(most[0] ?? 0, cells[0]?.length ?? 0), ...most.slice(1)]
        : cells.map((cell, at) => Math.max(most[at] ?? 0, cell.length)),
    [],
  );
  return [
    head,
    ...table.map(
      (cells) =>
        `  ${cells
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('  ')
          .trimEnd()}`,
    ),
  ];
}

function cellsOf(row: DetectableEffect, experiment: Experiment): string[] {
  if (row.spread.sd === null) return [unknownText(row.spread, experiment)];
  return row.with.map(({ change }) => (change === null ? 'too few' : changeText(change, row, experiment, row.metric)));
}

/** Each source once, with the metrics whose spread it is where there are several. */
function spreadLines({ experiment, forecast }: PlannedExperiment): string[] {
  const sources = new Map<string, { readonly source: SpreadSource; readonly names: readonly string[] }>();
  for (const row of forecast.detectable) {
    const { source } = row.spread;
    if (source === null || row.spread.sd === null) continue;
    const key = sourceText(source, experiment);
    const names = [...(sources.get(key)?.names ?? []), contrastName(row, experiment)];
    sources.set(key, { source, names });
  }
  return [...sources].map(([text, { names }]) => {
    const whose = sources.size === 1 ? 'spread' : `spread of ${names.join('; ')}`;
    return `${whose}: that of ${text}, at its upper 80 % bound; what was found there is not used`;
  });
}

function sourceText(
  { from, run, unix_ms, unit, values, runs, session_ns }: SpreadSource,
  experiment: Experiment,
): string {
  const word = unit === 'pair' ? blockWord(experiment) : unit;
  const planned = experiment.design.slices?.session_ns ?? null;
  const length =
    session_ns === null || session_ns === planned ? '' : `, each of about ${formatQuantity(session_ns, 'ns')},`;
  const many = `${grouped(values)} ${word}${values === 1 ? '' : 's'}${length}`;
  const date = formatTime(unix_ms);
  return from === 'calibration'
    ? `${many} in ${counted(runs, 'A/A run')} of the calibration (${date})`
    : `${many} in the ${from} of ${run} (${date})`;
}
