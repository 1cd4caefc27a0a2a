/** Sentences of the report on their way into HTML: names that strangers gave are marked, and become code at the end. */
import { type Escaping, escapeLine } from '../plain-text.ts';
import { type Html, html } from './markup.ts';

/** Private characters: escapeLine leaves none of them in what a stranger wrote. */
const OPEN = '\uE000';
const CLOSE = '\uE001';

/** Text stays text until `rich` makes markup of it; only names are marked. */
export const HTML: Escaping = { name: (text) => OPEN + escapeLine(text) + CLOSE, prose: escapeLine };

/** A number stays on the line of its unit, and an interval on one line. */
const KEPT =
  /\[[-+]?[\d.]+(?:e[-+]?\d+)?[^[\],]{0,12}, [-+]?[\d.]+(?:e[-+]?\d+)?[^[\],]{0,12}\]|\d (?=%|(?:ns|µs|ms|s|B|KiB|MiB|GiB|TiB)\b)/gu;

function keepTogether(text: string): string {
  return text.replace(KEPT, (kept) => kept.replaceAll(' ', '\u00a0'));
}

/** A sentence with its names as code. */
export function rich(sentence: string): Html {
  const parts = sentence.split(OPEN).flatMap((part, index) => {
    if (index === 0) return [html`${keepTogether(part)}`];
    const [name = '', ...rest] = part.split(CLOSE);
    // An option is not torn at its hyphens.
    const code = name.startsWith('--') ? html`<code class="kept">${name}</code>` : html`<code>${name}</code>`;
    return [html`${code}${keepTogether(rest.join(''))}`];
  });
  return html`${parts}`;
}

/** A sentence without marks, for attributes and drawings. */
export function plain(sentence: string): string {
  return sentence.replaceAll(OPEN, '').replaceAll(CLOSE, '');
}

/** Of a name that is cut: versions and commits often differ in how they end. */
const KEPT_END = 4;

/** A name for a place that has no room for more than `most` characters; what is cut is cut from within. */
export function shortName(name: string, most: number): string {
  const characters = [...escapeLine(name)];
  if (characters.length <= most) return characters.join('');
  const start = Math.max(1, most - 1 - KEPT_END);
  return `${characters.slice(0, start).join('')}…${characters.slice(-KEPT_END).join('')}`;
}
