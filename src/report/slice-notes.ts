/** What is said beside an effect that was taken from slices. */
import type { SliceSummary } from '../analysis/analysis.ts';
import { formatInterval, formatNumber, formatSigned, PERCENT, type Scale } from './numbers.ts';
import { say } from './rules.ts';
import { formatQuantity } from './units.ts';

export function sliceNotes(slices: SliceSummary, subject: string, scale: Scale): readonly string[] {
  const { total, within_sd, between_sd, quads, slice_ns, setup_ns, half_width, best_quads } = slices;
  const notes = [
    say('note.slice-total', {
      subject,
      change: formatSigned(total.change, scale),
      interval: formatInterval(total.interval, scale),
    }),
  ];
  if (within_sd === null) return notes;
  notes.push(
    say('note.slice-variance', {
      ...{ subject, between: share(between_sd), within: share(within_sd), quads: formatNumber(quads, 3) },
      slice: formatQuantity(slice_ns, 'ns'),
      setup: formatQuantity(setup_ns, 'ns'),
    }),
  );
  if (half_width?.twice_as_long != null) {
    const { now, twice_the_sessions, twice_as_long } = half_width;
    notes.push(
      say('note.slice-buys', {
        ...{ subject, now: share(now), more: share(twice_the_sessions), longer: share(twice_as_long) },
      }),
    );
  }
  if (best_quads !== null) notes.push(say('note.slice-best', { subject, best: formatNumber(best_quads, 2) }));
  return notes;
}

/** Of a spread or a width, which have no sign. */
function share(fraction: number): string {
  return formatNumber(fraction * PERCENT.factor, 2) + PERCENT.suffix;
}
