/** One figure of all engines as bars, each with its interval. */
import { axisY, barX, ruleX, ruleY, text } from '@observablehq/plot';
import type { FigureOfSize, SizeFindings } from '../../storage/engines/analysis.ts';
import { figureText, intervalText, isMarked } from '../engines-cells.ts';
import { escapeLine } from '../plain-text.ts';
import { say } from '../rules.ts';
import { amountAxis } from './axes.ts';
import { draw } from './drawing.ts';
import { CHARACTER, type Figure, PLOT_WIDTH } from './figure.ts';
import { shortName } from './text.ts';

const ROW_HEIGHT = 22;
const LONGEST_LABEL = 30;

const UNITS: Readonly<Record<string, string>> = { x: 'times the user data', reads: 'reads a query', kB: 'kB a query' };

interface Bar {
  readonly index: number;
  readonly name: string;
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly label: string;
  readonly marked: boolean;
  readonly title: string;
}

/** Null where no engine has the figure, or all are zero: bars of no length show nothing. */
export function engineBars(figure: FigureOfSize, found: SizeFindings): Figure | null {
  const bars = Object.entries(figure.engines).flatMap(([engine, one]): Omit<Bar, 'index'>[] => {
    if (one.mean === null) return [];
    const value = `${figureText(figure, one, found, engine)} ${intervalText(one)}`;
    return [
      {
        ...{ name: shortName(escapeLine(engine), LONGEST_LABEL), mean: one.mean, label: value },
        ...{ low: one.interval?.[0] ?? null, high: one.interval?.[1] ?? null },
        marked: isMarked(figure.kind, found, engine),
        title: say('engines.bar', { engine: escapeLine(engine), value }),
      },
    ];
  });
  const placed = bars.map((bar, index): Bar => ({ ...bar, index }));
  const longest = Math.max(0, ...placed.map(({ mean }) => mean));
  if (longest === 0) return null;
  // An interval of two blocks may be wider than all else: bars keep their place, and whiskers are cut.
  const end = Math.min(longest * 1.6, Math.max(longest, ...placed.map(({ high }) => high ?? 0)));
  const width = (texts: readonly string[]) => Math.max(...texts.map((one) => [...one].length)) * CHARACTER;
  const { title, unit, better } = figure.kind;
  const names = placed.map(({ name }) => name);
  const whiskers = placed.filter(({ low, high }) => low !== null && high !== null);
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: placed.length * ROW_HEIGHT + 50,
      marginTop: 4,
      marginBottom: 42,
      marginLeft: width(names) + 16,
      marginRight: Math.min(300, width(placed.map(({ label }) => label)) + 16),
      x: { domain: [0, end], label: UNITS[unit] ?? unit, type: 'linear' },
      y: { type: 'band', domain: placed.map(({ index }) => index), label: null, padding: 0.3 },
      marks: [
        axisY({ tickSize: 0, tickFormat: (index: number) => names[index] ?? '' }),
        amountAxis(),
        barX(placed, { y: 'index', x1: 0, x2: 'mean', fill: 'var(--bar)', title: 'title' }),
        ruleY(whiskers, {
          y: 'index',
          x1: ({ low }: Bar) => low ?? 0,
          x2: ({ high }: Bar) => Math.min(high ?? 0, end),
          stroke: 'var(--limit)',
          strokeWidth: 2,
        }),
        ruleX([0], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        text(placed, { y: 'index', text: 'label', frameAnchor: 'right', textAnchor: 'start', dx: 10 }),
      ],
    },
    { name: `${escapeLine(found.size.name)}, ${title}`, description: placed.map((bar) => bar.title).join('; ') },
  );
  const marked = placed.some((bar) => bar.marked);
  const cut = placed.some(({ high }) => high !== null && high > end);
  return {
    title: `${title}, ${better} is better`,
    plot,
    keys: [
      { kind: 'band', color: 'var(--bar)', text: 'mean over blocks' },
      ...(whiskers.length === 0
        ? []
        : [
            {
              ...({ kind: 'line', color: 'var(--limit)', stroke: 'solid' } as const),
              text: cut ? 'interval of the mean, cut at the edge' : 'interval of the mean',
            },
          ]),
    ],
    caption: marked ? say('engines.mark', {}) : '',
  };
}
