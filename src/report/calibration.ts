/** What `assay calibrate` found, as text for people and as JSON. */
import type { Warning } from '../analysis/analysis.ts';
import { isTooOften } from '../analysis/calibration-warnings.ts';
import type { Calibration, KeptCalibration, MetricCalibration, Rate } from '../journal/calibration.ts';
import { CALIBRATION_VERSION, type CalibrationDocument, calibrationDocumentSchema } from './calibration-schema.ts';
import { type Color, painter } from './color.ts';
import { counted, formatDuration, formatLevel, formatNumber, formatShare, formatTime } from './numbers.ts';
import { displayWidth, escapeLine, padEnd, wrap } from './plain-text.ts';

/** What there is to tell. */
export interface CalibrationFindings {
  readonly calibration: Calibration;
  readonly warnings: readonly Warning[];
  readonly directory: string;
  /** Where later runs find it, with what known cost; null: it is not kept. */
  readonly kept: KeptCalibration | null;
}

const WIDEST = 110;

/** The judgement first, then the figures of each primary metric, warnings, and where it lies. */
export function calibrationText(
  { calibration, warnings, directory, kept }: CalibrationFindings,
  options: { readonly color: boolean; readonly width: number; readonly quiet: boolean },
): string {
  const paint = painter(options.color);
  const width = Math.min(options.width, WIDEST);
  const primary = calibration.metrics.filter((metric) => metric.primary);
  const lines = primary.flatMap((metric) => {
    const color: Color = isTooOften(metric.excluded_zero, calibration.level) ? 'red' : 'green';
    return wrap(judgementText(metric, calibration), width, '', '  ').map((line) => paint(color, line));
  });
  if (options.quiet) return `${lines.join('\n')}\n`;
  const { title, runs, pairs, sessions, unix_ms, pair_seconds } = calibration;
  const unit = sessions ? 'session' : 'pair';
  const length = formatDuration(pair_seconds);
  lines.push(
    '',
    ...wrap(escapeLine(title), width).map((line) => paint('bold', line)),
    paint('dim', `${formatTime(unix_ms)}, ${counted(runs, 'A/A run')} of ${counted(pairs, unit)}, ${length} a ${unit}`),
  );
  for (const metric of primary)
    lines.push('', paint('bold', escapeLine(metric.metric)), ...table(metric, calibration, width));
  if (warnings.length > 0) lines.push('', paint('bold', 'Warnings'));
  for (const { code, metric, message, remedy } of warnings) {
    const about = metric === null ? '' : ` (${escapeLine(metric)})`;
    lines.push(...wrap(`${code}${about}: ${escapeLine(message)}`, width, '  ', '    '));
    lines.push(...wrap(`What would help: ${escapeLine(remedy)}`, width, '    '));
  }
  lines.push('', ...wrap(escapeLine(`Trials in ${directory}; ${keptText(kept)}.`), width));
  return `${lines.join('\n')}\n`;
}

/** The same in the format of schemas/calibration.schema.json. */
export function calibrationDocument(findings: CalibrationFindings): CalibrationDocument {
  const { calibration, warnings, directory, kept } = findings;
  const { level } = calibration;
  const judgements = calibration.metrics
    .filter(({ primary }) => primary)
    .map(({ metric, excluded_zero }) => ({ metric, nominal: !isTooOften(excluded_zero, level) }));
  return calibrationDocumentSchema.parse({
    format: 'assay-calibration',
    version: CALIBRATION_VERSION,
    ...{ calibration, judgements, warnings, directory },
    ...{ kept: kept?.path ?? null, earlier_known: kept?.earlier_known ?? null },
  });
}

function keptText(kept: KeptCalibration | null): string {
  if (kept === null) return 'not kept for later runs';
  const { path, earlier_known: known } = kept;
  const where = `kept for later runs in ${path}`;
  if (known === null) return where;
  const what = `the known cost that was measured on ${formatTime(known.unix_ms)}`;
  if (known.kept) return `${where}, beside ${what}`;
  const why = 'which another version of Assay judged, or by another number of pairs, level or rule';
  return `${where}, in place of ${what}, ${why}: --known measures it anew`;
}

