/**
 * What an analysis is: plain data, a pure function of the journal. Reports print it and compute nothing.
 * Ratios and changes are fractions (0.0131 is +1.31 %); values of a metric are in the metric's own unit.
 */
import type { CounterKind, CounterMode } from '../experiment/counters.ts';
import type { ControlPurpose, Metric, Param } from '../experiment/experiment.ts';
import type { Pairs } from './pairs.ts';
import type { SliceSummary } from './slice-analysis.ts';

export type Interval = readonly [low: number, high: number];

/** `worse` and `better` are spoken as slower and faster where the metric is a time. */
export type Direction = 'slower' | 'faster';

export type Verdict =
  | { readonly kind: 'invalid'; readonly reason: string }
  /** `measurably` is set where the interval excludes zero all the same. */
  | { readonly kind: 'equivalent'; readonly measurably: Direction | null }
  | { readonly kind: Direction }
  | { readonly kind: 'inconclusive'; readonly reason: string }
  /** There is no effect to judge: too few pairs, a value that has no logarithm, missing on one side, too coarse. */
  | { readonly kind: 'none'; readonly reason: string };

/** A rule met that a reader must know, and what would help. */
export interface Warning {
  /** Stable, in kebab case: `order-effect`, `autocorrelation`, `coarse-metric`, … */
  readonly code: string;
  /** The metric that it is about; null: the whole run. */
  readonly metric: string | null;
  readonly message: string;
  readonly remedy: string;
}

/** One pair of a comparison, for pairs.csv and plots. */
export interface PairValue {
  readonly block: number;
  readonly attempt: number;
  /** True where the reference ran first. */
  readonly reference_first: boolean;
  readonly reference: number;
  readonly arm: number;
  /** ln(arm/reference) for ratio metrics, arm − reference for differences. Of slices: of the typical slice. */
  readonly effect: number;
  /** Of slices: ln of the ratio of all that both arms took for their operations; null for all else. */
  readonly total: number | null;
}

export interface Effect {
  /** exp(mean d) − 1 for ratio metrics, mean of differences otherwise. */
  readonly change: number;
  /** At `interval_level`; null where both arms are constant ("exact"). The one that the verdict is read from. */
  readonly interval: Interval | null;
  readonly interval_level: number;
  /** Set where the interval is at a Holm step level and not the plain one: then the plain one stands here. */
  readonly plain_interval: Interval | null;
  readonly means: { readonly reference: number; readonly arm: number };
  /** Of the pairs' effects (log scale for ratios). */
  readonly sd: number;
  /** No p-value for a sequential run: this one would hold for a fixed number of pairs only. */
  readonly directions: {
    readonly up: number;
    readonly down: number;
    readonly tied: number;
    readonly p_value: number | null;
  };
  /** As changes. */
  readonly smallest_pair: number;
  readonly largest_pair: number;
  /** exp(−mean d) − 1; null for differences. */
  readonly throughput_change: number | null;
  /** On the scale of `sd`. Null where either order has fewer than two pairs. */
  readonly order_effect: { readonly gamma: number; readonly interval: Interval; readonly p_value: number } | null;
  readonly autocorrelation: { readonly lag1: number; readonly limit: number } | null;
  /** Slope of the effect per pair over the run, on the scale of `sd`, with its interval. */
  readonly trend: { readonly slope: number; readonly interval: Interval; readonly p_value: number } | null;
  readonly wilcoxon_p: number | null;
  /** As a change. */
  readonly hodges_lehmann: number | null;
  /** Where a margin was given: the interval at level (2·level − 1), or α/m, that equivalence was read from. */
  readonly equivalence: {
    readonly margin: number;
    readonly interval: Interval;
    readonly interval_level: number;
    readonly p_value: number;
    readonly equivalent: boolean;
  } | null;
  /** The smallest change that these many pairs of this spread find with 80 % power; null for n < 2 or no spread. */
  readonly detectable: number | null;
  /** Where rejections left unequal counts of the two orders, and the estimate is stratified. */
  readonly stratified: boolean;
  /** Set for a sequential run: what each look saw, at the level of `interval`, the last one being that of the effect. */
  readonly sequence: {
    readonly min: number;
    readonly max: number;
    readonly c2: number;
    /** A null interval: it had no bound yet. */
    readonly looks: readonly { readonly pairs: number; readonly change: number; readonly interval: Interval | null }[];
  } | null;
  /** Where every arm was built several times: the interval is one over builds, and so is the sign test. */
  readonly builds: {
    /** In the order of the builds, which count from 1. */
    readonly means: readonly { readonly build: number; readonly pairs: number; readonly change: number }[];
    /** Of pairs within a build and order, on the scale of `sd`; null where too few pairs are left to tell. */
    readonly within_sd: number | null;
    /** Of the builds themselves: what the spread within does not explain of the means'. */
    readonly between_sd: number;
  } | null;
}

