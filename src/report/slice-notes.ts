/** What is said beside an effect that was taken from slices. */
import type { SliceSummary } from '../analysis/slice-analysis.ts';
import { formatInterval, formatNumber, formatSigned, PERCENT, type Scale } from './numbers.ts';
import type { Note } from './row-notes.ts';
import { say } from './rules.ts';
import { formatQuantity } from './units.ts';

export function sliceNotes(slices: SliceSummary, scale: Scale): readonly Note[] {
  const { total, within_sd, between_sd, quads, slice_ns, setup_ns, half_width, best_quads } = slices;
  const all = { change: formatSigned(total.change, scale), interval: formatInterval(total.interval, scale) };
  const notes: Note[] = [(subject) => say('note.slice-total', { ...all, subject })];
  if (within_sd === null) return notes;
  const variance = {
    ...{ between: share(between_sd), within: share(within_sd), quads: formatNumber(quads, 3) },
    ...{ slice: formatQuantity(slice_ns, 'ns'), setup: formatQuantity(setup_ns, 'ns') },
  };
  notes.push((subject) => say('note.slice-variance', { ...variance, subject }));
  if (half_width?.twice_as_long != null) {
    const { now, twice_the_sessions, twice_as_long } = half_width;
    const buys = { now: share(now), more: share(twice_the_sessions), longer: share(twice_as_long) };
    notes.push((subject) => say('note.slice-buys', { ...buys, subject }));
  }
  if (best_quads !== null) {
    const best = formatNumber(best_quads, 2);
    notes.push((subject) => say('note.slice-best', { subject, best }));
  }
  return notes;
}

/** Of a spread or a width, which have no sign. */
function share(fraction: number): string {
  return formatNumber(fraction * PERCENT.factor, 2) + PERCENT.suffix;
}
