/**
 * `report.html`: the whole account of a run as one page that needs nothing else: no script, no font, no request. What it
 * says is what report.md says; plots show the trials and pairs that it rests on.
 */
import { hasResults } from '../findings.ts';
import type { ReportInput } from '../input.ts';
import { groupsOf, type ResultRow, rowsOf } from '../row.ts';
import { say } from '../rules.ts';
import { type Section, sectionsOf } from '../sections.ts';
import { armsOf, warningsOf } from './evidence-sections.ts';
import { figureOf } from './figure.ts';
import { forestFigure } from './forest.ts';
import { functionBars } from './function-bars.ts';
import { LAYOUT } from './layout.ts';
import { type Html, html } from './markup.ts';
import { metricSections } from './metrics.ts';
import { noiseOf } from './noise-plots.ts';
import { documentTitle, opening } from './opening.ts';
import { pageOf } from './page.ts';
import { resultsTable } from './results-table.ts';
import { sequenceFigure } from './sequence-plot.ts';
import { HTML, rich } from './text.ts';

function results(input: ReportInput, rows: readonly ResultRow[]): readonly Html[] {
  if (!hasResults(input)) return [];
  const several = input.analysis.arms.length > 2;
  const tables = groupsOf(rows).map(
    (group) =>
      html`${several ? html`<h3>${rich(`${group[0].arm} against ${group[0].reference}`)}</h3>\n` : null}${resultsTable(input, group)}\n`,
  );
  const forest = forestFigure(input, rows);
  return [...tables, ...(forest === null ? [] : [figureOf(forest, 3)])];
}

function noise(input: ReportInput): readonly Html[] {
  const { figures, constant } = noiseOf(input);
  return [...(constant.length === 0 ? [] : [LAYOUT.list(constant)]), ...figures.map((figure) => figureOf(figure, 3))];
}

/** On a page the results come first, and what they rest on below; an issue tracker wants the setting before them. */
const FIRST = ['results', 'looks', 'warnings', 'instructions', 'controls', 'beside', 'limits', 'metrics', 'noise'];

function inPageOrder(sections: readonly Section<Html>[]): readonly Section<Html>[] {
  const of = (section: Section<Html>) => {
    const at = FIRST.indexOf(section.id.replace(/-\d+$/, ''));
    return at < 0 ? FIRST.length : at;
  };
  return sections.toSorted((a, b) => of(a) - of(b));
}

/** The HTML report, a function of its input alone. Linear in the number of trials. */
export function htmlReport(input: ReportInput): string {
  const rows = rowsOf(input, HTML);
  const all = sectionsOf(input, rows, LAYOUT, {
    results: results(input, rows),
    warnings: warningsOf(input),
    metrics: metricSections(input, rows),
    noise: noise(input),
    arms: armsOf(input),
    looks: (view) => [figureOf(sequenceFigure(view), 3)],
    functions: (view, at) => {
      const bars = functionBars(input, view, at);
      return bars === null ? [] : [figureOf(bars, 3)];
    },
  });
  const sections = inPageOrder(all);
  const { assay } = input.journal.run;
  return pageOf({
    title: documentTitle(input, rows),
    opening: opening(input, rows),
    sections,
    footer: say('page.made', { version: assay }),
  });
}
