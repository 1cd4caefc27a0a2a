/** What a calibration found: how often this machine and workload lead to a wrong verdict, and how far pairs spread (docs/calibration.md). */

/** How often something happened, and the exact 95 % interval of its rate (Clopper & Pearson 1934). */
export interface Rate {
  readonly count: number;
  readonly of: number;
  readonly interval: readonly [number, number];
}

/** A digest of what was calibrated, beside what a reader needs to see. */
export interface Calibration {
  readonly assay: string;
  /** When it ended. */
  readonly unix_ms: number;
  /** Of the machine, as runs have it. */
  readonly machine_id: string;
  /** SHA-256 of workload, metrics, slices and machine settings: not of arms (but for what the reference adds to the workload), number of pairs or decision. */
  readonly workload_id: string;
  readonly title: string;
  /** A/A runs, and the pairs or sessions of each: of a sequential experiment the most. */
  readonly runs: number;
  readonly pairs: number;
  /** Whether a pair is a session of slices. */
  readonly sessions: boolean;
  /** Whether each run was looked at after every pair and could end early. Null: not on record (calibrations of 0.1.0). */
  readonly sequential: boolean | null;
  readonly level: number;
  /** Wall time that a pair or session needs, with what Assay itself takes: the median. */
  readonly pair_seconds: number;
  readonly metrics: readonly MetricCalibration[];
}

export interface MetricCalibration {
  readonly metric: string;
  readonly kind: 'ratio' | 'difference';
  readonly unit: string;
  readonly primary: boolean;
  /** Of a pair's effect, pooled within the A/A runs (logarithmic for a ratio), and its degrees of freedom. Null: nothing varied. */
  readonly sd: number | null;
  readonly df: number;
  /** Of the A/A runs with an effect: the interval excluded zero, which 1 − level should; and a verdict was slower, faster, or equivalent and measurably either. */
  readonly excluded_zero: Rate;
  readonly false_verdicts: Rate;
  /** Half the width of an A/A run's interval, as a change: the median. Null where there was none. */
  readonly half_width: number | null;
  /** Where the experiment's own arm was run too, as one of known cost. */
  readonly known: {
    readonly arm: string;
    /** When it ended: another calibration may have measured it, by the same version and rule. Null: not on record (calibrations of 0.1.0). */
    readonly unix_ms: number | null;
    /** As a change: what it is said to cost; null: nothing was said, and only how often something was found is told. */
    readonly cost: number | null;
    /** Mean of the runs' effects. */
    readonly change: number;
    /** As `sd` of the A/A runs: what the arm costs need not be the same in every pair. */
    readonly sd: number | null;
    /** Runs whose verdict was right, and those whose interval held the known cost (null: none was given). */
    readonly found: Rate;
    readonly covered: Rate | null;
    /** Chance to find the known cost by the spread of the A/A runs (noncentral t); null where it cannot be said. */
    readonly predicted: number | null;
  } | null;
}

/** Where a calibration is kept for later runs. */
export interface KeptCalibration {
  readonly path: string;
  /** Where it has no known cost and an earlier one had: when that was measured, and whether it is on record still. */
  readonly earlier_known: { readonly unix_ms: number; readonly kept: boolean } | null;
}
