/** How far pairs spread, as a plan knows it: from what was run before. The effects that were found there are used for nothing. */
import type { Calibration } from '../journal/calibration.ts';
import type { PreparedArm } from '../journal/records.ts';
import type { Analysis } from './analysis.ts';
import type { Contrast } from './sample.ts';
import type { SliceSummary } from './slice-analysis.ts';
import { upperSd } from './stats/power.ts';

const SPREAD_CONFIDENCE = 0.8;

/** A run that may tell a plan how far its pairs will spread, and how long they take. */
export interface EarlierRun {
  readonly directory: string;
  readonly analysis: Analysis;
  /** Its arms: what builds took. */
  readonly prepared: readonly PreparedArm[];
  /** Of the slices of a session; null where its pairs were pairs of processes. */
  readonly session_ns: number | null;
}

export interface PlanSources {
  readonly earlier: EarlierRun | null;
  /** Whether the user named that run; else it is the latest of the same experiment, and a calibration comes before its confirmation. */
  readonly named: boolean;
  /** What `assay calibrate` found on this machine for this workload; null where it was not run. */
  readonly calibration: Calibration | null;
}

export const NO_SOURCES: PlanSources = { earlier: null, named: false, calibration: null };

/** What the values are whose spread is meant. */
export type Unit = 'pair' | 'session' | 'build';

/** What a spread was taken from. */
export interface SpreadSource {
  readonly from: 'screening' | 'calibration' | 'confirmation';
  /** The run's directory; null of a calibration. */
  readonly run: string | null;
  /** When it was begun. */
  readonly unix_ms: number;
  readonly unit: Unit;
  /** Pairs, sessions or builds, all together. */
  readonly values: number;
  /** Of a calibration, several. */
  readonly runs: number;
  /** Of the slices of its sessions, where that is told. */
  readonly session_ns: number | null;
}

interface Spread {
  /** Of a value, on the scale of the effects (logarithmic for ratios), with its degrees of freedom. */
  readonly sd: number;
  readonly df: number;
  /** s·√(df/χ²(0.2, df)): what plans reckon with. */
  readonly sd_upper_80: number;
  readonly source: SpreadSource;
  /** What the sessions were like, where they are known to last differently well. */
  readonly slices: SliceSummary | null;
}

/** What a spread is wanted of. */
export interface Wanted {
  readonly unit: Unit;
  /** Builds alone: pairs of each, within which noise averages out. */
  readonly pairs_each: number;
}

/** The spread of a contrast; where there is none to plan with, of how many values nothing varied (null: nothing is known at all). */
export type KnownSpread = Spread | { readonly sd: null; readonly source: SpreadSource | null };

/**
 * In this order: the named run; the screening of the latest run; a calibration; the confirmation of that run. Of a run its screening comes
 * first. What was measured in pairs tells nothing of sessions, nor the other way round; only a confirmation of several builds tells how
 * far builds differ.
 */
export function spreadOf(sources: PlanSources, contrast: Contrast, wanted: Wanted): KnownSpread {
  const screened = screeningSpread(sources, contrast, wanted);
  const confirmed = confirmationSpread(sources, contrast, wanted);
  const calibrated = calibrationSpread(sources, contrast, wanted);
  const order = sources.named ? [screened, confirmed, calibrated] : [screened, calibrated, confirmed];
  const known = order.filter((spread) => spread !== null);
  return known.find(({ sd }) => sd !== null) ?? known[0] ?? { sd: null, source: null };
}

/** Whether pairs of the run are what the plan's are. */
export function isOfKind({ session_ns }: EarlierRun, unit: Unit): boolean {
  return unit === 'session' ? session_ns !== null : session_ns === null;
}

function screeningSpread({ earlier }: PlanSources, { metric, arm }: Contrast, { unit }: Wanted): KnownSpread | null {
  if (earlier === null || unit === 'build' || !isOfKind(earlier, unit)) return null;
  const row = earlier.analysis.screening.find((one) => one.metric === metric.name && one.arm === arm);
  if (row?.sd == null || row.pairs < 2 || !isSameMetric(earlier.analysis, metric)) return null;
  const source = { ...sourceOf(earlier), from: 'screening', unit, values: row.pairs } as const;
  return known(row.sd, row.pairs - 1, source, null);
}

function confirmationSpread(
  { earlier }: PlanSources,
  { metric, arm }: Contrast,
  { unit, pairs_each }: Wanted,
): KnownSpread | null {
  if (earlier === null || !isOfKind(earlier, unit)) return null;
  const row = earlier.analysis.comparisons.find((one) => one.metric === metric.name && one.arm === arm);
  if (row?.effect == null || row.pairs < 2 || !isSameMetric(earlier.analysis, metric)) return null;
  const source = { ...sourceOf(earlier), from: 'confirmation', unit } as const;
  if (unit !== 'build') return known(row.effect.sd, row.pairs - 1, { ...source, values: row.pairs }, row.slices);
  const { builds } = row.effect;
  if (builds === null) return null;
  const sd = Math.hypot(builds.between_sd, (builds.within_sd ?? 0) / Math.sqrt(pairs_each));
  return known(sd, builds.means.length - 1, { ...source, values: builds.means.length }, null);
}

/** Every arm against the reference alike: it was measured with arms that do not differ. */
function calibrationSpread({ calibration }: PlanSources, { metric }: Contrast, { unit }: Wanted): KnownSpread | null {
  if (calibration === null || unit === 'build' || calibration.sessions !== (unit === 'session')) return null;
  const row = calibration.metrics.find(({ metric: name }) => name === metric.name);
  if (row === undefined || row.kind !== metric.kind || row.unit !== metric.unit) return null;
  const { runs, pairs, unix_ms } = calibration;
  const source = {
    from: 'calibration',
    run: null,
    unix_ms,
    unit,
    values: runs * pairs,
    runs,
    session_ns: null,
  } as const;
  return known(row.sd ?? 0, row.df, source, null);
}

function known(sd: number, df: number, source: SpreadSource, slices: SliceSummary | null): KnownSpread {
  const upper = upperSd(sd, df, SPREAD_CONFIDENCE);
  return sd > 0 && upper !== null ? { sd, df, sd_upper_80: upper, source, slices } : { sd: null, source };
}

function sourceOf({ directory, analysis, session_ns }: EarlierRun): Omit<SpreadSource, 'from' | 'unit' | 'values'> {
  return { run: directory, unix_ms: analysis.started_unix_ms, runs: 1, session_ns };
}

/** A named run may be of another experiment. */
function isSameMetric({ comparisons }: Analysis, { name, kind, unit }: Contrast['metric']): boolean {
  return comparisons.some((row) => row.metric === name && row.kind === kind && row.unit === unit);
}
