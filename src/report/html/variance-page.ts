/** A study of variance as one page: what the text says, and a map of the coefficients. */
import { groupsBy } from '../../storage/groups.ts';
import { escapeLine } from '../plain-text.ts';
import { aboutVariance, type VarianceSection, varianceSections } from '../variance.ts';
import { besideSections } from '../variance-beside.ts';
import type { VarianceInput } from '../variance-input.ts';
import { notedOf } from '../variance-notes.ts';
import { rankSections } from '../variance-ranks.ts';
import { figureOf } from './figure.ts';
import { LAYOUT } from './layout.ts';
import { type Html, html } from './markup.ts';
import { pageOf } from './page.ts';
import { rich } from './text.ts';
import { varianceBars } from './variance-bars.ts';
import { varianceMap } from './variance-map.ts';

const TITLE = 'How well set-ups repeat';
/** Of so many workloads and numbers of threads there is a figure each. */
const MOST_FIGURES = 40;

export function variancePage(input: VarianceInput): string {
  const maps = input.variance.workloads.flatMap((workload) => {
    const map = varianceMap(input, workload);
    return map === null ? [] : [figureOf(map, 3)];
  });
  const byThreads = input.variance.cells.toSorted((a, b) => a.threads - b.threads);
  const bars = groupsBy(byThreads, ({ workload, threads }) => JSON.stringify([threads, workload]));
  const figures = [...bars.values()].flatMap((cells) => {
    const { workload = '', threads = 0 } = cells[0] ?? {};
    const title = `${escapeLine(workload)}, ${threads === 1 ? '1 thread' : `${threads} threads`}`;
    const figure = bars.size > MOST_FIGURES ? null : varianceBars(cells, input.variance.rules.limit, title);
    return figure === null ? [] : [figureOf(figure, 3)];
  });
  const sections: readonly VarianceSection<Html>[] = [
    ...varianceSections(input, LAYOUT),
    ...(maps.length === 0 ? [] : [{ title: 'Maps of the coefficients', parts: maps }]),
    ...(figures.length === 0 ? [] : [{ title: 'Steps by number of threads', parts: figures }]),
    ...rankSections(input, LAYOUT),
    ...besideSections(input, LAYOUT),
    ...notedOf(input, LAYOUT.escaping, Number.POSITIVE_INFINITY).map(({ title, items }) => ({
      title,
      parts: [LAYOUT.list(items)],
    })),
  ];
  return pageOf({
    title: TITLE,
    opening: html`<h1>${TITLE}</h1>\n${aboutVariance(input, LAYOUT).map((one) => html`<p>${rich(one)}</p>\n`)}`,
    sections: sections.map(({ title, parts }, at) => ({ id: `part-${at + 1}`, title, parts })),
    footer: `Made by Assay ${input.assay} from results that were measured ${input.source === 'here' ? 'with assay variance run' : 'elsewhere'}. Rules and formulas: docs/studies.md and docs/methods.md of that version.`,
  });
}
