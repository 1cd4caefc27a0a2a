/** All metrics in one plot: every change with its interval, threshold and margin. */
import { axisX, axisY, barX, dot, ruleX, ruleY, text, tickX } from '@observablehq/plot';
import type { ReportInput } from '../input.ts';
import { lowerLimit } from '../limits.ts';
import type { ResultRow } from '../row.ts';
import { say } from '../rules.ts';
import { changeAxis } from './axes.ts';
import { draw } from './drawing.ts';
import { CHARACTER, type Figure, PLOT_WIDTH } from './figure.ts';
import { isOpen, type Key, VERDICT_LOOKS } from './symbols.ts';
import { plain, shortName } from './text.ts';

const LONGEST_LABEL = 30;
const ROW_HEIGHT = 26;

function labelOf(row: ResultRow, several: boolean): string {
  const { metric, arm, primary } = row.comparison;
  const name = several
    ? `${shortName(metric, LONGEST_LABEL / 2)} ${shortName(arm, LONGEST_LABEL / 2)}`
    : shortName(metric, LONGEST_LABEL);
  return primary ? `* ${name}` : name;
}

/** What is said of the ends of a list of rows, for those who do not see the plot. */
function described(rows: readonly ResultRow[]): string {
  return rows.map(titleOf).join('; ');
}

function titleOf({ subject, change, interval, verdict }: ResultRow): string {
  return plain(say('plot.forest-row', { subject, change, interval, verdict }));
}

/** The forest plot of all ratio metrics; null where fewer than two have an effect. Differences have units of their own. */
export function forestFigure(input: ReportInput, all: readonly ResultRow[]): Figure | null {
  const rows = all.filter((row) => row.comparison.kind === 'ratio' && row.comparison.effect !== null);
  const [first] = rows;
  // Of one, the plot of its pairs shows as much.
  if (first === undefined || rows.length === 1) return null;
  const several = input.analysis.arms.length > 2;
  const points = rows.map((row, index) => {
    const { comparison } = row;
    const { effect, threshold, margin, verdict } = comparison;
    const change = effect?.change ?? 0;
    const interval = effect?.interval ?? ([change, change] as const);
    return {
      ...{ row, index, change, interval, threshold, margin },
      look: VERDICT_LOOKS[verdict.kind],
      filled: verdict.kind !== 'inconclusive',
      figures: `${row.change} ${row.interval}`,
      title: titleOf(row),
    };
  });
  type Point = (typeof points)[number];
  const limits = points.flatMap(({ threshold, margin }) =>
    [threshold, margin ?? 0].flatMap((limit) => [limit, lowerLimit(limit, 'ratio')]),
  );
  const axis = changeAxis(
    'ratio',
    first.scale,
    [0, ...limits, ...points.flatMap(({ change, interval }) => [change, ...interval])],
    8,
  );
  const labels = rows.map((row) => labelOf(row, several));
  const width = (texts: readonly string[]): number => Math.max(...texts.map((one) => [...one].length)) * CHARACTER;
  const figures = points.map((point) => point.figures);
  const shapes = [...new Set(points.map(({ look }) => look.shape))];
  const margined = points.filter(({ margin }) => margin !== null);
  const bounded = points.filter(({ threshold }) => threshold > 0);
  const at = (value: number): number => axis.at(value);
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: rows.length * ROW_HEIGHT + 56,
      marginTop: 10,
      marginBottom: 42,
      marginLeft: Math.min(240, width(labels) + 16),
      marginRight: Math.min(260, width(figures) + 16),
      x: axis.scale,
      y: { type: 'band', domain: points.map(({ index }) => index), label: null, padding: 0.2 },
      marks: [
        axisY({ tickSize: 0, tickFormat: (index: number) => labels[index] ?? '' }),
        axisX({ ...axis.ticks, labelAnchor: 'left', labelArrow: 'none' }),
        barX(margined, {
          y: 'index',
          x1: ({ margin }: Point) => at(lowerLimit(margin ?? 0, 'ratio')),
          x2: ({ margin }: Point) => at(margin ?? 0),
          fill: 'var(--margin)',
        }),
        ruleX([at(0)], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        ...[1, -1].map((side) =>
          tickX(bounded, {
            y: 'index',
            x: ({ threshold }: Point) => at(side > 0 ? threshold : lowerLimit(threshold, 'ratio')),
            stroke: 'var(--limit)',
            strokeDasharray: '3 2',
            strokeWidth: 1.5,
          }),
        ),
        ruleY(points, {
          y: 'index',
          x1: ({ interval }: Point) => at(interval[0]),
          x2: ({ interval }: Point) => at(interval[1]),
          stroke: ({ look }: Point) => look.color,
          strokeWidth: 2,
        }),
        ...shapes.flatMap((shape) =>
          [true, false].map((filled) =>
            dot(
              points.filter((point) => point.look.shape === shape && point.filled === filled),
              {
                y: 'index',
                x: ({ change }: Point) => at(change),
                symbol: shape,
                r: 4.5,
                stroke: ({ look }: Point) => look.color,
                fill: filled && !isOpen(shape) ? ({ look }: Point) => look.color : 'var(--page)',
                title: 'title',
              },
            ),
          ),
        ),
        text(points, { y: 'index', text: 'figures', frameAnchor: 'right', textAnchor: 'start', dx: 10 }),
      ],
    },
    { name: say('plot.forest-name', {}), description: described(rows) },
  );
  const verdicts = [...new Set(rows.map((row) => row.comparison.verdict.kind))];
  const keys: readonly Key[] = [
    ...verdicts.map(
      (kind): Key => ({
        kind: 'mark',
        look: VERDICT_LOOKS[kind],
        filled: kind !== 'inconclusive',
        text: kind === 'slower' ? 'slower, or worse' : kind === 'faster' ? 'faster, or better' : kind,
      }),
    ),
    ...(bounded.length > 0
      ? [{ kind: 'line', color: 'var(--limit)', stroke: 'dashed', text: 'threshold' } as const]
      : []),
    ...(margined.length > 0 ? [{ kind: 'band', color: 'var(--margin)', text: 'margin of equivalence' } as const] : []),
  ];
  const apart = all.some((row) => row.comparison.kind === 'difference' && row.comparison.effect !== null);
  return {
    title: 'All metrics',
    plot,
    keys,
    caption: [say('plot.forest', {}), ...(apart ? [say('plot.forest-differences', {})] : [])].join(' '),
  };
}
