/** What a reader of a calibration must know, and what would help. */
import type { Calibration, MetricCalibration, Rate } from '../journal/calibration.ts';
import type { Warning } from './analysis.ts';
import { counted, percent } from './wording.ts';

/** Of fewer even the best result leaves room for three times the nominal rate. */
const FEWEST_RUNS = 20;

/** All warnings of a calibration; those of metrics are of primary ones. */
export function calibrationWarnings(calibration: Calibration): readonly Warning[] {
  const primary = calibration.metrics.filter((metric) => metric.primary);
  return [
    ...fewRuns(calibration),
    ...primary.flatMap((metric) => withoutEffect(metric, calibration)),
    ...excludesZeroTooOften(
      calibration,
      primary.map(({ metric }) => metric),
    ),
    ...primary.flatMap((metric) => knownWarnings(metric, calibration)),
  ];
}

/** Of metrics by name, where A/A runs excluded zero so often that chance does not do it: the exact bound lies above 1 − level. */
export function excludesZeroTooOften(calibration: Calibration, metrics: readonly string[]): readonly Warning[] {
  const { level } = calibration;
  return calibration.metrics.flatMap(({ metric, excluded_zero }) => {
    if (!metrics.includes(metric) || !isTooOften(excluded_zero, level)) return [];
    return [
      {
        code: 'calibration-excludes-zero',
        metric,
        message: `${rateText(excluded_zero, 'A/A run')} of the calibration excluded zero: more often than the ${percent(1 - level)} that chance alone makes.`,
        remedy:
          'Changes are found here that are none. Run longer sessions or trials, more pairs, or a quieter machine (assay doctor), and calibrate again.',
      },
    ];
  });
}

/** Whether a rate surely lies above what `level` allows. */
export function isTooOften({ interval }: Rate, level: number): boolean {
  return interval[0] > 1 - level + 1e-12;
}

function fewRuns({ runs, level, metrics }: Calibration): readonly Warning[] {
  const rate = metrics.find(({ primary }) => primary)?.excluded_zero;
  if (runs >= FEWEST_RUNS || rate === undefined) return [];
  return [
    {
      code: 'calibration-few-runs',
      metric: null,
      message: `${counted(runs, 'run')} can tell little: a rate of up to ${percent(rate.interval[1])} would do the same, where ${percent(1 - level)} is nominal.`,
      remedy: 'Use --runs 40 or more.',
    },
  ];
}

function withoutEffect({ metric, excluded_zero }: MetricCalibration, { runs }: Calibration): readonly Warning[] {
  const missing = runs - excluded_zero.of;
  if (missing === 0) return [];
  return [
    {
      code: 'calibration-no-effect',
      metric,
      message: `${missing} of ${counted(runs, 'A/A run')} have no effect: too few pairs are left, or a sequence of so few has no bound.`,
      remedy: 'Run more pairs, or look at the report of the calibration for what was rejected.',
    },
  ];
}

function knownWarnings({ metric, known, sd, kind }: MetricCalibration, { level }: Calibration): readonly Warning[] {
  if (known === null) return [];
  const { found, covered, predicted } = known;
  const spreads =
    kind === 'ratio' && known.sd !== null && sd !== null
      ? ` (a pair spreads ${percent(Math.expm1(known.sd))} with it, ${percent(Math.expm1(sd))} there)`
      : '';
  const missed: Warning = {
    code: 'calibration-missed-cost',
    metric,
    message: `The known cost was found in ${rateText(found, 'run')}, less often than the ${percent(Math.min(predicted ?? 0, 0.999))} that the spread of the A/A runs predicts${spreads}.`,
    remedy:
      'Does the arm cost what was said? And does it cost the same in every pair? Where pairs spread more with it than in A/A runs, it does not, or what disturbs this machine comes and goes: more pairs help, and another time.',
  };
  const uncovered: Warning = {
    code: 'calibration-coverage',
    metric,
    message: `The interval held the known cost in ${rateText(covered ?? found, 'run')}: less often than the ${percent(level)} that it should.`,
    remedy:
      'Does the arm cost what was said? A share of the instructions is no share of the time. Where that is sure, the intervals are too narrow here.',
  };
  return [
    ...(predicted !== null && found.interval[1] < predicted ? [missed] : []),
    ...(covered !== null && covered.of > 0 && covered.interval[1] < level ? [uncovered] : []),
  ];
}

/** `9 of 40 runs (10.8 % to 38.5 %)`. */
function rateText({ count, of, interval: [low, high] }: Rate, noun: string): string {
  return `${count} of ${counted(of, noun)} (${percent(low)} to ${percent(high)})`;
}