function judgementText({ metric, excluded_zero }: MetricCalibration, { level }: Calibration): string {
  const name = escapeLine(metric);
  const nominal = formatShare(round(1 - level));
  const { count, of, interval } = excluded_zero;
  if (of === 0) return `${name}: no A/A run has an effect, and nothing can be said.`;
  const seen = `${count} of ${counted(of, 'A/A run')} ${count === 1 ? 'excludes' : 'exclude'} zero`;
  return isTooOften(excluded_zero, level)
    ? `${name} excludes zero more often than it should: ${seen}, a rate of at least ${formatShare(interval[0])}, above ${nominal}.`
    : `${name} is nominal as far as ${counted(of, 'run')} can tell: ${seen}, where ${nominal} should; the rate is ${rangeText(interval)}.`;
}

function table(metric: MetricCalibration, calibration: Calibration, width: number): readonly string[] {
  const rows = rowsOf(metric, calibration);
  const names = Math.max(...rows.map(([name]) => displayWidth(name))) + 4;
  return rows.flatMap(([name, value]) => wrap(value, width, padEnd(`  ${name}`, names), ' '.repeat(names)));
}

function rowsOf(
  metric: MetricCalibration,
  { level, pairs, sessions }: Calibration,
): readonly (readonly [string, string])[] {
  const { excluded_zero, false_verdicts, sd, df, half_width, known } = metric;
  const unit = sessions ? 'session' : 'pair';
  const spread =
    sd === null ? `none in ${counted(df + 1, unit)}` : `${spreadText(sd, metric)} (${df} degrees of freedom)`;
  const rows: (readonly [string, string])[] = [
    ['zero excluded', `${rateText(excluded_zero)}; nominal ${formatShare(round(1 - level))}`],
    ['false verdicts', rateText(false_verdicts)],
    [`spread of a ${unit}`, spread],
    [
      'half the interval',
      half_width === null
        ? 'no interval'
        : `${sizeText(half_width, metric)} (median of the runs of ${counted(pairs, unit)})`,
    ],
  ];
  if (known === null) return rows;
  const { arm, cost, change, found, covered, predicted } = known;
  const own = known.sd === null ? 'none' : spreadText(known.sd, metric);
  const said = cost === null ? '' : `, said to be ${signedText(cost, metric)}`;
  return [
    ...rows,
    ['known cost', `${escapeLine(arm)} ${signedText(change, metric)} on average${said}`],
    [`  spread of a ${unit}`, own],
    ['  found', rateText(found)],
    ...(predicted === null
      ? []
      : [['  predicted', predicted > 0.999 ? 'more than 99.9 %' : formatShare(predicted)] as const]),
    ...(covered === null
      ? []
      : [['  in the interval', `${rateText(covered)}; nominal ${formatLevel(level)}`] as const]),
  ];
}

/** `2 of 40, 0.612 % to 16.9 %`. */
function rateText({ count, of, interval }: Rate): string {
  return of === 0 ? 'no run has an effect' : `${count} of ${of}, ${rangeText(interval)}`;
}

function rangeText([low, high]: Rate['interval']): string {
  return `${formatShare(low)} to ${formatShare(high)} (95 % interval)`;
}

/** Of ratios the spread is that of logarithms, which small ones show as changes. */
function spreadText(sd: number, metric: MetricCalibration): string {
  return sizeText(metric.kind === 'ratio' ? Math.expm1(sd) : sd, metric);
}

function sizeText(size: number, { kind, unit }: MetricCalibration): string {
  return kind === 'ratio' ? formatShare(size) : escapeLine(`${formatNumber(size)} ${unit}`);
}

function signedText(change: number, metric: MetricCalibration): string {
  return `${change > 0 ? '+' : change < 0 ? '-' : ''}${sizeText(Math.abs(change), metric)}`;
}

/** 1 − 0.95 is 0.05, and not what is left of it in binary. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}
