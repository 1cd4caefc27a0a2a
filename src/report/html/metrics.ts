/** Metric by metric: the finding, every pair, every trial. */
import type { Comparison } from '../../analysis/analysis.ts';
import type { Metric } from '../../experiment/experiment.ts';
import { sentence } from '../findings.ts';
import { isOrderKnown } from '../imported.ts';
import type { ReportInput } from '../input.ts';
import { counted, formatNumber } from '../numbers.ts';
import { blockNoun, groupsOf, type ResultRow, type Rows } from '../row.ts';
import { say } from '../rules.ts';
import { left, number } from '../writer.ts';
import { type Figure, figureOf } from './figure.ts';
import { type Html, html, markupOf } from './markup.ts';
import { orderFigure, pairsFigure } from './pair-plots.ts';
import { sessionFigures } from './session-plots.ts';
import { sliceFigures } from './slice-plot.ts';
import { tableOf } from './table.ts';
import { HTML, plain, rich } from './text.ts';
import { positionFigure, timeFigure } from './trial-plots.ts';

/** Bytes that these sections may take: a page of 16 pairs stays below 1 MB, any page below 3 MB. */
const BUDGET = { base: 450_000, eachTrial: 3_000, most: 2_200_000 };
const UTF8 = new TextEncoder();
/** Longer lists of pairs are in pairs.csv alone. */
const MOST_PAIRS_LISTED = 100;

function changeCell(comparison: Comparison, effect: number): string {
  return comparison.kind === 'ratio' ? formatNumber(Math.expm1(effect) * 100, 5) : formatNumber(effect, 6);
}

/** The pairs of one arm as numbers; null where there are none, or too many for a page. */
function pairsTable(row: ResultRow, metric: Metric, noun: string, ordered: boolean): Html | null {
  const { comparison, reference, arm } = row;
  const { values, kind } = comparison;
  if (values.length === 0 || values.length > MOST_PAIRS_LISTED) return null;
  const unit = `${HTML.prose(metric.unit)}${metric.per === null ? '' : '/op'}`;
  const inUnit = unit === '' ? '' : `, ${unit}`;
  const caption = plain(`${noun}s of ${row.subject}`);
  const columns = [
    ...[number(noun), number('attempt')],
    ...(ordered ? [left(noun === 'session' ? 'started first' : 'ran first')] : []),
    ...[`${reference}${inUnit}`, `${arm}${inUnit}`, kind === 'ratio' ? 'change, %' : `difference${inUnit}`].map(number),
    ...(values.totals !== null ? [number('change of the total, %')] : []),
  ];
  const rows = Array.from(values, (pair) => [
    ...[String(pair.block), String(pair.attempt)],
    ...(ordered ? [pair.reference_first ? reference : arm] : []),
    ...[String(pair.reference), String(pair.arm), changeCell(comparison, pair.effect)],
    ...(pair.total === null ? [] : [changeCell(comparison, pair.total)]),
  ]);
  return html`<details><summary>${rich(`The ${noun}s of ${row.subject} as numbers`)}</summary>${tableOf(caption, { columns, rows })}</details>`;
}

function figuresOf(input: ReportInput, rows: Rows, metric: Metric): readonly Figure[] {
  const two = input.analysis.arms.length === 2;
  const sliced = sessionFigures(rows[0]);
  return [
    ...(sliced.length > 0 ? sliced : [pairsFigure(input, rows)]),
    ...(isOrderKnown(input.journal)
      ? [two ? orderFigure(rows[0], blockNoun(input)) : positionFigure(input, metric), timeFigure(input, metric)]
      : []),
    ...sliceFigures(input, rows[0], metric),
  ].filter((figure) => figure !== null);
}

/** What is told and drawn of a metric; null where no trial has it. */
function metricSection(input: ReportInput, rows: Rows): Html | null {
  const metric = input.journal.run.experiment.metrics.find(({ name }) => name === rows[0].comparison.metric);
  if (metric === undefined) return null;
  const figures = figuresOf(input, rows, metric);
  if (figures.length === 0) return null;
  const noun = blockNoun(input);
  // What is primary stands at the head of the page.
  const told = rows.flatMap((row) =>
    row.comparison.effect === null || row.comparison.primary ? [] : [html`<p>${rich(sentence(row.finding))}</p>\n`],
  );
  return html`<section><h3>${rich(rows[0].metric)}</h3>
${told}${figures.map((figure) => figureOf(figure, 4))}${rows.map((row) => pairsTable(row, metric, noun, isOrderKnown(input.journal)))}</section>
`;
}

/** A section for each metric, primary ones first; where the plots would be too much for a page, those of the last are left out. */
export function metricSections(input: ReportInput, rows: readonly ResultRow[]): readonly Html[] {
  const { analysis } = input;
  const budget = Math.min(BUDGET.most, BUDGET.base + BUDGET.eachTrial * analysis.trials.length);
  let used = 0;
  let left = 0;
  const sections = groupsOf(rows, 'metric').flatMap((own): Html[] => {
    const section = used > budget ? null : metricSection(input, own);
    used += section === null ? 0 : UTF8.encode(markupOf(section)).length;
    if (section !== null && used <= budget) return [section];
    if (used > budget) left += 1;
    return [];
  });
  if (left === 0) return sections;
  const note = say('plot.metrics-left-out', { metrics: counted(left, 'further metric') });
  return [...sections, html`<p class="notes">${note}</p>`];
}
