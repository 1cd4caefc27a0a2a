/** What an analysis has of an effect that was taken from slices; plain data, as in analysis.ts. */
import type { Interval } from './analysis.ts';

/** What stands behind an effect that was taken from slices. Shares and changes are fractions. */
export interface SliceSummary {
  /** Of the ratio of all time to all operations, rare expensive slices with it: its interval is at the level of the effect's. */
  readonly total: { readonly change: number; readonly interval: Interval };
  /** Where a verdict is slower or faster: whether the total's interval lies beyond the threshold on the same side. */
  readonly total_agrees: boolean | null;
  /** Mean over the sessions. */
  readonly quads: number;
  /** Median over the sessions of their median slice, both arms together. */
  readonly slice_ns: number;
  /** Means over the sessions: of a quad with its prelude and rest, and of what a session takes beside its quads. */
  readonly quad_ns: number;
  readonly setup_ns: number;
  /** Standard deviation of a session's effect from the noise of its slices (null: too few quads), and of the sessions themselves. */
  readonly within_sd: number | null;
  readonly between_sd: number;
  /** Quads a session that would use a given time best; null where a variance is not to be seen. */
  readonly best_quads: number | null;
  /** Half the width of the interval, as a change, and what it would be expected to be. Null where it cannot be said. */
  readonly half_width: {
    readonly now: number;
    readonly twice_the_sessions: number;
    readonly twice_as_long: number | null;
  } | null;
  /** Mean change of the effect from the start of a session to its end; null where sessions are too few or too short. */
  readonly drift: { readonly change: number; readonly p_value: number } | null;
  /** In the order in which they ran. */
  readonly sessions: readonly SessionSummary[];
  /** The session whose effect is the median (of two the smaller one), and the one whose effect lies furthest from it. */
  readonly median_session: SessionPlace;
  readonly extreme_session: SessionPlace;
}

/** Which session, of which attempt at it. */
export interface SessionPlace {
  readonly block: number;
  readonly attempt: number;
}

export interface SessionSummary extends SessionPlace {
  /** Of the typical slice. */
  readonly change: number;
  /** One standard deviation that the noise of slices gives the effect of a session (`within_sd`), either side of the change. */
  readonly noise: Interval | null;
  readonly total: number;
  readonly quads: number;
}
