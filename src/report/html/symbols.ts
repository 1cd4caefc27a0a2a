/** How arms and verdicts look: a colour that most people tell apart, and a shape for those who do not. */
import type { Verdict } from '../../analysis/analysis.ts';
import { type Html, html } from './markup.ts';
import { rich } from './text.ts';

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond2' | 'star' | 'wye' | 'times' | 'plus';

export interface Look {
  /** A colour of the style sheet. */
  readonly color: string;
  readonly shape: Shape;
}

const SHAPES: readonly Shape[] = ['circle', 'square', 'triangle', 'diamond2', 'star', 'wye'];

export interface ArmLook extends Look {
  readonly arm: string;
}

/** The reference first, then the others in the order of the experiment. */
export function armLooks(arms: readonly string[], reference: string): readonly ArmLook[] {
  return [reference, ...arms.filter((arm) => arm !== reference)].map((arm, index) => ({
    arm,
    color: `var(--arm-${index % SHAPES.length})`,
    shape: SHAPES[index % SHAPES.length] ?? 'circle',
  }));
}

/** Shapes are filled but for a verdict that decides nothing. */
export const VERDICT_LOOKS: Readonly<Record<Verdict['kind'], Look>> = {
  slower: { color: 'var(--slower)', shape: 'square' },
  faster: { color: 'var(--faster)', shape: 'diamond2' },
  equivalent: { color: 'var(--equivalent)', shape: 'triangle' },
  inconclusive: { color: 'var(--undecided)', shape: 'circle' },
  invalid: { color: 'var(--slower)', shape: 'times' },
  none: { color: 'var(--undecided)', shape: 'plus' },
};

/** Outlines within a box from -6 to 6. */
const OUTLINES: Readonly<Record<Shape, string>> = {
  circle: 'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z',
  square: 'M-3.5,-3.5h7v7h-7z',
  triangle: 'M0,-4.5L4.5,3.2H-4.5z',
  diamond2: 'M0,-5L5,0L0,5L-5,0z',
  star: 'M0,-5.4L1.2,-1.7H5.1L2,0.6L3.2,4.4L0,2.1L-3.2,4.4L-2,0.6L-5.1,-1.7H-1.2z',
  wye: 'M1.5,0.9V4.4H-1.5V0.9L-4.5,-0.9L-3,-3.4L0,-1.7L3,-3.4L4.5,-0.9z',
  times: 'M-4,-4L4,4M-4,4L4,-4',
  plus: 'M-5,0H5M0,-5V5',
};

export function isOpen(shape: Shape): boolean {
  return shape === 'times' || shape === 'plus';
}

export type Stroke = 'solid' | 'dashed' | 'dotted';
const DASHES: Readonly<Record<Stroke, string>> = { solid: 'none', dashed: '5 3', dotted: '1.5 3' };

export function dashes(stroke: Stroke): string {
  return DASHES[stroke];
}

export type Key =
  | { readonly kind: 'mark'; readonly look: Look; readonly filled: boolean; readonly text: string }
  | { readonly kind: 'line'; readonly color: string; readonly stroke: Stroke; readonly text: string }
  | { readonly kind: 'band'; readonly color: string; readonly text: string };

function glyph(key: Key): Html {
  switch (key.kind) {
    case 'mark': {
      const filled = key.filled && !isOpen(key.look.shape);
      return html`<path d="${OUTLINES[key.look.shape]}" fill="${filled ? key.look.color : 'none'}" stroke="${key.look.color}" stroke-width="1.5"/>`;
    }
    case 'line':
      return html`<path d="M-10,0H10" stroke="${key.color}" stroke-width="1.75" stroke-dasharray="${DASHES[key.stroke]}"/>`;
    case 'band':
      return html`<rect x="-10" y="-6" width="20" height="12" fill="${key.color}"/>`;
  }
}

/** What marks, lines and bands of a plot mean. */
export function legend(keys: readonly Key[]): Html {
  const items = keys.map((key) => {
    const half = key.kind === 'mark' ? 6 : 10;
    return html`<li><svg class="key" aria-hidden="true" width="${2 * half}" height="12" viewBox="${`${-half} -6 ${2 * half} 12`}">${glyph(key)}</svg>${rich(key.text)}</li>`;
  });
  return html`<ul class="legend">${items}</ul>`;
}

/** A verdict's shape in its colour, before words that say it. */
export function verdictMark(kind: Verdict['kind']): Html {
  const key: Key = { kind: 'mark', look: VERDICT_LOOKS[kind], filled: kind !== 'inconclusive', text: '' };
  return html`<svg class="key" aria-hidden="true" width="12" height="12" viewBox="-6 -6 12 12">${glyph(key)}</svg>`;
}

/** A verdict in a word or a few, with its colour and shape. */
export function verdictChip(kind: Verdict['kind'], words: string): Html {
  return html`<span class="chip" style="${`--verdict: ${VERDICT_LOOKS[kind].color}`}">${verdictMark(kind)}${rich(words)}</span>`;
}
