/**
 * Markup that cannot forget to escape: whatever stands in a template of `html` is text or the value of an attribute
 * unless another template made it.
 */
import { escapeText } from '../plain-text.ts';

/** No data has this key: only this file makes markup. */
const MARKUP = Symbol('markup');

export interface Html {
  readonly [MARKUP]: string;
}

type Part = Html | string | number | null | readonly Part[];

const TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const ATTRIBUTE: Readonly<Record<string, string>> = { ...TEXT, '"': '&quot;', "'": '&#39;' };

/** `text` as the text of an element; controls and marks that cannot be seen are written as `\u{…}`. */
function escapeHtmlText(text: string): string {
  return escapeText(text).replace(/[&<>]/g, (character) => TEXT[character] ?? character);
}

/** `text` as the value of an attribute in quotes. */
function escapeHtmlAttribute(text: string): string {
  return escapeText(text).replace(/[&<>"']/g, (character) => ATTRIBUTE[character] ?? character);
}

function isHtml(part: Html | readonly Part[]): part is Html {
  return MARKUP in part;
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'string') return escapeHtmlText(part);
  if (typeof part === 'number') return String(part);
  return isHtml(part) ? part[MARKUP] : part.map(textOf).join('');
}

function attributeOf(part: Part | undefined, before: string): string {
  if (!before.endsWith('="')) throw new TypeError('a value within a tag is a whole attribute in double quotes');
  if (typeof part === 'number') return String(part);
  if (typeof part !== 'string') throw new TypeError('an attribute is text or a number');
  return escapeHtmlAttribute(part);
}

/**
 * Markup of a template. Text, numbers and lists of both are escaped; null is nothing; other markup stands as it is.
 * Within a tag a value is a whole attribute.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = '';
  let inTag = false;
  strings.forEach((fixed, index) => {
    markup += fixed;
    const opened = fixed.lastIndexOf('<');
    const closed = fixed.lastIndexOf('>');
    if (opened !== closed) inTag = opened > closed;
    if (index === strings.length - 1) return;
    const part = parts[index];
    markup += inTag ? attributeOf(part, fixed) : textOf(part ?? null);
  });
  return { [MARKUP]: markup };
}

const NAME = /^[A-Za-z][A-Za-z0-9-]*$/;

/** An element whose name is known only when it is made, such as a part of a drawing. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  children: readonly (Html | string)[],
): Html {
  const written = Object.entries(attributes).map(([key, value]) => {
    if (!NAME.test(key) || /^on/i.test(key)) throw new TypeError(`${key} is no attribute of a drawing`);
    return ` ${key}="${escapeHtmlAttribute(value)}"`;
  });
  if (!NAME.test(name) || /^script$/i.test(name)) throw new TypeError(`${name} is no element of a drawing`);
  const inside = textOf(children);
  return { [MARKUP]: `<${name}${written.join('')}${inside === '' ? '/>' : `>${inside}</${name}>`}` };
}

/** The markup as it is written to a file. */
export function markupOf(markup: Html): string {
  return markup[MARKUP];
}
