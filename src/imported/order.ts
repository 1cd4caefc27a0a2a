/** Whether the times in the files show that the sides ran in turns. */
import type { Repetition } from './repetitions.ts';

/** One repetition of each side, of every result that has so many. */
export type Block = readonly { readonly arm: string; readonly repetitions: readonly Repetition[] }[];

/** As readers give it; what follows the seconds, such as a zone, must be the same everywhere. */
const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(.{0,40})$/;

interface Span {
  readonly arm: string;
  readonly first: string;
  readonly last: string;
}

/**
 * The arms of each block in the order in which they ran. Null where a time is missing, two are the same, or blocks overlap: then
 * a side may have run as a whole before another. Times are those of the starts, so that the last of a block must lie before the first
 * of the next.
 */
export function turnsOf(blocks: readonly Block[]): readonly (readonly string[])[] | null {
  const zones = new Set<string>();
  const orders: (readonly string[])[] = [];
  let before = '';
  for (const block of blocks) {
    const spans: Span[] = [];
    for (const { arm, repetitions } of block) {
      const span = spanOf(arm, repetitions, zones);
      if (span === null) return null;
      spans.push(span);
    }
    spans.sort((a, b) => (a.first < b.first ? -1 : 1));
    for (const { first, last } of spans) {
      if (first <= before) return null;
      before = last;
    }
    orders.push(spans.map(({ arm }) => arm));
  }
  return zones.size === 1 ? orders : null;
}

function spanOf(arm: string, repetitions: readonly Repetition[], zones: Set<string>): Span | null {
  let [first, last] = ['', ''];
  for (const { results } of repetitions) {
    if (results.length === 0) return null;
    for (const { settings } of results) {
      const [, time, zone] = DATE.exec(settings['date'] ?? '') ?? [];
      if (time === undefined || zone === undefined) return null;
      zones.add(zone);
      if (first === '' || time < first) first = time;
      if (time > last) last = time;
    }
  }
  return first === '' ? null : { arm, first, last };
}
