/** How much a bundle may hold. It comes from a stranger: nothing in it says how much of it is too much. */

export interface Limits {
  /** Files, without the manifest and its signature. */
  readonly files: number;
  /** Of all files together, uncompressed. */
  readonly total_bytes: number;
  readonly file_bytes: number;
  /** Uncompressed bytes for each compressed one; looked at once `RATIO_FROM_BYTES` have come out. */
  readonly ratio: number;
  /** For computing trials again: patterns and texts are a stranger's. */
  readonly seconds: number;
}

export const DEFAULT_LIMITS: Limits = {
  files: 100_000,
  total_bytes: 4 * 2 ** 30,
  file_bytes: 64 * 2 ** 20,
  ratio: 200,
  seconds: 60,
};

/** Small archives of repetitive text may well be packed more tightly than a large one. */
export const RATIO_FROM_BYTES = 16 * 2 ** 20;
export const MOST_MANIFEST_BYTES = 24 * 2 ** 20;
export const MOST_SIGNATURE_BYTES = 64 * 2 ** 10;
/** A trial's record is a few KiB; the first line holds the experiment (at most 1 MiB) more than once. */
export const MOST_JOURNAL_LINE_BYTES = 8 * 2 ** 20;
/** Values in one line of a journal: the plan of 10,000 pairs has 40,000. */
export const MOST_LINE_VALUES = 500_000;
/** Values that JSON in a trial's output may hold. */
export const MOST_OUTPUT_VALUES = 2_000_000;
/** What one trial's raw output may be for its numbers to be computed again. */
export const MOST_TRIAL_BYTES = 64 * 2 ** 20;