export interface Comparison {
  readonly metric: string;
  readonly unit: string;
  readonly kind: Metric['kind'];
  readonly better: Metric['better'];
  readonly primary: boolean;
  readonly threshold: number;
  readonly margin: number | null;
  readonly arm: string;
  readonly reference: string;
  /** Pairs that the effect rests on. */
  readonly pairs: number;
  readonly planned_pairs: number;
  /** By which the values of a trial are divided, over all trials; null where they are not. */
  readonly operations: Divisor | null;
  readonly effect: Effect | null;
  readonly verdict: Verdict;
  /** In the order in which they ran; empty where there is no effect. */
  readonly values: Pairs;
  /**
   * The layout floor of the metric, as a change without sign, and whether the whole interval lies beyond it. A note beside the
   * verdict. Null where no floor was measured, nothing is claimed, or the interval covers several builds itself. Beside the
   * confirmation, rebuilds in the same blocks count too.
   */
  readonly layout: { readonly floor: number; readonly beyond: boolean } | null;
  /** Null where there is no effect, or it was not taken from slices. */
  readonly slices: SliceSummary | null;
}

/** A first look, never pooled with the confirmation: spread and cost for planning, no effect. */
export interface ScreeningSummary {
  readonly metric: string;
  readonly arm: string;
  readonly pairs: number;
  readonly sd: number | null;
  /** s·√((n−1)/χ²(0.2, n−1)). */
  readonly sd_upper_80: number | null;
  readonly pair_seconds: number;
}

export interface TrialRow {
  readonly phase: string;
  readonly block: number;
  readonly position: number;
  readonly arm: string;
  readonly attempt: number;
  readonly included: boolean;
  /** Why not; empty where included. */
  readonly reason: string;
  /** Null where the results were measured elsewhere, as is what it took. */
  readonly started_unix_ms: number | null;
  readonly wall_ns: number | null;
  readonly metrics: Readonly<Record<string, number | null>>;
}

/** Counters over all trials that did not fail. */
export interface CounterSummary {
  readonly kind: CounterKind;
  /** Around what they were counted: more than one only where trials differ, and then they are not compared. */
  readonly scopes: readonly ('region' | 'process')[];
  readonly trials: number;
  /** Trials that have counters. */
  readonly counted: number;
  /** Of the time in which they should have run, as fractions, in the trials that no rule rejected; null where none has counters. */
  readonly share: { readonly least: number; readonly most: number } | null;
  /** Why a trial has none, of the first that says so. */
  readonly reason: string | null;
}

export interface RejectionSummary {
  readonly total: number;
  readonly by_arm: Readonly<Record<string, number>>;
  /** Planned pairs that were rejected at least once, as a fraction. */
  readonly pair_share: number;
  /** Exact test of equal rejection over the arms. */
  readonly p_value: number | null;
  readonly rows: readonly {
    readonly block: number;
    readonly attempt: number;
    readonly arm: string;
    readonly fact: string;
    readonly value: number;
    readonly limit: number;
  }[];
}

