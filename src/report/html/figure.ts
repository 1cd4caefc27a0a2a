/** A plot on the page: in a box that scrolls by itself, with what it shows, and what its marks mean. */
import { element, type Html, html } from './markup.ts';
import { type Key, legend } from './symbols.ts';
import { rich } from './text.ts';

/** Of a plot at full size, in CSS pixels. */
export const PLOT_WIDTH = 840;
/** A little more than the mean width of a character of the plots' font. */
export const CHARACTER = 7;
/** From here on marks are thin, and have no tool-tips. */
export const DENSE_FROM = 260;

export interface Figure {
  readonly title: string;
  readonly plot: Html;
  readonly keys: readonly Key[];
  readonly caption: string;
}

/** `heading` is the level that the figure's title has on the page. */
export function figureOf({ title, plot, keys, caption }: Figure, heading: 3 | 4): Html {
  return html`<figure>
${element(`h${heading}`, {}, [rich(title)])}
<div class="box" tabindex="0" role="group" aria-label="plot, scrolls sideways where the screen is narrow">${plot}</div>
<figcaption>${keys.length === 0 ? null : legend(keys)}<p>${rich(caption)}</p></figcaption>
</figure>
`;
}
