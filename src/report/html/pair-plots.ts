/** Every pair's effect in the order in which the pairs ran, and by which arm of the pair ran first. */
import { axisFy, axisX, axisY, dot, rect, ruleX, ruleY, tickX } from '@observablehq/plot';
import type { PairValue } from '../../analysis/analysis.ts';
import { isOrderKnown } from '../imported.ts';
import type { ReportInput } from '../input.ts';
import { limitsOf } from '../limits.ts';
import { counted, formatSigned } from '../numbers.ts';
import { blockNoun, type ResultRow, type Rows } from '../row.ts';
import { say } from '../rules.ts';
import { changeAxis, valuesOverCount } from './axes.ts';
import { denseDots, denseTicks, draw } from './drawing.ts';
import { CHARACTER, DENSE_FROM, type Figure, PLOT_WIDTH } from './figure.ts';
import { limitKeys, limitLines } from './limit-lines.ts';
import { startKeys } from './start-looks.ts';
import type { Key } from './symbols.ts';
import { plain, shortName } from './text.ts';

const LONGEST_NAME = 18;

interface PairPoint {
  readonly arm: string;
  readonly number: number;
  readonly change: number;
  readonly referenceFirst: boolean;
  readonly title: string;
}

function changeOf({ comparison }: ResultRow, pair: PairValue): number {
  return comparison.kind === 'ratio' ? Math.expm1(pair.effect) : pair.effect;
}

function pointsOf(row: ResultRow, noun: string, ordered: boolean): readonly PairPoint[] {
  const { comparison } = row;
  return Array.from(comparison.values, (pair, index) => {
    const change = changeOf(row, pair);
    const first = pair.reference_first ? row.reference : row.arm;
    const place = `${noun} ${pair.block}${pair.attempt > 1 ? `, attempt ${pair.attempt}` : ''}`;
    const words = { place, change: formatSigned(change, row.scale) };
    return {
      arm: comparison.arm,
      number: index + 1,
      change,
      referenceFirst: pair.reference_first,
      title: plain(ordered ? say('plot.pair', { ...words, first }) : say('plot.pair-unordered', words)),
    };
  });
}

/** Effect, interval and pairs in words. */
function described(rows: Rows, block: string): string {
  const told = rows.flatMap(({ comparison, subject, change, interval, directions, scale }) => {
    const { effect } = comparison;
    if (effect === null) return [];
    const smallest = formatSigned(effect.smallest_pair, scale);
    const largest = formatSigned(effect.largest_pair, scale);
    return [plain(say('plot.pairs-row', { subject, change, interval, directions, block, smallest, largest }))];
  });
  return told.join(' ');
}

/** Every pair with the effect, its interval and the zero line; one panel an arm. Null where there is no effect. */
export function pairsFigure(input: ReportInput, all: Rows): Figure | null {
  const rows = all.filter((row) => row.comparison.effect !== null && row.comparison.values.length > 0);
  const [first, ...more] = rows;
  if (first === undefined) return null;
  const noun = blockNoun(input);
  const several = input.analysis.arms.length > 2;
  const ordered = isOrderKnown(input.journal);
  const points = rows.flatMap((row) => pointsOf(row, noun, ordered));
  const most = Math.max(...rows.map((row) => row.comparison.values.length));
  const dense = points.length >= DENSE_FROM;
  const limits = rows.flatMap(({ comparison }) =>
    limitsOf(comparison).map((limit) => ({ ...limit, arm: comparison.arm })),
  );
  const means = rows.flatMap((row) => {
    const { effect, arm } = row.comparison;
    return effect === null ? [] : [{ arm, change: effect.change, interval: effect.interval }];
  });
  const axis = changeAxis(first.comparison.kind, first.scale, [
    0,
    ...points.map(({ change }) => change),
    ...means.flatMap(({ change, interval }) => [change, ...(interval ?? [])]),
    ...limits.map(({ value }) => value),
  ]);
  const facet = several ? { fy: 'arm' } : {};
  const pairs = (referenceFirst: boolean) =>
    dot(
      points.filter((point) => point.referenceFirst === referenceFirst),
      {
        ...facet,
        x: 'number',
        y: ({ change }: PairPoint) => axis.at(change),
        ...(dense
          ? denseDots(referenceFirst ? 'var(--arm-0)' : 'var(--arm-1)', 1.25)
          : {
              r: 3.5,
              symbol: referenceFirst ? ('circle' as const) : ('square' as const),
              stroke: referenceFirst ? 'var(--arm-0)' : 'var(--arm-1)',
              fill: referenceFirst ? 'var(--page)' : 'var(--arm-1)',
              title: 'title',
            }),
      },
    );
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: several ? rows.length * 112 + 60 : 250,
      marginTop: 26,
      marginBottom: 42,
      marginLeft: 62,
      marginRight: several ? 140 : 16,
      x: {
        domain: [0.4, most + 0.6],
        label: `${noun}s in the order ${ordered ? 'in which they ran' : 'of the files'}`,
        type: 'linear',
      },
      y: axis.scale,
      fy: { domain: rows.map((row) => row.comparison.arm), label: null, padding: 0.12 },
      marks: [
        ...valuesOverCount(axis),
        ...(several ? [axisFy({ tickFormat: (arm: string) => shortName(arm, LONGEST_NAME) })] : []),
        rect(
          means.filter(({ interval }) => interval !== null),
          {
            ...facet,
            x1: 0.4,
            x2: most + 0.6,
            y1: ({ interval, change }: (typeof means)[number]) => axis.at(interval?.[0] ?? change),
            y2: ({ interval, change }: (typeof means)[number]) => axis.at(interval?.[1] ?? change),
            fill: 'var(--interval)',
          },
        ),
        ruleY([axis.at(0)], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        ...limitLines(limits, axis, facet),
        ruleY(means, {
          ...facet,
          y: ({ change }: (typeof means)[number]) => axis.at(change),
          stroke: 'var(--mean)',
          strokeWidth: 2,
        }),
        pairs(true),
        pairs(false),
      ],
    },
    {
      name: plain(say('plot.pairs-name', { block: noun, metric: first.metric })),
      description: described([first, ...more], noun),
    },
  );
  const keys: readonly Key[] = [
    ...(!ordered ? [anyOrder(noun)] : noun === 'session' ? startKeys(first, dense) : orderKeys(first, several, dense)),
    { kind: 'line', color: 'var(--mean)', stroke: 'solid', text: 'change' },
    ...(means.some(({ interval }) => interval !== null)
      ? [{ kind: 'band', color: 'var(--interval)', text: 'its interval' } as const]
      : []),
    { kind: 'line', color: 'var(--zero)', stroke: 'solid', text: 'no change' },
    ...limitKeys(limits),
  ];
  const caption = say(dense ? 'plot.pairs-dense' : 'plot.pairs', { blocks: counted(most, noun) });
  return { title: `Effect of every ${noun}`, plot, keys, caption };
}

