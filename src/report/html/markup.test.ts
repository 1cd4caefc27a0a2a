import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageElement } from '../../../test/html-page.ts';
import { element, html, markupOf } from './markup.ts';

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', '`', 'a', '-', '!', '\u202e', '\0') }),
);

test('text stays text and an attribute stays one attribute', () => {
  fc.assert(
    fc.property(anything, anything, (text, value) => {
      const markup = markupOf(html`<p title="${value}" class="x">${text}</p>`);
      const [p, ...more] = pageElement(`<html><body>${markup}</body></html>`).querySelectorAll('body *');
      expect(more).toEqual([]);
      expect(p?.getAttributeNames().toSorted()).toEqual(['class', 'title']);
      expect(p?.getAttribute('class')).toBe('x');
    }),
  );
});

test('what steers or hides is shown', () => {
  expect(markupOf(html`<b>${'a\u202eb\u001b[31m\u200b'}</b>`)).toBe(String.raw`<b>a\u{202e}b\u{1b}[31m\u{200b}</b>`);
  expect(markupOf(html`<b title="${'\u2066'}"></b>`)).toBe(String.raw`<b title="\u{2066}"></b>`);
});

test('markup stands as it is, lists are joined, null is nothing', () => {
  expect(markupOf(html`<ul>${['<', html`<li>${1}</li>`, null]}</ul>`)).toBe('<ul>&lt;<li>1</li></ul>');
});

test('what looks like markup but was not made here is text or a mistake', () => {
  const forged = JSON.parse('{"markup":"<script>","toString":"<script>"}');
  expect(() => markupOf(html`<p>${forged}</p>`)).toThrow();
});

test('an attribute must be whole and in quotes', () => {
  expect(() => html`<p class=${'a'}></p>`).toThrow(TypeError);
  expect(() => html`<p class="a ${'b'}"></p>`).toThrow(TypeError);
  expect(() => html`<p ${'onclick'}></p>`).toThrow(TypeError);
  expect(() => html`<p class="${html`<b></b>`}"></p>`).toThrow(TypeError);
});

test('an element of a drawing has harmless names only', () => {
  expect(markupOf(element('path', { d: 'M0,0"' }, []))).toBe('<path d="M0,0&quot;"/>');
  expect(markupOf(element('text', {}, ['<']))).toBe('<text>&lt;</text>');
  for (const name of ['script', 'a b', 'x>']) expect(() => element(name, {}, [])).toThrow(TypeError);
  for (const key of ['onload', 'a b', 'x"']) expect(() => element('g', { [key]: '' }, [])).toThrow(TypeError);
});