/** Of counts that may differ from trial to trial. */
export interface CountRange {
  readonly lowest: number;
  readonly highest: number;
}

/** The operations that values are divided by. */
export interface Divisor extends CountRange {
  /** The driver says of some trial that it did another number of them. */
  readonly contradicted: boolean;
}

/** How many instructions an arm executes more than the reference. Only what lies beyond the ranges is a difference. */
export interface CountContrast {
  readonly arm: string;
  readonly reference: string;
  /** Of the middles of both ranges. */
  readonly difference: number;
  /** From the repeats: lowest of the arm − highest of the reference, and the other way round. */
  readonly range: Interval;
  /** `difference` as a fraction of the reference; null where that executed none. */
  readonly change: number | null;
  /** The functions that account for most of it by their self cost, the largest difference first; at most 15. */
  readonly functions: readonly {
    readonly name: string;
    /** The middle of the repeats; null: no count of that arm tells of the function. */
    readonly reference: number | null;
    readonly arm: number | null;
    readonly difference: number;
    /** As that of the contrast; zero is not in it. */
    readonly range: Interval;
  }[];
  /** Difference of all functions that are not listed. */
  readonly rest: number;
}

/** Instructions, counted apart from the timed trials. A count is no time. */
export interface CountingSummary {
  readonly tool: string;
  readonly unit: 'operation' | 'trial';
  /** Of each arm. */
  readonly repeats: number;
  readonly region: string | null;
  /** Operations of one trial, where they are known. */
  readonly operations: number | null;
  /** What the counted trials were given that differs from the timed ones. */
  readonly params: Readonly<Record<string, Param>>;
  /** Per operation or per trial, over the repeats. */
  readonly arms: readonly (CountRange & { readonly arm: string })[];
  readonly contrasts: readonly CountContrast[];
}

/** What became of a control, for one metric. Statistics: docs/methods.md, "Controls". */
export interface ControlResult {
  readonly name: string;
  /** `metric`: a metric of the confirmation that the change cannot have touched. */
  readonly kind: ControlPurpose['kind'] | 'metric';
  /** Arms of the control as they were compared. */
  readonly arm: string;
  readonly reference: string;
  readonly metric: string;
  readonly unit: string;
  readonly metric_kind: Metric['kind'];
  readonly better: Metric['better'];
  readonly primary: boolean;
  /** Whether it belongs to the family of tests: primary metrics, and those that the control names. The others are shown alone. */
  readonly tested: boolean;
  /** Pairs (or blocks) that it rests on, and that were planned. */
  readonly pairs: number;
  readonly planned_pairs: number;
  /**
   * Null where there is no effect to judge. Of what is tested the interval is the one that decides, at its step of Holm's procedure.
   * For `uncounted`: the effect of the confirmation without counters, at the level of the run.
   */
  readonly effect: Effect | null;
  /** For `uncounted`: the effect without counters against that with them, as a change. The interval is the one that decides. */
  readonly difference: {
    readonly change: number;
    readonly interval: Interval;
    readonly interval_level: number;
  } | null;
  /** Of a two-sided test of no difference, after Holm over all primary metrics and controls; null for what is not tested. */
  readonly p_value: number | null;
  /** `floor`: a rebuild, whose largest bound is the layout floor. `none`: shown only, or nothing to judge. */
  readonly outcome: 'passed' | 'failed' | 'uninformative' | 'floor' | 'none';
  /** A rebuild that has the same .text as what it was built again from: an A/A. */
  readonly same_code: boolean;
  /** The larger bound of a rebuild's interval, as a change without sign; null for all others. */
  readonly floor: number | null;
  /** Why there is no outcome, or why it is what it is; a clause. */
  readonly reason: string | null;
  /** In the order in which they ran; empty where there is no effect, and of a metric of the confirmation. */
  readonly values: Pairs;
}

