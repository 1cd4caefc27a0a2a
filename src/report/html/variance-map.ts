/** The coefficients of a workload as a map: a row a set-up, a column a step, the darker the larger. */
import { axisX, axisY, cell, text } from '@observablehq/plot';
import { formatNumber } from '../numbers.ts';
import { escapeLine } from '../plain-text.ts';
import { coefficientText } from '../variance.ts';
import type { VarianceInput } from '../variance-input.ts';
import { draw } from './drawing.ts';
import { CHARACTER, type Figure, PLOT_WIDTH } from './figure.ts';
import { shortName } from './text.ts';

const ROW_HEIGHT = 24;
const LONGEST_LABEL = 40;
const LONGEST_STEP = 20;
/** Larger maps show nothing that their tables do not show better. */
const MOST_FIELDS = 4000;
const MOST_STEPS = 12;

interface Field {
  readonly row: number;
  readonly step: number;
  readonly cv: number | null;
  readonly label: string;
  readonly title: string;
  readonly opacity: number;
  readonly above: boolean;
}

/** Null where it would be too large to be read. */
export function varianceMap({ variance }: VarianceInput, workload: string): Figure | null {
  const { limit, steps } = variance.rules;
  const cells = variance.cells.filter((one) => one.workload === workload);
  if (steps.length > MOST_STEPS || cells.length * steps.length > MOST_FIELDS) return null;
  const rows = cells.map(({ setup, threads }) => `${shortName(setup, LONGEST_LABEL)}, ${threads}`);
  const largest = Math.max(2 * limit, ...cells.flatMap((one) => one.steps.flatMap(({ cv }) => cv ?? [])));
  const fields = cells.flatMap((one, row) =>
    one.steps.map(
      ({ step, cv }, column): Field => ({
        ...{ row, step: column, cv, label: coefficientText(cv) },
        title: `${escapeLine(one.setup)}, ${one.threads === 1 ? '1 thread' : `${one.threads} threads`}, ${escapeLine(step)}: ${coefficientText(cv)}`,
        // Of a square root: most coefficients are small, and one is large.
        opacity: cv === null ? 0 : Math.sqrt(cv / largest),
        above: cv !== null && cv > limit,
      }),
    ),
  );
  const width = Math.max(...rows.map((label) => [...label].length)) * CHARACTER;
  const name = `Coefficients of ${escapeLine(workload)}`;
  const at = { x: 'step', y: 'row' } as const;
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: rows.length * ROW_HEIGHT + 34,
      marginTop: 30,
      marginBottom: 4,
      marginLeft: width + 16,
      marginRight: 4,
      x: { type: 'band', domain: steps.map((_, index) => index), label: null, padding: 0.04 },
      y: { type: 'band', domain: rows.map((_, index) => index), label: null, padding: 0.08 },
      opacity: { type: 'identity' },
      marks: [
        axisX({
          anchor: 'top',
          tickSize: 0,
          tickFormat: (index: number) => shortName(steps[index] ?? '', LONGEST_STEP),
        }),
        axisY({ tickSize: 0, tickFormat: (index: number) => rows[index] ?? '' }),
        cell(fields, { ...at, fill: 'var(--bar)', fillOpacity: 'opacity', title: 'title' }),
        cell(
          fields.filter(({ above }) => above),
          { ...at, fill: 'none', stroke: 'var(--limit)', strokeWidth: 2 },
        ),
        text(fields, { ...at, text: 'label' }),
      ],
    },
    { name, description: fields.map(({ title }) => title).join('; ') },
  );
  return {
    title: name,
    plot,
    keys: [
      { kind: 'band', color: 'var(--bar)', text: 'the darker, the larger' },
      { kind: 'line', color: 'var(--limit)', stroke: 'solid', text: `above the limit of ${formatNumber(limit)}` },
    ],
    caption: 'One row is a set-up with its number of client threads. A dash: there is no coefficient.',
  };
}
