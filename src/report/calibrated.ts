/** What a report says of calibrations: of the one that the run cites, or that the run is one. */
import type { Calibration, MetricCalibration } from '../journal/calibration.ts';
import type { ReportInput } from './input.ts';
import { counted, formatNumber, formatShare, formatTime } from './numbers.ts';
import type { Escaping } from './plain-text.ts';
import { say } from './rules.ts';

/** Empty where neither is the case. */
export function calibrationSentences(input: ReportInput, escaping: Escaping): readonly string[] {
  const { experiment, calibration } = input.journal.run;
  if (experiment.calibrates !== null) return [ownSentence(input, escaping)];
  if (calibration === null) return [];
  const primary = new Set(experiment.metrics.filter((metric) => metric.primary).map(({ name }) => name));
  const cited = calibration.metrics.filter(({ metric }) => primary.has(metric));
  const other = cited.length === 0 ? null : otherRule(input, calibration);
  return [...cited.map((metric) => citedSentence(metric, calibration, escaping)), ...(other === null ? [] : [other])];
}

/** A sequence excludes zero at other rates than one look does. */
function otherRule({ journal }: ReportInput, { sequential }: Calibration): string | null {
  const isSequential = journal.run.plan.sequential !== null;
  if (sequential === isSequential) return null;
  const words = (by: boolean | null) =>
    by === null ? 'by a rule that is not on record' : by ? 'by a sequence' : 'once, after a fixed number';
  return say('calibration.other-rule', { theirs: words(sequential), own: words(isSequential) });
}

function citedSentence(metric: MetricCalibration, calibration: Calibration, escaping: Escaping): string {
  const { count, of, interval } = metric.excluded_zero;
  const unit = calibration.sessions ? 'session' : 'pair';
  return say('calibration.cited', {
    metric: escaping.name(metric.metric),
    time: formatTime(calibration.unix_ms),
    title: escaping.prose(calibration.title),
    excluded: String(count),
    runs: counted(of, 'A/A run'),
    pairs: counted(calibration.pairs, unit),
    low: formatShare(interval[0]),
    high: formatShare(interval[1]),
    nominal: formatShare(Number((1 - calibration.level).toPrecision(12))),
    unit,
    spread: spreadText(metric, escaping),
  });
}

function spreadText({ sd, kind, unit }: MetricCalibration, escaping: Escaping): string {
  if (sd === null) return 'none';
  return kind === 'ratio' ? formatShare(Math.expm1(sd)) : `${formatNumber(sd)} ${escaping.prose(unit)}`;
}

function ownSentence({ journal, analysis }: ReportInput, escaping: Escaping): string {
  const { calibrates, design, reference } = journal.run.experiment;
  const words = {
    runs: String(calibrates?.runs ?? 1),
    pairs: counted(design.confirmation_pairs, design.slices === null ? 'pair' : 'session'),
    reference: escaping.name(reference),
    command: escaping.name('assay calibrate'),
  };
  if (calibrates?.against !== 'known') return say('calibration.is-same', words);
  const arm = analysis.arms.find((name) => name !== reference) ?? '';
  return say('calibration.is-known', { ...words, arm: escaping.name(arm) });
}
