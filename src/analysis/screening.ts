/** What a first look tells for planning: spread and cost. Never an effect, and never pooled with the confirmation. */
import type { Attempt, Attempts } from '../plan/attempts.ts';
import type { ScreeningSummary } from './analysis.ts';
import { type Contrast, samplesOf } from './sample.ts';
import { mean, standardDeviation } from './stats/moments.ts';
import { upperSd } from './stats/power.ts';

/** A small sample's spread is as often too small as too large; plans use its bound at this confidence. */
const CONFIDENCE = 0.8;

/** `attempts` are those of the screening. */
export function screeningSummary(contrasts: readonly Contrast[], attempts: Attempts): readonly ScreeningSummary[] {
  const complete = attempts.filter(({ outcome }) => outcome === 'complete');
  if (complete.length === 0) return [];
  const pair_seconds = mean(Array.from(complete, secondsOf)) ?? 0;
  return samplesOf(contrasts, complete).map(({ contrast, pairs, reason }) => {
    const sd = reason === null ? standardDeviation(pairs.effect) : null;
    return {
      metric: contrast.metric.name,
      arm: contrast.arm,
      pairs: pairs.length,
      sd,
      sd_upper_80: sd === null ? null : upperSd(sd, pairs.length - 1, CONFIDENCE),
      pair_seconds,
    };
  });
}

/** From the settling before the first trial to the end of the last. */
function secondsOf({ trials }: Attempt): number {
  const first = trials[0]?.account;
  const last = trials.at(-1)?.account;
  if (first == null || last == null) return 0;
  return (last.ended_boot_ns - first.started_boot_ns + first.settled_ns) / 1e9;
}