/** Which ran first is not known. */
function anyOrder(noun: string): Key {
  return { kind: 'mark', look: { color: 'var(--arm-0)', shape: 'circle' }, filled: false, text: `a ${noun}` };
}

function orderKeys(row: ResultRow, several: boolean, dense: boolean): readonly Key[] {
  const first = { color: 'var(--arm-0)', shape: 'circle' } as const;
  const second = { color: 'var(--arm-1)', shape: dense ? 'circle' : 'square' } as const;
  return [
    { kind: 'mark', look: first, filled: dense, text: `${row.reference} ran ${several ? 'before' : 'first'}` },
    { kind: 'mark', look: second, filled: true, text: several ? `${row.reference} ran after` : `${row.arm} ran first` },
  ];
}

/** Pairs by which arm went first, with the mean of either order; null where either has fewer than two pairs. */
export function orderFigure(row: ResultRow, noun: ReturnType<typeof blockNoun>): Figure | null {
  const { effect, kind } = row.comparison;
  const order = effect?.order_effect;
  if (effect === null || order === null || order === undefined) return null;
  const points = pointsOf(row, noun, true);
  const dense = points.length >= DENSE_FROM;
  const centre = kind === 'ratio' ? Math.log1p(effect.change) : effect.change;
  const mean = (side: number): number => {
    const value = centre + side * order.gamma;
    return kind === 'ratio' ? Math.expm1(value) : value;
  };
  const means = [
    { referenceFirst: true, change: mean(1) },
    { referenceFirst: false, change: mean(-1) },
  ];
  const axis = changeAxis(kind, row.scale, [0, ...points.map(({ change }) => change)], 8);
  const names = {
    true: `${shortName(row.comparison.reference, LONGEST_NAME)} first`,
    false: `${shortName(row.comparison.arm, LONGEST_NAME)} first`,
  };
  const x = ({ change }: { change: number }): number => axis.at(change);
  const y = ({ referenceFirst }: { referenceFirst: boolean }): string => (referenceFirst ? 'AB' : 'BA');
  const told = means.map(
    ({ referenceFirst, change }) => `${names[referenceFirst ? 'true' : 'false']} ${formatSigned(change, row.scale)}`,
  );
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height: 132,
      marginTop: 8,
      marginBottom: 42,
      marginLeft: 16 + CHARACTER * Math.max(...Object.values(names).map((name) => [...name].length)),
      marginRight: 16,
      x: axis.scale,
      y: { type: 'band', domain: ['AB', 'BA'], label: null, padding: 0.25 },
      marks: [
        axisX({ ...axis.ticks, labelAnchor: 'left', labelArrow: 'none' }),
        axisY({ tickSize: 0, tickFormat: (key: string) => names[key === 'AB' ? 'true' : 'false'] }),
        ruleX([axis.at(0)], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        tickX(points, {
          ...{ x, y },
          ...(dense ? denseTicks('var(--faint)', 0.5) : { stroke: 'var(--faint)', strokeWidth: 1.5, title: 'title' }),
        }),
        dot(means, { x, y, symbol: 'diamond2', r: 5, fill: 'var(--mean)', stroke: 'var(--page)' }),
      ],
    },
    {
      name: plain(say('plot.order-name', { metric: row.metric })),
      description: plain(say('plot.order-means', { blocks: `${noun}s`, means: told.join(', ') })),
    },
  );
  return {
    title: 'Order effect',
    plot,
    keys: [
      { kind: 'line', color: 'var(--faint)', stroke: 'solid', text: `a ${noun}` },
      { kind: 'mark', look: { color: 'var(--mean)', shape: 'diamond2' }, filled: true, text: 'mean of an order' },
    ],
    caption: say('plot.order', { block: noun }),
  };
}
