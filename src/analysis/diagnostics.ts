/** Warnings about one comparison: what its pairs show beside the effect. None of them changes a number. */
import { isTimeUnit } from '../experiment/unit.ts';
import type { Effect, Warning } from './analysis.ts';
import { changeOf, type Measured } from './measure.ts';
import { type Contrast, type Sample, unmatchedText } from './sample.ts';
import type { SliceSummary } from './slice-analysis.ts';
import { percent, quantity, short } from './wording.ts';

/** With fewer pairs, order, trend and correlation cannot be told from chance. */
export const FEWEST_PAIRS_TO_DIAGNOSE = 6;

/** `several`: there are more than two arms, so that a message must name its own. */
export function diagnose(
  sample: Sample,
  measured: Measured,
  effect: Effect | null,
  slices: SliceSummary | null,
  level: number,
  several: boolean,
): readonly Warning[] {
  const { contrast } = sample;
  const noun = several ? 'block' : contrast.noun;
  const about = several ? `, for ${contrast.arm} against ${contrast.reference}` : '';
  const found = [
    unmatched(sample),
    coarse(measured),
    ...(effect === null
      ? []
      : [rounded(contrast, effect), opposite(contrast, effect), ...serial(contrast, effect, level, noun)]),
    ...(effect === null || slices === null ? [] : ofSlices(contrast, effect, slices, level)),
  ].filter((warning) => warning !== null);
  return found.map(({ code, message, remedy }) => ({
    code,
    metric: contrast.metric.name,
    message: `${message}${about}.`,
    remedy,
  }));
}

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

function unmatched(sample: Sample): Finding | null {
  const text = unmatchedText(sample);
  return text === null
    ? null
    : {
        code: 'unmatched',
        message: `Left out: ${text}`,
        remedy:
          'See why the value is missing; if it is missing for a reason that depends on the arm, the rest misleads.',
      };
}

function coarse({ measure }: Measured): Finding | null {
  return measure === null || measure.coarse === null
    ? null
    : {
        code: 'coarse-metric',
        message: `No verdict: ${measure.coarse}`,
        remedy: 'Make a trial longer, or install a C compiler, with which Assay accounts more finely.',
      };
}

/** Counts may be constant. A time that is has been rounded. */
function rounded({ metric }: Contrast, effect: Effect): Finding | null {
  if (effect.interval !== null || metric.kind !== 'ratio') return null;
  // All that an import has are ratios, whatever was counted.
  if (metric.from.kind === 'imported' && !isTimeUnit(metric.unit) && !metric.unit.endsWith('/s')) return null;
  return {
    code: 'constant-values',
    message: 'Every trial of an arm gave the same value, so that there is no spread to make an interval of',
    remedy: 'That is right for a count. Where the value was rounded, let the program print more digits.',
  };
}

function opposite(contrast: Contrast, { change, means, hodges_lehmann }: Effect): Finding | null {
  const arithmetic = means.arm - means.reference;
  if (contrast.metric.kind !== 'ratio' || !(change * arithmetic < 0)) return null;
  const typical = hodges_lehmann === null ? '' : ` (Hodges–Lehmann estimate ${signed(contrast, hodges_lehmann)})`;
  return {
    code: 'opposite-means',
    message: `Geometric and arithmetic means point in opposite directions: ${signed(contrast, change)} and ${signed(
      contrast,
      arithmetic / means.reference,
    )}${typical}`,
    remedy: `A few large values decide the arithmetic means: look at the ${contrast.noun}s one by one in pairs.csv.`,
  };
}

/** With fewer quads a session's median is one of a handful. */
const FEWEST_QUADS = 10;

function ofSlices(
  contrast: Contrast,
  { change }: Effect,
  { total, quads, drift }: SliceSummary,
  level: number,
): readonly (Finding | null)[] {
  const few: Finding = {
    code: 'few-slices',
    message: `A session has ${short(quads)} quads of slices on average, so that its medians are made of few`,
    remedy: 'Make a session longer, or a slice shorter, in `design: {slices: …}`.',
  };
  const apart: Finding = {
    code: 'total-against-typical',
    message: `The typical slice and the total point in opposite directions: ${signed(contrast, change)} and ${signed(contrast, total.change)}`,
    remedy: 'Rare expensive slices decide the total: look at the stalls, and make them a metric (from: slice.stalls).',
  };
  const moves: Finding | null =
    drift === null || drift.p_value > 1 - level
      ? null
      : {
          code: 'slice-trend',
          message: `The effect moves within a session, by ${signed(contrast, drift.change)} from its start to its end (p = ${short(drift.p_value)})`,
          remedy:
            'The arms warm up, or fill, at different rates: give the driver a longer set-up, or make a session longer.',
        };
  return [quads < FEWEST_QUADS ? few : null, change * total.change < 0 ? apart : null, moves];
}

function serial(contrast: Contrast, effect: Effect, level: number, noun: string): readonly (Finding | null)[] {
  const { up, down, tied } = effect.directions;
  if (up + down + tied < FEWEST_PAIRS_TO_DIAGNOSE) return [];
  return [
    orderEffect(contrast, effect, level, noun),
    autocorrelation(effect, noun),
    trend(contrast, effect, level, noun),
  ];
}

function orderEffect(contrast: Contrast, { order_effect }: Effect, level: number, noun: string): Finding | null {
  if (order_effect === null || order_effect.p_value > 1 - level) return null;
  const size = signed(contrast, changeOf(contrast, order_effect.gamma));
  return {
    code: 'order-effect',
    message: `What ${noun === 'session' ? 'started second' : 'ran later'} in a ${noun} measured ${size} against what ${noun === 'session' ? 'started first' : 'ran earlier'} (p = ${short(order_effect.p_value)})`,
    remedy:
      'Balanced order keeps it out of the change, but it may widen the interval. Look for its cause: caches, heat, write-back, missing warm-up.',
  };
}

function autocorrelation({ autocorrelation: found }: Effect, noun: string): Finding | null {
  if (found === null || Math.abs(found.lag1) <= found.limit) return null;
  return {
    code: 'autocorrelation',
    message: `Neighbouring ${noun}s are ${found.lag1 > 0 ? 'alike' : 'opposed'}: lag-1 correlation ${short(found.lag1)}, beyond ±${short(found.limit)}`,
    remedy:
      found.lag1 > 0
        ? `The interval may be too narrow. Look for slow disturbances of the machine, and run more ${noun}s.`
        : `Look for something periodic on the machine, and run more ${noun}s.`,
  };
}

function trend(contrast: Contrast, { trend: found }: Effect, level: number, noun: string): Finding | null {
  if (found === null || found.p_value > 1 - level) return null;
  const slope = signed(contrast, changeOf(contrast, found.slope));
  return {
    code: 'trend',
    message: `The effect moves over the run, by ${slope} a ${noun} (p = ${short(found.p_value)})`,
    remedy:
      'Something may have changed while the run went on: look at temperature, other work and free space, and run again.',
  };
}

function signed({ metric }: Contrast, change: number): string {
  const sign = change > 0 ? '+' : '';
  return sign + (metric.kind === 'ratio' ? percent(change) : quantity(change, metric.unit));
}