/** What a comparison beside the confirmation is about. */
export type SideRole =
  /** An arm of the confirmation against its reference, within these blocks. */
  | 'stock'
  /** The same source prepared again, against what it was prepared again from. */
  | 'rebuild'
  /** A part taken out by a patch, against the source without that patch. */
  | 'ablation'
  | 'other';

export interface SideComparison extends Comparison {
  readonly role: SideRole;
  /** Both sides have the same machine code. */
  readonly same_code: boolean;
  /** Of an ablation: whether its reference was prepared again as it was, with no change but the patch. */
  readonly rebuilt_reference: boolean;
  /**
   * Of an ablation: `supports`, where it is decided and goes against a decided change of the arm that the part was taken out of
   * (in the same blocks, else in the confirmation); `same-way`, decided otherwise; `open`, not decided. Null for all others, and in
   * what is invalid.
   */
  readonly contribution: 'supports' | 'same-way' | 'open' | null;
}

/** What the ablations leave of the change that the same blocks found: stock effect and effects of the ablations, added in each block. */
export interface Remainder {
  readonly metric: string;
  readonly unit: string;
  readonly kind: Metric['kind'];
  /** The stock comparison. */
  readonly arm: string;
  readonly reference: string;
  readonly ablations: readonly string[];
  readonly blocks: number;
  readonly change: number;
  /** At the level of the run. */
  readonly interval: Interval;
}

/** A comparison beside the confirmation: every arm against its reference, in blocks; it decides nothing. */
export interface SideSummary {
  readonly name: string;
  readonly arms: readonly string[];
  readonly counters: CounterMode;
  readonly blocks: { readonly planned: number; readonly complete: number };
  readonly comparisons: readonly SideComparison[];
  /** Where the side has a stock comparison and ablations of its arm. */
  readonly remainders: readonly Remainder[];
}

export interface Analysis {
  readonly title: string;
  readonly question: string | null;
  readonly constructed: boolean;
  /** `invalid` names reasons in `problems`; `incomplete`: the plan has not been run to its end. */
  readonly state: 'complete' | 'incomplete' | 'invalid';
  readonly problems: readonly string[];
  readonly arms: readonly string[];
  readonly reference: string;
  /** Null where nothing was drawn. */
  readonly seed: number | null;
  readonly level: number;
  /** Of each arm. */
  readonly builds: number;
  /** Pairs (blocks) of the confirmation: planned, and complete. `decided`: the last look at a sequential run decided it. */
  readonly pairs: { readonly planned: number; readonly complete: number; readonly decided: boolean };
  /** When results were imported that were measured elsewhere. */
  readonly started_unix_ms: number;
  /** Sum of the wall times of all trials that are timed; of a session that of the process that started first. Null where nobody accounted for them. */
  readonly trial_seconds: number | null;
  readonly checks: {
    readonly trials: number;
    readonly made: number;
    readonly failed: number;
    readonly names: readonly string[];
  };
  readonly comparisons: readonly Comparison[];
  readonly screening: readonly ScreeningSummary[];
  readonly controls: readonly ControlResult[];
  readonly sides: readonly SideSummary[];
  /** By metric: the largest bound of a rebuild's interval, as a change without sign; metrics without one are missing. */
  readonly layout_floor: Readonly<Record<string, number>>;
  /** Null where the experiment asks for none, not all of it has been done, it cannot be compared, or the run is invalid. */
  readonly counting: CountingSummary | null;
  readonly warnings: readonly Warning[];
  /** Null where the experiment has none. */
  readonly counters: CounterSummary | null;
  readonly rejections: RejectionSummary;
  /** Of controls and side comparisons, by phase; those of which no trial was rejected are left out. */
  readonly rejections_beside: readonly (RejectionSummary & { readonly phase: string })[];
  readonly trials: readonly TrialRow[];
}
