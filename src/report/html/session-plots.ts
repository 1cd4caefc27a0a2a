/** Every session's effect: of the typical slice, with what the noise of its slices makes of it, and of the total. */
import { dot, rect, ruleX, ruleY } from '@observablehq/plot';
import type { Interval } from '../../analysis/analysis.ts';
import type { SessionSummary, SliceSummary } from '../../analysis/slice-analysis.ts';
import { limitsOf } from '../limits.ts';
import { counted, formatInterval, formatSigned } from '../numbers.ts';
import type { ResultRow } from '../row.ts';
import { say } from '../rules.ts';
import { changeAxis, valuesOverCount } from './axes.ts';
import { denseDots, draw } from './drawing.ts';
import { DENSE_FROM, type Figure, PLOT_WIDTH } from './figure.ts';
import { limitKeys, limitLines } from './limit-lines.ts';
import { startKeys, startLook } from './start-looks.ts';
import type { Key } from './symbols.ts';
import { plain } from './text.ts';

/** From here on whiskers would touch each other. */
const MOST_WHISKERS = 160;

interface SessionPoint {
  readonly number: number;
  readonly value: number;
  readonly noise: Interval | null;
  readonly referenceFirst: boolean;
  readonly title: string;
}

interface Wanted {
  readonly of: 'typical' | 'total';
  readonly change: number;
  readonly interval: Interval | null;
  readonly height: number;
}

/** Of the typical slice, from which the verdict is read, and of the total below it. Nothing where no effect comes from slices. */
export function sessionFigures(row: ResultRow): readonly Figure[] {
  const { slices, effect } = row.comparison;
  if (slices === null || effect === null) return [];
  return [
    figureOf(row, slices, { of: 'typical', change: effect.change, interval: effect.interval, height: 250 }),
    figureOf(row, slices, { of: 'total', ...slices.total, height: 180 }),
  ];
}

function pointsOf(row: ResultRow, sessions: readonly SessionSummary[], of: Wanted['of']): readonly SessionPoint[] {
  return sessions.map(({ block, attempt, change, noise, total }, index) => {
    const referenceFirst = row.comparison.values.isReferenceFirst(index);
    const value = of === 'total' ? total : change;
    const place = `session ${block}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
    const first = referenceFirst ? row.reference : row.arm;
    const title = plain(say('plot.session', { place, first, change: formatSigned(value, row.scale) }));
    return { number: index + 1, value, noise: of === 'total' ? null : noise, referenceFirst, title };
  });
}

function figureOf(row: ResultRow, slices: SliceSummary, { of, change, interval, height }: Wanted): Figure {
  const { comparison, scale } = row;
  const points = pointsOf(row, slices.sessions, of);
  const whiskers = points.length > MOST_WHISKERS ? [] : points.filter(({ noise }) => noise !== null);
  const limits = limitsOf(comparison);
  const dense = points.length >= DENSE_FROM;
  const axis = changeAxis(
    comparison.kind,
    scale,
    [
      ...[0, change, ...(interval ?? []), ...limits.map(({ value }) => value)],
      ...points.map(({ value }) => value),
      ...whiskers.flatMap(({ noise }) => noise ?? []),
    ],
    of === 'total' ? 4 : 6,
  );
  const x = { x1: 0.4, x2: points.length + 0.6 };
  const ranged = { change: formatSigned(change, scale), interval: rangeText(row, interval) };
  const described = { ...ranged, subject: row.subject, ...outermost(points, row), ...directions(points) };
  const plot = draw(
    {
      width: PLOT_WIDTH,
      height,
      ...{ marginTop: 26, marginBottom: 42, marginLeft: 62, marginRight: 16 },
      x: { domain: [x.x1, x.x2], label: 'sessions in the order in which they ran', type: 'linear' },
      y: axis.scale,
      marks: [
        ...valuesOverCount(axis),
        rect(interval === null ? [] : [interval], {
          ...x,
          y1: (ends: Interval) => axis.at(ends[0]),
          y2: (ends: Interval) => axis.at(ends[1]),
          fill: 'var(--interval)',
        }),
        ruleY([axis.at(0)], { stroke: 'var(--zero)', strokeWidth: 1.25 }),
        ...limitLines(limits, axis),
        ruleY([axis.at(change)], { stroke: 'var(--mean)', strokeWidth: 2 }),
        ruleX(whiskers, {
          x: 'number',
          y1: ({ noise }: SessionPoint) => axis.at(noise?.[0] ?? 0),
          y2: ({ noise }: SessionPoint) => axis.at(noise?.[1] ?? 0),
          stroke: 'var(--faint)',
          strokeWidth: 1.5,
        }),
        ...[true, false].map((referenceFirst) =>
          dot(
            points.filter((point) => point.referenceFirst === referenceFirst),
            {
              x: 'number',
              y: ({ value }: SessionPoint) => axis.at(value),
              ...(dense
                ? denseDots(startLook(referenceFirst).color, 1.25)
                : { ...startLook(referenceFirst), r: 3.5, title: 'title' }),
            },
          ),
        ),
      ],
    },
    {
      name: plain(say(of === 'total' ? 'plot.totals-name' : 'plot.sessions-name', { metric: row.metric })),
      description: plain(say(of === 'total' ? 'plot.totals-row' : 'plot.sessions-row', described)),
    },
  );
  const keys: readonly Key[] = [
    ...startKeys(row, dense),
    ...(whiskers.length === 0
      ? []
      : [{ kind: 'line', color: 'var(--faint)', stroke: 'solid', text: 'noise of its slices' } as const]),
    { kind: 'line', color: 'var(--mean)', stroke: 'solid', text: of === 'total' ? 'change of the total' : 'change' },
    ...(interval === null ? [] : [{ kind: 'band', color: 'var(--interval)', text: 'its interval' } as const]),
    { kind: 'line', color: 'var(--zero)', stroke: 'solid', text: 'no change' },
    ...limitKeys(limits),
  ];
  const sessions = counted(points.length, 'session');
  return {
    title: of === 'total' ? 'Total of every session' : 'Typical slice of every session',
    plot,
    keys,
    caption: [
      of === 'total' ? say('plot.totals', ranged) : say('plot.sessions', { sessions }),
      ...(whiskers.length === 0 ? [] : [say('plot.sessions-noise', {})]),
      ...(dense ? [say('plot.sessions-dense', {})] : []),
    ].join(' '),
  };
}

function rangeText({ scale }: ResultRow, interval: Interval | null): string {
  return interval === null ? 'exact' : formatInterval(interval, scale);
}

function outermost(points: readonly SessionPoint[], { scale }: ResultRow) {
  const values = points.map(({ value }) => value);
  const smallest = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const largest = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return { smallest: formatSigned(smallest, scale), largest: formatSigned(largest, scale) };
}

function directions(points: readonly SessionPoint[]): { readonly directions: string } {
  const up = points.filter(({ value }) => value > 0).length;
  const down = points.filter(({ value }) => value < 0).length;
  return { directions: `${up} up, ${down} down` };
}
