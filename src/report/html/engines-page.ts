/** A study of engines as one page: what the text says, and bars of the main figures. */
import { aboutEngines, type EnginesSection } from '../engines.ts';
import { enginesSections } from '../engines-formats.ts';
import type { EnginesInput } from '../engines-input.ts';
import { engineBars } from './engine-bars.ts';
import { figureOf } from './figure.ts';
import { LAYOUT } from './layout.ts';
import { type Html, html } from './markup.ts';
import { pageOf } from './page.ts';
import { plain, rich } from './text.ts';

export function enginesPage(input: EnginesInput): string {
  const title = LAYOUT.escaping.prose(input.findings.study.title);
  const bars = input.findings.sizes.map((size): EnginesSection<Html> => {
    const figures = size.figures.filter(({ kind }) => kind.main).flatMap((figure) => engineBars(figure, size) ?? []);
    return {
      title: `${LAYOUT.escaping.name(size.size.name)}: the main figures`,
      parts: figures.map((figure) => figureOf(figure, 3)),
    };
  });
  const sections = enginesSections(input, LAYOUT, bars);
  return pageOf({
    title: plain(title),
    opening: html`<h1>${rich(title)}</h1>\n${aboutEngines(input, LAYOUT).map((one) => html`<p>${rich(one)}</p>\n`)}`,
    sections: sections.map(({ title: heading, parts }, at) => ({ id: `part-${at + 1}`, title: heading, parts })),
    footer: `Made by Assay ${input.assay}. Rules and formulas: docs/studies.md and docs/methods.md of that version.`,
  });
}
