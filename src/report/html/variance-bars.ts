/** The coefficients of one workload at one number of threads, as bars: the steps of each set-up. */
import { axisY, barX, ruleX, text } from '@observablehq/plot';
import type { VarianceCell } from '../../storage/variance.ts';
import { formatNumber } from '../numbers.ts';
import { escapeLine } from '../plain-text.ts';
import { coefficientText } from '../variance.ts';
import { amountAxis } from './axes.ts';
import { draw } from './drawing.ts';
import { CHARACTER, type Figure, PLOT_WIDTH } from './figure.ts';
import { shortName } from './text.ts';

const ROW_HEIGHT = 18;
const LONGEST_LABEL = 40;
const MOST_ROWS = 400;

interface Row {
  readonly index: number;
  readonly name: string;
  /** Null: the row has the name of the set-up whose steps follow, or its step has no coefficient. */
  readonly cv: number | null;
  readonly label: string;
  readonly title: string;
}

function rowsOf(cells: readonly VarianceCell[]): readonly Row[] {
  return cells
    .flatMap(({ setup, steps }) => [
      { name: escapeLine(setup), cv: null, label: '', title: '' },
      ...steps.map(({ step, cv }) => ({
        ...{ name: escapeLine(step), cv, label: coefficientText(cv) },
        title: `${escapeLine(setup)}, ${escapeLine(step)}: ${coefficientText(cv)}`,
      })),
    ])
    .map((row, index) => ({ ...row, index }));
}

/**
 * Null where there would be more bars than can be read.
 * @param cells of this workload and number of threads
 */
export function varianceBars(cells: readonly VarianceCell[], limit: number, title: string): Figure | null {
  const rows = rowsOf(cells);
  if (rows.length === 0 || rows.length > MOST_ROWS) return null;
  const names = rows.map(({ name }) => shortName(name, LONGEST_LABEL));
  const bars = rows.filter(({ cv }) => cv !== null);
  const longest = Math.max(limit, ...bars.map(({ cv }) => cv ?? 0));
  const namesOf = (some: readonly Row[], style: { readonly fontWeight?: string } = {}) =>
    axisY(
      some.map(({ index }) => index),
      { tickSize: 0, tickFormat: (index: number) => names[index] ?? '', ...style },
    );
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: rows.length * ROW_HEIGHT + 46,
      marginTop: 4,
      marginBottom: 42,
      marginLeft: Math.max(...names.map((name) => [...name].length)) * CHARACTER + 16,
      marginRight: 56,
      x: { domain: [0, longest * 1.04], label: 'coefficient of variation', type: 'linear' },
      y: { type: 'band', domain: rows.map(({ index }) => index), label: null, padding: 0.25 },
      marks: [
        namesOf(rows.filter(({ title }) => title !== '')),
        namesOf(
          rows.filter(({ title }) => title === ''),
          { fontWeight: 'bold' },
        ),
        amountAxis(),
        barX(bars, { y: 'index', x1: 0, x2: 'cv', fill: 'var(--bar)', title: 'title' }),
        ruleX([limit], { stroke: 'var(--limit)', strokeWidth: 1.5 }),
        ruleX([0], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        text(
          rows.filter(({ label }) => label !== ''),
          { y: 'index', text: 'label', frameAnchor: 'right', textAnchor: 'start', dx: 10 },
        ),
      ],
    },
    { name: title, description: rows.flatMap((row) => (row.title === '' ? [] : [row.title])).join('; ') },
  );
  return {
    title,
    plot,
    keys: [
      { kind: 'band', color: 'var(--bar)', text: 'coefficient of a step' },
      { kind: 'line', color: 'var(--limit)', stroke: 'solid', text: `limit of ${formatNumber(limit)}` },
    ],
    caption: 'The steps of each set-up stand below its name. A dash: there is no coefficient.',
  };
}
