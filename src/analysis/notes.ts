/** What happened to a run and needs no remedy. */
import type { Journal } from '../journal/records.ts';
import type { Progress } from '../plan/progress.ts';
import { counted, listed, moment } from './wording.ts';

const MOST_NAMED = 5;

/** Stops and resumes, torn lines, pairs that were repeated because their halves lay too far apart. */
export function notesOf({ resumptions }: Journal, progress: Progress): readonly string[] {
  const notes: string[] = [];
  if (resumptions.length > 0) {
    const times = resumptions.map(({ unix_ms }) => moment(unix_ms));
    notes.push(`The run was stopped and resumed ${counted(times.length, 'time')}: ${listed(times, MOST_NAMED)}.`);
  }
  const dropped = resumptions.reduce((sum, { dropped_bytes }) => sum + dropped_bytes, 0);
  if (dropped > 0) {
    notes.push(`A torn last line of the journal was dropped (${counted(dropped, 'byte')}).`);
  }
  const repeated = progress.attempts().filter(({ outcome }) => outcome === 'interrupted').length;
  if (repeated > 0) {
    const which = repeated === 1 ? '1 pair was' : `${repeated} pairs were`;
    notes.push(`${which} interrupted or torn apart in time; interrupted pairs are repeated whole and not counted.`);
  }
  return notes;
}
