/**
 * A plot as SVG of our own writing: Observable Plot lays it out in a document of linkedom's, and what it made is
 * written here, every text through the one function that escapes. Nothing in it differs from call to call.
 */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom/worker';
import { element, type Html, html } from './markup.ts';

/** What a plot says to those who do not see it. */
export interface Alternative {
  readonly name: string;
  /** The finding in words. */
  readonly description: string;
}

/** The little of a DOM that is read here. */
interface DrawnNode {
  readonly nodeType: number;
  readonly textContent: string | null;
  readonly childNodes: Iterable<DrawnNode>;
}

interface DrawnElement extends DrawnNode {
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
}

const ELEMENT = 1;
const TEXT = 3;

/** Lengths and places; a hundredth of a pixel is not seen. */
const NUMERIC = new Set(['x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy', 'r', 'width', 'height', 'd', 'transform']);
/** Plot's own, meant for its style sheet and for documents without a description. */
const DROPPED = new Set(['class', 'font-family', 'font-size', 'aria-label', 'aria-hidden', 'xmlns']);

function rounded(value: string): string {
  return value.replace(/-?\d+\.\d{2,}(?:e-?\d+)?/g, (number) => String(Math.round(Number(number) * 10) / 10));
}

function isElement(node: DrawnNode): node is DrawnElement {
  return node.nodeType === ELEMENT;
}

function attributesOf(node: DrawnElement): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const { name, value } of node.attributes) {
    if (!DROPPED.has(name)) kept[name] = NUMERIC.has(name) ? rounded(value) : value;
  }
  return kept;
}

/** Equal lines without tool-tips as one path. */
function mergedLines(node: DrawnElement): Html | null {
  const marks = [...node.childNodes].filter(isElement);
  if (marks.length < 2 || marks.some((mark) => mark.localName !== 'line' || [...mark.childNodes].length > 0))
    return null;
  const all = marks.map(attributesOf);
  const ends = new Set(['x1', 'x2', 'y1', 'y2']);
  if (all.some((one) => Object.keys(one).some((key) => !ends.has(key)))) return null;
  const d = all.map(({ x1, x2, y1, y2 }) => `M${x1},${y1}L${x2},${y2}`).join('');
  return element('path', { ...attributesOf(node), d }, []);
}

function write(node: DrawnElement): Html {
  const merged = node.localName === 'g' ? mergedLines(node) : null;
  if (merged !== null) return merged;
  const children = [...node.childNodes].flatMap((child): (Html | string)[] => {
    if (isElement(child)) return [write(child)];
    return child.nodeType === TEXT ? [child.textContent ?? ''] : [];
  });
  return element(node.localName, attributesOf(node), children);
}

type Look = Readonly<Record<'stroke' | 'stroke-width' | 'stroke-linecap', string>>;
type Step = (x: string, y: string, band: number) => string;

/**
 * Marks of one look without tool-tips as one path. An element for each would be most of the time that a report of
 * thousands of trials takes.
 */
function asPath(look: Look, step: Step): Plot.RenderFunction {
  return (index, { scales }, { x = [], y = [] }, _dimensions, { document }) => {
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    const band = scales.y?.bandwidth ?? 0;
    // The index may be an array that holds nothing but numbers.
    const d = Array.from(index, (at) => step(String(x[at]), String(y[at]), band)).join('');
    for (const [name, value] of Object.entries({ ...look, fill: 'none', d })) path.setAttribute(name, value);
    return path;
  };
}

/** For `dot`: many dots, each a stroke of no length with a round cap. */
export function denseDots(color: string, radius: number) {
  const look = { stroke: color, 'stroke-width': String(2 * radius), 'stroke-linecap': 'round' };
  return { r: radius, fill: color, render: asPath(look, (x, y) => `M${x},${y}h0`) };
}

/** For `tickX` on bands: many ticks, each as high as its band. */
export function denseTicks(color: string, width: number) {
  const look = { stroke: color, 'stroke-width': String(width), 'stroke-linecap': 'butt' };
  return { render: asPath(look, (x, y, band) => `M${x},${y}v${band}`) };
}

/** `options` as an SVG with its name and description. Widths and heights are CSS pixels at full size. */
export function draw(options: Plot.PlotOptions, alternative: Alternative): Html {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const drawn: DrawnElement = Plot.plot({ ...options, document });
  const parts = [...drawn.childNodes].filter(isElement).filter((child) => child.localName !== 'style');
  const { viewBox = '' } = attributesOf(drawn);
  return html`<svg class="plot" role="img" viewBox="${viewBox}" text-anchor="middle" fill="currentColor" aria-label="${alternative.name}"><title>${alternative.name}</title><desc>${alternative.description}</desc>${parts.map(write)}</svg>`;
}
