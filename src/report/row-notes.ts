/** What must be known to read a comparison. What holds for several of them is said once. */
import type { Comparison, Effect } from '../analysis/analysis.ts';
import { formatNumber, formatSigned, grouped, PERCENT, type Scale } from './numbers.ts';
import { type Escaping, listText } from './plain-text.ts';
import { say } from './rules.ts';
import { sliceNotes } from './slice-notes.ts';

/** The sentence on a subject; of two with the same words but for that, one is said of both. */
export type Note = (subject: string) => string;

interface Noted {
  readonly subject: string;
  readonly metric: string;
  readonly note: Note;
}

/** Sentences in the order in which they come up first. `all`: every subject that there is, so that a metric stands for all of its own. */
export function groupedNotes(
  noted: readonly Noted[],
  all: readonly Pick<Noted, 'subject' | 'metric'>[],
): readonly string[] {
  const groups = new Map<string, Noted[]>();
  for (const one of noted) {
    const words = one.note('');
    groups.set(words, [...(groups.get(words) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) => {
    const whole = (metric: string): boolean =>
      all.every((one) => one.metric !== metric || group.some(({ subject }) => subject === one.subject));
    const subjects = new Set(group.map(({ subject, metric }) => (whole(metric) ? metric : subject)));
    const [first] = group;
    return first === undefined ? [] : [first.note(listText([...subjects]))];
  });
}

/** A limit in the unit of the change. */
export function limit(value: number, comparison: Comparison, scale: Scale, digits = 3): string {
  const suffix = comparison.kind === 'ratio' ? PERCENT.suffix : scale.suffix;
  return formatNumber(value * (comparison.kind === 'ratio' ? PERCENT.factor : scale.factor), digits) + suffix;
}

/** Drops the full stop that a reason may bring, since it stands within a sentence here. */
export function clause(reason: string, escaping: Escaping): string {
  return escaping.prose(reason).replace(/\.$/, '');
}

export function reasonOf({ verdict }: Comparison, escaping: Escaping): Note | null {
  if (verdict.kind !== 'none' && verdict.kind !== 'inconclusive') return null;
  const reason = clause(verdict.reason, escaping);
  return (subject) => say('note.reason', { subject, reason });
}

/** `noun`: the unit of comparison. */
export function notesOf(comparison: Comparison, scale: Scale, noun: string): readonly Note[] {
  const { effect, layout, operations, slices } = comparison;
  const notes: Note[] = [];
  if (operations !== null) {
    const { lowest, highest, contradicted } = operations;
    const count = lowest === highest ? grouped(lowest) : `${grouped(lowest)} to ${grouped(highest)}`;
    notes.push((subject) => say(contradicted ? 'note.per-other' : 'note.per', { subject, count }));
  }
  if (slices !== null) notes.push(...sliceNotes(slices, scale));
  if (effect?.stratified === true) notes.push((subject) => say('note.stratified', { subject, blocks: `${noun}s` }));
  if (effect !== null && comparison.kind === 'ratio' && effect.change > 9) {
    const factor = formatNumber(1 + effect.change);
    notes.push((subject) => say('note.many-fold', { subject, factor }));
  }
  if (effect?.builds != null) notes.push(buildsNote(comparison, effect.builds, scale));
  // Of a primary metric the finding says so.
  if (layout !== null && (layout.beyond || !comparison.primary)) {
    const key = layout.beyond ? 'note.layout' : 'note.layout-within';
    const floor = limit(layout.floor, comparison, scale);
    notes.push((subject) => say(key, { subject, floor }));
  }
  return notes;
}

/** Spreads are shown on the logarithmic scale of a ratio, where they are small, as percentages. */
function buildsNote(comparison: Comparison, builds: Effect['builds'] & object, scale: Scale): Note {
  const changes = builds.means.map(({ change }) => change);
  const words = {
    builds: String(builds.means.length),
    lowest: formatSigned(Math.min(...changes), scale),
    highest: formatSigned(Math.max(...changes), scale),
  };
  const { within_sd, between_sd } = builds;
  if (within_sd === null) return (subject) => say('note.builds-single', { ...words, subject });
  const spread = { within: limit(within_sd, comparison, scale, 2), between: limit(between_sd, comparison, scale, 2) };
  return (subject) => say('note.builds', { ...words, ...spread, subject });
}
